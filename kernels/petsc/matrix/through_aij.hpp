// Operations of a matrix of ours that PETSc's AIJ does for it. Internal to kernels/petsc.
#pragma once

#include <petscmat.h>

#include <algorithm>
#include <cstddef>

#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/guarded.hpp"

namespace quadrille::petsc {

// A text as a template argument.
template <std::size_t size>
struct Name {
  char text[size];
  constexpr Name(const char (&name)[size]) { std::copy_n(name, size, text); }
};

// PETSc's own function, called for what `aij_of(matrix)` gives. `name` is what errors name as their place.
template <Name name, auto aij_of, auto function>
struct ThroughAij;
template <Name name, auto aij_of, class... Arguments, PetscErrorCode (*function)(Mat, Arguments...)>
struct ThroughAij<name, aij_of, function> {
  static PetscErrorCode call(Mat m, Arguments... arguments) {
    return guarded(name.text, [&] { check(function(aij_of(m), arguments...), name.text); });
  }
};

// MatTranspose() of `matrix` by its copy. PETSc takes a result back only for the matrix that it came from.
inline void transpose_by(Mat aij, Mat matrix, MatReuse reuse, Mat* result) {
  if (reuse == MAT_INPLACE_MATRIX) throw FormatError("a matrix of Quadrille is not transposed in place");
  if (reuse == MAT_REUSE_MATRIX) QUADRILLE_PETSC(MatTransposeSetPrecursor(aij, *result));
  QUADRILLE_PETSC(MatTranspose(aij, reuse, result));
  QUADRILLE_PETSC(MatTransposeSetPrecursor(matrix, *result));
}

}  // namespace quadrille::petsc
