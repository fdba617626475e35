#include "assembly/residual_promises.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "assembly/pde/counter_hash.hpp"
#include "formats/array.hpp"

namespace quadrille {
namespace {

constexpr double rounding = 1e-10;  // of the largest value

// So much of the box that its Jacobian has about two million values: the first planes, or lines of the first
// one, for there the number of a node in the box, by which a functor may read, stays what it is.
NodeBox some_nodes(NodeBox box, const JacobianShape& shape) {
  constexpr std::int64_t values = std::int64_t{1} << 21;
  const std::int64_t most = values / (std::int64_t{shape.diagonals} * shape.dof * shape.dof),
                     line = box.size[0], plane = line * box.size[1];
  if (3 * plane <= most || box.size[2] == 1) {
    box.size[2] = std::min(box.size[2], std::max<std::int64_t>(1, most / plane));
  } else {
    box.size[2] = 1;
  }
  if (box.size[2] == 1) box.size[1] = std::min(box.size[1], std::max<std::int64_t>(2, most / line));
  return box;
}

Array<double> drawn(std::int64_t size, int seed) {
  Array<double> numbers(size);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < size; ++i) numbers[i] = signed_unit(counter_hash(seed, i));
  return numbers;
}

template <class F>
double largest_of(std::int64_t size, const F& f) {
  double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest)
  for (std::int64_t i = 0; i < size; ++i) largest = std::max(largest, std::abs(f(i)));
  return largest;
}

struct Sample {
  const AnyResidual& residual;
  const Grid& grid;
  const ResidualFaces& faces;
  const JacobianShape& shape;
  NodeBox box;
  NodeWindow window;
  double shift;

  // [diagonal][column][row of the box]
  Array<double> jacobian(double t_s, int seed, bool all = false) const {
    const std::int64_t rows = box.nodes() * grid.dof;
    const Array<double> u = drawn(window.nodes() * grid.dof, seed), rate = drawn(rows, seed + 1);
    Array<double> values(shape.diagonals * grid.dof * rows, 0.0);
    residual.differentiate({grid, faces, box, window, u.data(), rate.data(), t_s}, shift, shape, all,
                           values.data());
    return values;
  }

  // The largest difference between an entry and the one across the diagonal, of nodes in the box.
  double asymmetry(const Array<double>& values) const {
    const ResidualState state{grid, faces, box, window};
    const std::int64_t rows = box.nodes() * grid.dof;
    const auto value = [&](int d, int c, std::int64_t node, int r) {
      return values[(std::int64_t{d} * grid.dof + c) * rows + node * grid.dof + r];
    };
    std::array<int, 27> opposite{};  // the diagonal that leads back, where nothing wraps
    for (int d = 0; d < shape.diagonals; ++d) opposite[d] = leading(negative(shape.offset[d]));
    double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest)
    for (std::int64_t line = 0; line < box.lines(); ++line)
      for (std::int64_t i = 0; i < box.size[0]; ++i) {
        const NodePosition first = box.first_of_line(line);
        const Position at{first[0] + i, first[1], first[2]};
        for (int d = 0; d < shape.diagonals; ++d) {
          Position to;
          if (!shape.neighbour(at, d, to) || !box.contains({to.x, to.y, to.z})) continue;
          const int back = leads(opposite[d], to, at) ? opposite[d] : leading_back(at, to);
          for (int r = 0; r < grid.dof && back >= 0; ++r)
            for (int c = 0; c < grid.dof; ++c)
              largest = std::max(largest,
                                 std::abs(value(d, c, state.own(at), r) - value(back, r, state.own(to), c)));
        }
      }
    return largest;
  }

 private:
  static NodeOffset negative(const NodeOffset& o) {
    return {-o.x, -o.y, -o.z};
  }
  int leading(const NodeOffset& offset) const {
    for (int d = 0; d < shape.diagonals; ++d)
      if (shape.offset[d] == offset) return d;
    return -1;
  }
  bool leads(int d, const Position& from, const Position& at) const {
    Position to;
    return d >= 0 && shape.neighbour(from, d, to) && to.x == at.x && to.y == at.y && to.z == at.z;
  }
  int leading_back(const Position& at, const Position& from) const {
    for (int d = 0; d < shape.diagonals; ++d)
      if (leads(d, from, at)) return d;
    return -1;
  }
};

// A few nodes from the first or the last corner on: where derivatives alone are wanted, numbers of nodes may
// be others.
NodeBox corner(const NodeBox& box, bool last) {
  NodeBox few = box;
  for (int axis = 0; axis < 3; ++axis) {
    few.size[axis] = std::min<std::int64_t>(few.size[axis], 5);
    if (last) few.first[axis] += box.size[axis] - few.size[axis];
  }
  return few;
}

// Whether rows that follow from one node's blocks differ from those that are made.
bool differ_from_made(const Sample& sample, double t_s) {
  const Array<double> made = sample.jacobian(t_s, 1, true), followed = sample.jacobian(t_s, 1, false);
  const double size = largest_of(made.size(), [&](std::int64_t i) { return made[i]; });
  return largest_of(made.size(), [&](std::int64_t i) { return made[i] - followed[i]; }) > rounding * size;
}

}  // namespace

BrokenPromises broken_promises(const AnyResidual& residual, const Grid& grid, const ResidualFaces& faces,
                               const NodeBox& box, const JacobianShape& shape, double t_s, double shift) {
  BrokenPromises broken;
  if ((!residual.linear && !residual.symmetric) || box.nodes() == 0) return broken;
  const NodeBox some = some_nodes(box, shape);
  const Sample sample{residual, grid, faces, shape, some, window_around(grid, some), shift};
  const Array<double> values = sample.jacobian(t_s, 1);
  const double size = largest_of(values.size(), [&](std::int64_t i) { return values[i]; });
  const auto differ_from = [&](const NodeBox& few) {
    return differ_from_made({residual, grid, faces, shape, few, window_around(grid, few), shift}, t_s);
  };
  broken.uniform = residual.uniform && (differ_from(corner(box, false)) || differ_from(corner(box, true)));
  if (residual.symmetric) broken.symmetric = sample.asymmetry(values) > rounding * size;
  if (!residual.linear) return broken;
  const Array<double> elsewhere = sample.jacobian(t_s + 1, 3);
  const auto difference = [&](std::int64_t i) { return values[i] - elsewhere[i]; };
  broken.linear = largest_of(values.size(), difference) > rounding * size;
  return broken;
}

}  // namespace quadrille
