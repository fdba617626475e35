// -div grad u = f of order 4 up to the faces, by the star of radius 2: what closes it there.
//
// With h the spacing along an axis and w = 1/(12 h^2), a row inside is  w u_-2 - 16 w u_-1 + 30 w u_0 - ...
// Beside a face it asks for points beyond it, which Taylor series about the face give. n points outwards, t
// along the face, X and q are its data, g_1, g_2 the points beyond it and u_1, u_2 the nodes inside:
//
//   value, drop     x----o----o     face at g_1:         g_1 = X,  g_2 = 2 X - u_1 + h^2 u_nn
//                  g_1  u_1  u_2    PDE there:           u_nn = -f - X_tt
//
//   clamp, flux   x--|--o----o      face half a spacing  g_k = u_k + (2k - 1) h q + ((2k - 1) h)^3/24 u_nnn
//                g_1   u_1  u_2     beyond u_1:          u_nnn = -f_n - q_tt
//
// The errors of g_k are O(h^4) with values and O(h^5) with fluxes, so that rows beside faces are off by
// O(h^2) and O(h^3), of which the error of u gets h^2 and h times as much (J. H. Bramble and B. E. Hubbard,
// Numer. Math. 4, 1962). The nodes' share is a reflection, odd or even: the matrix stays symmetric. f and its
// slope are taken from the nodes beside the face, X_tt and q_tt from differences of the data.
//
//   1D, values, 12 h^2 A:   | 29 -16   1         |        fluxes:  | 14 -15   1         |
//                           |-16  30 -16   1     |                 |-15  30 -16   1     |
//                           |  1 -16  30 -16  ...|                 |  1 -16  30 -16  ...|
#pragma once

#include <cstdlib>
#include <functional>
#include <vector>

#include "assembly/pde/laplacian.hpp"
#include "grid/partition.hpp"

namespace quadrille {

// The matrix; faces are alike for all unknowns of a node.
struct LaplacianOfOrder4 {
  enum class Reflection { none, odd, even };
  Laplacian inside;
  std::array<std::int64_t, 3> extents{};
  std::array<Reflection, 6> at_face{};
  std::array<double, 3> outer{};  // w of each axis, 1/m^2

  static constexpr bool couples(bool, int r, int c) { return r == c; }
  static constexpr bool has_constants() { return true; }
  constexpr double operator()(const StencilNode& node, const StencilNeighbour& to, int r, int c) const {
    if (r != c) return 0;
    const std::array<std::int64_t, 3> at{node.position.x, node.position.y, node.position.z};
    const std::array<int, 3> offset{to.offset.x, to.offset.y, to.offset.z};
    double weight = inside.weight[to.point];
    for (int face = 0; face < 6; ++face) {
      const int axis = face / 2, outwards = face % 2 == 0 ? -1 : 1;
      if (at_face[face] == Reflection::none || at[axis] != (outwards < 0 ? 0 : extents[axis] - 1)) continue;
      if (offset[axis] == 2 * outwards) return 0;  // g_2, which stands for nodes inside
      if (at_face[face] == Reflection::odd && to.offset == Offset{}) weight -= outer[axis];
      if (at_face[face] == Reflection::even && offset[axis] == -outwards) weight += outer[axis];
    }
    return weight;
  }
};

// Of the star of radius 2, where there are faces to close at.
bool closes_with_order4(const Grid& grid, const Stencil& stencil, const Boundary& boundary);
// Why these faces do not go with it, in a sentence; empty where they do.
std::string why_not_order4(const Grid& grid, const Boundary& boundary);

LaplacianOfOrder4 laplacian_of_order4(const Grid& grid, const Stencil& stencil, const Boundary& boundary);

// Adds to the right side of a box, [row], what the series above have beside nodes and, of value, X at g_1:
// f(position, unknown) is the source of every node.
using NodeSource = std::function<double(const Position& at, int unknown)>;
void add_faces_of_order4(const LaplacianOfOrder4& coefficients, const Grid& grid, const Boundary& boundary,
                         const NodeSource& f, const NodeBox& box, std::vector<double>& rhs);

}  // namespace quadrille
