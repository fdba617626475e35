// Values for rows of other ranks, kept until the assembly sends them. Internal to kernels/petsc/matrix_type.
#pragma once

#include <petscmat.h>

#include <vector>

namespace quadrille::petsc {

struct Entry {
  PetscInt row = 0, column = 0;  // global
  PetscScalar value = 0;
};

// Sends every entry to the rank of its row, keeping the order of each sender; returns what came in.
// Collective over the matrix. `mode` is the same on all ranks that have entries, and comes back on those that
// have none.
std::vector<Entry> exchange(Mat layout, std::vector<Entry> entries, InsertMode& mode);

}  // namespace quadrille::petsc
