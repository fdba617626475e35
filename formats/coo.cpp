#include "formats/coo.hpp"

#include <tuple>

namespace quadrille {

template <class T>
Coo<T> coo_from_csr(const Csr<T>& csr) {
  memory::require_host(csr.nnz() * static_cast<std::int64_t>(8 + sizeof(T)));
  Coo<T> coo{csr.rows, csr.columns, Array<std::int32_t>(csr.nnz()), copy_of(csr.column), copy_of(csr.value)};
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < csr.rows; ++i)
    std::fill(coo.row.data() + csr.row_ptr[i], coo.row.data() + csr.row_ptr[i + 1],
              static_cast<std::int32_t>(i));
  return coo;
}

template <class T>
Csr<T> to_csr(const Coo<T>& coo) {
  Csr<T> csr{coo.rows, coo.columns, Array<std::int32_t>(coo.rows + 1, 0), copy_of(coo.column),
             copy_of(coo.value)};
  for (const std::int32_t row : coo.row) ++csr.row_ptr[row + 1];
  for (std::int64_t i = 0; i < csr.rows; ++i) csr.row_ptr[i + 1] += csr.row_ptr[i];
  return csr;
}

template <class T>
void validate(const Coo<T>& coo) {
  if (coo.row.size() != coo.nnz() || coo.column.size() != coo.nnz())
    throw FormatError("coo: " + std::to_string(coo.nnz()) + " values need as many rows and columns");
  for (std::int64_t k = 0; k < coo.nnz(); ++k) {
    const bool in_range =
        0 <= coo.row[k] && coo.row[k] < coo.rows && 0 <= coo.column[k] && coo.column[k] < coo.columns;
    const bool ascends =
        k == 0 || std::tie(coo.row[k - 1], coo.column[k - 1]) < std::tie(coo.row[k], coo.column[k]);
    if (!in_range || !ascends)
      throw FormatError("coo: entry " + std::to_string(k) + " is out of range or out of order");
  }
}

Traffic coo_traffic(std::int64_t rows, std::int64_t columns, std::int64_t nnz, std::int64_t value_bytes) {
  return whole_traffic(checked_product(nnz, 8 + value_bytes, "coo"), rows, columns, value_bytes);
}

template <class T, class Space>
Traffic traffic(const Coo<T, Space>& coo) {
  return coo_traffic(coo.rows, coo.columns, coo.nnz(), sizeof(T));
}

#define QUADRILLE_INSTANTIATE(T)                 \
  template Coo<T> coo_from_csr(const Csr<T>&);   \
  template Csr<T> to_csr(const Coo<T>&);         \
  template void validate(const Coo<T>&);         \
  template Traffic traffic(const Coo<T, Host>&); \
  template Traffic traffic(const Coo<T, Device>&);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
