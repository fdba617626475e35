#include "assembly/node_window.hpp"

#include <algorithm>

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

void copy_window(const Array<double>& field, const Grid& grid, const NodeWindow& window, double* to) {
  const std::int64_t length = window.box.size[0];
#pragma omp parallel for schedule(static)
  for (std::int64_t line = 0; line < window.box.lines(); ++line) {
    const std::int64_t first = node_index(grid, window.position(line * length)),
                       until = std::min(length, grid.extents[0] - first % grid.extents[0]);
    std::copy_n(field.begin() + first, until, to + line * length);
    std::copy_n(field.begin() + first - first % grid.extents[0], length - until, to + line * length + until);
  }
}

}  // namespace quadrille
