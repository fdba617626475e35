// The part of a distributed product that needs values of other ranks: y += alpha B g, with g gathered while A
// x runs. Internal to kernels/petsc/matrix_type.
#pragma once

#include <petscmat.h>

#include <memory>
#include <vector>

#include "kernels/petsc/base/gathering.hpp"
#include "kernels/petsc/matrix/scaled_operator.hpp"
#include "kernels/petsc/matrix/store.hpp"

namespace quadrille::petsc {

class GhostProducts final : public RankCoupling {
 public:
  // Collective. `space` is that of the rank's own product: with vectors in GPU memory B is applied there too.
  GhostProducts(Mat owner, const LocalParts& parts, SpaceKind space);

  bool has_structure_of(const LocalParts& parts) const {
    return parts.boundary_rows == rows_ && parts.ghost_columns == columns_;
  }
  void set_values(const LocalParts& parts);
  // After a change of the values in the arrays that it was given.
  void values_changed() {
    if (product_is_of_copy_) product_.reset();
  }

  void begin(Vec x, double alpha, bool transposed) override;
  void end(Vec y, double alpha, bool transposed) override;

 private:
  // boundary() = vector[rows], or vector[rows] += boundary().
  void take_rows(Vec vector);
  void add_rows(Vec vector);
  Vec boundary(Vec like);
  void fit(Vec like);

  SpaceKind space_;
  std::vector<PetscInt> rows_, columns_;
  std::shared_ptr<const Csr<double>> values_;
  std::shared_ptr<const Csr<double, Device>> device_values_;  // the newer ones where they are there
  std::unique_ptr<Gathering> ghosts_, boundary_;              // g; the rows of B g, in GPU memory
  Handle<Vec> boundary_on_host_;                              // or these
  Vec x_ = nullptr;                                           // of the gathering under way
  std::unique_ptr<ScaledOperator> product_;                   // B, made when first needed
  bool product_on_gpu_ = false, product_is_of_copy_ = false;
};

}  // namespace quadrille::petsc
