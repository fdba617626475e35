#include "drivers/support/coarse_grids.hpp"

#include <algorithm>
#include <cmath>

#include "grid/axis_interpolation.hpp"
#include "grid/error.hpp"
#include "kernels/galerkin.hpp"

namespace quadrille {
namespace {

constexpr std::int64_t enough_unknowns = 1000;  // for the direct solver of the coarsest grid

bool fixes(const FaceBoundary& face) {
  return face.kind == BoundaryKind::value || face.kind == BoundaryKind::drop;
}

const FaceBoundary& low(const Boundary& boundary, int axis) {
  return boundary.faces[2 * axis];
}
const FaceBoundary& high(const Boundary& boundary, int axis) {
  return boundary.faces[2 * axis + 1];
}

// The length of an axis of n nodes, in spacings.
double length(const Boundary& boundary, int axis, std::int64_t n) {
  if (boundary.periodic(axis)) return static_cast<double>(n);
  const auto gap = [](const FaceBoundary& face) { return fixes(face) ? 1 : 0.5; };
  return static_cast<double>(n - 1) + gap(low(boundary, axis)) + gap(high(boundary, axis));
}

std::int64_t halved(const Boundary& boundary, int axis, std::int64_t n, bool nested) {
  const bool fewer = fixes(low(boundary, axis)) || (!nested && fixes(high(boundary, axis)));
  return std::max<std::int64_t>(1, (fewer ? n : n + 1) / 2);
}

std::array<AxisInterpolation, 3> interpolations(const Grid& fine, const Grid& coarse,
                                                const Boundary& boundary, bool nested) {
  std::array<AxisInterpolation, 3> axes;
  for (int axis = 0; axis < 3; ++axis) {
    // The third axis of a 2D grid has no faces that matter.
    const FaceBoundary none{BoundaryKind::clamp, 0};
    const bool there = axis < fine.dimension;
    const FaceBoundary &from = there ? low(boundary, axis) : none, &to = there ? high(boundary, axis) : none;
    axes[axis] = nested ? nested_interpolation(fine.extents[axis], from, to)
                        : interpolation_by_position(fine.extents[axis], coarse.extents[axis], from, to);
  }
  return axes;
}

int reach(const Stencil& points) {
  int radius = 0;
  for (const Offset& o : points.offsets)
    radius = std::max({radius, std::abs(o.x), std::abs(o.y), std::abs(o.z)});
  return radius;
}

double cell_m3(const Grid& grid) {
  return grid.spacing_m[0] * grid.spacing_m[1] * grid.spacing_m[2];
}

BlockDiagonals<double> rediscretised(const PdeOnGrid& finest, const Grid& grid) {
  BlockDiagonals<double> hub = std::move(
      assemble_pde(finest.pde, grid, finest.points, finest.boundary, finest.seed, finest.manufactured)
          .system.hub);
  const double more = cell_m3(grid) / cell_m3(finest.grid);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < hub.values.size(); ++i) hub.values[i] *= more;
  return hub;
}

}  // namespace

std::vector<Grid> multigrid_grids(const Grid& finest, const Boundary& boundary, int levels, bool nested) {
  std::vector<Grid> grids{finest};
  while (levels == 0 ? grids.back().rows() > enough_unknowns : static_cast<int>(grids.size()) < levels) {
    Grid coarse = grids.back();
    for (int axis = 0; axis < coarse.dimension; ++axis) {
      coarse.extents[axis] = halved(boundary, axis, coarse.extents[axis], nested);
      coarse.spacing_m[axis] = finest.spacing_m[axis] * length(boundary, axis, finest.extents[axis]) /
                               length(boundary, axis, coarse.extents[axis]);
    }
    if (coarse.nodes() == grids.back().nodes()) break;
    grids.push_back(coarse);
  }
  if (static_cast<int>(grids.size()) < levels)
    throw InputError("-pc_mg_levels " + std::to_string(levels) + ": the grid " + to_string(finest) +
                     " can be halved to " + std::to_string(grids.size()) + " levels at most");
  return grids;
}

petsc::CoarseLevels coarsen(const PdeOnGrid& finest, int levels, petsc::CoarseOperators operators) {
  const bool galerkin =
      operators == petsc::CoarseOperators::galerkin ||
      (operators == petsc::CoarseOperators::as_suits && !pde_looks_alike_on_coarser_grids(finest.pde));
  const std::vector<Grid> grids = multigrid_grids(finest.grid, finest.boundary, levels, galerkin);
  petsc::CoarseLevels result{{}, galerkin};
  int radius = reach(finest.points);
  for (std::size_t i = 1; i < grids.size(); ++i) {
    const std::shared_ptr<const GridTransfer<double>> interpolation =
        make_grid_transfer<double>(interpolations(grids[i - 1], grids[i], finest.boundary, galerkin),
                                   finest.grid.dof, finest.entry->space);
    const auto& finer = i == 1 ? finest.op : result.below.back().op;
    radius = galerkin_radius(radius);
    Source<double> source;
    source.hub = std::make_shared<const BlockDiagonals<double>>(
        galerkin ? galerkin_product(*finer, *interpolation, radius) : rediscretised(finest, grids[i]));
    if (finest.entry->name != "cds" && finest.entry->name != "dia")
      source.csr = std::make_shared<const Csr<double>>(to_csr(*source.hub));
    result.below.push_back({finest.entry->make_fp64(source, finest.format_options), interpolation});
  }
  return result;
}

}  // namespace quadrille
