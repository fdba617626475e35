#include "formats/ell.hpp"

#include "formats/build_csr.hpp"

namespace quadrille {

std::int64_t ell_bytes(std::int64_t rows, std::int64_t width, std::int64_t value_bytes) {
  return checked_product(checked_product(round_up(rows, ell_pitch), width, "ell"), 4 + value_bytes, "ell");
}

template <class T>
Ell<T> ell_of_width(const Csr<T>& csr, std::int64_t width) {
  Ell<T> ell{csr.rows, csr.columns, round_up(csr.rows, ell_pitch), width, {}, {}};
  const std::int64_t entries = checked_product(width, ell.pitch, "ell");
  ell.column = Array<std::int32_t>(entries);
  ell.value = Array<T>(entries);
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < ell.pitch; ++row) {
    const std::int64_t begin = row < csr.rows ? csr.row_ptr[row] : 0;
    const std::int64_t length = row < csr.rows ? csr.row_ptr[row + 1] - begin : 0;
    for (std::int64_t k = 0; k < width; ++k) {
      ell.column[k * ell.pitch + row] = k < length ? csr.column[begin + k] : -1;
      ell.value[k * ell.pitch + row] = k < length ? csr.value[begin + k] : T(0);
    }
  }
  return ell;
}

template <class T>
Ell<T> ell_from_csr(const Csr<T>& csr) {
  const std::int64_t width = longest_row(csr);
  refuse_absurd_fill("ell", ell_bytes(csr.rows, width, sizeof(T)), csr_bytes(csr.rows, csr.nnz(), sizeof(T)));
  return ell_of_width(csr, width);
}

template <class T>
Csr<T> to_csr(const Ell<T>& ell) {
  return build_csr<T>(ell.rows, ell.columns, [&](std::int64_t row, auto& entries) {
    for (std::int64_t k = row; k < ell.width * ell.pitch && ell.column[k] >= 0; k += ell.pitch)
      entries.emplace_back(ell.column[k], ell.value[k]);
  });
}

template <class T>
void validate(const Ell<T>& ell) {
  if (ell.pitch < ell.rows || ell.pitch % ell_pitch != 0 || ell.column.size() != ell.width * ell.pitch ||
      ell.value.size() != ell.width * ell.pitch)
    throw FormatError("ell: " + std::to_string(ell.width) + " entries of a pitch of " +
                      std::to_string(ell.pitch) + " need as many columns and values");
  for (std::int64_t row = 0; row < ell.pitch; ++row) {
    bool padding = row >= ell.rows, ok = true;
    for (std::int64_t k = row, last = -1; ok && k < ell.width * ell.pitch; k += ell.pitch) {
      padding = padding || ell.column[k] == -1;
      ok = padding ? ell.column[k] == -1 && ell.value[k] == T(0)
                   : last < ell.column[k] && ell.column[k] < ell.columns;
      last = ell.column[k];
    }
    if (!ok)
      throw FormatError("ell: row " + std::to_string(row) + " is broken: ascending columns, then padding");
  }
}

Traffic ell_traffic(std::int64_t rows, std::int64_t columns, std::int64_t width, std::int64_t value_bytes) {
  return whole_traffic(ell_bytes(rows, width, value_bytes), rows, columns, value_bytes);
}

template <class T, class Space>
Traffic traffic(const Ell<T, Space>& ell) {
  return ell_traffic(ell.rows, ell.columns, ell.width, sizeof(T));
}

#define QUADRILLE_INSTANTIATE(T)                             \
  template Ell<T> ell_of_width(const Csr<T>&, std::int64_t); \
  template Ell<T> ell_from_csr(const Csr<T>&);               \
  template Csr<T> to_csr(const Ell<T>&);                     \
  template void validate(const Ell<T>&);                     \
  template Traffic traffic(const Ell<T, Host>&);             \
  template Traffic traffic(const Ell<T, Device>&);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
