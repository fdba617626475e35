#include "formats/csc.hpp"

namespace quadrille {
namespace {

// Turns (pointer, index) by rows into (pointer, index) by columns; entries of a column keep ascending row
// order.
template <class T>
void transpose(std::int64_t rows, std::int64_t columns, const Array<std::int32_t>& ptr,
               const Array<std::int32_t>& index, const Array<T>& value, Array<std::int32_t>& out_ptr,
               Array<std::int32_t>& out_index, Array<T>& out_value) {
  out_ptr = Array<std::int32_t>(columns + 1, 0);
  out_index = Array<std::int32_t>(index.size());
  out_value = Array<T>(value.size());
  for (const std::int32_t j : index) ++out_ptr[j + 1];
  for (std::int64_t j = 0; j < columns; ++j) out_ptr[j + 1] += out_ptr[j];
  Array<std::int32_t> next = copy_of(out_ptr);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int32_t k = ptr[i]; k < ptr[i + 1]; ++k) {
      const std::int32_t at = next[index[k]]++;
      out_index[at] = static_cast<std::int32_t>(i);
      out_value[at] = value[k];
    }
}

}  // namespace

template <class T>
Csc<T> csc_from_csr(const Csr<T>& csr) {
  memory::require_host(csr_bytes(csr.columns, csr.nnz(), sizeof(T)));
  Csc<T> csc{csr.rows, csr.columns, {}, {}, {}};
  transpose(csr.rows, csr.columns, csr.row_ptr, csr.column, csr.value, csc.column_ptr, csc.row, csc.value);
  return csc;
}

template <class T>
Csr<T> to_csr(const Csc<T>& csc) {
  Csr<T> csr{csc.rows, csc.columns, {}, {}, {}};
  transpose(csc.columns, csc.rows, csc.column_ptr, csc.row, csc.value, csr.row_ptr, csr.column, csr.value);
  return csr;
}

template <class T>
void validate(const Csc<T>& csc) {
  if (csc.column_ptr.size() != csc.columns + 1 || csc.row.size() != csc.nnz() || csc.column_ptr[0] != 0 ||
      csc.column_ptr[csc.columns] != csc.nnz())
    throw FormatError("csc: the column pointers do not span the " + std::to_string(csc.nnz()) + " entries");
  for (std::int64_t j = 0; j < csc.columns; ++j) {
    const std::int32_t begin = csc.column_ptr[j], end = csc.column_ptr[j + 1];
    bool ok = 0 <= begin && begin <= end && end <= csc.nnz();
    for (std::int32_t k = begin; ok && k < end; ++k)
      ok = 0 <= csc.row[k] && csc.row[k] < csc.rows && (k == begin || csc.row[k - 1] < csc.row[k]);
    if (!ok)
      throw FormatError("csc: column " + std::to_string(j) +
                        " is broken: rows must ascend within the matrix");
  }
}

Traffic csc_traffic(std::int64_t rows, std::int64_t columns, std::int64_t nnz, std::int64_t value_bytes) {
  return whole_traffic(csr_bytes(columns, nnz, value_bytes), rows, columns, value_bytes);
}

template <class T, class Space>
Traffic traffic(const Csc<T, Space>& csc) {
  return csc_traffic(csc.rows, csc.columns, csc.nnz(), sizeof(T));
}

template <class T>
Csr<T> transposed(const Csr<T>& csr) {
  Csc<T> csc = csc_from_csr(csr);
  return {csr.columns, csr.rows, std::move(csc.column_ptr), std::move(csc.row), std::move(csc.value)};
}

#define QUADRILLE_INSTANTIATE(T)                 \
  template Csr<T> transposed(const Csr<T>&);     \
  template Csc<T> csc_from_csr(const Csr<T>&);   \
  template Csr<T> to_csr(const Csc<T>&);         \
  template void validate(const Csc<T>&);         \
  template Traffic traffic(const Csc<T, Host>&); \
  template Traffic traffic(const Csc<T, Device>&);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
