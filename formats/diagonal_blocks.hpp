// The square blocks on the diagonal of an operator, from the arrays of a format: what Jacobi and block Jacobi
// preconditioners start from.
#pragma once

#include <cstdint>
#include <span>

#include "formats/array.hpp"
#include "formats/block_diagonals.hpp"
#include "formats/csr.hpp"

namespace quadrille {

// The blocks of `size` rows each, [block][column][row], so that size 1 is the diagonal itself; entries that
// are not stored are zero. Throws FormatError unless the matrix is square and `size` divides it.
template <class T>
Array<T> diagonal_blocks(const Csr<T>& csr, int size);

// Blocks of different sizes, one after the other, each [column][row]. Throws FormatError unless the sizes are
// positive and their sum is the number of rows.
template <class T>
Array<T> diagonal_blocks(const Csr<T>& csr, std::span<const std::int32_t> sizes);

// Straight from the block column of offset 0. `size` must divide the DoF: throws FormatError otherwise. Space
// is Host or Device; from there only this block column is copied.
template <class T, class Space>
Array<T> diagonal_blocks(const BlockDiagonals<T, Space>& hub, int size);

}  // namespace quadrille
