// Colours of nodes and of lines along an axis, for what changes x in place (smoothers.hpp). Internal to
// kernels/multigrid.
//
// No two nodes, or lines, of a colour are coupled, so that any order within it gives the same bits. Along an
// axis nodes have the values 0 and 1 in turn; the last one of a periodic axis with an odd number of them,
// which is beside the first, has 2. Where couplings are a star the colour of a node is the sum of its values,
// modulo 2 or, where there is a 2, modulo 3; else each triple of values is a colour:
//
//     star   0 1 0 1 0 1      box   0 1 0 1 0 1      odd and periodic, star   0 1 0 1 2
//            1 0 1 0 1 0            2 3 2 3 2 3                               1 2 1 2 0
//            0 1 0 1 0 1            0 1 0 1 0 1                               0 1 0 1 2
//
// Lines have the colours of the other two axes.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/multigrid/box_steps.hpp"
#include "kernels/multigrid/couplings.hpp"

namespace quadrille::multigrid {

// The nodes of a colour, or the first ones of its lines, within what a rank owns. Passed by value.
struct Colour {
  int first[3] = {}, step[3] = {1, 1, 1}, count[3] = {1, 1, 1};
  Divisor by_count[2];
  // Of a star: of two nodes along this axis the one that has the colour, if there is one; else -1.
  int picked = -1, end = 0;
  int modulus = 1, value = 0;
  int shift[3] = {};            // from a position to that in the whole grid
  int values[3] = {1, 1, 1};    // that nodes have along an axis
  int third[3] = {-1, -1, -1};  // the node that has 2

  constexpr std::int64_t size() const { return std::int64_t{count[0]} * count[1] * count[2]; }
  constexpr int value_of(int axis, int at) const {
    const int place = at + shift[axis];
    return values[axis] == 1 ? 0 : place == third[axis] ? 2 : place % 2;
  }
  constexpr bool find(int index, std::array<int, 3>& at) const {
    const int line = divide(index, by_count[0]), z = divide(line, by_count[1]);
    const int number[3] = {index - line * count[0], line - z * count[1], z};
    for (int axis = 0; axis < 3; ++axis) at[axis] = first[axis] + step[axis] * number[axis];
    if (picked < 0) return true;
    int others = 0;
    for (int axis = 0; axis < 3; ++axis) others += axis == picked ? 0 : value_of(axis, at[axis]);
    for (int k = 0; k < 2 && at[picked] < end; ++k, ++at[picked])
      if ((others + value_of(picked, at[picked])) % modulus == value) return true;
    return false;
  }
};

inline bool is_star(const Couplings& s) {
  return std::all_of(s.offset, s.offset + s.count,
                     [](const auto& o) { return (o[0] != 0) + (o[1] != 0) + (o[2] != 0) == 1; });
}

// Those of the nodes that have value v along an axis.
inline void take_value(Colour& colour, int axis, int v) {
  if (colour.values[axis] == 1) return;
  const int own = colour.first[axis], end = own + colour.count[axis], last = colour.third[axis];
  int &first = colour.first[axis], &count = colour.count[axis];
  if (v == 2) {
    first = last - colour.shift[axis];
    count = first >= own && first < end ? 1 : 0;
    return;
  }
  if ((own + colour.shift[axis]) % 2 != v) ++first;
  const bool has_last = last >= 0 && end + colour.shift[axis] == last + 1;
  colour.step[axis] = 2;
  count = std::max(0, (end - (has_last ? 1 : 0) - first + 1) / 2);
}

// Of the nodes that a rank has of a grid that wraps along these axes, or of lines along one of them. Every
// rank has as many.
inline std::vector<Colour> colours_of(const Couplings& s, const BoxRows& box,
                                      const std::array<bool, 3>& wraps, int along = -1) {
  Colour all;
  int picked = -1, most = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const int whole = box.whole[axis];
    all.shift[axis] = box.first[axis];
    all.first[axis] = box.own[axis];
    if (axis == along) continue;
    all.count[axis] = box.own_size[axis];
    if (whole == 1) continue;
    const bool odd = wraps[axis] && whole % 2 == 1;
    all.values[axis] = odd ? 3 : 2;
    all.third[axis] = odd ? whole - 1 : -1;
    most = std::max(most, all.values[axis]);
    if (picked < 0) picked = axis;
  }
  std::vector<Colour> colours;
  if (picked >= 0 && is_star(s)) {
    all.picked = picked;
    all.end = all.first[picked] + all.count[picked];
    all.count[picked] = (all.count[picked] + 1) / 2;
    all.step[picked] = 2;
    all.modulus = most;
    for (all.value = 0; all.value < most; ++all.value) colours.push_back(all);
  } else {
    for (int z = 0; z < all.values[2]; ++z)
      for (int y = 0; y < all.values[1]; ++y)
        for (int x = 0; x < all.values[0]; ++x) {
          colours.push_back(all);
          const int value[3] = {x, y, z};
          for (int axis = 0; axis < 3; ++axis) take_value(colours.back(), axis, value[axis]);
        }
  }
  for (Colour& colour : colours)
    for (const int axis : {0, 1}) colour.by_count[axis] = divisor(std::max(1, colour.count[axis]));
  return colours;
}

// Of a row of D^-1 A beside the diagonal, `a` its first number, times x; without two of the couplings. On a
// GPU without branches, so that all of it is loaded at once. neighbour(d) is the node at coupling d.
template <int Dof, int Count, class T, class Neighbour>
constexpr T sum_beside(const Couplings& s, const T* a, const T* x, int one, int other,
                       const Neighbour& neighbour) {
  const int dof = Dof > 0 ? Dof : s.dof, count = Count > 0 ? Count : s.count;
  T sum = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll(Count > 0 ? Count : 4)
#endif
  for (int d = 0; d < count; ++d) {
    const T* const from = x + std::int64_t{neighbour(d)} * dof;
    const T* const first = a + std::int64_t{d} * dof * s.stored_rows;
    const bool left_out = d == one || d == other;
#if defined(__CUDA_ARCH__)
#pragma unroll(Dof > 0 ? Dof : 4)
#else
    if (left_out) continue;
#endif
    for (int c = 0; c < dof; ++c) {
      const T value = first[c * s.stored_rows];
      sum += (left_out ? 0 : value) * from[c];
    }
  }
  return sum;
}
// Wraps: s.any_wraps
template <bool Wraps, int Dof, int Count, class T>
constexpr T beside_without(const Couplings& s, const T* a, const T* x, int node, int one, int other) {
  if constexpr (Wraps) {
    const Couplings::StepsAround steps = s.steps_around(s.position(node));
    return sum_beside<Dof, Count>(s, a, x, one, other, [&](int d) { return node + s.step_around(steps, d); });
  } else {
    return sum_beside<Dof, Count>(s, a, x, one, other, [&](int d) {
      const int to = node + s.step[d];
      return to < 0 || to >= s.nodes ? node : to;
    });
  }
}

}  // namespace quadrille::multigrid
