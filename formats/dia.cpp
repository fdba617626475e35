#include "formats/dia.hpp"

#include <algorithm>

#include "formats/build_csr.hpp"

namespace quadrille {

template <class T>
Dia<T> dia_from_csr(const Csr<T>& csr) {
  Array<std::int32_t> diagonal_of(csr.rows + csr.columns, -1);  // [column - row + rows]
  std::int64_t diagonals = 0;
  for (std::int64_t i = 0; i < csr.rows; ++i)
    for (std::int32_t k = csr.row_ptr[i]; k < csr.row_ptr[i + 1]; ++k) {
      std::int32_t& d = diagonal_of[csr.column[k] - i + csr.rows];
      if (d < 0) d = 0, ++diagonals;
    }
  const std::int64_t stored =
      checked_product(diagonals, csr.rows * static_cast<std::int64_t>(sizeof(T)), "dia");
  refuse_absurd_fill("dia", stored, csr_bytes(csr.rows, csr.nnz(), sizeof(T)));

  Dia<T> dia{csr.rows, csr.columns, Array<std::int64_t>(diagonals), Array<T>(diagonals * csr.rows, T(0))};
  std::int64_t next = 0;
  for (std::int64_t o = 0; o < csr.rows + csr.columns; ++o)
    if (diagonal_of[o] >= 0) {
      dia.offset[next] = o - csr.rows;
      diagonal_of[o] = static_cast<std::int32_t>(next++);
    }
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < csr.rows; ++i)
    for (std::int32_t k = csr.row_ptr[i]; k < csr.row_ptr[i + 1]; ++k)
      dia.value[std::int64_t{diagonal_of[csr.column[k] - i + csr.rows]} * csr.rows + i] = csr.value[k];
  return dia;
}

template <class T>
Csr<T> to_csr(const Dia<T>& dia) {
  return build_csr<T>(dia.rows, dia.columns, [&](std::int64_t row, auto& entries) {
    for (std::int64_t d = 0; d < dia.diagonals(); ++d)
      if (const T value = dia.value[d * dia.rows + row]; value != T(0))
        entries.emplace_back(static_cast<std::int32_t>(row + dia.offset[d]), value);
  });
}

template <class T>
void validate(const Dia<T>& dia) {
  if (dia.value.size() != dia.diagonals() * dia.rows)
    throw FormatError("dia: " + std::to_string(dia.diagonals()) + " diagonals of " +
                      std::to_string(dia.rows) + " rows need as many values, not " +
                      std::to_string(dia.value.size()));
  for (std::int64_t d = 0; d < dia.diagonals(); ++d) {
    const std::int64_t o = dia.offset[d];
    if (o <= -dia.rows || o >= dia.columns || (d > 0 && o <= dia.offset[d - 1]))
      throw FormatError("dia: offset " + std::to_string(o) + " lies outside the matrix or out of order");
    for (std::int64_t row = 0; row < dia.rows; ++row)
      if ((row + o < 0 || row + o >= dia.columns) && dia.value[d * dia.rows + row] != T(0))
        throw FormatError("dia: row " + std::to_string(row) + " holds a value outside the matrix");
  }
}

template <class T, class Space>
Traffic traffic(const Dia<T, Space>& dia) {
  const std::int64_t stored = dia.offset.bytes() + dia.value.bytes();
  const std::int64_t value = sizeof(T);
  return {stored, stored + dia.columns * value, dia.rows * value};
}

#define QUADRILLE_INSTANTIATE(T)                 \
  template Dia<T> dia_from_csr(const Csr<T>&);   \
  template Csr<T> to_csr(const Dia<T>&);         \
  template void validate(const Dia<T>&);         \
  template Traffic traffic(const Dia<T, Host>&); \
  template Traffic traffic(const Dia<T, Device>&);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
