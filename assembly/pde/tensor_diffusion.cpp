#include "assembly/pde/tensor_diffusion.hpp"

#include <algorithm>
#include <limits>

#include "assembly/linear_residual.hpp"
#include "assembly/pde/problem.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

using tensor_diffusion_detail::End, tensor_diffusion_detail::EndKind;

End end_of(const FaceBoundary& face, bool has_function, double spacing_m) {
  if (face.kind == BoundaryKind::periodic) return {EndKind::around};
  if (holds_value(face)) return {EndKind::holds};
  if (face.kind == BoundaryKind::robin) return {EndKind::flows, face.b / (face.b + 0.5 * face.a * spacing_m)};
  const bool has_flux = face.kind == BoundaryKind::flux && (has_function || face.value != 0);
  return {has_flux ? EndKind::flows : EndKind::closed};
}

TensorDiffusion::Ends ends_of(const Grid& grid, const Boundary& boundary, int unknown) {
  TensorDiffusion::Ends ends{};
  for (std::size_t face = 0; face < ends.size() && face < 2 * static_cast<std::size_t>(grid.dimension);
       ++face)
    ends[face] =
        end_of(boundary.of(unknown)[face], static_cast<bool>(boundary.data[face]), grid.spacing_m[face / 2]);
  return ends;
}

// What is left of K along an axis where nothing flows along the others: 1/(K^-1)_aa, the least at any place.
double least_along(const Array<double>& k, std::int64_t places, int dimension, int axis) {
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t place = 0; place < places; ++place) {
    std::array<std::array<double, 3>, 3> m{};
    for (int a = 0; a < dimension; ++a)
      for (int b = 0; b < dimension; ++b) m[a][b] = k[tensor_place(dimension, a, b) * places + place];
    for (int gone = 0; gone < dimension; ++gone) {
      if (gone == axis) continue;
      const std::array<double, 3> pivot = m[gone];
      for (int a = 0; a < dimension; ++a)
        for (int b = 0; b < dimension; ++b)
          if (a != gone) m[a][b] -= pivot[a] * pivot[b] / pivot[gone];
    }
    least = std::min(least, m[axis][axis]);
  }
  return least;
}

}  // namespace

TensorCoefficients tensor_diffusion(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                                    const NodeBox& box, const TensorField& field) {
  require(tensor_diffusion_stencils, "diffusion with a tensor", grid, stencil);
  TensorCoefficients result;
  result.window = window_around(grid, box);
  for (std::size_t r = 0; r < std::max<std::size_t>(1, boundary.of_unknown.size()); ++r)
    result.ends.push_back(ends_of(grid, boundary, static_cast<int>(r)));
  for (const TensorDiffusion::Ends& ends : result.ends)
    result.has_flows = result.has_flows || std::any_of(ends.begin(), ends.end(), [](const End& end) {
                         return end.kind == EndKind::flows;
                       });
  for (int axis = 0; axis < grid.dimension; ++axis) result.per_h[axis] = 1 / grid.spacing_m[axis];
  const int numbers = tensor_numbers(grid.dimension);
  result.k = Array<double>(result.window.nodes() * numbers);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < result.window.nodes(); ++i) {
    const double* const of_node = field.k.data() + node_index(grid, result.window.position(i)) * numbers;
    for (int number = 0; number < numbers; ++number)
      result.k[number * result.window.nodes() + i] = of_node[number];
  }
  require_fine_enough(grid, boundary, "diffusion with a tensor", [&](int axis, int) {
    return least_along(result.k, result.window.nodes(), grid.dimension, axis);
  });
  return result;
}

namespace {

// A node where u is 0, and so it is at all others; beyond faces of flux and robin is what these add.
class WithoutU : public residual_detail::StencilOperations<WithoutU, double> {
 public:
  WithoutU(const LinearPlaces& places, const Boundary& boundary, const TensorDiffusion& diffusion,
           const Position& at)
      : node_(places, at, {}, -1),
        boundary_(boundary),
        diffusion_(diffusion),
        at_{node_index(places.grid, at), at} {}

  double operator()(int) const { return 0; }
  double at(int dx, int dy, int dz, int r) const {
    Offset offset{};
    offset.x = dx, offset.y = dy, offset.z = dz;
    const StencilNeighbour to{0, offset, resolve_neighbour(grid(), boundary_.of(r), at_.position, offset)};
    if (to.resolved.kind != Neighbour::Kind::node || !to.resolved.is_beyond()) return 0;
    return ghost::constant(diffusion_, at_, to, grid(), boundary_, r);
  }
  double field(const double* values, int dx, int dy, int dz) const { return node_.field(values, dx, dy, dz); }
  static constexpr bool slopes_alone() { return false; }
  const Position& position() const { return node_.position(); }
  const Grid& grid() const { return node_.grid(); }

 private:
  LinearNode node_;
  const Boundary& boundary_;
  const TensorDiffusion& diffusion_;
  StencilNode at_;
};

}  // namespace

void add_data_of_flux(const Grid& grid, const Boundary& boundary, const NodeBox& box,
                      const TensorCoefficients& coefficients, std::vector<double>& rhs) {
  if (!coefficients.has_flows || !has_data(boundary, grid.dimension)) return;
  const TensorDiffusion diffusion = coefficients.functor();
  LinearPlaces places{.grid = grid, .box = box, .window = coefficients.window};
  for (int axis = 0; axis < grid.dimension; ++axis) places.periodic[axis] = boundary.periodic(axis);
  add_source(grid, box, rhs, [&](const Position& p, int r) {
    const WithoutU u(places, boundary, diffusion, p);
    return diffusion.is_at_flows(u, r) ? -TensorDiffusion::of_faces(diffusion, u, r) : 0;
  });
}

}  // namespace quadrille
