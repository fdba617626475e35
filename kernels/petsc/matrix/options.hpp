// The options of the matrix type, with the prefix of the matrix. Internal to kernels/petsc/matrix_type.
#pragma once

#include <petscmat.h>

#include <string>
#include <type_traits>

#include "kernels/petsc/base/option_reader.hpp"
#include "kernels/registry.hpp"

namespace quadrille::petsc {

// The format that holds any matrix.
inline constexpr const char* any_matrix = "csr";

struct TypeOptions {
  std::string format = "cds";  // -mat_quadrille_format
  bool format_given = false;   // else any_matrix holds what has no block diagonals
  bool format_auto = false;    // `format` is what was chosen so far
  std::string space = "auto";  // -mat_quadrille_space: auto, cpu, cuda
  bool verify = false;         // -mat_quadrille_verify
  // A C++ program's, and -mat_quadrille_value_precision; the size of a block is the matrix's.
  FormatOptions of_format;
  bool by_program = false;  // set_format() said these; the GPU is chosen, and vectors come from the matrix
};

// Throws FormatError where there is no such space, and what the two below throw.
void read_options(Mat matrix, TypeOptions& options);

// -mat_quadrille_value_precision. Throws PetscOptionError for a word that is none.
void read_value_precision(OptionReader& read, FormatOptions& options);
// Whether there are values in fewer bits of this format.
bool takes_value_precision(const std::string& format);
// Throws FormatError where they are asked for of one that has its own alone, or of auto.
void require_value_precision(ValuePrecision precision, const std::string& format);

// A pointer in every version of PETSc: its name for it became one.
using OptionItems = std::conditional_t<std::is_pointer_v<PetscOptionItems>, PetscOptionItems,
                                       std::add_pointer_t<PetscOptionItems>>;

// Shows them in -help.
void declare_options(OptionItems items, const TypeOptions& now);

}  // namespace quadrille::petsc
