// The coarsest grid in GPU memory: the inverse of its operator as a dense matrix, whose product every thread
// can take part in. By Gauss-Jordan in blocks without exchanging rows, for the diagonals of these operators
// are large. Internal to kernels/multigrid.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/array.hpp"
#include "kernels/multigrid/cycle_steps.hpp"
#include "kernels/multigrid/setup_steps.hpp"

namespace quadrille::multigrid {

inline constexpr int inverse_block = 32;

// For the block `first`, `size` wide, of a matrix A [column][row] and the inverse P of its block on the
// diagonal: R = P A(block, :) with P itself in the block's own columns, C = A(:, block) with -1 on the
// diagonal of the block's own rows. Then A(block, :) and A(:, block) are zero, and A - C R is A with the
// block eliminated. An element of R or of C a call.
struct Block {
  std::int64_t rows, first;
  int size;
  double* a;
  constexpr bool has(std::int64_t i) const { return i >= first && i < first + size; }
};
struct RowsOfBlock {
  Block block;
  const double* inverse;  // P [column][row], inverse_block rows
  double* r;              // R [column][row of the block], inverse_block rows
  constexpr void operator()(std::int64_t index) const {
    const std::int64_t i = index / inverse_block;
    const int k = static_cast<int>(index % inverse_block);
    if (k >= block.size) return;
    const double* const column = block.a + i * block.rows + block.first;
    double sum = 0;
    for (int l = 0; l < block.size && !block.has(i); ++l) sum += inverse[l * inverse_block + k] * column[l];
    r[index] = block.has(i) ? inverse[(i - block.first) * inverse_block + k] : sum;
  }
};
struct ColumnsOfBlock {
  Block block;
  double* c;  // C [column of the block][row]
  constexpr void operator()(std::int64_t index) const {
    const std::int64_t k = index / block.rows, i = index % block.rows;
    c[index] = block.has(i) ? (i - block.first == k ? -1 : 0) : block.a[block.first * block.rows + index];
  }
};
struct ClearBlock {
  Block block;
  constexpr void operator()(std::int64_t index) const {
    const std::int64_t k = index / block.rows, i = index % block.rows;
    block.a[i * block.rows + block.first + k] = block.a[block.first * block.rows + index] = 0;
  }
};

// In place; `a` [column][row], rows x rows. The inverse of a matrix stored by columns is that of its
// transpose stored by rows.
template <class Machine>
void invert(Machine& machine, std::int64_t rows, double* a) {
  using Values = Array<double, typename Machine::Space>;
  Values inverse(inverse_block * inverse_block), r(rows * inverse_block), c(rows * inverse_block);
  for (std::int64_t first = 0; first < rows; first += inverse_block) {
    const int size = static_cast<int>(std::min<std::int64_t>(inverse_block, rows - first));
    machine.invert_block(a + first * rows + first, rows, size, inverse.data());
    const Block block{rows, first, size, a};
    machine.for_each(rows * inverse_block, RowsOfBlock{block, inverse.data(), r.data()});
    machine.for_each(rows * size, ColumnsOfBlock{block, c.data()});
    machine.for_each(rows * size, ClearBlock{block});
    machine.subtract_product(rows, size, c.data(), r.data(), a);
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

// In T, [row][column]. Of a singular operator, which maps the constants of each unknown to zero, it leaves
// them out on both sides: what rounding leaves of them in a right side would come back as large numbers.
template <class T, class Space>
struct DenseInverse {
  Array<T, Space> values;
  std::int64_t bytes() const { return values.bytes(); }
  std::int64_t flops() const { return 2 * values.size(); }
};

template <class T, class Machine>
void make_inverse(Machine& machine, const Couplings& s, const double* values, bool singular,
                  DenseInverse<T, typename Machine::Space>& inverse) {
  Array<double, typename Machine::Space> dense(
      checked_product(s.rows, s.rows, "the inverse of the coarsest grid"));
  machine.for_each(dense.size(), Zero<double>{dense.data()});
  machine.for_each(s.rows, FillDense{s, values, dense.data()});
  if (singular) machine.for_each(s.dof, DoubleDiagonal{s.rows, dense.data()});
  invert(machine, s.rows, dense.data());
  if (singular) {
    machine.for_each(s.rows, RemoveMeans{s.rows, s.rows, 1, s.dof, dense.data()});
    machine.for_each(s.rows, RemoveMeans{s.rows, 1, s.rows, s.dof, dense.data()});
  }
  inverse.values = Array<T, typename Machine::Space>(dense.size());
  machine.for_each(dense.size(), Convert<double, T>{dense.data(), inverse.values.data()});
}

}  // namespace quadrille::multigrid
