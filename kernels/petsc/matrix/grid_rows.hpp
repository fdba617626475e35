// A rank's assembled rows of an operator on a grid, with the block diagonals of the whole grid, and the
// values of a matrix of ours: one from the other. Internal to kernels/petsc/matrix_type.
#pragma once

#include <optional>

#include "kernels/petsc/matrix/grid_matrix.hpp"
#include "kernels/petsc/matrix/grid_values.hpp"
#include "kernels/petsc/matrix/store.hpp"

namespace quadrille::petsc {

// Throws FormatError unless the rows are those of this rank.
void require_fitting(const Partition& partition, const GridRows& rows);

// Whether the fill has every value other than 0 of these rows. Not collective.
bool keeps_fill(const BlockStructure& whole, const double* values, std::int64_t rows);
[[noreturn]] void throw_outside_fill();

// Where `structure` has as many block diagonals it takes over the values.
GridValues values_of(const GridStructure& structure, GridRows rows, bool with_ghosts);

// The same for values that are there, in the host's memory, where they stay. Throws FormatError where
// `whole` is not what they were made from.
void refill(const GridStructure& structure, const BlockStructure& whole, const FillRows& fill,
            GridValues& values);

// What couples this rank's nodes to others' in rows with the block diagonals of the whole grid: the places of
// the values among those of the box, and among those of the ghosts.
struct LeavingCouplings {
  Array<std::int64_t> from, to;
};
// None where the box lacks a block diagonal, or some coupling leads the long way around to the box itself:
// its rows are then made apart (refill). Throws as that.
std::optional<LeavingCouplings> leaving_couplings(const GridStructure& structure, const BlockStructure& whole,
                                                  const GridValues& values);

// A matrix of the ranks of `comm`, which the partition is of. What make_grid_matrix() is, for who has MPI.
SharedMat make_grid_matrix(MPI_Comm comm, const Partition& partition, GridRows rows);

// With the values given, whose ghosts are there where the matrix is one of several ranks.
std::unique_ptr<Store> make_grid_store(Mat owner, std::shared_ptr<const GridStructure> structure,
                                       GridValues values);

}  // namespace quadrille::petsc
