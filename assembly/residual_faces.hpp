// What stands beyond the faces of a grid, as plain numbers that a kernel can read: kinds, constants, and what
// functions say of the points one spacing beyond a face.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "formats/array.hpp"
#include "grid/boundary.hpp"
#include "grid/grid.hpp"

namespace quadrille {

// A view of FaceValues, in host or in GPU memory.
struct ResidualFaces {
  Faces same{};                       // of every unknown; where unknowns differ, of the first one
  const Faces* of_unknown = nullptr;  // [unknown], in place of them there
  // Of a face with a function: [1 + second position][1 + first position][unknown] of the points beyond it, by
  // the positions along the other two axes, from -1 to the extent; null where the constant stands.
  std::array<const double*, 6> data{};
  std::array<std::int64_t, 3> extents{1, 1, 1};
  int dof = 1;

  constexpr const Faces& of(int unknown) const { return of_unknown == nullptr ? same : of_unknown[unknown]; }
  // An axis is periodic for all of them. Asked for on the host, too, of a view in GPU memory.
  constexpr bool periodic(int axis) const { return same[2 * axis].kind == BoundaryKind::periodic; }
};

namespace residual_detail {

// The two axes of a face, and where the numbers of a point beyond it stand.
constexpr int first_axis(int face) {
  return face / 2 == 0 ? 1 : 0;
}
constexpr int second_axis(int face) {
  return face / 2 == 2 ? 1 : 2;
}
constexpr std::int64_t place_beyond(const std::array<std::int64_t, 3>& extents, int dof, int face,
                                    const Position& at) {
  const std::int64_t p[] = {at.x, at.y, at.z};
  const int i = first_axis(face), j = second_axis(face);
  return ((p[j] + 1) * (extents[i] + 2) + p[i] + 1) * dof;
}

}  // namespace residual_detail

// As that of a Boundary (neighbour.hpp).
constexpr double datum(const ResidualFaces& faces, int face, const Position& beyond, int unknown) {
  if (faces.data[face] == nullptr) return faces.of(unknown)[face].value;
  return faces.data[face][residual_detail::place_beyond(faces.extents, faces.dof, face, beyond) + unknown];
}

// Owns them. A function of a face is asked by ask(), and not in between.
class FaceValues {
 public:
  // Points beyond several faces at once are asked for where there are `corners`.
  FaceValues(const Grid& grid, const Boundary& boundary, bool corners);

  // What functions say of this time; they may say something else than before. Throws InputError where that is
  // no number.
  void ask(double t_s);
  bool has_functions() const { return !asked_.empty(); }
  ResidualFaces on_host() const;
  // Copied there where ask() found something new; in the default queue.
  ResidualFaces on_device();

 private:
  Grid grid_;
  Boundary boundary_;
  bool corners_;
  std::array<std::vector<double>, 6> host_;
  std::vector<int> asked_;  // faces with a function
  std::array<Array<double, Device>, 6> device_;
  Array<Faces, Device> device_of_unknown_;
  std::array<bool, 6> stale_{};  // on the device
};

}  // namespace quadrille
