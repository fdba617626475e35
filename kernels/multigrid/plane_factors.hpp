// The coarsest grid in GPU memory where a dense inverse would be too large: factors of a block tridiagonal
// matrix, whose blocks are planes of the grid, a few together,
//
//     S_0 = A_00,  S_k = A_kk - A_k,k-1 S_k-1^-1 A_k-1,k          (k = 1, 2, ..., in fp64)
//     t_k = S_k^-1 (b_k - A_k,k-1 t_k-1)                          up
//     x_k = t_k - S_k^-1 A_k,k+1 x_k+1                            and down
//
// with the inverses of the S_k as dense matrices: 32^3 unknowns have 32 of 1,024 x 1,024, 256 MiB where the
// inverse of all would have 8 GiB, and 64^3 have 64 of 4,096 x 4,096, 8 GiB. Block elimination (Golub and Van
// Loan, Matrix Computations, 4th edition, section 4.5.1), without exchanges, for these operators are definite
// or dominated by their diagonals. Of a singular operator, which maps the constants of each unknown to zero,
// the first node is held, and the constants are left out of b and of x. Internal to kernels/multigrid.
#pragma once

#include <algorithm>

#include "kernels/multigrid/dense_inverse.hpp"
#include "kernels/multigrid/folded_axis.hpp"

namespace quadrille::multigrid {

// Planes across the axis along which factors are made with the least work, most often the longest, in an
// order in which each couples to those of its block and of the blocks before and behind alone. An axis that
// wraps is folded, and its blocks have two planes at least. Passed by value.
struct PlaneOrder {
  int axis = 2, planes = 0;
  int across[2] = {0, 1};  // the other axes
  int area = 0;            // unknowns of a plane
  bool folded = false;
  int together = 1, blocks = 0;  // planes of a block (the last one may have less), and how many blocks
  int size = 0;                  // unknowns of a block

  PlaneOrder() = default;
  // Blocks of about so many unknowns, where planes are smaller: with 1,024 a step of a solve reads for about
  // as long as it takes to start.
  PlaneOrder(const std::array<int, 3>& n, const std::array<bool, 3>& wraps, int dof, int of_block = 1024) {
    for (int k = 0; k < 3; ++k)
      if (const PlaneOrder next(n, wraps, dof, of_block, k); k == 0 || next.flops() < flops()) *this = next;
  }
  explicit PlaneOrder(const Couplings& s, int of_block = 1024)
      : PlaneOrder({s.n[0], s.n[1], s.n[2]}, {s.wraps[0], s.wraps[1], s.wraps[2]}, s.dof, of_block) {}

  // How far apart planes are that couple.
  constexpr int reach() const { return folded ? 2 : 1; }
  std::int64_t inverse_bytes() const { return std::int64_t{blocks} * size * size * 8; }
  double flops() const { return 2.0 * blocks * size * size * size; }  // to make them

  constexpr int place(int block, int i) const { return block * together + i / area; }
  constexpr bool has(int block, int i) const { return place(block, i) < planes; }
  constexpr int plane_at(int place) const { return folded ? node_at_folded(place, planes) : place; }
  constexpr int place_of(int plane) const { return folded ? folded_place(plane, planes) : plane; }
  // Where the next plane after the one at a place is in the grid (side 1), or the one before it (-1): +1 or
  // -1.
  constexpr int towards(int place, int side) const { return folded && place % 2 > 0 ? -side : side; }

  // Of unknown i of a block that has it: the node's position. Its number at the node is i % dof.
  constexpr std::array<int, 3> position(const Couplings& s, int block, int i) const {
    std::array<int, 3> at{};
    const int node = i % area / s.dof;
    at[axis] = plane_at(place(block, i));
    at[across[0]] = node % s.n[across[0]];
    at[across[1]] = node / s.n[across[0]];
    return at;
  }
  // Its number in its block.
  constexpr int in_block(const Couplings& s, const std::array<int, 3>& at, int unknown) const {
    const int node = at[across[1]] * s.n[across[0]] + at[across[0]];
    return place_of(at[axis]) % together * area + node * s.dof + unknown;
  }
  constexpr int block_of(const std::array<int, 3>& at) const { return place_of(at[axis]) / together; }

