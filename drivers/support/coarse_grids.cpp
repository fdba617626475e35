#include "drivers/support/coarse_grids.hpp"

#include <algorithm>
#include <cmath>

#include "drivers/support/failure.hpp"
#include "drivers/support/rank_part.hpp"
#include "grid/axis_interpolation.hpp"
#include "grid/error.hpp"
#include "kernels/galerkin.hpp"
#include "kernels/operator_weights.hpp"
#include "kernels/petsc/coarse_products.hpp"
#include "kernels/petsc/ranks.hpp"
#include "kernels/petsc/transfer_matrix.hpp"

namespace quadrille {
namespace {

// Of the coarsest grid, for its direct solver. Coefficients that jump take many more iterations where it is
// small (README.md); those of 2D are cheap to factorise.
std::int64_t enough_unknowns(const std::string& pde, int dimension) {
  if (pde_looks_alike_on_coarser_grids(pde)) return 1000;
  return dimension == 2 ? 16000 : 5000;
}

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

double cell_m3(const Grid& grid) {
  return grid.spacing_m[0] * grid.spacing_m[1] * grid.spacing_m[2];
}

petsc::GridRows rediscretised(const PdeOnGrid& finest, const Grid& grid) {
  if (finest.input.coefficient)
    throw InputError(
        "-pc_mg_galerkin none: coarser grids have no coefficients where a file gives them; "
        "choose both");
  PdeLines part =
      assemble_pde_lines(finest.pde, grid, finest.points, finest.boundary, finest.input, lines_of_rank(grid));
  Array<double>& values = part.system.values;
  const double more = cell_m3(grid) / cell_m3(finest.grid);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < values.size(); ++i) values[i] *= more;
  return {std::move(part.system.structure), std::move(values)};
}

// An operator on a grid.
struct Level {
  Grid grid;
  BlockStructure structure;  // of the whole grid
  petsc::SharedMat matrix;   // of the type quadrille
};

// The weights of an interpolation that follows an operator, of this rank's fine rows.
Array<double> weights_of_rank(const Level& fine, const std::array<AxisInterpolation, 3>& axes) {
  if (petsc::ranks() == 1) return operator_weights(*petsc::own_block_diagonals(fine.matrix.get()), axes);
  const int axis = slowest_axis(fine.grid.extents);
  const std::int64_t n = fine.grid.extents[axis], nodes = fine.grid.nodes() / n;
  const NodeBox own = own_box(partition_by_planes(fine.grid.extents, {}, petsc::ranks(), petsc::rank()));
  const std::int64_t first = own.first[axis], count = own.size[axis];
  std::vector<std::int32_t> planes;
  for (std::int64_t i = 0; i < count; ++i) planes.push_back(static_cast<std::int32_t>(first + i));
  // With the planes beside, which are other ranks'.
  for (const std::int64_t beside : {first - 1, first + count}) {
    if (count == 0 || count == n || ((beside < 0 || beside >= n) && !fine.structure.periodic[axis])) continue;
    const auto plane = static_cast<std::int32_t>((beside + n) % n);
    if (std::find(planes.begin(), planes.end(), plane) == planes.end()) planes.push_back(plane);
  }
  std::vector<std::int64_t> wanted;
  for (const std::int32_t plane : planes)
    for (std::int64_t i = 0; i < nodes; ++i) wanted.push_back(plane * nodes + i);
  const int dof = fine.grid.dof;
  const Array<double> values = petsc::rows_of_nodes(petsc::rows_of(fine.matrix.get(), fine.structure),
                                                    count * nodes * dof, wanted, dof);
  return operator_weights({fine.structure, axis, planes, values}, axes, 0, count);
}

struct Between {
  std::array<AxisInterpolation, 3> axes;   // of the whole grids
  std::array<AxisInterpolation, 3> own;    // to the fine nodes of this rank
  std::vector<std::int64_t> coarse_nodes;  // that those read
};

Between between(const Grid& fine, const Grid& coarse, const Boundary& boundary, bool nested) {
  Between result;
  result.own = result.axes = interpolations(fine, coarse, boundary, nested);
  if (petsc::ranks() == 1) return result;
  const int axis = slowest_axis(fine.extents);
  const NodeBox box = own_box(partition_of(fine, boundary));
  AxisPart part = part_of(result.axes[axis], box.first[axis], box.size[axis]);
  result.own[axis] = std::move(part.axis);
  const std::int64_t nodes = coarse.nodes() / coarse.extents[axis];
  for (const std::int32_t plane : part.coarse_nodes)
    for (std::int64_t i = 0; i < nodes; ++i) result.coarse_nodes.push_back(plane * nodes + i);
  return result;
}

struct Interpolation {
  std::shared_ptr<const GridTransfer<double>> own;
  petsc::SharedMat matrix;
};

Interpolation interpolation(const PdeOnGrid& finest, const Level& fine, const Grid& coarse, bool nested,
                            bool follows_operator) {
  Between p = between(fine.grid, coarse, finest.boundary, nested);
  Interpolation result;
  const int dof = fine.grid.dof;
  if (follows_operator)
    result.own = make_weighted_transfer(p.own, dof, weights_of_rank(fine, p.axes), finest.format.space);
  else
    result.own = make_grid_transfer<double>(p.own, dof, finest.format.space);
  result.matrix =
      petsc::shared(petsc::ranks() == 1
                        ? petsc::make_transfer_matrix(result.own)
                        : petsc::make_transfer_matrix({result.own, std::move(p.coarse_nodes)},
                                                      lines_of_rank(coarse).count * coarse.extents[0] * dof));
  return result;
}

// Where an interpolation that follows an operator reaches no fine node from a coarse one, the row is empty: a
// diagonal keeps the unknown at zero.
void fill_empty_rows(petsc::GridRows& rows) {
  const std::int64_t dof = rows.structure.dof, columns = rows.structure.diagonals() * dof;
  const std::int64_t n = columns > 0 ? rows.values.size() / columns : 0;
  const auto& offsets = rows.structure.offsets;
  const auto centre = std::find(offsets.begin(), offsets.end(), NodeOffset{}) - offsets.begin();
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < n; ++row) {
    bool empty = true;
    for (std::int64_t k = 0; k < columns && empty; ++k) empty = rows.values[k * n + row] == 0;
    if (empty) rows.values[(centre * dof + row % dof) * n + row] = 1;
  }
}

