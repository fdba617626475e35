#include "assembly/residual.hpp"

#include <algorithm>
#include <cstdlib>

#include "formats/threads.hpp"

namespace quadrille {
namespace {

// One node, with the window around it, of a state that nothing is known of: zeros.
struct NodeState {
  NodeWindow window;
  std::vector<double> u, rate;
  ResidualState state;

  NodeState(const Grid& grid, const ResidualFaces& faces, const std::array<int, 3>& at, double t_s)
      : NodeState(grid, faces, NodeBox{{at[0], at[1], at[2]}, {1, 1, 1}}, t_s) {}
  NodeState(const Grid& grid, const ResidualFaces& faces, const NodeBox& box, double t_s)
      : window(window_around(grid, box)),
        u(static_cast<std::size_t>(window.nodes() * grid.dof)),
        rate(static_cast<std::size_t>(grid.dof)),
        state{grid, faces, box, window, u.data(), rate.data(), t_s} {}
};

}  // namespace

JacobianShape jacobian_shape(const BlockStructure& structure) {
  JacobianShape shape;
  shape.extents = structure.extents;
  shape.periodic = structure.periodic;
  shape.dof = structure.dof;
  shape.diagonals = static_cast<int>(structure.diagonals());
  shape.of_cube.fill(-1);
  for (int d = 0; d < shape.diagonals; ++d) {
    const NodeOffset& o = structure.offsets[d];
    if (std::abs(o.x) > 1 || std::abs(o.y) > 1 || std::abs(o.z) > 1)
      throw FormatError("a residual asks for nodes beside its own alone, not for those of a wider stencil");
    shape.offset[d] = o;
    shape.star = shape.star && std::abs(o.x) + std::abs(o.y) + std::abs(o.z) <= 1;
    shape.of_cube[(o.z + 1) * 9 + (o.y + 1) * 3 + o.x + 1] = static_cast<std::int8_t>(d);
  }
  const BlockFill& fill = structure.fill;
  shape.centre_has_beside = true;
  for (std::size_t i = 0; i < fill.centre.size(); ++i)
    shape.centre_has_beside = shape.centre_has_beside && (fill.centre[i] != 0 || fill.beside[i] == 0);
  return shape;
}

void fill_few_rows(const AnyResidual& residual, const Grid& grid, const ResidualFaces& faces, double t_s,
                   double shift, const JacobianShape& shape, FewRows& rows) {
  const std::int64_t nodes = rows.stored_nodes(), dof = shape.dof, columns = shape.diagonals * dof;
  std::array<int, 3> middle{};
  for (int axis = 0; axis < 3; ++axis) middle[axis] = static_cast<int>(grid.extents[axis] / 2);
  const NodeState inside(grid, faces, middle, t_s);
  const std::vector<double> of_node = residual.blocks(inside.state, shift, shape);
  const double* const blocks = of_node.empty() ? nullptr : of_node.data();
  rows.a.values = Array<double>(columns * nodes * dof);
#pragma omp parallel for schedule(dynamic) if (nodes * columns * dof > worth_threads)
  for (std::int64_t stored = 0; stored < nodes; ++stored) {
    const NodeState here(grid, faces, rows.stored.position(static_cast<int>(stored)), t_s);
    std::vector<double> of_rows(static_cast<std::size_t>(columns * dof));
    residual.rows_by_blocks(here.state, shift, shape, blocks, of_rows.data());
    for (std::int64_t column = 0; column < columns; ++column)
      std::copy_n(of_rows.data() + column * dof, dof, rows.a.values.data() + (column * nodes + stored) * dof);
  }
}

}  // namespace quadrille
