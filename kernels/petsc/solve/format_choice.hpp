// The format of a matrix on a grid, for all of its ranks. No PETSc header is needed to include this.
#pragma once

#include <string>

#include "kernels/petsc/matrix/grid_matrix.hpp"
#include "kernels/tuning/choose_format.hpp"

struct _p_Mat;

namespace quadrille::petsc {

using quadrille::csr_is_smaller;

struct FormatWish {
  std::string name = "auto";   // or a format
  std::string space = "auto";  // "cpu", "cuda"
  FormatOptions options = {};
};

// A format that is named, in the wanted space: auto takes the GPU where PETSc's vectors can be there too and
// the format is there, else the CPU. The format auto is, of those that come straight from the grid, the one
// with the best prediction for the part of the first rank, and csr or what is made from it only where each of
// these takes more bytes than csr. -mat_quadrille_format and -mat_quadrille_space in PETSc's options win over
// the wish. Collective. Throws FormatError where there is no such format in this space, CudaError for a GPU
// where there is none.
GridFormat chosen_format(_p_Mat* matrix, const FormatWish& wish);

}  // namespace quadrille::petsc
