// Multigrid in host memory, its loops shared by OpenMP. Internal to kernels/multigrid.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/multigrid/dense_inverse.hpp"

namespace quadrille::multigrid {

struct OnHost {
  using Space = Host;
  static constexpr bool on_gpu = false;
  // Unknowns of a level that every rank has all of: sharing them takes longer than doing them everywhere.
  static constexpr std::int64_t gathered = std::int64_t{1} << 15;
  static constexpr std::int64_t coarsest = 512;  // unknowns whose dense inverse takes no time to speak of
  // Where coefficients jump, coarse grids help the less the coarser they are: an inverse that takes seconds
  // pays on large grids.
  static constexpr std::int64_t coarsest_by_operator(std::int64_t rows) {
    return rows > 500'000 ? 4096 : coarsest;
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

  // x = A b with A [row][column].
  template <class T>
  void multiply_dense(std::int64_t rows, const T* a, const T* b, T* x) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < rows; ++i) {
      T sum = 0;
#pragma omp simd reduction(+ : sum)
      for (std::int64_t c = 0; c < rows; ++c) sum += a[i * rows + c] * b[c];
      x[i] = sum;
    }
  }

  // `a` [column][row] of `stride` rows; the result has inverse_block rows. A pivot of zero gives zeros.
  void invert_block(const double* a, std::int64_t stride, int size, double* inverse) {
    const auto at = [=](int r, int c) -> double& { return inverse[c * inverse_block + r]; };
    for (int c = 0; c < size; ++c)
      for (int r = 0; r < size; ++r) at(r, c) = a[c * stride + r];
    for (int k = 0; k < size; ++k) {
      const double pivot = at(k, k) == 0 ? 0 : 1 / at(k, k);
      std::array<double, inverse_block> row{}, column{};
      for (int i = 0; i < size; ++i) row[i] = pivot * at(k, i), column[i] = at(i, k);
      for (int c = 0; c < size; ++c)
        for (int r = 0; r < size; ++r) {
          if (r == k || c == k)
            at(r, c) = r == k && c == k ? pivot : r == k ? row[c] : -column[r] * pivot;
          else
            at(r, c) -= column[r] * row[c];
        }
    }
  }
  // A -= C R, with C [size][rows] and R [rows][inverse_block].
  void subtract_product(std::int64_t rows, int size, const double* c, const double* r, double* a) {
#pragma omp parallel for schedule(static)
    for (std::int64_t j = 0; j < rows; ++j)
      for (int k = 0; k < size; ++k) {
        const double factor = r[j * inverse_block + k];
#pragma omp simd
        for (std::int64_t i = 0; i < rows; ++i) a[j * rows + i] -= c[k * rows + i] * factor;
      }
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
