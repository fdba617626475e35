// MatScale() and its like on the values of a matrix on a grid: where the newest ones are, in host or in GPU
// memory. Internal to kernels/petsc/matrix_type.
#pragma once

#include <petscmat.h>

#include "kernels/petsc/matrix/grid_values.hpp"

namespace quadrille::petsc {

void scale(GridValues& values, double factor);
void shift(GridValues& values, double value);
// values += factor * from, of the same structure.
void add(GridValues& values, double factor, GridValues& from);
void set_diagonal(GridValues& values, Vec diagonal, InsertMode mode);
void get_diagonal(GridValues& values, Vec diagonal);
// Either vector may be null. `right_of_ghosts`: the right one's values at the ghosts' columns, or null.
void scale_rows_and_columns(GridValues& values, Vec left, Vec right, Vec right_of_ghosts);

}  // namespace quadrille::petsc
