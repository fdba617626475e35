#include "formats/hyb.hpp"

#include <vector>

#include "formats/build_csr.hpp"

namespace quadrille {

std::int64_t hyb_width(const std::vector<std::int64_t>& rows_of_length, std::int64_t rows) {
  std::int64_t width = static_cast<std::int64_t>(rows_of_length.size()) - 1, at_least = 0;
  for (; width > 0; --width) {
    at_least += rows_of_length[width];
    if (3 * at_least >= rows) break;
  }
  return width;
}

template <class T>
Hyb<T> hyb_from_csr(const Csr<T>& csr) {
  std::vector<std::int64_t> rows_of_length(static_cast<std::size_t>(longest_row(csr)) + 1, 0);
  for (std::int64_t i = 0; i < csr.rows; ++i) ++rows_of_length[csr.row_ptr[i + 1] - csr.row_ptr[i]];
  const std::int64_t width = hyb_width(rows_of_length, csr.rows);
  refuse_absurd_fill("hyb", ell_bytes(csr.rows, width, sizeof(T)), csr_bytes(csr.rows, csr.nnz(), sizeof(T)));
  std::int64_t beyond = 0;
  for (std::int64_t i = 0; i < csr.rows; ++i)
    beyond += std::max<std::int64_t>(0, csr.row_ptr[i + 1] - csr.row_ptr[i] - width);
  Hyb<T> hyb{
      ell_of_width(csr, width),
      {csr.rows, csr.columns, Array<std::int32_t>(beyond), Array<std::int32_t>(beyond), Array<T>(beyond)}};
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < csr.rows; ++i)
    for (std::int64_t k = csr.row_ptr[i] + width; k < csr.row_ptr[i + 1]; ++k, ++at) {
      hyb.coo.row[at] = static_cast<std::int32_t>(i);
      hyb.coo.column[at] = csr.column[k];
      hyb.coo.value[at] = csr.value[k];
    }
  return hyb;
}

template <class T>
Csr<T> to_csr(const Hyb<T>& hyb) {
  const Coo<T>& coo = hyb.coo;
  return build_csr<T>(hyb.ell.rows, hyb.ell.columns, [&](std::int64_t row, auto& entries) {
    for (std::int64_t k = row; k < hyb.ell.width * hyb.ell.pitch && hyb.ell.column[k] >= 0;
         k += hyb.ell.pitch)
      entries.emplace_back(hyb.ell.column[k], hyb.ell.value[k]);
    const std::int64_t begin = std::lower_bound(coo.row.begin(), coo.row.end(), row) - coo.row.begin();
    for (std::int64_t k = begin; k < coo.nnz() && coo.row[k] == row; ++k)
      entries.emplace_back(coo.column[k], coo.value[k]);
  });
}

template <class T>
void validate(const Hyb<T>& hyb) {
  if (hyb.ell.rows != hyb.coo.rows || hyb.ell.columns != hyb.coo.columns)
    throw FormatError("hyb: its parts are " + std::to_string(hyb.ell.rows) + " x " +
                      std::to_string(hyb.ell.columns) + " and " + std::to_string(hyb.coo.rows) + " x " +
                      std::to_string(hyb.coo.columns));
  validate(hyb.ell);
  validate(hyb.coo);
  const Ell<T>& ell = hyb.ell;
  for (std::int64_t k = 0; k < hyb.coo.nnz(); ++k) {
    const std::int64_t last = (ell.width - 1) * ell.pitch + hyb.coo.row[k];
    if (ell.width > 0 && (ell.column[last] < 0 || ell.column[last] >= hyb.coo.column[k]))
      throw FormatError("hyb: row " + std::to_string(hyb.coo.row[k]) +
                        " continues in coo before its ell part is full");
  }
}

Traffic hyb_traffic(std::int64_t rows, std::int64_t columns, std::int64_t width, std::int64_t beyond,
                    std::int64_t value_bytes) {
  const std::int64_t coo = checked_product(beyond, 8 + value_bytes, "hyb");
  return whole_traffic(ell_bytes(rows, width, value_bytes) + coo, rows, columns, value_bytes);
}

template <class T, class Space>
Traffic traffic(const Hyb<T, Space>& hyb) {
  return hyb_traffic(hyb.ell.rows, hyb.ell.columns, hyb.ell.width, hyb.coo.nnz(), sizeof(T));
}

#define QUADRILLE_INSTANTIATE(T)                 \
  template Hyb<T> hyb_from_csr(const Csr<T>&);   \
  template Csr<T> to_csr(const Hyb<T>&);         \
  template void validate(const Hyb<T>&);         \
  template Traffic traffic(const Hyb<T, Host>&); \
  template Traffic traffic(const Hyb<T, Device>&);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
