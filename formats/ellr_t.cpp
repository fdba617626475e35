#include "formats/ellr_t.hpp"

#include <algorithm>
#include <numeric>

#include "formats/build_csr.hpp"

namespace quadrille {
namespace {

constexpr std::int64_t row_multiple = 16;

bool known(int threads) {
  return std::find(ellr_t_threads.begin(), ellr_t_threads.end(), threads) != ellr_t_threads.end();
}

std::int64_t position(std::int64_t row, std::int64_t entry, std::int64_t pitch, int threads) {
  return (entry / threads * pitch + row) * threads + entry % threads;
}

}  // namespace

template <class T>
EllrT<T> ellr_t_from_csr(const Csr<T>& csr, int threads) {
  if (!known(threads))
    throw FormatError("ellr_t: " + std::to_string(threads) + " threads per row; T is 1, 2, 4, 8, 16 or 32");
  EllrT<T> ellr{csr.rows, csr.columns, threads, round_up(csr.rows, row_multiple), 0, csr.nnz(), {}, {}, {}};
  ellr.width = round_up(longest_row(csr), threads);
  const std::int64_t slots = checked_product(ellr.width, ellr.pitch, "ellr_t");
  refuse_absurd_fill("ellr_t", checked_product(slots, 4 + sizeof(T), "ellr_t"),
                     csr_bytes(csr.rows, csr.nnz(), sizeof(T)));
  ellr.row_length = Array<std::int32_t>(csr.rows);
  ellr.column = Array<std::int32_t>(slots);
  ellr.value = Array<T>(slots);
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < ellr.pitch; ++row) {
    const std::int64_t begin = row < csr.rows ? csr.row_ptr[row] : 0;
    const std::int64_t length = row < csr.rows ? csr.row_ptr[row + 1] - begin : 0;
    if (row < csr.rows) ellr.row_length[row] = static_cast<std::int32_t>(length);
    for (std::int64_t e = 0; e < ellr.width; ++e) {
      const std::int64_t at = position(row, e, ellr.pitch, threads);
      ellr.column[at] = e < length ? csr.column[begin + e] : -1;
      ellr.value[at] = e < length ? csr.value[begin + e] : T(0);
    }
  }
  return ellr;
}

template <class T>
Csr<T> to_csr(const EllrT<T>& ellr) {
  return build_csr<T>(ellr.rows, ellr.columns, [&](std::int64_t row, auto& entries) {
    for (std::int64_t e = 0; e < ellr.row_length[row]; ++e) {
      const std::int64_t at = position(row, e, ellr.pitch, ellr.threads);
      entries.emplace_back(ellr.column[at], ellr.value[at]);
    }
  });
}

template <class T>
void validate(const EllrT<T>& ellr) {
  const std::int64_t slots = ellr.width * ellr.pitch;
  if (!known(ellr.threads) || ellr.width % ellr.threads != 0 || ellr.pitch % row_multiple != 0 ||
      ellr.pitch < ellr.rows || ellr.row_length.size() != ellr.rows || ellr.column.size() != slots ||
      ellr.value.size() != slots)
    throw FormatError("ellr_t: width " + std::to_string(ellr.width) + ", pitch " +
                      std::to_string(ellr.pitch) + " and T " + std::to_string(ellr.threads) +
                      " do not fit each other or its arrays");
  if (std::accumulate(ellr.row_length.begin(), ellr.row_length.end(), std::int64_t{0}) != ellr.nnz)
    throw FormatError("ellr_t: the row lengths do not add up to " + std::to_string(ellr.nnz) + " non-zeros");
  for (std::int64_t row = 0; row < ellr.pitch; ++row) {
    const std::int64_t length = row < ellr.rows ? ellr.row_length[row] : 0;
    bool ok = 0 <= length && length <= ellr.width;
    for (std::int64_t e = 0, last = -1; ok && e < ellr.width; ++e) {
      const std::int64_t at = position(row, e, ellr.pitch, ellr.threads);
      ok = e < length ? last < ellr.column[at] && ellr.column[at] < ellr.columns
                      : ellr.column[at] == -1 && ellr.value[at] == T(0);
      last = ellr.column[at];
    }
    if (!ok)
      throw FormatError("ellr_t: row " + std::to_string(row) + " is broken: ascending columns, then padding");
  }
}

Traffic ellr_t_traffic(std::int64_t rows, std::int64_t columns, std::int64_t nnz, std::int64_t width,
                       std::int64_t value_bytes) {
  const std::int64_t lengths = rows * 4, entry = 4 + value_bytes;
  const std::int64_t slots = checked_product(width, round_up(rows, row_multiple), "ellr_t");
  return {lengths + checked_product(slots, entry, "ellr_t"), lengths + nnz * entry + columns * value_bytes,
          rows * value_bytes};
}

template <class T, class Space>
Traffic traffic(const EllrT<T, Space>& ellr) {
  return ellr_t_traffic(ellr.rows, ellr.columns, ellr.nnz, ellr.width, sizeof(T));
}

#define QUADRILLE_INSTANTIATE(T)                         \
  template EllrT<T> ellr_t_from_csr(const Csr<T>&, int); \
  template Csr<T> to_csr(const EllrT<T>&);               \
  template void validate(const EllrT<T>&);               \
  template Traffic traffic(const EllrT<T, Host>&);       \
  template Traffic traffic(const EllrT<T, Device>&);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
