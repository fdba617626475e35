// What MatSetValues() and its relatives are told, as blocks of nodes. Internal to kernels/petsc/matrix_type.
#pragma once

#include <petscmat.h>

#include <vector>

namespace quadrille::petsc {

// Rows or columns as a program names them: by unknowns or by nodes, counted over all ranks or on this one.
struct Indices {
  PetscInt count = 0;
  const PetscInt* index = nullptr;  // negative ones are left out
  bool nodes = false;               // nodes, with all of their unknowns
  const PetscInt* node_of =
      nullptr;         // node i of this rank is node_of[i] of all; null where `index` is of all
  PetscInt known = 0;  // nodes that `node_of` tells of
};

// Throws FormatError: an index past the matrix, or past those known on this rank, whose `size` it is. `what`
// is what it calls it.
[[noreturn]] void throw_beyond(const Indices& indices, PetscInt index, PetscInt size, const char* what);

// How many nodes the numbers may be of, out of `nodes` in all.
inline PetscInt known_nodes(const Indices& given, PetscInt nodes) {
  return given.node_of != nullptr ? given.known : nodes;
}

// The node with that number; negative where it is left out.
inline PetscInt node_of(const Indices& given, PetscInt number, PetscInt nodes, const char* what) {
  if (number >= known_nodes(given, nodes)) throw_beyond(given, number, known_nodes(given, nodes), what);
  return given.node_of != nullptr && number >= 0 ? given.node_of[number] : number;
}

// Neighbouring unknowns of one node, which were named one after the other.
struct IndexRun {
  PetscInt node = 0;              // of all ranks
  PetscInt first = 0, count = 0;  // unknowns of the node
  PetscInt at = 0;                // which of the named unknowns is the first
};

// The runs of one call. Used again, for making room takes as long as a small call.
class IndexRuns {
 public:
  // As node_of(), of every index.
  void find(const Indices& indices, PetscInt dof, PetscInt nodes, const char* what);
  const IndexRun* begin() const { return runs_.data(); }
  const IndexRun* end() const { return end_; }

 private:
  void find_nodes(const Indices& indices, PetscInt dof, PetscInt nodes, const char* what);
  void find_unknowns(const Indices& indices, PetscInt dof, PetscInt nodes, const char* what);

  std::vector<IndexRun> runs_;
  IndexRun* end_ = nullptr;
};

// The values of a call: that of the i-th row and j-th column stands at first[i * row_step + j * column_step].
struct GivenValues {
  const PetscScalar* first = nullptr;
  std::int64_t row_step = 0, column_step = 0;
  InsertMode mode = INSERT_VALUES;
  PetscScalar at(PetscInt row, PetscInt column) const { return first[row * row_step + column * column_step]; }
};

// As MatSetValues() has them: `values` is [rows][columns], the other way round where not `row_oriented`, or
// null for zeros.
inline GivenValues given_values(const PetscScalar* values, PetscInt rows, PetscInt columns, bool row_oriented,
                                InsertMode mode) {
  static constexpr PetscScalar zero = 0;
  if (values == nullptr) return {&zero, 0, 0, mode};
  return {values, row_oriented ? columns : 1, row_oriented ? 1 : rows, mode};
}

}  // namespace quadrille::petsc
