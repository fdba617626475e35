// The couplings of some unknowns of every node of a matrix on a grid to others: fewer rows than columns, or
// more. Internal to kernels/petsc/matrix_type.
#pragma once

#include <petscmat.h>

#include "formats/block_diagonals.hpp"
#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/matrix/store.hpp"

namespace quadrille::petsc {

// `square` is the matrix of these unknowns on the grid (Store::of_unknowns()), with rows and columns of zeros
// where there are none.
Handle<Mat> make_part_matrix(Handle<Mat> square, bool gpu_vectors);

// The unknowns of such a matrix, of others none; and its newest values in `all`. Collective.
UnknownsOfBlocks unknowns_of_part(Mat part);
void take_values(Mat part, Store& all);

}  // namespace quadrille::petsc
