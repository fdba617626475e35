// The coarsest grid in GPU memory: the inverse of its operator as a dense matrix, whose product every thread
// can take part in. By Gauss-Jordan in blocks without exchanging rows, for the diagonals of these operators
// are large. Internal to kernels/multigrid.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "formats/array.hpp"
#include "kernels/multigrid/cycle_steps.hpp"
#include "kernels/multigrid/setup_steps.hpp"

namespace quadrille::multigrid {

inline constexpr int inverse_block = 128;

// A step: from a matrix A [column][row] the one with the block B of rows and columns `first`, `size` wide,
// eliminated, with P the inverse of A_BB (all i and j outside of B):
//
//     to_ij = A_ij - A_iB P A_Bj     to_Bj = P A_Bj     to_iB = -A_iB P     to_BB = P
//
// Beyond `extent` rows and columns A couples with nothing in B, and nothing changes. `from` and `to` are two
// matrices, so that whoever makes a part of `to` need not wait for others to have read what was there. It is
// two products, of rows() times columns() numbers that are sums of inner() each.
struct BlockStep {
  std::int64_t matrix_rows, first, extent;
  int size;
  const double* inverse;  // P [column][row], inverse_block rows
  double* r;              // R [row of the block][column]
  const double* from;
  double* to;
  constexpr bool has(std::int64_t i) const { return i >= first && i < first + size; }
  constexpr double a(std::int64_t row, std::int64_t column) const { return from[column * matrix_rows + row]; }
  constexpr int inner() const { return size; }
  constexpr std::int64_t columns() const { return extent; }
};

// R = P A_Bj, and P itself where j is in B.
struct RowsOfBlock : BlockStep {
  static constexpr bool right_by_inner = true;  // in the order of memory
  constexpr std::int64_t rows() const { return size; }
  constexpr double left(std::int64_t i, int k) const { return inverse[k * inverse_block + i]; }
  constexpr double right(int k, std::int64_t j) const { return a(first + k, j); }
  constexpr double before(std::int64_t i, std::int64_t j) const {
    return has(j) ? left(i, static_cast<int>(j - first)) : 0;
  }
  constexpr void store(std::int64_t i, std::int64_t j, double before, double sum) const {
    r[i * matrix_rows + j] = has(j) ? before : sum;
  }
};
// A - C R, with zeros in the place of A_Bj and A_iB, and C = A_iB, but -1 on the diagonal where i is in B.
struct RestOfBlock : BlockStep {
  static constexpr bool right_by_inner = false;
  constexpr std::int64_t rows() const { return extent; }
  constexpr double left(std::int64_t i, int k) const {
    return has(i) ? (i - first == k ? -1 : 0) : a(i, first + k);
  }
  constexpr double right(int k, std::int64_t j) const { return r[k * matrix_rows + j]; }
  constexpr double before(std::int64_t i, std::int64_t j) const { return has(i) || has(j) ? 0 : a(i, j); }
  constexpr void store(std::int64_t i, std::int64_t j, double before, double sum) const {
    to[j * matrix_rows + i] = before - sum;
  }
};

// How many rows apart those are, at most, that an operator couples.
inline std::int64_t furthest_row(const Couplings& s) {
  std::int64_t furthest = 0;
  for (int d = 0; d < s.count; ++d) {
    std::int64_t nodes = 0, step = 1;
    for (int axis = 0; axis < 3; step *= axis == 0 ? s.line : s.n[axis], ++axis)
      if (s.offset[d][axis] != 0) nodes += step * (s.wraps[axis] ? s.n[axis] - 1 : 1);
    furthest = std::max(furthest, nodes);
  }
  return (furthest + 1) * s.dof - 1;
}

// What an inverse takes beside the matrix until it is done.
template <class Space>
struct InverseWork {
  Array<double, Space> other;  // a matrix of the same size
  Array<double, Space> block, row_of_blocks;
};
template <class Space>
InverseWork<Space> work_of_inverse(std::int64_t rows) {
  using Values = Array<double, Space>;
  return {Values(rows * rows), Values(inverse_block * inverse_block), Values(rows * inverse_block)};
}

// In place; `a` [column][row], rows x rows, without entries further than `reach` from the diagonal, so that
// the part that is not zero grows from step to step and takes a third of the work of all. The inverse of a
// matrix stored by columns is that of its transpose stored by rows.
template <class Machine, class Space>
void invert(Machine& machine, std::int64_t rows, std::int64_t reach, Array<double, Space>& a,
            InverseWork<Space>& work) {
  if (reach < rows) machine.for_each(a.size(), Convert<double, double>{a.data(), work.other.data()});
  for (std::int64_t first = 0; first < rows; first += inverse_block) {
    const int size = static_cast<int>(std::min<std::int64_t>(inverse_block, rows - first));
    const BlockStep step{rows,
                         first,
                         std::min(rows, first + size + reach),
                         size,
                         work.block.data(),
                         work.row_of_blocks.data(),
                         a.data(),
                         work.other.data()};
    machine.invert_block(a.data() + first * rows + first, rows, size, work.block.data());
    machine.multiply(RowsOfBlock{step});
    machine.multiply(RestOfBlock{step});
    std::swap(a, work.other);
  }
}

// Takes the mean of each unknown of a node off a line of a dense matrix, lines that are `line` apart, a line
// a call.
struct RemoveMeans {
  std::int64_t rows, line, along;
  int dof;
  double* dense;
  constexpr void operator()(std::int64_t i) const {
    double* const first = dense + i * line;
    for (int r = 0; r < dof; ++r) {
      double sum = 0;
      for (std::int64_t k = r; k < rows; k += dof) sum += first[k * along];
      for (std::int64_t k = r; k < rows; k += dof) first[k * along] -= sum * dof / static_cast<double>(rows);
    }
  }
};

// In double, whatever cycles are in: rounded to fp32 the inverse of coefficients that jump by 1e6 is not
// definite. [row][column]. Of a singular operator, which maps the constants of each unknown to zero, it
// leaves them out on both sides: what rounding leaves of them in a right side would come back as large
// numbers.
template <class Space>
struct DenseInverse {
  Array<double, Space> values;
  std::int64_t bytes() const { return values.bytes(); }
  std::int64_t flops() const { return 2 * values.size(); }
};

// The matrix itself, and then its inverse.
template <class Machine>
void fill_dense(Machine& machine, const Couplings& s, const double* values, bool singular,
                DenseInverse<typename Machine::Space>& inverse) {
  auto& dense = inverse.values;
  dense = Array<double, typename Machine::Space>(
      checked_product(s.rows, s.rows, "the inverse of the coarsest grid"));
  machine.for_each(dense.size(), Zero<double>{dense.data()});
  const FillDense fill{s, values, dense.data()};
  machine.for_each(fill.size(), fill);
  if (singular) machine.for_each(s.dof, DoubleDiagonal{s.rows, dense.data()});
}
template <class Machine>
void invert_dense(Machine& machine, const Couplings& s, bool singular,
                  DenseInverse<typename Machine::Space>& inverse,
                  InverseWork<typename Machine::Space>& work) {
  invert(machine, s.rows, furthest_row(s), inverse.values, work);
  if (!singular) return;
  machine.for_each(s.rows, RemoveMeans{s.rows, s.rows, 1, s.dof, inverse.values.data()});
  machine.for_each(s.rows, RemoveMeans{s.rows, 1, s.rows, s.dof, inverse.values.data()});
}

}  // namespace quadrille::multigrid
