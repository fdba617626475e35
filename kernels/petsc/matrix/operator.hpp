// The operator behind a matrix: chosen from the registry by -mat_quadrille_format and -mat_quadrille_space.
// Internal to kernels/petsc/matrix_type.
#pragma once

#include <petscmat.h>

#include <memory>
#include <string>

#include "kernels/petsc/matrix/options.hpp"
#include "kernels/petsc/matrix/store.hpp"

namespace quadrille::petsc {

// The names of all formats, "cds, csr, ...".
std::string format_list();

// Throws FormatError where the format is unknown, not there in this space, or refuses the operator.
std::shared_ptr<const SpmvOperator<double>> make_operator(const std::string& format, SpaceKind space,
                                                          const FormatInput<double>& source,
                                                          const FormatOptions& options);

// Whether the sparsity has so few block diagonals that they take no more bytes than CSR does.
bool fits_block_diagonals(const Csr<double>& csr, PetscInt block_size);

// Where -mat_quadrille_space puts the products; on a GPU, the one of this rank is chosen. Throws FormatError
// for "cuda" where there is no GPU.
SpaceKind choose_space(const TypeOptions& options);
// The name of the one with the best prediction for a hundred products where `options` want them; with by_fill
// among its options of those that hold any values of this fill. That of the first rank. Collective.
std::string best_format(Mat owner, const TypeOptions& options, const LocalParts& parts);

// The operator of this rank's own rows and columns. Where values are rounded, diagonal blocks and CSR are
// those of the values themselves. Collective over the matrix.
std::shared_ptr<const SpmvOperator<double>> make_own_operator(Mat owner, const TypeOptions& options,
                                                              const LocalParts& parts);
// The same from the arrays of the parts, without a copy of them: exact, in whatever format that is.
std::shared_ptr<const SpmvOperator<double>> exact_operator(const LocalParts& parts);

// Rounds the couplings to other ranks as the own part's values are in this format: those of compact, where
// constants are not rounded, stay. Throws FormatError where a value cannot be stored so.
void round_ghosts(const TypeOptions& options, LocalParts& parts);

}  // namespace quadrille::petsc
