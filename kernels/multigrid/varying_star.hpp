// The rows of a star that vary, as the joined steps read them: of each word of four nodes D^-1 in fp32, and
// in bf16 the couplings along x, y and z to the next node. Those to the node before are its own, for the
// operator is symmetric:
//
//     word of nodes n..n+3     inverse   D^-1 of each                 16 bytes
//                              xy        four along x, four along y   16
//                              z         four along z                  8
//
// Rounding takes from the sums of rows, which are what smooth functions see: D makes up for it, so that they
// stay. With couplings that are not positive (x, A x) is a sum over them and over the sums of rows, each
// times a square, and what is stored has it to 2^-8 of itself, for every x. Internal to kernels/multigrid.
#pragma once

#include "formats/value_precision.hpp"
#include "kernels/multigrid/couplings.hpp"

namespace quadrille::multigrid {

// A row a call: what bounds the eigenvalues of D^-1 A, or `unfit`, where it cannot be stored so: it is not
// symmetric, has a positive coupling, or one that bf16 has not, or its diagonal is not positive; a row of
// zeros is fit. Of one unknown a node in 3D, in whole words.
struct PackStar {
  static constexpr double unfit = 1e30;
  Couplings s;
  const double* values;  // of all rows
  float* inverse;
  Bf16 *xy, *z;

  constexpr std::int64_t size() const { return s.rows; }
  constexpr double operator()(std::int64_t row) const {
    const std::array<int, 3> at = s.position(static_cast<int>(row));
    const std::int64_t step[3] = {1, s.line, std::int64_t{s.line} * s.n[1]};
    bool fits = true;
    double lost = 0, beside = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const bool there = at[axis] + 1 < s.n[axis], before = at[axis] > 0;
      const double up = there ? value(3 + axis, row) : 0, down = before ? value(2 - axis, row) : 0;
      fits = fits && up <= 0 && down <= 0 && rounds_well<Bf16>(up) && rounds_well<Bf16>(down);
      if (there) fits = fits && up == value(2 - axis, row + step[axis]);
      const Bf16 stored = rounded<Bf16>(up), stored_before = rounded<Bf16>(down);
      lost += static_cast<double>(stored) - up + static_cast<double>(stored_before) - down;
      beside -= static_cast<double>(stored) + static_cast<double>(stored_before);
      const std::int64_t first = row / 4 * 4, place = row - first;
      (axis == 2 ? z[row] : xy[2 * first + 4 * axis + place]) = stored;
    }
    const double d = values[s.centre * s.rows + row] - lost;
    inverse[row] = d == 0 ? 0 : static_cast<float>(1 / d);
    if (d == 0 && beside == 0) return fits ? 1 : unfit;
    return fits && d > 0 ? 1 + beside / d : unfit;
  }

 private:
  constexpr double value(int place, std::int64_t row) const {
    return values[s.diagonal[s.star[place]] * s.rows + row];
  }
};

}  // namespace quadrille::multigrid
