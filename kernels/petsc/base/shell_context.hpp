// What stands behind a matrix of ours that PETSc sees as a MATSHELL, and the operations that all of them
// have. Internal to kernels/petsc.
#pragma once

#include <petscmat.h>

#include <cstdint>

#include "kernels/petsc/base/check.hpp"

namespace quadrille::petsc {

class ScaledOperator;
class TypedMatrix;

// The context of the shell. The matrix owns it and deletes it when it is destroyed.
class ShellContext {
 public:
  virtual ~ShellContext() = default;
  // What products of `self`, the matrix that has this context, are made with; up to date.
  virtual ScaledOperator& scaled(Mat self) = 0;
  // The same for transposed products.
  virtual ScaledOperator& transposable(Mat self) { return scaled(self); }
  // Itself where it is a matrix of the type `quadrille`, else null: asked at every call for a few values,
  // which dynamic_cast is not fast enough for.
  virtual TypedMatrix* typed_matrix() { return nullptr; }
};

// The context of a matrix of ours; throws PetscError where there is none.
ShellContext& shell_context(Mat matrix);
// Of a matrix of ours what products are made with, null for any other.
ScaledOperator* scaled_behind(Mat matrix);
// Gives `context` to the matrix, in place of what it had; null for none.
void set_shell_context(Mat matrix, std::unique_ptr<ShellContext> context);

// A MATSHELL is assembled from its beginning, one whose values are set is not.
void mark_unassembled(Mat matrix);
// Tells preconditioners that values are new.
void mark_changed(Mat matrix);
// Grows with every change that PETSc was told of, of any matrix.
std::int64_t changes_of(Mat matrix);
// As MatSetUp() leaves a matrix, for PETSc 3.18 does not call it where a program does not.
void mark_set_up(Mat matrix, bool assembled);

// Gives the MATSHELL `matrix` every operation that make_shell_matrix() promises; those of its diagonal where
// it is square.
void set_shell_operations(Mat matrix, bool transposes, bool square);
// For products in GPU memory, with a PETSc that has_cuda(): the vectors that the matrix makes are VECCUDA.
// With `block_diagonal`, its block diagonal is in GPU memory as well, and PCPBJACOBI then gives wrong
// results, without an error, for any other vectors.
void set_gpu_vectors(Mat matrix, bool block_diagonal);
// Whether the vectors that the matrix makes are in GPU memory.
bool has_gpu_vectors(Mat matrix);

}  // namespace quadrille::petsc
