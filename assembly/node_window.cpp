#include "assembly/node_window.hpp"

namespace quadrille {

NodeWindow window_around(const Grid& grid, const NodeBox& box) {
  NodeWindow window{whole_box(grid.extents), grid.extents};
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t nodes = grid.extents[axis];
    if (box.size[axis] + 2 >= nodes) continue;
    window.box.first[axis] = (box.first[axis] + nodes - 1) % nodes;
    window.box.size[axis] = box.size[axis] + 2;
  }
  return window;
}

}  // namespace quadrille
