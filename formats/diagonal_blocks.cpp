#include "formats/diagonal_blocks.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace quadrille {
namespace {

template <class T>
void require_square(const Csr<T>& csr) {
  if (csr.rows != csr.columns)
    throw FormatError("diagonal blocks need a square matrix, not " + std::to_string(csr.rows) + " x " +
                      std::to_string(csr.columns));
}

// The block of rows first .. first + size - 1, [column][row], on zeros.
template <class T>
void copy_block(const Csr<T>& csr, std::int64_t first, std::int64_t size, T* block) {
  for (std::int64_t r = 0; r < size; ++r)
    for (std::int32_t k = csr.row_ptr[first + r]; k < csr.row_ptr[first + r + 1]; ++k) {
      const std::int64_t c = csr.column[k] - first;
      if (c >= 0 && c < size) block[c * size + r] = csr.value[k];
    }
}

}  // namespace

template <class T>
Array<T> diagonal_blocks(const Csr<T>& csr, int size) {
  require_square(csr);
  if (size < 1 || csr.rows % size != 0)
    throw FormatError("blocks of " + std::to_string(size) + " do not divide " + std::to_string(csr.rows) +
                      " rows");
  Array<T> blocks(checked_product(csr.rows, size, "diagonal blocks"), T(0));
#pragma omp parallel for schedule(static)
  for (std::int64_t first = 0; first < csr.rows; first += size)
    copy_block(csr, first, size, blocks.data() + first * size);
  return blocks;
}

template <class T>
Array<T> diagonal_blocks(const Csr<T>& csr, std::span<const std::int32_t> sizes) {
  require_square(csr);
  std::int64_t rows = 0, values = 0;
  for (const std::int64_t size : sizes) {
    if (size < 1) throw FormatError("a diagonal block has " + std::to_string(size) + " rows");
    rows += size;
    values += size * size;
  }
  if (rows != csr.rows)
    throw FormatError("the diagonal blocks have " + std::to_string(rows) + " rows together, the matrix " +
                      std::to_string(csr.rows));
  Array<T> blocks(values, T(0));
  T* block = blocks.data();
  std::int64_t first = 0;
  for (const std::int64_t size : sizes) {
    copy_block(csr, first, size, block);
    first += size;
    block += size * size;
  }
  return blocks;
}

template <class T, class Space>
Array<T> diagonal_blocks(const BlockDiagonals<T, Space>& hub, int size) {
  if (size < 1 || hub.dof % size != 0)
    throw FormatError("blocks of " + std::to_string(size) + " do not divide the " + std::to_string(hub.dof) +
                      " unknowns of a node");
  const std::int64_t rows = hub.rows(), dof = hub.dof;
  Array<T> blocks(rows * size, T(0));
  const auto centre = std::find(hub.offsets.begin(), hub.offsets.end(), NodeOffset{});
  if (centre == hub.offsets.end()) return blocks;
  const T* columns = hub.values.data() + (centre - hub.offsets.begin()) * dof * rows;  // [column][row]
  Array<T> copy;
  if constexpr (std::is_same_v<Space, Device>) {
    copy = Array<T>(dof * rows);
    memory::copy_to_host(copy.data(), columns, copy.bytes());
    columns = copy.data();
  }
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t first_column = row % dof / size * size;
    for (int c = 0; c < size; ++c)
      blocks[(row / size * size + c) * size + row % size] = columns[(first_column + c) * rows + row];
  }
  return blocks;
}

#define QUADRILLE_INSTANTIATE(T)                                                   \
  template Array<T> diagonal_blocks(const Csr<T>&, int);                           \
  template Array<T> diagonal_blocks(const Csr<T>&, std::span<const std::int32_t>); \
  template Array<T> diagonal_blocks(const BlockDiagonals<T, Host>&, int);          \
  template Array<T> diagonal_blocks(const BlockDiagonals<T, Device>&, int);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
