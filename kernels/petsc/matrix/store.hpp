// Where the values of a matrix stand: on a grid, in the order of its block diagonals, or in PETSc's AIJ where
// no grid is known. Internal to kernels/petsc/matrix_type.
#pragma once

#include <petscmat.h>

#include <functional>
#include <memory>
#include <vector>

#include "formats/block_diagonals.hpp"
#include "formats/csr.hpp"
#include "formats/few_rows.hpp"
#include "grid/partition.hpp"
#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/matrix/copy_watch.hpp"
#include "kernels/petsc/matrix/index_runs.hpp"

namespace quadrille::petsc {

// This rank's rows, split the way PETSc's MPI matrices are.
struct LocalParts {
  std::shared_ptr<const BlockDiagonals<double>>
      hub;  // own rows and columns; null where no grid is known, then csr
  // In place of values, where they were asked for: `hub` tells the structure alone then.
  std::shared_ptr<const FewRows> few_rows;
  // The same and `ghost` in GPU memory, where they were asked for there: the values of the host may then be
  // old.
  std::shared_ptr<const BlockDiagonals<double, Device>> device_hub;
  std::shared_ptr<const Csr<double, Device>> device_ghost;
  std::shared_ptr<const Csr<double>> csr;
  std::shared_ptr<const Csr<double>> ghost;  // boundary_rows x ghost_columns; null on one rank
  std::vector<PetscInt> boundary_rows;       // from 0, ascending
  std::vector<PetscInt> ghost_columns;       // global, ascending
  const Partition* partition = nullptr;      // of the grid, where one is known
};

// Every member throws. Rows and columns are global, unless said otherwise.
class Store {
 public:
  virtual ~Store() = default;
  // Unknowns of a node; 0 without a grid.
  virtual PetscInt dof() const { return 0; }
  // For the matrix `owner`, which has this one's sizes; zeros where values are not wanted.
  virtual std::unique_ptr<Store> duplicate(Mat owner, bool values) = 0;

  // The couplings between some unknowns of every node, for the matrix `owner`; of a store on a grid.
  // Collective.
  virtual std::unique_ptr<Store> of_unknowns(Mat owner, const UnknownsOfBlocks& unknowns);
  // Of a store that came from there: its unknowns, of others none; and their newest values in `all`. Throws
  // PetscError where that is another grid. Collective.
  virtual UnknownsOfBlocks taken_unknowns() const { return {}; }
  virtual void take_unknowns(Store& all);

