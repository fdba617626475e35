// The format of a matrix on a grid, for all of its ranks. No PETSc header is needed to include this.
#pragma once

#include <string>

#include "kernels/petsc/matrix/grid_matrix.hpp"
#include "kernels/tuning/choose_format.hpp"

struct _p_Mat;

namespace quadrille::petsc {

struct FormatWish {
  std::string format = "auto";  // or one of docs/formats.md
  std::string space = "auto";   // "cpu", "cuda"
  FormatOptions options = {};
  // Of auto: the best few are measured, unless an earlier measurement is remembered; `again`: it is not.
  bool measure = false, again = false;
  int products = 0;  // for which it is made: what takes longer to make than it saves is left out; 0: many
  int device = 0;    // the GPU of the first rank
  std::string version = ChoiceWishes::library_version();
};

struct ChosenFormat {
  GridFormat format;
  std::string reason = {};  // of auto, on the first rank: lines for people
};

// The wish with what -mat_quadrille_format, -mat_quadrille_space and -mat_quadrille_value_precision of
// PETSc's options say, which win. Throws FormatError for values in fewer bits of a format that has none.
FormatWish with_options(FormatWish wish);

// Where a wish leads, auto as well: auto takes the GPU where PETSc's vectors can be there too. Throws
// FormatError for a space that there is not, CudaError for a GPU where there is none.
SpaceKind space_of(const FormatWish& wish);

// The format that is named, on the CPU where it is nowhere else; that there is such a format is not said.
GridFormat named_format(const FormatWish& wish);

// For the matrix: the format that is named, or the one with the best prediction for the part of the first
// rank, of those that come straight from the grid, and csr or what is made from it only where each of these
// takes more bytes than csr, there is room, and products are many. Collective. Throws as above.
ChosenFormat chosen_format(_p_Mat* matrix, const FormatWish& wish);

}  // namespace quadrille::petsc
