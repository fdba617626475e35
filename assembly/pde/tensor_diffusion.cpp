#include "assembly/pde/tensor_diffusion.hpp"

#include <algorithm>

#include "grid/error.hpp"

namespace quadrille {
namespace {

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

}  // namespace

TensorCoefficients tensor_diffusion(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                                    const NodeBox& box, const TensorField& field) {
  require(tensor_diffusion_stencils, "diffusion with a tensor", grid, stencil);
  TensorCoefficients result;
  result.window = window_around(grid, box);
  for (std::size_t r = 0; r < std::max<std::size_t>(1, boundary.of_unknown.size()); ++r)
    result.ends.push_back(ends_of(grid, boundary.of(static_cast<int>(r))));
  for (int axis = 0; axis < grid.dimension; ++axis) result.per_h[axis] = 1 / grid.spacing_m[axis];
  const int numbers = tensor_numbers(grid.dimension);
  result.k = Array<double>(result.window.nodes() * numbers);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < result.window.nodes(); ++i) {
    const double* const of_node = field.k.data() + node_index(grid, result.window.position(i)) * numbers;
    for (int number = 0; number < numbers; ++number)
      result.k[number * result.window.nodes() + i] = of_node[number];
  }
  return result;
}

}  // namespace quadrille
