// Small arrays that a GPU gets in one copy: each by itself takes longer than all that is done with it.
// Internal to kernels/multigrid.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <variant>
#include <vector>

#include "formats/array.hpp"

namespace quadrille::multigrid {

// Words of several arrays, chunk by chunk, each to a place of its own; a word a call.
struct PutChunks {
  static constexpr bool light = true;
  using Word = std::uint32_t;
  static constexpr std::int64_t of_chunk = 64;
  struct Place {
    Word* to;
    std::int64_t words;
  };
  const Place* places;
  const Word* words;
  constexpr void operator()(std::int64_t i) const {
    const Place place = places[i / of_chunk];
    if (i % of_chunk < place.words) place.to[i % of_chunk] = words[i];
  }
};

template <class Machine>
class Uploads {
  using Space = typename Machine::Space;
  using Word = PutChunks::Word;

 public:
  // What has these numbers after run().
  template <class T>
  Array<T, Space> add(Array<T> from) {
    if constexpr (Machine::on_gpu) {
      Array<T, Space> to(from.size());
      const std::int64_t words = words_of(from);
      for (std::int64_t i = 0; i < words; i += PutChunks::of_chunk)
        places_.push_back({reinterpret_cast<Word*>(to.data()) + i, std::min(PutChunks::of_chunk, words - i)});
      arrays_.push_back(std::move(from));
      return to;
    } else {
      return from;
    }
  }
  void run(Machine& machine) {
    if (places_.empty()) return;
    const std::int64_t of_places = bytes_of(places_.size() * sizeof(places_[0])),
                       words = std::ssize(places_) * PutChunks::of_chunk;
    Array<char> packed(of_places + words * bytes_of(sizeof(Word)));
    std::memcpy(packed.data(), places_.data(), places_.size() * sizeof(places_[0]));
    char* put = packed.data() + of_places;
    for (const auto& array : arrays_)
      std::visit(
          [&](const auto& of) {
            constexpr std::int64_t chunk = PutChunks::of_chunk * bytes_of(sizeof(Word));
            if (of.size() > 0) std::memcpy(put, of.data(), static_cast<std::size_t>(of.bytes()));
            put += (of.bytes() + chunk - 1) / chunk * chunk;
          },
          array);
    const Array<char, Space> there = copy_to<Space>(packed);
    machine.for_each(words, PutChunks{reinterpret_cast<const PutChunks::Place*>(there.data()),
                                      reinterpret_cast<const Word*>(there.data() + of_places)});
  }

 private:
  static constexpr std::int64_t bytes_of(std::size_t bytes) { return static_cast<std::int64_t>(bytes); }
  template <class T>
  static std::int64_t words_of(const Array<T>& array) {
    return array.bytes() / bytes_of(sizeof(Word));
  }

  std::vector<std::variant<Array<float>, Array<double>>> arrays_;
  std::vector<PutChunks::Place> places_;
};

}  // namespace quadrille::multigrid
