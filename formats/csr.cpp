#include "formats/csr.hpp"

#include <cstring>

namespace quadrille {

template <class T>
void validate(const Csr<T>& csr) {
  if (csr.rows < 0 || csr.columns < 0 || csr.row_ptr.size() != csr.rows + 1)
    throw FormatError("csr: " + std::to_string(csr.rows) + " rows need " + std::to_string(csr.rows + 1) +
                      " row pointers, not " + std::to_string(csr.row_ptr.size()));
  if (csr.column.size() != csr.value.size() || csr.row_ptr[0] != 0 || csr.row_ptr[csr.rows] != csr.nnz())
    throw FormatError("csr: the row pointers run from " + std::to_string(csr.row_ptr[0]) + " to " +
                      std::to_string(csr.row_ptr[csr.rows]) + " over " + std::to_string(csr.column.size()) +
                      " columns and " + std::to_string(csr.value.size()) + " values");
  for (std::int64_t i = 0; i < csr.rows; ++i) {
    const std::int32_t begin = csr.row_ptr[i], end = csr.row_ptr[i + 1];
    bool ok = 0 <= begin && begin <= end && end <= csr.nnz();
    for (std::int32_t k = begin; ok && k < end; ++k)
      ok = 0 <= csr.column[k] && csr.column[k] < csr.columns &&
           (k == begin || csr.column[k - 1] < csr.column[k]);
    if (!ok)
      throw FormatError("csr: row " + std::to_string(i) +
                        " is broken: columns must ascend within the matrix");
  }
}

std::int64_t csr_bytes(std::int64_t rows, std::int64_t nnz, std::int64_t value_bytes) {
  return (rows + 1) * 4 + nnz * (4 + value_bytes);
}

Traffic csr_traffic(std::int64_t rows, std::int64_t columns, std::int64_t nnz, std::int64_t value_bytes) {
  return whole_traffic(csr_bytes(rows, nnz, value_bytes), rows, columns, value_bytes);
}

template <class T, class Space>
Traffic traffic(const Csr<T, Space>& csr) {
  return csr_traffic(csr.rows, csr.columns, csr.nnz(), sizeof(T));
}

template <class To, class From>
Csr<To> cast(const Csr<From>& csr) {
  Csr<To> result{csr.rows, csr.columns, copy_of(csr.row_ptr), copy_of(csr.column), Array<To>(csr.nnz())};
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < csr.nnz(); ++k) result.value[k] = static_cast<To>(csr.value[k]);
  return result;
}

template <class T>
bool identical(const Csr<T>& a, const Csr<T>& b) {
  const auto same = [](const auto& p, const auto& q) {
    return p.size() == q.size() &&
           (p.size() == 0 || std::memcmp(p.data(), q.data(), static_cast<std::size_t>(p.bytes())) == 0);
  };
  return a.rows == b.rows && a.columns == b.columns && same(a.row_ptr, b.row_ptr) &&
         same(a.column, b.column) && same(a.value, b.value);
}

#define QUADRILLE_INSTANTIATE(T)                   \
  template void validate(const Csr<T>&);           \
  template Traffic traffic(const Csr<T, Host>&);   \
  template Traffic traffic(const Csr<T, Device>&); \
  template bool identical(const Csr<T>&, const Csr<T>&);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE
template Csr<float> cast<float>(const Csr<double>&);
template Csr<double> cast<double>(const Csr<float>&);
template Csr<double> cast<double>(const Csr<double>&);
template Csr<float> cast<float>(const Csr<float>&);

}  // namespace quadrille
