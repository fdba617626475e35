#include "kernels/petsc/matrix/grid_copy.hpp"

#include "kernels/petsc/base/indices.hpp"
#include "kernels/petsc/matrix/store.hpp"

namespace quadrille::petsc {

bool GridCopy::in_use() const {
  PetscInt references = 0;
  if (aij_) QUADRILLE_PETSC(PetscObjectGetReference(reinterpret_cast<PetscObject>(aij_.get()), &references));
  return references > 1;
}

void GridCopy::make(Mat owner) {
  values_.bring_to_host();
  const BlockDiagonals<double>& hub = *values_.hub();
  const PetscInt rows = static_cast<PetscInt>(hub.rows());
  std::vector<PetscInt> begin{0}, columns;
  std::vector<double> values;
  for (std::int64_t node = 0; node < hub.nodes(); ++node) {
    blocks_.all_of(node, of_node_);
    for (std::int64_t r = 0; r < hub.dof; ++r) {
      for (const Block& block : of_node_)
        for (PetscInt c = 0; c < hub.dof; ++c) {
          if (!block.couples(r, c)) continue;
          columns.push_back(block.node * hub.dof + c);
          values.push_back(block.at(r, c));
        }
      begin.push_back(to_petsc_int(static_cast<std::int64_t>(columns.size()), "the entries of AIJ"));
    }
  }
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(owner));
  Handle<Mat> made = petsc::make<Mat>("MatCreate", [=](Mat* m) { return MatCreate(comm, m); });
  QUADRILLE_PETSC(MatSetSizes(made.get(), rows, rows, PETSC_DETERMINE, PETSC_DETERMINE));
  QUADRILLE_PETSC(MatSetType(made.get(), MATAIJ));
  QUADRILLE_PETSC(MatSetBlockSize(made.get(), hub.dof));
  QUADRILLE_PETSC(MatSeqAIJSetPreallocationCSR(made.get(), begin.data(), columns.data(), values.data()));
  QUADRILLE_PETSC(MatMPIAIJSetPreallocationCSR(made.get(), begin.data(), columns.data(), values.data()));
  // Zeroed rows keep their places, which are the stencil's.
  QUADRILLE_PETSC(MatSetOption(made.get(), MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  QUADRILLE_PETSC(MatSetOption(made.get(), MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
  keep_quiet(made.get());
  aij_ = std::move(made);
}

void GridCopy::refresh() {
  values_.bring_to_host();
  for_values([](double& ours, PetscScalar& theirs) { theirs = ours; });
  QUADRILLE_PETSC(MatAssemblyBegin(aij_.get(), MAT_FINAL_ASSEMBLY));
  QUADRILLE_PETSC(MatAssemblyEnd(aij_.get(), MAT_FINAL_ASSEMBLY));
}

void GridCopy::take() {
  for_values([](double& ours, PetscScalar& theirs) { ours = theirs; });
  values_.changed_on_host();
}

// body(value here, value of the copy) for every value. Both have the columns of a row in ascending order.
template <class Body>
void GridCopy::for_values(const Body& body) {
  const BlockDiagonals<double>& hub = *values_.hub();
  Mat own = aij_.get(), ghost = nullptr;
  PetscScalar *of_own = nullptr, *of_ghost = nullptr;
  if (values_.ghost()) QUADRILLE_PETSC(MatMPIAIJGetSeqAIJ(aij_.get(), &own, &ghost, nullptr));
  QUADRILLE_PETSC(MatSeqAIJGetArray(own, &of_own));
  if (ghost != nullptr) QUADRILLE_PETSC(MatSeqAIJGetArray(ghost, &of_ghost));
  PetscScalar *in_own = of_own, *in_ghost = of_ghost;
  for (std::int64_t node = 0; node < hub.nodes(); ++node) {
    blocks_.all_of(node, of_node_);
    for (std::int64_t r = 0; r < hub.dof; ++r)
      for (const Block& block : of_node_) {
        PetscScalar*& next = block.values == hub.values.data() ? in_own : in_ghost;
        for (std::int64_t c = 0; c < hub.dof; ++c)
          if (block.couples(r, c)) body(block.at(r, c), *next++);
      }
  }
  QUADRILLE_PETSC(MatSeqAIJRestoreArray(own, &of_own));
  if (ghost != nullptr) QUADRILLE_PETSC(MatSeqAIJRestoreArray(ghost, &of_ghost));
}

}  // namespace quadrille::petsc