 private:
  PlaneOrder(const std::array<int, 3>& n, const std::array<bool, 3>& wraps, int dof, int of_block, int along)
      : axis(along),
        planes(n[along]),
        across{along == 0 ? 1 : 0, along == 2 ? 1 : 2},
        area(n[across[0]] * n[across[1]] * dof),
        folded(wraps[along]) {
    blocks = std::max(1, planes / std::max(reach(), of_block / area));
    together = (planes + blocks - 1) / blocks;
    // Two planes meet at the end of a folded axis: not in two blocks.
    while (folded && (together % 2 > 0 || planes % together == 1) && together < planes) ++together;
    blocks = (planes + together - 1) / together;
    size = together * area;
  }
};

// Coupling d away from a position, if there is a node.
constexpr bool step_to(const Couplings& s, int d, std::array<int, 3>& at) {
  for (int axis = 0; axis < 3; ++axis) {
    at[axis] += s.offset[d][axis];
    if (at[axis] >= 0 && at[axis] < s.n[axis]) continue;
    if (!s.wraps[axis]) return false;
    at[axis] += at[axis] < 0 ? s.n[axis] : -s.n[axis];
  }
  return true;
}

// A_kk as a dense matrix, [row][column], a row a call; the matrix is zero before. What a last block has no
// plane for has a 1.
struct FillBlock {
  Couplings s;
  PlaneOrder order;
  const double* values;
  int block;
  double* dense;
  constexpr void operator()(std::int64_t i) const {
    double* const of_row = dense + i * order.size;
    if (!order.has(block, static_cast<int>(i))) {
      of_row[i] = 1;
      return;
    }
    const std::array<int, 3> at = order.position(s, block, static_cast<int>(i));
    const std::int64_t row = std::int64_t{s.index(at)} * s.dof + i % s.dof;
    for (int d = -1; d < s.count; ++d) {
      std::array<int, 3> to = at;
      if (d >= 0 && !step_to(s, d, to)) continue;
      if (order.block_of(to) != block) continue;
      const std::int64_t diagonal = d < 0 ? s.centre : s.diagonal[d];
      for (int c = 0; c < s.dof; ++c)
        of_row[order.in_block(s, to, c)] += values[(diagonal * s.dof + c) * s.stored_rows + s.place(row)];
    }
  }
};

// Couplings between blocks as their steps read them: of each of the nine nodes across, and of each unknown of
// it, one.
struct BetweenBlocks {
  Couplings s;
  PlaneOrder order;