// P^T A P of the operator on the next finer grid.
petsc::GridRows galerkin(const Level& finer, const Interpolation& p, const Grid& grid,
                         const Boundary& boundary, int radius) {
  if (petsc::ranks() == 1) {
    BlockDiagonals<double> hub = galerkin_product(*petsc::own_product(finer.matrix.get()), *p.own, radius);
    Array<double> values = std::move(hub.values);
    return {std::move(hub), std::move(values)};
  }
  BlockStructure structure =
      galerkin_structure(grid.extents, partition_of(grid, boundary).periodic, grid.dof, radius);
  const LineRange lines = lines_of_rank(grid);
  Array<double> values = galerkin_values(structure, radius, lines.first, lines.count,
                                         petsc::triple_product(finer.matrix, p.matrix));
  return {std::move(structure), std::move(values)};
}

bool coarse_products(const PdeOnGrid& finest, petsc::CoarseOperators operators) {
  return operators == petsc::CoarseOperators::galerkin ||
         (operators == petsc::CoarseOperators::as_suits && !pde_looks_alike_on_coarser_grids(finest.pde));
}

}  // namespace

std::vector<Grid> multigrid_grids(const Grid& finest, const Boundary& boundary, int levels, bool nested,
                                  std::int64_t enough) {
  std::vector<Grid> grids{finest};
  while (levels == 0 ? grids.back().rows() > enough : static_cast<int>(grids.size()) < levels) {
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
  const bool by_products = coarse_products(finest, operators);
  const std::vector<Grid> grids = multigrid_grids(finest.grid, finest.boundary, levels, by_products,
                                                  enough_unknowns(finest.pde, finest.grid.dimension));
  const bool follows_operator =
      by_products && finest.points.radius == 1 && !pde_looks_alike_on_coarser_grids(finest.pde);
  petsc::CoarseLevels result{{}, by_products};
  Level finer{finest.grid, block_structure(finest.grid, finest.points, finest.boundary), finest.matrix};
  int radius = finest.points.radius;
  for (std::size_t i = 1; i < grids.size(); ++i) {
    Interpolation p;
    petsc::GridRows rows;
    radius = galerkin_radius(radius);
    together([&] { p = interpolation(finest, finer, grids[i], by_products, follows_operator); });
    together([&] {
      rows = by_products ? galerkin(finer, p, grids[i], finest.boundary, radius)
                         : rediscretised(finest, grids[i]);
      if (follows_operator) fill_empty_rows(rows);
    });
    together([&] {
      finer.grid = grids[i];
      finer.structure = rows.structure;
      finer.matrix =
          petsc::make_grid_matrix(partition_of(grids[i], finest.boundary), std::move(rows), finest.format);
      result.below.push_back(
          {finest.as_aij ? petsc::make_aij(finer.matrix.get(), finest.format.space == SpaceKind::cuda)
                         : finer.matrix,
           std::move(p.matrix)});
    });
  }
  return result;
}

std::int64_t multigrid_bytes(const PdeOnGrid& finest, int levels, petsc::CoarseOperators operators) {
  const bool by_products = coarse_products(finest, operators);
  const std::vector<Grid> grids = multigrid_grids(finest.grid, finest.boundary, levels, by_products,
                                                  enough_unknowns(finest.pde, finest.grid.dimension));
  std::int64_t bytes = 0;
  int radius = finest.points.radius;
  for (std::size_t i = 0; i < grids.size(); ++i) {
    const Grid& grid = grids[i];
    const std::int64_t lines = lines_of_rank(grid).count;
    BlockStructure structure = i == 0 || !by_products ? block_structure(grid, finest.points, finest.boundary)
                                                      : galerkin_structure(grid.extents, {}, grid.dof,
                                                                           radius = galerkin_radius(radius));
    structure.extents = {grid.extents[0], lines, 1};
    const std::int64_t values = value_bytes(structure, 8);
    // Smoother, its estimate of eigenvalues and the cycle; weights of the interpolation; the values, and the
    // format made from them; their copies while ranks tell each other what the interpolation follows.
    bytes += structure.rows() * 8 * (24 + (by_products ? 8 : 0));
    if (i > 0) bytes += values * (finest.indexed ? 4 : is_the_hub(finest.format.name) ? 1 : 2);
    if (i == 0 && by_products && petsc::ranks() > 1) bytes += 2 * values;
  }
  return bytes;
}

}  // namespace quadrille
