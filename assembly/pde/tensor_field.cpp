#include "assembly/pde/tensor_field.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "grid/error.hpp"

namespace quadrille {
namespace {

// By the pivots of Gauss's elimination, each of which must be left over from more than rounding.
bool is_positive_definite(const double* numbers, int dimension) {
  std::array<std::array<double, 3>, 3> m{};
  for (int a = 0; a < dimension; ++a)
    for (int b = 0; b < dimension; ++b) {
      m[a][b] = numbers[tensor_place(dimension, a, b)];
      if (!std::isfinite(m[a][b])) return false;
    }
  constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
  for (int pivot = 0; pivot < dimension; ++pivot) {
    const double whole = numbers[tensor_place(dimension, pivot, pivot)];
    if (!(m[pivot][pivot] > rounding * whole) || !(whole > 0)) return false;
    for (int a = pivot + 1; a < dimension; ++a)
      for (int b = pivot + 1; b < dimension; ++b) m[a][b] -= m[a][pivot] / m[pivot][pivot] * m[pivot][b];
  }
  return true;
}

std::string tensor_text(const double* numbers, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    char number[32];
    std::snprintf(number, sizeof number, "%.6g", numbers[i]);
    text += (i > 0 ? ", " : "") + std::string(number);
  }
  return text;
}

}  // namespace

TensorField tensor_field(const Grid& grid, Array<double> k, const std::string& name) {
  const int numbers = tensor_numbers(grid.dimension);
  if (k.size() != grid.nodes() * numbers)
    throw InputError(name + " has " + std::to_string(k.size()) + " numbers, the grid " + to_string(grid) +
                     " " + std::to_string(grid.nodes()) + " nodes with " + std::to_string(numbers) + " each");
  std::int64_t bad = grid.nodes();
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (std::int64_t node = 0; node < grid.nodes(); ++node)
    if (!is_positive_definite(k.data() + node * numbers, grid.dimension)) bad = std::min(bad, node);
  if (bad < grid.nodes()) {
    const Position p = node_position(grid, bad);
    throw InputError(name + " is (" + tensor_text(k.data() + bad * numbers, numbers) + ") at node (" +
                     std::to_string(p.x) + ", " + std::to_string(p.y) + ", " + std::to_string(p.z) +
                     "), counted from 0 along x, y and z; a tensor (" +
                     (grid.dimension == 2 ? "Kxx, Kxy, Kyy" : "Kxx, Kxy, Kxz, Kyy, Kyz, Kzz") +
                     ") must be positive definite; nodes without flow need a coefficient of one number");
  }
  return {std::move(k)};
}

}  // namespace quadrille
