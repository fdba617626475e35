// Operations of a matrix of ours that PETSc's AIJ does for it. Internal to kernels/petsc.
#pragma once

#include <petscmat.h>

#include <algorithm>
#include <cstddef>

#include "kernels/petsc/check.hpp"
#include "kernels/petsc/guarded.hpp"

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

}  // namespace quadrille::petsc
