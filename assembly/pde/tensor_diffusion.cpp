#include "assembly/pde/tensor_diffusion.hpp"

#include <algorithm>
#include <utility>

#include "grid/error.hpp"

namespace quadrille {
namespace {

using Place = TensorDiffusion::Place;

TensorDiffusion::Ends ends_of(const Grid& grid, const Faces& faces) {
  TensorDiffusion::Ends ends{};
  for (int face = 0; face < 2 * grid.dimension; ++face) {
    const FaceBoundary& here = faces[face];
    if (here.kind == BoundaryKind::periodic)
      ends[face] = TensorDiffusion::End::around;
    else if (holds_value(here))
      ends[face] = TensorDiffusion::End::holds;
    else if (here.kind == BoundaryKind::clamp)
      ends[face] = TensorDiffusion::End::closed;
    else
      throw InputError("diffusion with a tensor has no coefficients for faces of outflow, flux and robin");
  }
  return ends;
}

// The other axes of `dimension`, or -1.
std::pair<int, int> others(int dimension, int a) {
  const int first = a == 0 ? 1 : 0, second = 3 - a - first;
  return {first, second < dimension ? second : -1};
}

}  // namespace

bool TensorDiffusion::stands(std::int64_t at, int axis, const Ends& faces) const {
  if (at >= 0 && at < window.extents[axis]) return true;
  return faces[2 * axis + (at < 0 ? 0 : 1)] != End::closed;
}

// Whether all neighbours of a place stand within the grid, or around its ends.
bool TensorDiffusion::inner(const Place& p, const Ends& faces) const {
  for (int axis = 0; axis < dimension; ++axis)
    if (faces[2 * axis] != End::around && (p[axis] < 1 || p[axis] > window.extents[axis] - 2)) return false;
  return true;
}

const double* TensorDiffusion::tensor(Place at) const {
  for (int axis = 0; axis < dimension; ++axis) {
    const std::int64_t n = window.extents[axis];
    const bool periodic = ends[0][2 * axis] == End::around;
    if (at[axis] < 0) at[axis] = periodic ? at[axis] + n : 0;
    if (at[axis] >= n) at[axis] = periodic ? at[axis] - n : n - 1;
  }
  return k + window.place({at[0], at[1], at[2]}) * tensor_numbers(dimension);
}

std::array<double, 3> TensorDiffusion::row(const Place& w, const Signs& s, int a, const Ends& faces) const {
  const double* const numbers = tensor(w);
  std::array<std::array<double, 3>, 3> m{};
  for (int i = 0; i < dimension; ++i)
    for (int j = 0; j < dimension; ++j) m[i][j] = numbers[tensor_place(dimension, i, j)];
  for (int gone = 0; gone < dimension; ++gone) {
    if (stands(w[gone] + s[gone], gone, faces)) continue;
    const std::array<double, 3> pivot = m[gone];
    for (int i = 0; i < dimension; ++i)
      for (int j = 0; j < dimension; ++j) m[i][j] -= pivot[i] * pivot[j] / pivot[gone];
    for (int i = 0; i < dimension; ++i) m[i][gone] = m[gone][i] = 0;
  }
  std::array<double, 3> result{};
  for (int b = 0; b < dimension; ++b) result[b] = m[a][b] * (s[a] * s[b] * per_h[a] * per_h[b]);
  return result;
}

double TensorDiffusion::sum_over_third(const Place& w, Signs s, int a, int b, const Ends& faces) const {
  if (dimension == 2) return row(w, s, a, faces)[b];
  double sum = 0;
  for (const int side : {-1, 1}) {
    s[3 - a - b] = side;
    sum += row(w, s, a, faces)[b];
  }
  return sum;
}

// Of the triads at w that have this side along a.
double TensorDiffusion::sum_along(const Place& w, Signs s, int a, const Ends& faces) const {
  const auto [first, second] = others(dimension, a);
  double sum = 0;
  for (const int one : {-1, 1})
    for (const int other : {-1, 1}) {
      if (second < 0 && other > 0) continue;
      s[first] = one;
      if (second >= 0) s[second] = other;
      const std::array<double, 3> of_triad = row(w, s, a, faces);
      sum += of_triad[0] + of_triad[1] + of_triad[2];
    }
  return sum;
}

// Of the neighbours p and q = p + e_a. Within the grid what K has beside its diagonal cancels.
double TensorDiffusion::along(const Place& p, const Place& q, int a, const Ends& faces) const {
  if (inner(p, faces) && inner(q, faces))
    return -(0.5 * (number(p, a, a) + number(q, a, a)) * (per_h[a] * per_h[a]));
  Signs up{}, down{};
  up[a] = 1, down[a] = -1;
  return -(sum_along(p, up, a, faces) + sum_along(q, down, a, faces)) / (1 << dimension);
}

// Of places that differ along a and b: the triads are those of the two corners between.
double TensorDiffusion::across(const Place& p, const Place& q, int a, int b, const Ends& faces) const {
  const int step_a = static_cast<int>(q[a] - p[a]), step_b = static_cast<int>(q[b] - p[b]);
  Place with_a = p, with_b = p;
  with_a[a] = q[a], with_b[b] = q[b];
  if (inner(p, faces) && inner(q, faces))
    return -0.25 * step_a * step_b * (number(with_a, a, b) + number(with_b, a, b)) * (per_h[a] * per_h[b]);
  Signs at_a{}, at_b{};
  at_a[a] = -step_a, at_a[b] = step_b;
  at_b[a] = step_a, at_b[b] = -step_b;
  return (sum_over_third(with_a, at_a, a, b, faces) + sum_over_third(with_b, at_b, a, b, faces)) /
         (1 << dimension);
}

double TensorDiffusion::coupling(Place p, const Offset& offset, const Ends& faces) const {
  const std::array<int, 3> steps{static_cast<int>(offset.x), static_cast<int>(offset.y),
                                 static_cast<int>(offset.z)};
  std::array<int, 3> axes{};
  int count = 0;
  Place q = p;
  for (int axis = 0; axis < dimension; ++axis) {
    if (steps[axis] == 0) continue;
    axes[count++] = axis;
    q[axis] += steps[axis];
    if (!stands(q[axis], axis, faces)) return 0;
  }
  if (count == 3) return 0;
  if (steps[axes[0]] < 0) std::swap(p, q);
  return count == 1 ? along(p, q, axes[0], faces) : across(p, q, axes[0], axes[1], faces);
}

double TensorDiffusion::operator()(const StencilNode& node, const StencilNeighbour& neighbour, int r,
                                   int c) const {
  if (r != c) return 0;
  const Ends& faces = ends[profiles == 1 ? 0 : r];
  const Place p{node.position.x, node.position.y, node.position.z};
  if (neighbour.offset != Offset{}) return coupling(p, neighbour.offset, faces);
  double sum = 0;
  const int deep = dimension == 3 ? 1 : 0;
  for (int z = -deep; z <= deep; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        if (x != 0 || y != 0 || z != 0) {
          Offset offset{};
          offset.x = x, offset.y = y, offset.z = z;
          sum -= coupling(p, offset, faces);
        }
  return sum;
}

TensorCoefficients tensor_diffusion(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                                    const NodeBox& box, const TensorField& field) {
  require(tensor_diffusion_stencils, "diffusion with a tensor", grid, stencil);
  TensorCoefficients result;
  result.dimension = grid.dimension;
  result.window = window_around(grid, box);
  for (std::size_t r = 0; r < std::max<std::size_t>(1, boundary.of_unknown.size()); ++r)
    result.ends.push_back(ends_of(grid, boundary.of(static_cast<int>(r))));
  for (int axis = 0; axis < grid.dimension; ++axis) result.per_h[axis] = 1 / grid.spacing_m[axis];
  const int numbers = tensor_numbers(grid.dimension);
  result.k = Array<double>(result.window.nodes() * numbers);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < result.window.nodes(); ++i)
    std::copy_n(field.k.data() + node_index(grid, result.window.position(i)) * numbers, numbers,
                result.k.data() + i * numbers);
  return result;
}

}  // namespace quadrille
