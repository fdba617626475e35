// The matrix type `quadrille`: what stands behind a matrix of it. Internal to kernels/petsc/matrix_type.
#pragma once

#include <petscmat.h>

#include <memory>
#include <vector>

#include "formats/reuse.hpp"
#include "kernels/petsc/base/shell_context.hpp"
#include "kernels/petsc/matrix/ghost_products.hpp"
#include "kernels/petsc/matrix/named_indices.hpp"
#include "kernels/petsc/matrix/operator.hpp"
#include "kernels/petsc/matrix/scaled_operator.hpp"
#include "kernels/petsc/matrix/store.hpp"

namespace quadrille::petsc {

using ColoringApply = PetscErrorCode(Mat, MatFDColoring, Vec, void*);

class TypedMatrix final : public ShellContext {
 public:
  // Finds the structure: the DMDA's, or none. Does nothing a second time. Collective.
  void set_up();
  // Takes this store instead of what it had.
  void set_up(std::unique_ptr<Store> store);
  // Sets up where the program did not, as newer versions of PETSc do.
  Store& store();
  // Whether it has a grid; sets up as store() does.
  bool on_grid() { return store().dof() > 0; }
  // Whether an assembly has values to take: not that of a new matrix, nor one while AIJ changes them.
  bool assembles_values() { return !only_zeros_ && !store().in_change(); }

  // Sizes and partition, as far as the program has said them: it may ask for its rows before MatSetUp().
  // Collective.
  void lay_out(Mat self);
  // Blocks that the program tells after that. Collective.
  void set_block_sizes(PetscInt rows, PetscInt columns);

  // The operator in its format, made anew where values changed. Collective.
  ScaledOperator& scaled();
  // The same for a callback of PETSc's, where -mat_quadrille_verify looks for values that were lost.
  ScaledOperator& scaled(Mat self) override;
  // Of "auto" in a format that has them, from the first one on.
  ScaledOperator& transposable(Mat self) override;
  TypedMatrix* typed_matrix() override { return this; }
  // By how much of itself a value of scaled() is off at most. Collective.
  double value_error();
  // Products with the values as they were assembled, where those of scaled() round them; null where these are
  // the same. Valid until values change. Collective.
  std::unique_ptr<ScaledOperator> exact();
  // Throws PetscError where the product of a random vector differs from AIJ's beyond rounding, that of values
  // as well. Collective.
  void verify();

  // MatSetOption, also before set_up().
  void set_option(MatOption option, bool value);
  // Where the program put values outside the grid's stencil: from now on a matrix without a grid. Collective.
  void leave_grid_if_outgrown();
  // This rank's own rows and columns in their format; up to date after scaled().
  const std::shared_ptr<const SpmvOperator<double>>& own() const { return own_; }
  // From now on products are those of `options` as they are. Collective.
  void set_format();
  // After options of its own were read: the next product is made as they say.
  void follow_options() { made_from_ = -1; }
  // Whether products run there, in any format that is made from the values on a grid.
  bool multiplies_on_gpu();
  // Whether products are made there of the values on a grid, which are there, too, without a way by the host.
  bool applies_on_gpu();
  // Which matrix this is the context of: MatHeaderReplace() gives it to another one.
  void belongs_to(Mat self);

  TypeOptions options;
  ColoringApply* coloring_by_dm = nullptr;  // what MatFDColoringUseDM() wants to be called
  NamedIndices named_rows, named_columns;   // of MatSetValuesLocal and its like
  std::vector<PetscInt> row_columns;        // of MatGetRow
  std::vector<double> row_values;

 private:
  void make_products();
  void make_own(const TypeOptions& used, LocalParts& parts);
  // Whether the products that there are see what changes in the store.
  bool shares_values();
  void follow_values();
  std::string choose_format(const LocalParts& parts) const;
  void choose_best_format(const LocalParts& parts);
  void look_for_lost_values();
  void say_value_error();
  void choose_vectors();
  void couple(const LocalParts& parts);

  Mat self_ = nullptr;  // not owned: it owns this
  std::unique_ptr<Store> store_;
  bool sizes_decided_ = false;  // by PETSc, in lay_out()
  bool said_zero_ = false, said_error_ = false;
  bool only_zeros_ = false;  // while set_up() assembles the zeros of a grid
  std::unique_ptr<memory::Reuse> memory_of_products_ = std::make_unique<memory::Reuse>();
  std::shared_ptr<const SpmvOperator<double>> own_;
  std::string own_format_;
  ValuePrecision own_precision_ = ValuePrecision::own;
  std::shared_ptr<GhostProducts> ghosts_;
  std::unique_ptr<ScaledOperator> scaled_;
  int choices_ = 0;                                      // of a format, of "auto"
  std::int64_t made_from_ = -1;                          // version of the store
  std::vector<std::pair<MatOption, bool>> set_options_;  // each with its last value, for every store
};

bool is_typed(Mat matrix);
// The type's own context of a matrix; throws PetscError where it is of another type.
TypedMatrix& typed(Mat matrix);
// Whether the matrix is one of several ranks.
bool distributed(Mat matrix);
// Whether it is so for all ranks of the matrix. Collective.
bool all_ranks(Mat matrix, bool mine);

// The body of MatCreate for seqquadrille and mpiquadrille.
void create_typed(Mat matrix);

// An empty matrix of this type with so many rows and columns of this rank, in blocks. Collective.
Handle<Mat> empty_matrix(MPI_Comm comm, PetscInt rows, PetscInt block);
// An empty matrix of this type with the sizes, the blocks and the communicator of `other`.
Handle<Mat> empty_like(Mat other, MatType type);

// The values of a matrix of this type as AIJ, with what PETSc was told and found about it: its symmetry,
// blocks, near null space and DM, and how local indices are mapped. Collective.
Mat as_aij(Mat matrix);

// The values of a matrix with the same rows, added `factor` times and assembled; throws where they have no
// place. Collective.
void add_rows(TypedMatrix& to, PetscScalar factor, Mat from);

// Parts of create_typed(): the operations of each file.
void set_value_operations(Mat matrix);
// Those that set values by nodes and by numbers of this rank, for a store on a grid; or none.
void set_operations_on_nodes(Mat matrix, bool on_grid);
void set_aij_operations(Mat matrix);
void set_conversions(Mat matrix);
void set_submatrix_operation(Mat matrix);

// Lets a matrix of this type, or a transfer matrix, take part in products with matrices of any type, by way
// of AIJ.
void set_products_through_aij(Mat matrix);

template <class Callback>
void set_operation(Mat matrix, MatOperation operation, Callback* callback) {
  QUADRILLE_PETSC(MatSetOperation(matrix, operation, reinterpret_cast<void (*)(void)>(callback)));
}

}  // namespace quadrille::petsc
