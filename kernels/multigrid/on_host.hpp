// Multigrid in host memory, its loops shared by OpenMP. Internal to kernels/multigrid.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "formats/compact.hpp"
#include "formats/threads.hpp"
#include "kernels/multigrid/band_factors.hpp"
#include "kernels/multigrid/multigrid.hpp"
#include "kernels/multigrid/on_lines.hpp"

namespace quadrille::multigrid {

// Steps that take long for an element say as how many elements of other steps it counts.
template <class F>
constexpr std::int64_t work_of() {
  if constexpr (requires { F::work; })
    return F::work;
  else
    return 1;
}

struct OnHost {
  using Space = Host;
  static constexpr bool on_gpu = false;
  // Unknowns of a level that every rank has all of: sharing them takes longer than doing them everywhere.
  static constexpr std::int64_t gathered = std::int64_t{1} << 15;
  static constexpr std::int64_t coarsest = 512;  // unknowns whose factors take no time to speak of
  // Where coefficients jump, coarse grids help the less the coarser they are: an exact solve early saves more
  // than it takes, as long as its factors are made in about a second, or in the time of some dozens of cycles
  // (a hundred where `hard`), and a cycle does not take much longer for them.
  static bool few_by_operator(const GridSize& s, const std::array<std::int64_t, 3>& finest, bool hard) {
    const double rows = static_cast<double>(s.rows()),
                 side = static_cast<double>(BandOrder(s.n, s.wraps).side()) * s.dof,
                 finest_rows = static_cast<double>(finest[0] * finest[1] * finest[2] * s.dof);
    return rows * side * side <= std::max(2e9, (hard ? 10000 : 2200) * finest_rows) &&
           rows * 2 * side <= 32 * finest_rows;
  }
  // What its factors take to make, and by how much longer cycles with them take in a solve, in iterations;
  // infinite where they would take much memory.
  static double iterations_of_exact(const GridSize& s, const std::array<std::int64_t, 3>& finest) {
    // Of a row of the finest level in the time of an iteration; of a solve.
    constexpr double flops = 300, numbers = 150, solves = 15, most_bytes = 2e9;
    const double rows = static_cast<double>(s.rows()),
                 side = static_cast<double>(BandOrder(s.n, s.wraps).side()) * s.dof,
                 finest_rows = static_cast<double>(finest[0] * finest[1] * finest[2] * s.dof),
                 of_factors = rows * 2 * side;
    return 8 * of_factors <= most_bytes
               ? (rows * side * side / flops + solves * of_factors / numbers) / finest_rows
               : std::numeric_limits<double>::infinity();
  }

  template <class F>
  void for_each(std::int64_t n, const F& f) {
    constexpr std::int64_t work = work_of<F>();
#pragma omp parallel for schedule(static) if (n * work > worth_threads)
    for (std::int64_t i = 0; i < n; ++i) f(i);
  }

  template <class F>
  void for_blocks(const F& f) {
    for_each(f.s.rows / F::rows, f);
  }
  // The steps that sum over neighbours, a row a call.
  template <class F, class Row>
  void for_rows(const Row&, const F& f) {
    static_assert(F::rows == 1);
    if (has_long_lines(f.s))
      for_lines(f);
    else if constexpr (F::by_nodes)
      for_nodes(f);
    else
      for_each(f.s.rows, f);
  }
  template <class F>
  void invert_blocks(std::int64_t nodes, const F& f) {
    for_each(nodes, f);
  }

  static std::vector<CompactEntry<double>> compact_entries(const BlockDiagonals<double>& a) {
    return quadrille::compact_entries(a);
  }

  // P^T A P of few rows, so many of them a call; of all rows, with so many coarse planes a call.
  static constexpr int rows_of_call = 32;
  static int galerkin_planes(std::int64_t) {
    return 8;
  }
  template <class F>
  void for_whole_columns(const F& f) {
    for_each(f.size(), f);
  }
  template <class F>
  void for_columns(const F& f) {
    for_each(f.size(), f);
  }

