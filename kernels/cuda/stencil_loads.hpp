// What a thread of a kernel that is written for one operator (kernels/cuda/stencil_source.hpp) loads where
// all places are known: each number once, and two or more that are asked for of 16 bytes as one word.
// Internal to the writer; needs no CUDA header.
#pragma once

#include <compare>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "formats/block_diagonals.hpp"

namespace quadrille::cuda {

// As a literal of C++.
inline std::string number(std::int64_t n) {
  return std::to_string(n) + (n > INT32_MAX || n < INT32_MIN ? "ll" : "");
}

// Nodes from one to that which is y lines and z planes on, as an expression: what comes before it and a sign
// of its own; nothing where both are 0.
inline std::string lines_on(int y, int z) {
  std::string text;
  for (const auto& [count, size] : {std::pair(z, "g.plane"), {y, "g.nx"}})
    if (count != 0)
      text += std::string(count < 0 ? " - " : " + ") +
              (std::abs(count) == 1 ? "" : std::to_string(std::abs(count)) + " * ") + size;
  return text;
}

// Where a number is loaded from: an array, and how far in nodes from the thread's first one.
struct Place {
  std::int64_t array = 0;  // of x, see Loads::of_x(); else a column of the values
  NodeOffset shift;
  auto key() const { return std::tuple(array, shift.z, shift.y, shift.x); }
  bool operator<(const Place& other) const { return key() < other.key(); }
};

// Which names what was loaded has. A copy goes on from there by itself, as another branch of the text does.
class Loads {
 public:
  struct Arrays {
    const BlockStructure* structure = nullptr;
    int nodes = 1;                  // of a thread, along x
    int word = 2;                   // numbers in 16 bytes
    bool rounded = false;           // values have fewer bits than sums
    std::set<std::int64_t> reused;  // columns that are read for neighbours, too: not streamed
  };
  explicit Loads(Arrays arrays) : arrays_(std::move(arrays)) {}

  // The array of unknown c of a vector of x.
  static std::int64_t of_x(const BlockStructure& s, int vector, int c) {
    return -1 - (std::int64_t{vector} * s.dof + c);
  }

  // Before the first load: all that will be asked for, which decides on the words.
  void expect(const Place& p) {
    if (expected_.insert(p).second) words_[word_of(p)].push_back(p);
  }
  std::size_t expected() const { return expected_.size(); }

  // The name of the number there. Where it has none, `text` is given the load.
  std::string at(const Place& p, std::string& text);
  // The name of this expression, of a number; evaluated once.
  std::string once(const std::string& expression, std::string& text);

 private:
  // An array, vector v of x being -1 - v, the line in it, and the word's first element from that of the
  // thread's first node there.
  struct WordPlace {
    std::int64_t array = 0;
    std::int32_t z = 0, y = 0;
    std::int64_t first = 0;
    auto operator<=>(const WordPlace&) const = default;
  };
  const BlockStructure& s() const { return *arrays_.structure; }
  int unknown(const Place& p) const { return static_cast<int>((-1 - p.array) % s().dof); }
  std::int64_t vector(const Place& p) const { return (-1 - p.array) / s().dof; }
  std::int64_t element_of(const Place& p) const;  // as WordPlace::first
  WordPlace word_of(const Place& p) const;
  bool in_words(const Place& p) const {
    return arrays_.nodes * (p.array < 0 ? s().dof : 1) % arrays_.word == 0;
  }
  std::string address(const WordPlace& word) const;

  Arrays arrays_;
  std::set<Place> expected_;
  std::map<WordPlace, std::vector<Place>> words_;
  std::map<Place, std::string> names_;
  std::map<std::string, std::string> expressions_;
};

}  // namespace quadrille::cuda
