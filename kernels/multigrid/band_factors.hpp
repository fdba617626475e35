// The coarsest grid in host memory: the factors L U of its operator as a band, without exchanging rows, for
// the diagonals of these operators are large. With the nodes of the longest axis slowest, on n nodes along
// each, that is a band of n (2D) or n^2 (3D) to each side, which takes far less than the inverse does.
// Internal to kernels/multigrid.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "formats/array.hpp"
#include "kernels/multigrid/folded_axis.hpp"
#include "kernels/multigrid/setup_steps.hpp"

namespace quadrille::multigrid {

// The axes of a grid from the shortest, and the nodes by position along the longest first. Axes that wrap are
// folded, which makes the band as wide as that of half as many nodes.
struct BandOrder {
  std::array<int, 3> axis{0, 1, 2};
  std::array<int, 3> n{1, 1, 1};
  std::array<bool, 3> wraps{};

  BandOrder(const std::array<int, 3>& extents, const std::array<bool, 3>& around)
      : n(extents), wraps(around) {
    const auto length = [&](int k) { return n[k] * (wraps[k] ? 1 : 2); };
    std::stable_sort(axis.begin(), axis.end(), [&](int a, int b) { return length(a) < length(b); });
  }
  std::int64_t place(const std::array<int, 3>& at) const {
    const auto along = [&](int k) -> std::int64_t { return wraps[k] ? folded_place(at[k], n[k]) : at[k]; };
    return (along(axis[2]) * n[axis[1]] + along(axis[1])) * n[axis[0]] + along(axis[0]);
  }
  // How wide the band is to each side, in nodes.
  std::int64_t side() const {
    const auto step = [&](int k) -> std::int64_t { return wraps[k] ? 2 : 1; };
    return (step(axis[2]) * n[axis[1]] + step(axis[1])) * n[axis[0]] + step(axis[0]);
  }
};

// In double, whatever the cycle is in: they are few. Where elimination leaves no pivot, of a row that takes
// no part or of the last one of a region whose constants are mapped to zero, the unknown is kept at zero.
// Where that is so of all of the grid (`singular`) the first node is held, and what rounding leaves of the
// constants in a right side is taken off, which would come back as large numbers.
class BandFactors {
 public:
  void make(const Couplings& s, const double* values, bool singular) {
    rows_ = s.rows;
    const BandOrder order({s.n[0], s.n[1], s.n[2]}, {s.wraps[0], s.wraps[1], s.wraps[2]});
    place_.resize(static_cast<std::size_t>(rows_));
    for (std::int64_t row = 0; row < rows_; ++row)
      place_[row] = order.place(s.position(s.node_of(row))) * s.dof + row % s.dof;
    side_ = 0;
    for_entries(s, values, [&](std::int64_t row, std::int64_t column, double) {
      side_ = std::max(side_, std::abs(column - row));
    });
    Array<double> band(checked_product(rows_, width(), "the factors of the coarsest grid"), 0.0);
    for_entries(s, values, [&](std::int64_t row, std::int64_t column, double value) {
      band[row * width() + column - row + side_] += value;
    });
    for (std::int64_t i = 0; i < s.dof && singular; ++i) band[i * width() + side_] *= 2;
    factorise(band.data());
    factors_ = std::move(band);
    x_.resize(static_cast<std::size_t>(rows_));
    dof_ = singular ? s.dof : 0;
  }

  // x = A^-1 b
  template <class T>
  void solve(const T* b, T* x) {
    for (std::int64_t row = 0; row < rows_; ++row) x_[place_[row]] = static_cast<double>(b[row]);
    remove_means();
    for (std::int64_t i = 0; i < rows_; ++i) {
      const double* const row = factors_.data() + i * width() - i + side_;
      double sum = x_[i];
#pragma omp simd reduction(- : sum)
      for (std::int64_t k = std::max<std::int64_t>(0, i - side_); k < i; ++k) sum -= row[k] * x_[k];
      x_[i] = sum;
    }
    for (std::int64_t i = rows_ - 1; i >= 0; --i) {
      const double* const row = factors_.data() + i * width() - i + side_;
      const std::int64_t end = std::min(i + side_ + 1, rows_);
      double sum = x_[i];
#pragma omp simd reduction(- : sum)
      for (std::int64_t k = i + 1; k < end; ++k) sum -= row[k] * x_[k];
      x_[i] = sum * row[i];
    }
    remove_means();
    for (std::int64_t row = 0; row < rows_; ++row) x[row] = static_cast<T>(x_[place_[row]]);
  }

