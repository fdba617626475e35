// Multigrid in host memory, its loops shared by OpenMP. Internal to kernels/multigrid.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/multigrid/band_factors.hpp"

namespace quadrille::multigrid {

struct OnHost {
  using Space = Host;
  static constexpr bool on_gpu = false;
  // Unknowns of a level that every rank has all of: sharing them takes longer than doing them everywhere.
  static constexpr std::int64_t gathered = std::int64_t{1} << 15;
  static constexpr std::int64_t coarsest = 512;  // unknowns whose factors take no time to speak of
  // Where coefficients jump, coarse grids help the less the coarser they are: an exact solve early saves more
  // than it takes, as long as its factors are made in about a second and a cycle does not take much longer
  // for them.
  static bool few_by_operator(const GridSize& s, std::int64_t finest_rows) {
    const double rows = static_cast<double>(s.rows()),
                 side = static_cast<double>(BandOrder(s.n).side(s.wraps)) * s.dof;
    return rows * side * side <= 2e9 && rows * 2 * side <= 32 * static_cast<double>(finest_rows);
  }

  template <class F>
  void for_each(std::int64_t n, const F& f) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) f(i);
  }

  // The functors tell their size().
  template <class... F>
  std::vector<double> totals(const F&... f) {
    return {total(f)...};
  }
  template <class F>
  double largest(const F& f) {
    const std::int64_t n = f.size();
    double found = 0;
#pragma omp parallel for schedule(static) reduction(max : found)
    for (std::int64_t i = 0; i < n; ++i) found = std::max(found, f(i));
    return found;
  }

  template <class T>
  using Coarsest = BandFactors;
  template <class T>
  void solve_coarsest(BandFactors& coarsest, const T* b, T* x) {
    coarsest.solve(b, x);
  }
  void make_coarsest(BandFactors& coarsest, const Couplings& s, const double* values, bool singular) {
    coarsest.make(s, values, singular);
  }

  // What a GPU would record, and queue.
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
  // In parts of fixed size, so that the sum does not depend on the number of threads.
  template <class F>
  static double total(const F& f) {
    constexpr std::int64_t part = 4096;
    const std::int64_t n = f.size();
    std::vector<double> sums(static_cast<std::size_t>((n + part - 1) / part));
#pragma omp parallel for schedule(static)
    for (std::int64_t p = 0; p < static_cast<std::int64_t>(sums.size()); ++p)
      for (std::int64_t i = p * part; i < std::min(n, (p + 1) * part); ++i) sums[p] += f(i);
    double sum = 0;
    for (const double each : sums) sum += each;
    return sum;
  }
};

}  // namespace quadrille::multigrid
