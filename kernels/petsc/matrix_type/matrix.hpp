// The matrix type `quadrille`: what stands behind a matrix of it. Internal to kernels/petsc/matrix_type.
#pragma once

#include <petscmat.h>

#include <memory>
#include <vector>

#include "kernels/petsc/matrix_type/ghost_products.hpp"
#include "kernels/petsc/matrix_type/operator.hpp"
#include "kernels/petsc/matrix_type/store.hpp"
#include "kernels/petsc/scaled_operator.hpp"
#include "kernels/petsc/shell_context.hpp"

namespace quadrille::petsc {

class TypedMatrix final : public ShellContext {
 public:
  // Finds the structure: the DMDA's, or none. Does nothing a second time. Collective.
  void set_up();
  // Takes this store instead of what it had.
  void set_up(std::unique_ptr<Store> store);
  // Throws PetscError before set_up().
  Store& store();
  // Whether set_up() found a DMDA.
  bool on_grid() const { return on_grid_; }

  // The operator in its format, made anew where values changed. Collective.
  ScaledOperator& scaled(Mat self) override;
  ScaledOperator& scaled() { return scaled(self_); }
  // Throws PetscError where the product of a random vector differs from AIJ's beyond rounding. Collective.
  void verify();

  // MatSetOption, also before set_up().
  void set_option(MatOption option, bool value);
  // Whether products are CDS's in GPU memory, which are the values on a grid themselves, without a copy.
  bool applies_on_gpu();
  // Which matrix this is the context of: MatHeaderReplace() gives it to another one.
  void belongs_to(Mat self);

  TypeOptions options;
  std::vector<PetscInt> row_columns;  // of MatGetRow
  std::vector<double> row_values;

 private:
  void make_products();
  void choose_vectors();
  void couple(const LocalParts& parts);

  Mat self_ = nullptr;  // not owned: it owns this
  std::unique_ptr<Store> store_;
  bool on_grid_ = false;
  std::shared_ptr<const SpmvOperator<double>> own_;
  std::string own_format_;
  std::shared_ptr<GhostProducts> ghosts_;
  std::unique_ptr<ScaledOperator> scaled_;
  std::int64_t made_from_ = -1;                    // version of the store
  std::vector<std::pair<MatOption, bool>> early_;  // options set before set_up()
};

// The type's own context of a matrix; throws PetscError where it is of another type.
TypedMatrix& typed(Mat matrix);

// The body of MatCreate for seqquadrille and mpiquadrille.
void create_typed(Mat matrix);

// An empty matrix of this type with the sizes, the blocks and the communicator of `other`.
Handle<Mat> empty_like(Mat other, MatType type);

// The values of a matrix with the same rows, added `factor` times and assembled; throws where they have no place. Collective.
void add_rows(TypedMatrix& to, PetscScalar factor, Mat from);

// Parts of create_typed(): the operations of each file.
void set_value_operations(Mat matrix);
void set_aij_operations(Mat matrix);
void set_conversions(Mat matrix);

// Lets a transfer matrix take part in P^T A P with matrices of this type and with AIJ, which coarser Galerkin operators are.
void set_products_with_transfer(Mat transfer);

template <class Callback>
void set_operation(Mat matrix, MatOperation operation, Callback* callback) {
  QUADRILLE_PETSC(MatSetOperation(matrix, operation, reinterpret_cast<void (*)(void)>(callback)));
}

}  // namespace quadrille::petsc
