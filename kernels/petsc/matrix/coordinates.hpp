// Values by coordinates (MatSetPreallocationCOO, MatSetValuesCOO): where each goes is worked out once, and
// every later call is gathered sums in the memory where the values are wanted. Internal to
// kernels/petsc/matrix_type.
#pragma once

#include <petscmat.h>

#include <functional>
#include <optional>
#include <vector>

#include "kernels/gather_sum.hpp"
#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/matrix/grid_values.hpp"

namespace quadrille::petsc {

// Coordinates in the caller's order, global. Negative ones are left out.
struct Coordinates {
  std::int64_t count = 0;
  const PetscInt *row = nullptr, *column = nullptr;
};

// A gathered sum that is wanted in either memory.
class GatherSumAnywhere {
 public:
  void plan(GatherSum<> sum) {
    on_host_ = std::move(sum);
    on_gpu_.reset();
  }
  void run(const TwoArrays<double>& source, double* target, bool add, bool on_gpu);

 private:
  GatherSum<> on_host_;
  std::optional<GatherSum<Device>> on_gpu_;
};

// An array in the memory where its user wants it, made when first needed.
class ArrayAnywhere {
 public:
  double* get(std::int64_t size, bool on_gpu);
  // The same numbers in the wanted memory: `data` itself where it is there already.
  const double* moved(const double* data, std::int64_t size, bool is_on_gpu, bool want_on_gpu);

 private:
  Array<double> on_host_;
  Array<double, Device> on_gpu_;
};

// What entries of rows of other ranks need: sent to the ranks of their rows by a pattern that is made once,
// received in the order of the ranks, and of each of them in its caller's.
class RemoteEntries {
 public:
  // `entries`: which of the coordinates are to be sent, ascending. Collective.
  RemoteEntries(Mat layout, const Coordinates& all, std::vector<PetscInt> entries);
  const std::vector<PetscInt>& rows() const { return rows_; }  // of what comes in
  const std::vector<PetscInt>& columns() const { return columns_; }
  // What comes in, in the memory where `values` are. Collective.
  const double* exchange(const double* values, bool on_gpu);

 private:
  Handle<PetscSF> pattern_;
  std::int64_t leaving_ = 0;
  GatherSumAnywhere pack_;
  ArrayAnywhere sent_, received_;
  std::vector<PetscInt> rows_, columns_;
};

class CoordinateAssembly {
 public:
  // For an entry of a row of this rank: its place in the block diagonals, or behind them its place in the
  // couplings to ghosts; -1 where it has none. Called by several threads.
  using PlaceOf = std::function<std::int64_t(PetscInt row, PetscInt column)>;
  // Throws where a value other than 0 has no place.
  using Refuse = std::function<void(PetscInt row, PetscInt column, double value)>;

  // For matrices with the rows of `layout` and the structure of `values`. Collective where `sends`; otherwise
  // entries of other ranks' rows are left out.
  CoordinateAssembly(Mat layout, const GridValues& values, const Coordinates& all, bool sends,
                     const PlaceOf& place_of);
  // Sums of `values`, one for each coordinate, in host or GPU memory, or null for zeros; put in place of all
  // that was there, or added. On the GPU where `on_gpu`, with no more crossing the bus than is on the wrong
  // side. Collective.
  void set(GridValues& to, const double* values, bool add, bool on_gpu, const Refuse& refuse);

 private:
  void check_outside(const TwoArrays<double>& source, bool on_gpu, const Refuse& refuse);

  std::int64_t count_ = 0;
  GatherSumAnywhere hub_, ghost_;
  std::optional<RemoteEntries> remote_;
  struct Outside {  // entries without a place
    std::vector<PetscInt> rows, columns;
    GatherSumAnywhere pick;
    ArrayAnywhere values;
  } outside_;
  ArrayAnywhere values_, received_;  // moved
};

}  // namespace quadrille::petsc
