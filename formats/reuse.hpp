// Memory of arrays (formats/array.hpp) that are made again and again with the same structure.
#pragma once

#include <cstdint>
#include <map>

namespace quadrille::memory {

// While a Use of it lives, arrays that its thread gives up stay here, and arrays that the thread makes take
// one of exactly their size, if there is one. So what is made a second time allocates nothing. At the end of
// a use what was not taken in the last few is released (steps in time change the levels of a multigrid and
// change them back, and a GPU waits for all its work before it gives memory back), and everything on the host
// or the GPU where that is more than a quarter of what is free there; and everything where an array finds no
// memory, whoever makes it. Arrays outlive this: they do not know where they come from.
class Reuse {
 public:
  Reuse();
  Reuse(const Reuse&) = delete;
  Reuse& operator=(const Reuse&) = delete;
  ~Reuse();

  class Use {
   public:
    explicit Use(Reuse& reuse);
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use();

   private:
    Reuse* before_;  // in use on this thread
  };

  std::int64_t bytes() const;  // that wait here
  // Arrays of the last use, or of the one now, that found nothing here.
  int allocated() const { return allocated_; }

 private:
  friend void* take_kept(bool on_gpu, std::int64_t bytes) noexcept;
  friend bool keep(bool on_gpu, void* p, std::int64_t bytes) noexcept;
  friend bool release_kept() noexcept;

  struct Block {
    void* p;
    int use;  // in which it was given up
  };
  using Blocks = std::multimap<std::int64_t, Block>;  // by bytes

  template <class Which>
  bool release(bool on_gpu, const Which& which) noexcept;
  bool release_all() noexcept;
  void end_use() noexcept;

  Blocks kept_[2];  // on the host, on the GPU
  int use_ = 0, allocated_ = 0;
};

// For those who allocate. Null where nothing of that size is kept; false where `p` is not kept.
void* take_kept(bool on_gpu, std::int64_t bytes) noexcept;
bool keep(bool on_gpu, void* p, std::int64_t bytes) noexcept;
// Of all that is kept anywhere; false where nothing was.
bool release_kept() noexcept;

}  // namespace quadrille::memory