  constexpr int count() const { return 9 * s.dof; }
  constexpr std::int64_t of_block() const { return std::int64_t{count()} * order.size; }
  constexpr std::int64_t size() const { return order.blocks * of_block(); }
  // The number, in its block, of the unknown to which coupling k of unknown i leads, towards the block before
  // (side -1) or behind (1), or -1; `d` is the number of the block diagonal, or -1.
  constexpr int other(int block, int k, int i, int side, int& d) const {
    const int place = order.place(block, i), to = place + side * order.reach();
    d = -1;
    if (place >= order.planes || to < 0 || to >= order.planes || to / order.together != block + side)
      return -1;
    int offset[3] = {};
    offset[order.axis] = order.towards(place, side);
    offset[order.across[0]] = k / s.dof % 3 - 1;
    offset[order.across[1]] = k / s.dof / 3 - 1;
    std::array<int, 3> at = order.position(s, block, i);
    at[order.axis] = order.plane_at(to);
    for (const int axis : order.across) {
      at[axis] += offset[axis];
      if (at[axis] >= 0 && at[axis] < s.n[axis]) continue;
      if (!s.wraps[axis]) return -1;
      at[axis] += at[axis] < 0 ? s.n[axis] : -s.n[axis];
    }
    d = s.box[(offset[2] + 1) * 9 + (offset[1] + 1) * 3 + offset[0] + 1];
    return order.in_block(s, at, k % s.dof);
  }
};
// Places and values of the couplings towards one side.
struct TakeBetween {
  BetweenBlocks between;
  const double* values;
  int side;
  std::int32_t* other;  // [block][k][i], -1 where there is none
  double* value;        // the same
  constexpr void operator()(std::int64_t index) const {
    const Couplings& s = between.s;
    const PlaneOrder& order = between.order;
    const int i = static_cast<int>(index % order.size),
              k = static_cast<int>(index / order.size % between.count()),
              block = static_cast<int>(index / between.of_block());
    int d = 0;
    const int to = between.other(block, k, i, side, d);
    other[index] = to;
    value[index] = 0;
    if (to < 0 || d < 0) return;
    const std::int64_t row = std::int64_t{s.index(order.position(s, block, i))} * s.dof + i % s.dof;
    value[index] = values[(std::int64_t{d} * s.dof + k % s.dof) * s.stored_rows + s.place(row)];
  }
};

// S_k -= A_k,k-1 S_k-1^-1 A_k-1,k in two steps, an element a call, whose sums are over the couplings between
// the two blocks: H = A_k,k-1 S_k-1^-1, and S_k -= H A_k-1,k. Only the first planes of a block couple so:
// `rows` unknowns.
struct HalfOfBlock {
  int count, size;
  const std::int32_t* other;  // of block k towards k - 1, [k][i]
  const double* value;
  const double* inverse;  // of S_k-1, [row][column]
  double* half;           // H [row][column]
  constexpr void operator()(std::int64_t index) const {
    const int i = static_cast<int>(index / size), j = static_cast<int>(index % size);
    double sum = 0;
    for (int k = 0; k < count; ++k) {
      const std::int64_t at = std::int64_t{k} * size + i;
      if (other[at] >= 0) sum += value[at] * inverse[std::int64_t{other[at]} * size + j];
    }
    half[index] = sum;
  }
};
struct EliminateBlock {
  int dof, size, rows;
  const std::int32_t* other;  // of block k towards k - 1, [k][i]
  const double* back;         // of block k - 1 towards k, [k][i]
  const double* half;
  double* dense;
  constexpr void operator()(std::int64_t index) const {
    const int i = static_cast<int>(index / rows), j = static_cast<int>(index % rows);
    const double* const of_row = half + std::int64_t{i} * size;
    double sum = 0;
    for (int across = 0; across < 9; ++across)
      for (int c = 0; c < dof; ++c) {
        const int from = other[(std::int64_t{across} * dof + c) * size + j];
        if (from >= 0) sum += of_row[from] * back[(std::int64_t{8 - across} * dof + j % dof) * size + from];
      }
    dense[std::int64_t{i} * size + j] -= sum;
  }
};

// In double, whatever cycles are in: after a hundred steps in fp32 the preconditioner was not definite.
template <class Space>
struct PlaneFactors {
  Couplings s;
  PlaneOrder order;
  Array<double, Space> inverses;                        // of the S_k, [block][row][column]
  Array<double, Space> before, behind;                  // A_k,k-1 and A_k,k+1, as TakeBetween
  Array<std::int32_t, Space> from_before, from_behind;  // where they lead to
  Array<double, Space> passed;                          // what a solve makes (plane_solve.hpp)
  Array<double, Space> means;  // of a singular operator: of each unknown of b, then of x
  bool there() const { return order.blocks > 0; }
  // Of a solve.
  std::int64_t bytes() const {
    return 2 * inverses.bytes() + before.bytes() + behind.bytes() + from_before.bytes() + from_behind.bytes();
  }
  std::int64_t flops() const { return 4 * inverses.size(); }
};

template <class Machine>
void make_plane_factors(Machine& machine, const Couplings& s, const PlaneOrder& order, const double* values,
                        bool singular, PlaneFactors<typename Machine::Space>& factors) {
  using Values = Array<double, typename Machine::Space>;
  const BetweenBlocks between{s, order};
  const std::int64_t size = std::int64_t{order.size} * order.size, of_block = between.of_block();
  factors.s = s;
  factors.order = order;
  factors.inverses = decltype(factors.inverses)(checked_product(size, order.blocks, "the coarsest grid"));
  for (auto* each : {&factors.before, &factors.behind}) *each = Values(between.size());
  for (auto* each : {&factors.from_before, &factors.from_behind})
    *each = decltype(factors.from_before)(between.size());
  factors.passed = Values(4 * std::int64_t{order.blocks} * order.size);
  factors.means = decltype(factors.means)(singular ? s.dof : 0);
  machine.for_each(between.size(),
                   TakeBetween{between, values, -1, factors.from_before.data(), factors.before.data()});
  machine.for_each(between.size(),
                   TakeBetween{between, values, 1, factors.from_behind.data(), factors.behind.data()});
  Values dense(size), before(size);
  auto work = work_of_inverse<typename Machine::Space>(order.size);
  const int rows = order.reach() * order.area;
  for (int k = 0; k < order.blocks; ++k) {
    machine.for_each(size, Zero<double>{dense.data()});
    machine.for_each(order.size, FillBlock{s, order, values, k, dense.data()});
    if (k == 0 && singular) machine.for_each(s.dof, DoubleDiagonal{order.size, dense.data()});
    if (k > 0) {
      const std::int32_t* const to = factors.from_before.data() + k * of_block;
      machine.for_each(std::int64_t{rows} * order.size,
                       HalfOfBlock{between.count(), order.size, to, factors.before.data() + k * of_block,
                                   before.data(), work.other.data()});
      machine.for_each(std::int64_t{rows} * rows,
                       EliminateBlock{s.dof, order.size, rows, to, factors.behind.data() + (k - 1) * of_block,
                                      work.other.data(), dense.data()});
    }
    invert(machine, order.size, order.size, dense, work);
    machine.for_each(size, Convert<double, double>{dense.data(), factors.inverses.data() + k * size});
    std::swap(dense, before);
  }
}

}  // namespace quadrille::multigrid
