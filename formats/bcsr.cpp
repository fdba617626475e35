#include "formats/bcsr.hpp"

#include <algorithm>
#include <vector>

#include "formats/build_csr.hpp"

namespace quadrille {
namespace {

// The ascending block columns of one block row.
template <class T>
void block_columns(const Csr<T>& csr, std::int64_t block_row, int b, std::vector<std::int32_t>& found) {
  found.clear();
  const std::int64_t end = std::min(csr.rows, (block_row + 1) * b);
  for (std::int32_t k = csr.row_ptr[block_row * b]; k < csr.row_ptr[end]; ++k)
    found.push_back(csr.column[k] / b);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

}  // namespace

template <class T>
Bcsr<T> bcsr_from_csr(const Csr<T>& csr, int b) {
  if (b < 1 || b > 64)
    throw FormatError("bcsr: a block size of " + std::to_string(b) + " is not within 1..64");
  Bcsr<T> bcsr{csr.rows, csr.columns, b, {}, {}, {}};
  bcsr.block_row_ptr = Array<std::int32_t>(bcsr.block_rows() + 1);
  bcsr.block_row_ptr[0] = 0;
#pragma omp parallel
  {
    std::vector<std::int32_t> found;
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < bcsr.block_rows(); ++i) {
      block_columns(csr, i, b, found);
      bcsr.block_row_ptr[i + 1] = static_cast<std::int32_t>(found.size());
    }
  }
  for (std::int64_t i = 0; i < bcsr.block_rows(); ++i) bcsr.block_row_ptr[i + 1] += bcsr.block_row_ptr[i];
  const std::int64_t blocks = bcsr.block_row_ptr[bcsr.block_rows()];
  const std::int64_t stored = blocks * (b * b * static_cast<std::int64_t>(sizeof(T)) + 4);
  refuse_absurd_fill("bcsr", stored, csr_bytes(csr.rows, csr.nnz(), sizeof(T)));
  bcsr.block_column = Array<std::int32_t>(blocks);
  bcsr.value = Array<T>(blocks * b * b, T(0));
#pragma omp parallel
  {
    std::vector<std::int32_t> found;
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < bcsr.block_rows(); ++i) {
      block_columns(csr, i, b, found);
      std::copy(found.begin(), found.end(), bcsr.block_column.data() + bcsr.block_row_ptr[i]);
      for (std::int64_t row = i * b; row < std::min(csr.rows, (i + 1) * b); ++row)
        for (std::int32_t k = csr.row_ptr[row]; k < csr.row_ptr[row + 1]; ++k) {
          const auto at = std::lower_bound(found.begin(), found.end(), csr.column[k] / b) - found.begin();
          bcsr.value[((bcsr.block_row_ptr[i] + at) * b + row % b) * b + csr.column[k] % b] = csr.value[k];
        }
    }
  }
  return bcsr;
}

template <class T>
Csr<T> to_csr(const Bcsr<T>& bcsr) {
  const std::int64_t b = bcsr.block_size;
  return build_csr<T>(bcsr.rows, bcsr.columns, [&](std::int64_t row, auto& entries) {
    for (std::int64_t k = bcsr.block_row_ptr[row / b]; k < bcsr.block_row_ptr[row / b + 1]; ++k)
      for (std::int64_t c = 0; c < b; ++c)
        if (const T value = bcsr.value[(k * b + row % b) * b + c]; value != T(0))
          entries.emplace_back(static_cast<std::int32_t>(bcsr.block_column[k] * b + c), value);
  });
}

template <class T>
void validate(const Bcsr<T>& bcsr) {
  if (bcsr.block_size < 1) throw FormatError("bcsr: a block size of " + std::to_string(bcsr.block_size));
  const std::int64_t b = bcsr.block_size, block_columns = (bcsr.columns + b - 1) / b;
  if (bcsr.block_row_ptr.size() != bcsr.block_rows() + 1 || bcsr.value.size() != bcsr.blocks() * b * b ||
      bcsr.block_row_ptr[0] != 0 || bcsr.block_row_ptr[bcsr.block_rows()] != bcsr.blocks())
    throw FormatError("bcsr: the block row pointers do not span the " + std::to_string(bcsr.blocks()) +
                      " blocks");
  for (std::int64_t i = 0; i < bcsr.block_rows(); ++i) {
    const std::int32_t begin = bcsr.block_row_ptr[i], end = bcsr.block_row_ptr[i + 1];
    bool ok = 0 <= begin && begin <= end && end <= bcsr.blocks();
    for (std::int32_t k = begin; ok && k < end; ++k)
      ok = 0 <= bcsr.block_column[k] && bcsr.block_column[k] < block_columns &&
           (k == begin || bcsr.block_column[k - 1] < bcsr.block_column[k]);
    for (std::int64_t k = begin; ok && k < end; ++k)
      for (std::int64_t r = 0; r < b; ++r)
        for (std::int64_t c = 0; c < b; ++c)
          ok = ok && ((i * b + r < bcsr.rows && bcsr.block_column[k] * b + c < bcsr.columns) ||
                      bcsr.value[(k * b + r) * b + c] == T(0));
    if (!ok)
      throw FormatError(
          "bcsr: block row " + std::to_string(i) +
          " is broken: block columns must ascend, and what sticks out of the matrix must be zero");
  }
}

Traffic bcsr_traffic(std::int64_t rows, std::int64_t columns, std::int64_t block_size, std::int64_t blocks,
                     std::int64_t value_bytes) {
  const std::int64_t block_rows = (rows + block_size - 1) / block_size;
  const std::int64_t of_blocks = checked_product(blocks, block_size * block_size * value_bytes + 4, "bcsr");
  return whole_traffic(of_blocks + (block_rows + 1) * 4, rows, columns, value_bytes);
}

template <class T, class Space>
Traffic traffic(const Bcsr<T, Space>& bcsr) {
  return bcsr_traffic(bcsr.rows, bcsr.columns, bcsr.block_size, bcsr.blocks(), sizeof(T));
}

#define QUADRILLE_INSTANTIATE(T)                      \
  template Bcsr<T> bcsr_from_csr(const Csr<T>&, int); \
  template Csr<T> to_csr(const Bcsr<T>&);             \
  template void validate(const Bcsr<T>&);             \
  template Traffic traffic(const Bcsr<T, Host>&);     \
  template Traffic traffic(const Bcsr<T, Device>&);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
