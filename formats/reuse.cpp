#include "formats/reuse.hpp"

#include <mutex>
#include <set>
#include <utility>

#include "formats/array.hpp"

namespace quadrille::memory {
namespace {

// Blocks are kept and taken by one thread, and released by any that finds no memory.
struct All {
  std::mutex mutex;
  std::set<Reuse*> reuses;
};
// Never destroyed, for owners of a Reuse may be when the program ends.
All& all() {
  static All& of_program = *new All;
  return of_program;
}

thread_local Reuse* in_use = nullptr;

constexpr int uses_kept = 8;  // without being taken

std::int64_t sum_of(const auto& blocks) {
  std::int64_t bytes = 0;
  for (const auto& [size, block] : blocks) bytes += size;
  return bytes;
}

bool is_much(bool on_gpu, std::int64_t bytes) noexcept {
  constexpr std::int64_t little = 64 << 20;
  if (bytes <= little) return false;
  return bytes > (on_gpu ? available_device_bytes() : available_host_bytes()) / 4;
}

}  // namespace

Reuse::Reuse() {
  const std::lock_guard lock(all().mutex);
  all().reuses.insert(this);
}
Reuse::~Reuse() {
  const std::lock_guard lock(all().mutex);
  all().reuses.erase(this);
  release_all();
}

std::int64_t Reuse::bytes() const {
  const std::lock_guard lock(all().mutex);
  return sum_of(kept_[0]) + sum_of(kept_[1]);
}

// Those of which which(block).
template <class Which>
bool Reuse::release(bool on_gpu, const Which& which) noexcept {
  bool any = false;
  Blocks& blocks = kept_[on_gpu];
  for (auto at = blocks.begin(); at != blocks.end();) {
    if (!which(at->second)) {
      ++at;
      continue;
    }
    on_gpu ? give_back_device(at->second.p) : give_back_host(at->second.p);
    at = blocks.erase(at);
    any = true;
  }
  return any;
}
bool Reuse::release_all() noexcept {
  const auto each = [](const Block&) { return true; };
  const bool of_host = release(false, each), of_gpu = release(true, each);
  return of_host || of_gpu;
}

void Reuse::end_use() noexcept {
  const std::lock_guard lock(all().mutex);
  for (const bool on_gpu : {false, true}) {
    release(on_gpu, [&](const Block& block) { return block.use + uses_kept <= use_; });
    if (is_much(on_gpu, sum_of(kept_[on_gpu]))) release(on_gpu, [](const Block&) { return true; });
  }
}

Reuse::Use::Use(Reuse& reuse) : before_(std::exchange(in_use, &reuse)) {
  ++reuse.use_;
  reuse.allocated_ = 0;
}
Reuse::Use::~Use() {
  std::exchange(in_use, before_)->end_use();
}

void* take_kept(bool on_gpu, std::int64_t bytes) noexcept {
  if (in_use == nullptr) return nullptr;
  const std::lock_guard lock(all().mutex);
  Reuse::Blocks& blocks = in_use->kept_[on_gpu];
  const auto found = blocks.find(bytes);
  if (found == blocks.end()) {
    ++in_use->allocated_;
    return nullptr;
  }
  void* const p = found->second.p;
  blocks.erase(found);
  return p;
}

bool keep(bool on_gpu, void* p, std::int64_t bytes) noexcept {
  if (in_use == nullptr) return false;
  try {
    const std::lock_guard lock(all().mutex);
    in_use->kept_[on_gpu].insert({bytes, {p, in_use->use_}});
    return true;
  } catch (...) {  // no memory to note it
    return false;
  }
}

bool release_kept() noexcept {
  const std::lock_guard lock(all().mutex);
  bool any = false;
  for (Reuse* const each : all().reuses) any = each->release_all() || any;
  return any;
}

}  // namespace quadrille::memory
