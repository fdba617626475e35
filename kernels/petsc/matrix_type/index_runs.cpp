#include "kernels/petsc/matrix_type/index_runs.hpp"

#include <string>

#include "formats/format.hpp"

namespace quadrille::petsc {
namespace {

[[noreturn]] void throw_beyond(const char* what, PetscInt index, PetscInt size, bool of_this_rank) {
  throw FormatError(std::string(what) + " " + std::to_string(index) + " is beyond " +
                    (of_this_rank ? "those that this rank knows" : "the matrix") + ", whose last one is " +
                    std::to_string(size - 1));
}

}  // namespace

void IndexRuns::find(const Indices& given, PetscInt dof, PetscInt nodes, const char* what) {
  if (static_cast<PetscInt>(runs_.size()) < given.count) runs_.resize(static_cast<std::size_t>(given.count));
  end_ = runs_.data();
  if (given.nodes || dof == 1)
    find_nodes(given, dof, nodes, what);
  else
    find_unknowns(given, dof, nodes, what);
}

void IndexRuns::find_nodes(const Indices& given, PetscInt dof, PetscInt nodes, const char* what) {
  const PetscInt* const node_of = given.node_of;
  const PetscInt size = node_of != nullptr ? given.known : nodes;
  for (PetscInt i = 0; i < given.count; ++i) {
    PetscInt node = given.index[i];
    if (node >= size) throw_beyond(what, node, size, node_of != nullptr);
    if (node >= 0 && node_of != nullptr) node = node_of[node];
    if (node >= 0) *end_++ = {node, 0, dof, i * dof};
  }
}

void IndexRuns::find_unknowns(const Indices& given, PetscInt dof, PetscInt nodes, const char* what) {
  const PetscInt* const node_of = given.node_of;
  const PetscInt size = node_of != nullptr ? given.known : nodes;
  for (PetscInt i = 0, next = 0; i < given.count; i = next) {
    const PetscInt index = given.index[i];
    next = i + 1;
    if (index < 0) continue;
    const PetscInt node = index / dof, first = index - node * dof;
    if (node >= size) throw_beyond(what, index, size * dof, node_of != nullptr);
    while (next < given.count && first + next - i < dof && given.index[next] == index + next - i) ++next;
    const PetscInt of_all = node_of != nullptr ? node_of[node] : node;
    if (of_all >= 0) *end_++ = {of_all, first, next - i, i};
  }
}

}  // namespace quadrille::petsc
