#include "kernels/petsc/matrix/index_runs.hpp"

#include <string>

#include "formats/format.hpp"

namespace quadrille::petsc {

void throw_beyond(const Indices& given, PetscInt index, PetscInt size, const char* what) {
  const bool local = given.node_of != nullptr;
  throw FormatError(std::string(what) + " " + std::to_string(index) + " is beyond " +
                    (local ? "those that this rank knows" : "the matrix") + ", whose last one is " +
                    std::to_string(size - 1));
}

void IndexRuns::find(const Indices& given, PetscInt dof, PetscInt nodes, const char* what) {
  if (static_cast<PetscInt>(runs_.size()) < given.count) runs_.resize(static_cast<std::size_t>(given.count));
  end_ = runs_.data();
  if (given.nodes || dof == 1)
    find_nodes(given, dof, nodes, what);
  else
    find_unknowns(given, dof, nodes, what);
}

void IndexRuns::find_nodes(const Indices& given, PetscInt dof, PetscInt nodes, const char* what) {
  for (PetscInt i = 0; i < given.count; ++i)
    if (const PetscInt node = node_of(given, given.index[i], nodes, what); node >= 0)
      *end_++ = {node, 0, dof, i * dof};
}

void IndexRuns::find_unknowns(const Indices& given, PetscInt dof, PetscInt nodes, const char* what) {
  for (PetscInt i = 0, next = 0; i < given.count; i = next) {
    const PetscInt index = given.index[i];
    next = i + 1;
    if (index < 0) continue;
    const PetscInt number = index / dof, known = known_nodes(given, nodes);
    if (number >= known) throw_beyond(given, index, known * dof, what);
    const PetscInt first = index - number * dof, node = node_of(given, number, nodes, what);
    while (next < given.count && first + next - i < dof && given.index[next] == index + next - i) ++next;
    if (node >= 0) *end_++ = {node, first, next - i, i};
  }
}

}  // namespace quadrille::petsc
