// A x = b by the factors of plane_factors.hpp: steps up and down, each of which waits for the one before.
// Internal to kernels/multigrid.
#pragma once

#include "kernels/multigrid/plane_factors.hpp"

namespace quadrille::multigrid {

// Step `number` of a solve. Up, S_k^-1 is multiplied with r_k = b_k - A_k,k-1 t_k-1, and t_k is the product;
// down, with r_k = -A_k,k+1 x_k+1, and x_k is t_k and the product.
struct PlaneStep {
  int number, block;
  bool goes_down;
};

// All steps. Of a row a number is kept, from first() on: r_k goes up and t_k comes back, and then the same of
// x_k, by right(), the product with a row of inverse(), and take(); finish() is the last. `passed` has what
// rows of other steps read: the r_k on the way up, the t_k, the r_k on the way down, and the x_k, each
// [block][row].
template <class T>
struct PlaneSolve {
  Couplings s;
  PlaneOrder order;
  const double *inverses, *before, *behind;
  const std::int32_t *from_before, *from_behind;
  const double* means;  // to be taken off b, or null
  const T* b;
  double* passed;
  T* x;  // not of a singular operator, whose x is without its means

  constexpr int steps() const { return 2 * order.blocks - 1; }
  constexpr PlaneStep step(int number) const {
    const bool goes_down = number >= order.blocks;
    return {number, goes_down ? 2 * order.blocks - 2 - number : number, goes_down};
  }
  constexpr double* part(int number, int block) const {
    return passed + (std::int64_t{number} * order.blocks + block) * order.size;
  }
  constexpr double* right_of(const PlaneStep& step) const { return part(step.goes_down ? 2 : 0, step.block); }
  constexpr double* up(int block) const { return part(1, block); }
  constexpr double* down(int block) const { return part(3, block); }
  constexpr std::int64_t row(int block, int i) const {
    return std::int64_t{s.index(order.position(s, block, i))} * s.dof + i % s.dof;
  }
  constexpr const double* inverse(const PlaneStep& step, int i) const {
    return inverses + (std::int64_t{step.block} * order.size + i) * order.size;
  }

  // Couplings of a row to the block of the step before: coupling k of row i is at k * order.size + i.
  constexpr int couplings() const { return 9 * s.dof; }
  constexpr const double* values(const PlaneStep& step) const {
    return (step.goes_down ? behind : before) + std::int64_t{step.block} * couplings() * order.size;
  }
  constexpr const std::int32_t* places(const PlaneStep& step) const {
    return (step.goes_down ? from_behind : from_before) + std::int64_t{step.block} * couplings() * order.size;
  }

  constexpr double first(int block, int i) const {
    if (!order.has(block, i)) return 0;
    return b[row(block, i)] - (means != nullptr ? means[i % s.dof] : 0);
  }
  // r_k of a row, whose couplings are as above, or copied, `stride` apart. read(from, places, numbers)
  // gets nine numbers of another step at once, but for places -1.
  template <class Read>
  constexpr double right(const PlaneStep& step, double kept, const double* value, const std::int32_t* place,
                         std::int64_t stride, const Read& read) const {
    double sum = step.goes_down ? 0 : kept;
    const double* const from = step.goes_down ? down(step.block + 1) : up(step.block - 1);
    for (int c = 0; c < s.dof; ++c) {
      int places[9] = {};
      double numbers[9] = {};
      QUADRILLE_UNROLL
      for (int k = 0; k < 9; ++k) places[k] = place[(k * s.dof + c) * stride];
      read(from, places, numbers);
      QUADRILLE_UNROLL
      for (int k = 0; k < 9; ++k)
        if (places[k] >= 0) sum -= value[(k * s.dof + c) * stride] * numbers[k];
    }
    return sum;
  }
  // Takes the product of row i, and returns what is kept. pass(place, number) writes what others read.
  template <class Pass>
  constexpr double take(const PlaneStep& step, int i, double kept, double product, const Pass& pass) const {
    const double number = step.goes_down ? kept + product : product;
    pass((step.goes_down ? down(step.block) : up(step.block)) + i, number);
    if (!step.goes_down && step.block == order.blocks - 1) pass(down(step.block) + i, number);
    return number;
  }
  constexpr void finish(int block, int i, double kept) const {
    if (means == nullptr && order.has(block, i)) x[row(block, i)] = static_cast<T>(kept);
  }
};

// Of a singular operator, a row a call: x without the means.
template <class T>
struct TakeMeansOff {
  Couplings s;
  PlaneOrder order;
  const double *means, *from;
  T* x;
  constexpr void operator()(std::int64_t row) const {
    const int unknown = static_cast<int>(row - std::int64_t{s.node_of(row)} * s.dof);
    const std::array<int, 3> at = s.position(s.node_of(row));
    const std::int64_t first = std::int64_t{order.block_of(at)} * order.size;
    x[row] = static_cast<T>(from[first + order.in_block(s, at, unknown)] - means[unknown]);
  }
};

// x = A^-1 b. run(PlaneSolve) does all steps; mean(values, count, nodes, means) is the sum of each unknown of
// `count` numbers over that of the nodes; then all(rows, functor).
template <class T, class Space, class Run, class Mean, class All>
void solve_planes(PlaneFactors<Space>& a, const T* b, T* x, const Run& run, const Mean& mean,
                  const All& all) {
  const bool singular = a.means.size() > 0;
  const PlaneSolve<T> solve{a.s,
                            a.order,
                            a.inverses.data(),
                            a.before.data(),
                            a.behind.data(),
                            a.from_before.data(),
                            a.from_behind.data(),
                            singular ? a.means.data() : nullptr,
                            b,
                            a.passed.data(),
                            x};
  if (singular) mean(b, a.s.rows, a.s.rows / a.s.dof, a.means.data());
  run(solve);
  if (!singular) return;
  const std::int64_t rows = std::int64_t{a.order.blocks} * a.order.size;
  mean(solve.down(0), rows, a.s.rows / a.s.dof, a.means.data());
  all(a.s.rows, TakeMeansOff<T>{a.s, a.order, a.means.data(), solve.down(0), x});
}

}  // namespace quadrille::multigrid
