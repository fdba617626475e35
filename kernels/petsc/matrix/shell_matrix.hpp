// Any operator as a PETSc matrix: a MATSHELL that Krylov methods and preconditioners can use. No PETSc header
// is needed to include this.
#pragma once

#include <memory>
#include <string>

#include "kernels/spmv_operator.hpp"

struct _p_Mat;  // PETSc's Mat is a pointer to it

namespace quadrille::petsc {

// A matrix of PETSC_COMM_SELF, for the caller to destroy by MatDestroy; it shares `op` and lets go of it
// then. `format` is what MatView calls it. `block_size` is the number of unknowns per node, the size of the
// blocks that PCPBJACOBI inverts.
//
// It has MatMult, MatMultAdd, MatResidual and, where the operator has it, their transposes; MatGetDiagonal
// and MatGetRow; MatScale, MatShift and MatDiagonalScale, which every other operation respects; MatNorm (1,
// Frobenius, infinity); MatInvertBlockDiagonal and MatInvertVariableBlockDiagonal (PCJACOBI, PCPBJACOBI,
// PCVPBJACOBI); MatZeroEntries, MatDuplicate and MatView. A duplicate shares the operator and has a scaling
// of its own; its values are zero where they are not to be copied. Norms, variable blocks and the fill that
// MatView names go through to_csr() and are not for inner loops. Rows come from a CSR copy that is made when
// the first one is asked for and kept.
//
// Vectors may be in host or GPU memory. With a PETSc that has CUDA, MatCreateVecs of an operator in GPU
// memory gives VECCUDA, whose products copy nothing; vectors in host memory are copied there and back at
// every product, which MatView says. Who solves with such vectors calls MatSetVecType(matrix, VECSTANDARD)
// first, for PETSc's PCPBJACOBI goes by the matrix.
//
// Throws PetscError without a Session, FormatError where the block size does not divide the operator or
// PETSc's indices cannot hold it. What goes wrong later is a PETSc error with a message, never an exception.
_p_Mat* make_shell_matrix(std::shared_ptr<const SpmvOperator<double>> op, const std::string& format,
                          int block_size = 1);

// PETSc's scalars here are double.
_p_Mat* make_shell_matrix(std::shared_ptr<const SpmvOperator<float>> op, const std::string& format,
                          int block_size = 1) = delete;

}  // namespace quadrille::petsc
