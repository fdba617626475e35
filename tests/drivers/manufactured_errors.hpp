// How far a solution is from the manufactured one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "assembly/pde/manufactured.hpp"
#include "tests/whole_pde.hpp"

namespace quadrille {

struct Errors {
  double l2 = 0, largest = 0;
  double intervals = 1;  // of the domain along an axis, the geometric mean
};

// Of a singular problem without the mean of each unknown.
inline Errors errors_against(const PdeProblem& problem, const std::vector<double>& u, const Grid& grid,
                             const Boundary& boundary) {
  Errors errors;
  for (int r = 0; r < grid.dof; ++r) {
    double mean = 0;
    for (std::int64_t i = r; i < grid.rows() && problem.singular; i += grid.dof)
      mean += (u[i] - problem.exact[i]) / static_cast<double>(grid.nodes());
    for (std::int64_t i = r; i < grid.rows(); i += grid.dof) {
      const double error = u[i] - problem.exact[i] - mean;
      errors.l2 += error * error / static_cast<double>(grid.rows());
      errors.largest = std::max(errors.largest, std::abs(error));
    }
  }
  errors.l2 = std::sqrt(errors.l2);
  const Manufactured solution(grid, boundary);
  for (int axis = 0; axis < grid.dimension; ++axis)
    errors.intervals *= std::pow(solution.length_m(axis) / grid.spacing_m[axis], 1.0 / grid.dimension);
  return errors;
}

}  // namespace quadrille
