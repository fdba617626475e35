// The part of a distributed product that needs values of other ranks: y += B g, with g gathered while A x runs. Internal to
// kernels/petsc/matrix_type.
#pragma once

#include <petscmat.h>

#include <memory>
#include <vector>

#include "kernels/petsc/matrix_type/store.hpp"
#include "kernels/petsc/scaled_operator.hpp"

namespace quadrille::petsc {

class GhostProducts final : public RankCoupling {
 public:
  // Collective. `space` is that of the rank's own product: with vectors in GPU memory B is applied there too.
  GhostProducts(Mat owner, const LocalParts& parts, SpaceKind space);

  bool has_structure_of(const LocalParts& parts) const {
    return parts.boundary_rows == rows_ && parts.ghost_columns == columns_;
  }
  void set_values(std::shared_ptr<const Csr<double>> values);

  void begin(Vec x, bool transposed) override;
  void end(Vec y, bool transposed) override;

 private:
  void prepare(Vec model);
  // boundary_ = vector[rows], or vector[rows] += boundary_.
  void take_rows(Vec vector);
  void add_rows(Vec vector);
  VecScatter rows_of(Vec vector);

  struct DestroyScatter {
    void operator()(VecScatter s) const { (void)VecScatterDestroy(&s); }
  };
  using Scatter = std::unique_ptr<std::remove_pointer_t<VecScatter>, DestroyScatter>;

  SpaceKind space_;
  std::vector<PetscInt> rows_, columns_;
  std::shared_ptr<const Csr<double>> values_;
  Scatter gather_, rows_scatter_;  // ghosts of x; rows of y in GPU memory
  bool on_gpu_ = false;
  Handle<Vec> ghosts_, boundary_;            // g, and the rows of B g
  Vec x_ = nullptr;                          // of the gathering under way
  std::unique_ptr<ScaledOperator> product_;  // B, made when first needed
};

}  // namespace quadrille::petsc