  std::int64_t bytes() const {
    return factors_.bytes();
  }
  std::int64_t flops() const {
    return 2 * factors_.size();
  }

 private:
  std::int64_t width() const {
    return 2 * side_ + 1;
  }

  // Of each unknown of a node, where the operator is singular.
  void remove_means() {
    for (int r = 0; r < dof_; ++r) {
      double sum = 0;
      for (std::int64_t i = r; i < rows_; i += dof_) sum += x_[i];
      for (std::int64_t i = r; i < rows_; i += dof_) x_[i] -= sum * dof_ / static_cast<double>(rows_);
    }
  }

  // body(row, column, value), of their places in the band.
  template <class Body>
  void for_entries(const Couplings& s, const double* values, const Body& body) const {
    for (std::int64_t row = 0; row < s.rows; ++row)
      for (int d = -1; d < s.count; ++d)
        for (int c = 0; c < s.dof; ++c) {
          const int node = s.node_of(row), diagonal = d < 0 ? s.centre : s.diagonal[d];
          const double value =
              values[(static_cast<std::int64_t>(diagonal) * s.dof + c) * s.stored_rows + s.place(row)];
          const std::int64_t to = d < 0 ? node : s.neighbour(node, d);
          if (value != 0) body(place_[row], place_[to * s.dof + c], value);
        }
  }

  double* row(double* band, std::int64_t i) const {
    return band + i * width() - i + side_;
  }
  std::int64_t end_of_row(std::int64_t i) const {
    return std::min(i + side_ + 1, rows_);
  }

  // L below the diagonal, U above it, and the inverses of U's diagonal on it. A row is brought from memory
  // once for several pivots, which change it in their order.
  void factorise(double* band) const {
    constexpr double no_pivot = 1e-11;  // of what was on the diagonal: rounding
    std::vector<double> diagonal;
    for (std::int64_t k = 0; k < rows_; ++k) diagonal.push_back(row(band, k)[k]);
    for (std::int64_t first = 0; first < rows_; first += together) {
      const std::int64_t next = std::min(first + together, rows_), end = end_of_row(next - 1),
                         reached = next - first == together ? end_of_row(first) : next;
      for (std::int64_t k = first; k < next; ++k) {
        eliminate(band, first, k, k);
        double& pivot = row(band, k)[k];
        pivot = std::abs(pivot) <= no_pivot * std::abs(diagonal[k]) ? 0 : 1 / pivot;
      }
#pragma omp parallel for schedule(static) if (side_ > 200)
      for (std::int64_t i = next; i < end; ++i) {
        if (i < reached)
          eliminate_together(band, first, i);
        else
          eliminate(band, first, next, i);
      }
    }
  }

  // Of row i, by the pivots from `first` on before `next` that reach it, one after the other.
  void eliminate(double* band, std::int64_t first, std::int64_t next, std::int64_t i) const {
    double* const other = row(band, i);
    for (std::int64_t k = std::max(first, i - side_); k < next; ++k) {
      const double* const pivot_row = row(band, k);
      const double factor = other[k] *= pivot_row[k];
      const std::int64_t end = end_of_row(k);
#pragma omp simd
      for (std::int64_t j = k + 1; j < end; ++j) other[j] -= factor * pivot_row[j];
    }
  }

  // The same by `together` pivots, of a row that all of them reach.
  void eliminate_together(double* band, std::int64_t first, std::int64_t i) const {
    double *const other = row(band, i), factor[together];
    const double* pivot_row[together];
    for (int k = 0; k < together; ++k) {
      pivot_row[k] = row(band, first + k);
      factor[k] = other[first + k] *= pivot_row[k][first + k];
      for (int j = k + 1; j < together; ++j) other[first + j] -= factor[k] * pivot_row[k][first + j];
    }
    const std::int64_t end = end_of_row(first);  // of what all of them have
#pragma omp simd
    for (std::int64_t j = first + together; j < end; ++j) {
      double value = other[j];
      for (int k = 0; k < together; ++k) value -= factor[k] * pivot_row[k][j];
      other[j] = value;
    }
    for (int k = 1; k < together; ++k)
      for (std::int64_t j = end; j < end_of_row(first + k); ++j) other[j] -= factor[k] * pivot_row[k][j];
  }

  static constexpr int together = 8;
  std::int64_t rows_ = 0, side_ = 0;
  std::vector<std::int64_t> place_;  // [row] in the band
  Array<double> factors_;            // [place][2 side + 1]
  std::vector<double> x_;
  int dof_ = 0;  // of a singular operator
};

}  // namespace quadrille::multigrid