  static constexpr bool solves_lines_in_a_step(int) {
    return false;
  }
  template <class Right, class Solve>
  void solve_lines(const Right& right, const Solve& solve) {
    for_each(right.size(), right);
    for_each(right.lines.colour.size(), solve);
  }

  // The functors tell their size(). In parts of fixed size, so that the sums do not depend on the number of
  // threads.
  template <class F>
  std::vector<double> sums(const F& f) {
    return sums_of(f, [&](std::int64_t i, auto& mine, double&) { f.add(i, mine); }).first;
  }
  // And the largest of the functor's numbers, which are not negative.
  template <class F>
  std::pair<std::vector<double>, double> sums_and_largest(const F& f) {
    return sums_of(f, [&](std::int64_t i, auto& mine, double& most) { f.add(i, mine, most); });
  }
  // Sums, or the largest, of several, whose results are asked for when all are queued.
  template <class F>
  void queue_sums(const F& f) {
    queued_results_.push_back(sums(f));
  }
  template <class F>
  void queue_largest_of(const F& f) {
    queued_results_.push_back({largest(f)});
  }
  std::vector<std::vector<double>> queued() {
    return std::exchange(queued_results_, {});
  }
  template <class F>
  double largest(const F& f) {
    const std::int64_t n = f.size();
    constexpr std::int64_t work = work_of<F>();
    double found = 0;
#pragma omp parallel for schedule(static) reduction(max : found) if (n * work > worth_threads)
    for (std::int64_t i = 0; i < n; ++i) found = std::max(found, f(i));
    return found;
  }

  template <class F>
  void queue_largest(const F& f) {
    queued_largest_ = largest(f);
  }
  double queued_largest() const {
    return queued_largest_;
  }

  using Coarsest = BandFactors;
  template <class T>
  void solve_coarsest(BandFactors& coarsest, const T* b, T* x) {
    coarsest.solve(b, x);
  }
  void begin_coarsest(BandFactors& coarsest, const Couplings& s, const double* values, bool singular) {
    coarsest.make(s, values, singular);
  }
  void finish_coarsest(BandFactors&) {}

  // What a GPU would record, and queue.
  void take_over(OnHost&) {}
  template <class Steps>
  void record(const Steps&) {}
  template <class Steps>
  void run(const Steps& steps) {
    steps();
  }
  int queued_on(void*) {
    return 0;
  }
  void* stream() const {
    return nullptr;
  }

 private:
  template <class F, class Add>
  static std::pair<std::vector<double>, double> sums_of(const F& f, const Add& add) {
    constexpr std::int64_t part = 4096;
    const std::int64_t n = f.size();
    std::int64_t all = n;
    if constexpr (has_faces<F>) all += f.size_at_faces();
    const std::int64_t parts = (all + part - 1) / part;
    std::vector<double> of_parts(static_cast<std::size_t>(parts * F::count)), result(F::count);
    double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest) if (parts > 1)
    for (std::int64_t p = 0; p < parts; ++p) {
      double mine[F::count] = {}, most = 0;
      const std::int64_t end = std::min(all, (p + 1) * part);
      for (std::int64_t i = p * part; i < std::min(n, end); ++i) add(i, mine, most);
      if constexpr (has_faces<F>)
        for (std::int64_t i = std::max(n, p * part); i < end; ++i) f.add_at_face(i - n, mine);
      std::copy(mine, mine + F::count, of_parts.begin() + p * F::count);
      largest = std::max(largest, most);
    }
    for (std::size_t i = 0; i < of_parts.size(); ++i) result[i % F::count] += of_parts[i];
    return {result, largest};
  }
  // Of several unknowns, whose sums are made before one of them is finished.
  template <class F>
  void for_nodes(const F& f) {
#pragma omp parallel for schedule(static) if (f.s.rows > worth_threads)
    for (int number = 0; number < f.s.nodes; ++number) do_node(f, number);
  }

  std::vector<std::vector<double>> queued_results_;
  double queued_largest_ = 0;
};

}  // namespace quadrille::multigrid
