// What moves numbers between a rank's own nodes, its box with the layers around them and the whole grid, a
// row a call. Internal to kernels/multigrid.
#pragma once

#include "kernels/multigrid/ranks.hpp"

namespace quadrille::multigrid {

// A rank's box. Passed by value.
struct BoxRows {
  int first[3], size[3], own[3], own_size[3];
  int whole[3];  // extents of the grid
  int dof;

  BoxRows(const RankBox& box, const std::array<std::int64_t, 3>& extents, int dof) : dof(dof) {
    for (int axis = 0; axis < 3; ++axis) {
      first[axis] = static_cast<int>(box.first[axis]);
      size[axis] = static_cast<int>(box.size[axis]);
      own[axis] = static_cast<int>(box.own[axis]);
      own_size[axis] = static_cast<int>(box.own_size[axis]);
      whole[axis] = static_cast<int>(extents[axis]);
    }
  }
  std::int64_t own_rows() const { return std::int64_t{own_size[0]} * own_size[1] * own_size[2] * dof; }
  std::int64_t rows() const { return std::int64_t{size[0]} * size[1] * size[2] * dof; }

  // The row of the box that is own row i.
  constexpr std::int64_t of_own(std::int64_t i) const {
    const int node = static_cast<int>(i / dof);
    const int x = node % own_size[0] + own[0], y = node / own_size[0] % own_size[1] + own[1],
              z = node / own_size[0] / own_size[1] + own[2];
    return ((static_cast<std::int64_t>(z) * size[1] + y) * size[0] + x) * dof + i % dof;
  }
  // The row of the whole grid that is row i of the box.
  constexpr std::int64_t in_whole(std::int64_t i) const {
    const int node = static_cast<int>(i / dof);
    int at[3] = {node % size[0] + first[0], node / size[0] % size[1] + first[1],
                 node / size[0] / size[1] + first[2]};
    for (int axis = 0; axis < 3; ++axis) {
      while (at[axis] < 0) at[axis] += whole[axis];
      while (at[axis] >= whole[axis]) at[axis] -= whole[axis];
    }
    return ((static_cast<std::int64_t>(at[2]) * whole[1] + at[1]) * whole[0] + at[0]) * dof + i % dof;
  }
};

template <class From, class To>
struct PutOwn {  // own rows into the box
  BoxRows box;
  const From* from;
  To* to;
  constexpr void operator()(std::int64_t i) const { to[box.of_own(i)] = static_cast<To>(from[i]); }
};
template <class From, class To>
struct TakeOwn {  // own rows out of the box
  BoxRows box;
  const From* from;
  To* to;
  constexpr void operator()(std::int64_t i) const { to[i] = static_cast<To>(from[box.of_own(i)]); }
};
struct MoveOwn {  // own rows from one box into another
  BoxRows from_box, to_box;
  const double* from;
  double* to;
  constexpr void operator()(std::int64_t i) const { to[to_box.of_own(i)] = from[from_box.of_own(i)]; }
};
template <class T>
struct TakeBox {  // the rows of the box out of the whole grid's
  BoxRows box;
  const T* from;
  T* to;
  constexpr void operator()(std::int64_t i) const { to[i] = from[box.in_whole(i)]; }
};

// One entry a call: values that have their places counted.
struct AddEntries {
  const std::int64_t* place;
  const double* from;
  double* to;
  constexpr void operator()(std::int64_t i) const { to[place[i]] += from[i]; }
};

}  // namespace quadrille::multigrid
