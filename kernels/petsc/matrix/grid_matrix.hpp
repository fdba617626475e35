// Matrices of the type `quadrille` from assembled block diagonals on a grid that ranks share: without a DMDA,
// and without setting values one by one. No PETSc header is needed to include this.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "formats/block_diagonals.hpp"
#include "formats/few_rows.hpp"
#include "grid/partition.hpp"
#include "kernels/petsc/base/shared_mat.hpp"
#include "kernels/registry.hpp"

struct _p_Vec;

namespace quadrille::petsc {

// This rank's rows of an operator on a grid, as assembly gives them.
struct GridRows {
  BlockStructure structure;  // of the whole grid; around periodic axes its offsets go the short way
  Array<double> values;      // [diagonal][column][row of this rank, in the order of the partition]
  Array<double, Device> device_values = {};  // in place of them
  std::optional<FewRows> few_rows = {};      // in place of both, on one rank: these are all
};

// In which format products are made, and where.
struct GridFormat {
  std::string name = "cds";
  SpaceKind space = SpaceKind::cpu;
  FormatOptions options = {};
};

// A matrix with these rows, of PETSC_COMM_WORLD, or of PETSC_COMM_SELF where the partition is of one rank;
// MatCreateVecs() gives its vectors. Where the rank's box has every block diagonal, as on one rank, the
// values become the matrix's without a copy. All that PETSc does with the type it does with this one: values
// may be changed, and the next product sees it. Needs register_matrix_type(). Collective. Throws FormatError
// where sizes do not agree or PETSc's indices cannot count the rows.
SharedMat make_grid_matrix(const Partition& partition, GridRows rows);
// The same, with products in a format.
SharedMat make_grid_matrix(const Partition& partition, GridRows rows, const GridFormat& format);

// New values for such a matrix, made from rows of the same `structure`: `fill` writes every one of this
// rank's rows as GridRows has them, into the matrix's own memory where the rank's box has every block
// diagonal. PETSc is told: products in every format, transposes, inverted blocks and preconditioners that are
// set up after it are those of the new values. Collective. Throws FormatError where the structure is another
// one.
using FillRows = std::function<void(double* values)>;
void refill(_p_Mat* matrix, const BlockStructure& structure, const FillRows& fill);
// The same in GPU memory, where `fill` queues its work in the default stream and keeps to the fill of the
// structure; it may leave what does not couple as it is. Returns false, on all ranks and with nothing done,
// where the rows cannot be made there: a rank's box lacks a block diagonal, or the stencil leads around a
// periodic axis back to the box. `structure` is the same in every call.
bool refill_on_gpu(_p_Mat* matrix, const BlockStructure& structure, const FillRows& fill);

// The same of which these rows are all, of a matrix of one rank: block diagonals are made when somebody asks
// for them. False with nothing done where the matrix has others.
bool refill(_p_Mat* matrix, FewRows rows);

// Products of such a matrix in another format, made at once. Collective. Throws FormatError where the format
// is not known, not there in this space or refuses the operator, and what making it throws.
void set_format(_p_Mat* matrix, const GridFormat& format);

// What this rank's own rows and columns are: its block diagonals, shared with the matrix, in host memory.
std::shared_ptr<const BlockDiagonals<double>> own_block_diagonals(_p_Mat* matrix);
// The same in GPU memory.
std::shared_ptr<const BlockDiagonals<double, Device>> own_block_diagonals_on_device(_p_Mat* matrix);
// The rows that are all of its values, where such were given; or null.
std::shared_ptr<const FewRows> own_few_rows(_p_Mat* matrix);
// Whether the newest values are in GPU memory, as where they were made there.
bool values_are_on_gpu(_p_Mat* matrix);
// The product of these in its format.
std::shared_ptr<const SpmvOperator<double>> own_product(_p_Mat* matrix);
// By how much of itself a value is off in products of a matrix of any type: 0 but where fewer bits were asked
// for (formats/value_precision.hpp). Collective.
double value_error(_p_Mat* matrix);
// y = A x with the values as they were assembled, of a matrix of any type. Collective.
void multiply_exactly(_p_Mat* matrix, _p_Vec* x, _p_Vec* y);
// The same rows as PETSc's own matrix, MATAIJ, or MATAIJCUSPARSE in GPU memory, without zeros but those on
// the diagonal and of the fill. Collective. Throws FormatError for a GPU where PETSc has no CUDA.
SharedMat make_aij(_p_Mat* matrix, bool on_gpu);

std::int64_t rows_of_all(_p_Mat* matrix);  // of any matrix
// Of this rank, without what couples it to others. Of a matrix of the type, or AIJ.
std::int64_t stored_bytes(_p_Mat* matrix);

}  // namespace quadrille::petsc
