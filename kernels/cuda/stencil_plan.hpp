// What is known of a kernel before its text is written (kernels/cuda/stencil_source.hpp): its products, and
// which nodes a thread owns. Internal to the writer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda/stencil_loads.hpp"
#include "kernels/cuda/stencil_source.hpp"

namespace quadrille::cuda {

// One product of a sum: row += coefficient * x[column] of the node at diagonal d.
struct Term {
  enum class From { constant, column, table } from = From::constant;
  std::int64_t d = 0;
  int r = 0, c = 0;
  std::int64_t column = 0;    // of the values; of a stencil, the place in it; of the constants, which
  bool at_neighbour = false;  // the value, or the number of the stencil, is the neighbour's

  std::string constant() const { return "constants.v[" + std::to_string(column) + "]"; }
};

class StencilPlan {
 public:
  StencilPlan(const BlockStructure& s, std::vector<Term> terms, bool fp64, ValuePrecision precision,
              int numbers, TileSize size, const WrittenProduct& product)
      : s_(with_planes(s)),
        terms_(std::move(terms)),
        fp64_(fp64),
        precision_(precision),
        numbers_(numbers),
        dot_(product.with_dot),
        any_grid_(product.any_grid),
        any_constants_(product.any_grid || product.any_constants),
        vectors_(product.vectors),
        word_(16 / bytes_of_number()) {
    std::set<std::int64_t> columns;
    for (const Term& t : terms_) {
      if (t.from == Term::From::column) columns.insert(t.column);
      if (t.from == Term::From::column && t.at_neighbour) reused_.insert(t.column);
    }
    if (vectors_ > 1) by_columns_of_blocks();
    tiling_ =
        tiling_of(s_, {word_, static_cast<std::int64_t>(terms_.size()),
                       static_cast<std::int64_t>(columns.size()), static_cast<std::int64_t>(reused_.size()),
                       numbers_ > 0, direction_of_planes() != 0, vectors_, size});
  }

 protected:
  int bytes_of_number() const { return fp64_ ? 8 : 4; }
  int rows_of_plane() const { return tiling_.nodes * s_.dof; }  // of a thread
  // Behind a pointer to a vector of x or y, that of a later one.
  static std::string of_vector(int v) {
    return v == 0 ? "" : " + " + (v == 1 ? "" : std::to_string(v) + " * ") + "g.rows";
  }
  std::string number_type() const { return numbers_ == 1 ? "unsigned char" : "unsigned short"; }

  // 1 or -1 where the diagonals, in their order, go up or down along z, so that the planes of a thread can
  // share what they read of x; else 0.
  int direction_of_planes() const {
    const auto by_z = [](const NodeOffset& a, const NodeOffset& b) { return a.z < b.z; };
    if (std::is_sorted(s_.offsets.begin(), s_.offsets.end(), by_z)) return 1;
    if (std::is_sorted(s_.offsets.rbegin(), s_.offsets.rend(), by_z)) return -1;
    return 0;
  }

  // Whether stencils are those of a node's neighbours, as in a transposed product.
  bool of_neighbours() const { return numbers_ > 0 && !terms_.empty() && terms_.front().at_neighbour; }

  // Where the stencil with this number stands.
  std::string stencil_of(const std::string& name, const std::string& which) const {
    const std::int64_t size = s_.diagonals() * s_.dof * s_.dof, most = numbers_ == 1 ? 1 << 8 : 1 << 16;
    const std::string type = size * most < std::int64_t{1} << 32 ? "unsigned" : "unsigned long long";
    return "    const T* const " + name + " = values + (" + type + ")(" + which + ") * " + number(size) +
           ";\n";
  }

  BlockStructure s_;         // offsets are those of the product
  std::vector<Term> terms_;  // by diagonal, row, column
  bool fp64_;
  ValuePrecision precision_;
  int numbers_;  // bytes of the number of a stencil; 0 where there is no table
  bool dot_;     // of x and A x, too
  bool any_grid_, any_constants_;
  int vectors_;
  int word_;  // numbers in 16 bytes
  Tiling tiling_;
  std::set<std::int64_t> reused_;  // columns that are read for neighbours, too

 private:
  // Within a block as many columns after the other as stand in a word of x, so that few coefficients go with
  // them. The order of a row's products stays as it is.
  void by_columns_of_blocks() {
    std::stable_sort(terms_.begin(), terms_.end(), [&](const Term& a, const Term& b) {
      return std::pair(a.d, a.c / word_) < std::pair(b.d, b.c / word_);
    });
  }
};

// The sums and what is stored of them, for threads whose nodes have all their neighbours at places that are
// known, but for those beyond faces (inner_condition() in stencil_source.cpp).
std::string inner_body(const StencilPlan& plan);

}  // namespace quadrille::cuda
