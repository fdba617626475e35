#include "assembly/residual.hpp"

#include <cstdlib>

namespace quadrille {

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

}  // namespace quadrille
