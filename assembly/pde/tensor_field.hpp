// A coefficient of diffusion that is a symmetric tensor at every node of a grid: in 2D Kxx, Kxy, Kyy, in 3D
// Kxx, Kxy, Kxz, Kyy, Kyz, Kzz.
#pragma once

#include <array>
#include <string>

#include "formats/array.hpp"
#include "grid/grid.hpp"

namespace quadrille {

constexpr int tensor_numbers(int dimension) {
  return dimension * (dimension + 1) / 2;
}

// The place of K_ab among the numbers of a node.
constexpr int tensor_place(int dimension, int a, int b) {
  const int low = a < b ? a : b, high = a < b ? b : a;
  return low * dimension - low * (low - 1) / 2 + high - low;
}

struct TensorField {
  Array<double> k;  // [node][number]
};

// Throws InputError, with `name` of the field, unless every node has a tensor whose numbers are finite and
// which is positive definite, by more than rounding.
TensorField tensor_field(const Grid& grid, Array<double> k, const std::string& name);

}  // namespace quadrille
