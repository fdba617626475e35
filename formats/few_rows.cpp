#include "formats/few_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "formats/threads.hpp"

namespace quadrille {
namespace {

using Extents = std::array<std::int64_t, 3>;

// The largest body(first number of a line of `few`, first number of the box's line, which stored nodes stand
// for those of a line) of all lines of all columns, of a box of nodes.
template <class Body>
double largest_of_lines(const FewRows& rows, const Extents& first, const Extents& size, std::int64_t columns,
                        int width, const Body& body) {
  std::array<std::vector<int>, 3> stands;  // for each node, along each axis
  for (int axis = 0; axis < 3; ++axis)
    for (std::int64_t i = 0; i < size[axis]; ++i)
      stands[axis].push_back(rows.along(axis, static_cast<int>(first[axis] + i)));
  const std::int64_t ny = size[1], lines = ny * size[2], line = size[0] * width,
                     few_line = std::int64_t{rows.nodes(0)} * width;
  const bool much = columns * lines * line > 64 * worth_threads;
  double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest) if (much)
  for (std::int64_t i = 0; i < columns * lines; ++i) {
    const std::int64_t column = i / lines, y = stands[1][i % lines % ny], z = stands[2][i % lines / ny],
                       few = (column * rows.nodes(2) + z) * rows.nodes(1) + y;
    largest = std::max(largest, body(few * few_line, i * line, stands[0]));
  }
  return largest;
}

}  // namespace

FewRows few_rows_of(const BlockStructure& structure) {
  FewRows rows;
  static_cast<BlockStructure&>(rows.a) = structure;
  int n[3];
  bool wraps[3];
  for (int axis = 0; axis < 3; ++axis) {
    n[axis] = to_index32(structure.extents[axis], "nodes along an axis");
    wraps[axis] = structure.periodic[axis] && n[axis] > 1;
  }
  rows.stored = few_nodes(n, wraps, LineWords::none);
  return rows;
}

namespace {
void repeat_in_box(const FewRows& rows, const Extents& first, const Extents& size, const double* few,
                   std::int64_t columns, int width, double* to) {
  const auto repeat = [=](std::int64_t from, std::int64_t line, const std::vector<int>& stands) {
    double* put = to + line;
    for (const int node : stands) put = std::copy_n(few + from + std::int64_t{node} * width, width, put);
    return 0.0;
  };
  largest_of_lines(rows, first, size, columns, width, repeat);
}
}  // namespace

void repeat_nodes(const FewRows& rows, const double* few, std::int64_t columns, int width, double* to) {
  repeat_in_box(rows, {}, rows.a.extents, few, columns, width, to);
}

void repeat_rows(const FewRows& rows, const Extents& first, const Extents& size, double* values) {
  repeat_in_box(rows, first, size, rows.a.values.data(), rows.a.diagonals() * rows.a.dof, rows.a.dof, values);
}
void repeat_rows(const FewRows& rows, double* values) {
  repeat_rows(rows, {}, rows.a.extents, values);
}

double largest_difference(const FewRows& rows, const double* values) {
  const int dof = rows.a.dof;
  const auto of_line = [=, few = rows.a.values.data()](std::int64_t from, std::int64_t first,
                                                       const std::vector<int>& stands) {
    double largest = 0;
    const double* value = values + first;
    for (const int node : stands)
      for (int r = 0; r < dof; ++r) {
        const double difference = std::abs(*value++ - few[from + std::int64_t{node} * dof + r]);
        largest = difference >= 0 ? std::max(largest, difference) : std::numeric_limits<double>::infinity();
      }
    return largest;
  };
  return largest_of_lines(rows, {}, rows.a.extents, rows.a.diagonals() * dof, dof, of_line);
}

namespace {
// The structure of that grid.
FewRows of_small_grid(const FewRows& rows) {
  FewRows small;
  static_cast<BlockStructure&>(small.a) = rows.a;
  small.stored = rows.stored;
  for (int axis = 0; axis < 3 && !rows.stored.all; ++axis) {
    // Where some are left out one stays, which has a node with its own row beside it; around an axis two.
    const int least = rows.a.periodic[axis] ? 3 : rows.stored.n[axis] + 1;
    small.stored.left_out[axis] = std::min(rows.stored.left_out[axis], least - rows.stored.n[axis]);
    small.a.extents[axis] = rows.stored.n[axis] + small.stored.left_out[axis];
  }
  return small;
}
}  // namespace

BlockDiagonals<double> on_small_grid(const FewRows& rows) {
  FewRows small = of_small_grid(rows);
  small.a.values = copy_of(rows.a.values);
  BlockDiagonals<double> on_grid;
  static_cast<BlockStructure&>(on_grid) = small.a;
  on_grid.values = Array<double>(small.a.diagonals() * small.a.dof * on_grid.rows());
  repeat_rows(small, on_grid.values.data());
  return on_grid;
}

std::array<std::int64_t, 3> small_extents(const FewRows& rows) {
  return of_small_grid(rows).a.extents;
}

void take_from_small_grid(const double* values, FewRows& rows) {
  const FewRows small = of_small_grid(rows);
  const std::int64_t dof = rows.a.dof, columns = rows.a.diagonals() * dof, nodes = small.a.nodes();
  rows.a.values = Array<double>(columns * rows.stored_nodes() * dof);
  double* to = rows.a.values.data();
  const auto first = [&](int axis, int place) {
    return small.stored.all ? place : small.stored.first(axis, place);
  };
  for (std::int64_t column = 0; column < columns; ++column)
    for (int z = 0; z < rows.nodes(2); ++z)
      for (int y = 0; y < rows.nodes(1); ++y)
        for (int x = 0; x < rows.nodes(0); ++x) {
          const std::int64_t node =
              (first(2, z) * small.a.extents[1] + first(1, y)) * small.a.extents[0] + first(0, x);
          to = std::copy_n(values + (column * nodes + node) * dof, dof, to);
        }
}

}  // namespace quadrille
