// The values of a matrix before its first assembly, when neither its sparsity nor a preallocation is known.
// Internal to kernels/petsc/matrix_type.
#pragma once

#include <petscmat.h>

#include <vector>

#include "kernels/petsc/matrix/off_process.hpp"

namespace quadrille::petsc {

// This rank's rows of a matrix, each once, columns ascending and global.
struct RowList {
  std::vector<PetscInt> begin, column;  // [rows + 1], [entries]
  std::vector<PetscScalar> value;       // [entries]
};

// Keeps what MatSetValues() is told, in its order, and makes rows of it at the end: linear in the entries,
// where AIJ without a preallocation moves the matrix for every row that outgrows its place. 16 bytes an
// entry, repeated ones as often as they come.
class EntryList {
 public:
  // As MatSetValues(): `values` is [rows][columns], or null for zeros; negative indices are left out.
  void add(PetscInt rows, const PetscInt* row, PetscInt columns, const PetscInt* column,
           const PetscScalar* values, bool row_oriented, InsertMode mode);
  // What has a value of 0 off the diagonal is left out from now on.
  void ignore_zeros(bool ignore) { ignore_zeros_ = ignore; }
  bool empty() const { return entries_.empty(); }
  void zero();
  // Gives every entry to the rank of its row, or drops those of other ranks. Collective over `owner`.
  void exchange_rows(Mat owner, bool drop);
  // The rows of this rank; the list is then empty. Throws PetscError where an entry is of another row.
  RowList take_rows(PetscInt first, PetscInt last);

 private:
  // Entries from `begin` on were added or inserted.
  struct Part {
    std::size_t begin;
    InsertMode mode;
  };
  std::vector<Entry> entries_;
  std::vector<Part> parts_;
  bool ignore_zeros_ = false;
};

}  // namespace quadrille::petsc