  // values[row][column], or null for zeros. Rows of other ranks wait for the assembly. Nodes and numbers of
  // this rank are for a store on a grid alone, whose nodes they are.
  virtual void set_values(const Indices& rows, const Indices& columns, const PetscScalar* values,
                          InsertMode mode) = 0;
  // Values by coordinates, as MatSetPreallocationCOO() and MatSetValuesCOO() say it: all values become zero,
  // and are set as often as one likes. The indices may be changed. Collective.
  virtual void prepare_coordinates(PetscCount count, PetscInt* rows, PetscInt* columns) = 0;
  // `values` in host or GPU memory, or null for zeros. `on_gpu`: they are wanted by a product there.
  // Collective.
  virtual void set_by_coordinates(const PetscScalar* values, InsertMode mode, bool on_gpu) = 0;
  // The matrix it stands behind, where that changes.
  virtual void belongs_to(Mat) {}
  virtual void assemble_begin(MatAssemblyType type) = 0;
  virtual void assemble_end(MatAssemblyType type) = 0;
  // All values anew, of a store on a grid: `fill` writes this rank's rows with the block diagonals of the
  // `whole` grid, as make_grid_matrix() took them. Collective.
  virtual void refill(const BlockStructure& whole, const std::function<void(double*)>& fill);
  // The same in GPU memory, where `fill` queues its work in the default stream; or false where these rows
  // cannot be made there, and nothing is done. `whole` is the same in every call. Collective.
  virtual bool refill_on_gpu(const BlockStructure&, const std::function<void(double*)>&) { return false; }
  // The same of one rank: these rows are all. False where they are not those of its block diagonals, and
  // nothing is done.
  virtual bool set_few_rows(std::shared_ptr<const FewRows>, bool /*on_gpu*/) { return false; }
  // Those, as long as no value has changed since; or null.
  virtual std::shared_ptr<const FewRows> few_rows() const { return nullptr; }
  // Where the entries of aij() stand among the values of the block diagonals; of one rank, on a grid.
  virtual std::vector<std::int32_t> places_of_aij() { return {}; }
  // Changes of the values where they are. Those with vectors are collective; a null vector scales nothing.
  virtual void zero() = 0;
  virtual void scale(double factor) = 0;
  virtual void shift(double value) = 0;
  virtual void set_diagonal(Vec diagonal, InsertMode mode) = 0;
  virtual void scale_rows_and_columns(Vec left, Vec right) = 0;
  // Adds `factor` times the values of `from`, or takes its values; or returns false where its places are not
  // the same. Collective.
  virtual bool add(double factor, Store& from, MatStructure structure) = 0;
  virtual bool copy_from(Store& from, MatStructure structure) = 0;
  virtual void diagonal(Vec diagonal) = 0;
  virtual void set_option(MatOption option, bool value) = 0;
  // After an assembly: the values as AIJ where some rank has one outside the grid's stencil that the program
  // allowed (MAT_NEW_NONZERO_LOCATION_ERR, false), else null. Collective.
  virtual Handle<Mat> outgrown() { return nullptr; }
  // A row of this rank, columns ascending.
  virtual void row(PetscInt row, std::vector<PetscInt>& columns, std::vector<double>& values) = 0;

  // The whole matrix as MATAIJ with the same entries, those that are zero included; up to date until the next
  // change, and the same object every time. Collective.
  virtual Mat aij() = 0;
  // Lets `change` alter the values of that. Collective.
  void modify(const std::function<void(Mat)>& change);
  // Whether that is going on: values are then only in that MATAIJ, and what PETSc assembles meanwhile is not
  // complete.
  bool in_change() const { return in_change_; }

  // From now on the copy in AIJ is watched for values that somebody writes there past modify(): they would
  // be lost.
  void watch_copy() { watch_.start(); }
  // Throws PetscError where that happened. Collective.
  virtual void require_copy_untouched() = 0;

  // Shares the arrays: what changes later is seen through them where parts_in_place(), those of GPU memory
  // after the next call. `on_gpu`: in GPU memory, from a store that can.
  virtual LocalParts parts(bool on_gpu) = 0;
  // The same with few rows in place of values, where they are all of them.
  virtual LocalParts parts_or_few_rows(bool on_gpu) { return parts(on_gpu); }
  virtual bool parts_in_place() const = 0;
  // Whether the newest values are in GPU memory.
  virtual bool on_gpu() const { return false; }
  // Brings the newest values to where parts() showed them, for who has its arrays. Where parts_in_place().
  virtual void bring_parts(bool) {}

  // Grows with every change of a value.
  std::int64_t version() const { return version_; }

 protected:
  void changed() { ++version_; }
  // Takes over the values of aij(), which were changed there.
  virtual void take_from_aij() = 0;
  CopyWatch watch_;

 private:
  std::int64_t version_ = 0;
  bool in_change_ = false;
};

// Lets a copy in AIJ ask for no options from now on: -mat_view and its like are for the matrix, which shows
// itself.
void keep_quiet(Mat copy);

[[noreturn]] void throw_no_coordinates();
// Throw FormatError for indices past the matrix's end, and for a row that is not this rank's.
void require_inside(Mat owner, PetscInt rows, const PetscInt* row, PetscInt columns, const PetscInt* column);
void require_own_row(Mat owner, PetscInt row);

std::unique_ptr<Store> make_grid_store(Mat owner, DM da);
// An empty one, to be filled by set_values, or one that takes over `filled`.
std::unique_ptr<Store> make_aij_store(Mat owner);
std::unique_ptr<Store> make_aij_store(Mat owner, Handle<Mat> filled);

}  // namespace quadrille::petsc
