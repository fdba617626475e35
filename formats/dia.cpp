#include "formats/dia.hpp"

#include <algorithm>
#include <set>

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

std::vector<std::int64_t> distances_of(const BlockStructure& s, const NodeOffset& o) {
  const auto steps = [&](std::int64_t d, int axis) {  // in node positions, with and without wrapping
    std::vector<std::int64_t> result{d};
    if (s.periodic[axis] && d != 0) result.push_back(d > 0 ? d - s.extents[axis] : d + s.extents[axis]);
    return result;
  };
  std::vector<std::int64_t> distances;
  for (const std::int64_t z : steps(o.z, 2))
    for (const std::int64_t y : steps(o.y, 1))
      for (const std::int64_t x : steps(o.x, 0))
        distances.push_back((z * s.extents[1] + y) * s.extents[0] + x);
  return distances;
}

DiaSlots dia_slots(const BlockStructure& s) {
  std::set<std::int64_t> distances, offsets;
  for (const NodeOffset& o : s.offsets)
    for (const std::int64_t distance : distances_of(s, o)) distances.insert(distance);
  for (const std::int64_t distance : distances)
    for (std::int64_t c = 1 - s.dof; c < s.dof; ++c) offsets.insert(distance * s.dof + c);
  DiaSlots result{s.dof, {distances.begin(), distances.end()}, {}, {offsets.begin(), offsets.end()}};
  for (const std::int64_t distance : result.distance)
    for (std::int64_t c = 1 - s.dof; c < s.dof; ++c)
      result.slot.push_back(static_cast<std::int32_t>(
          std::lower_bound(result.offset.begin(), result.offset.end(), distance * s.dof + c) -
          result.offset.begin()));
  return result;
}

std::vector<std::uint8_t> slots_of_fill(const BlockStructure& s, const DiaSlots& slots) {
  const std::int64_t b = s.dof;
  std::vector<std::uint8_t> used(slots.offset.size(), s.fill.said() ? 0 : 1);
  for (std::int64_t d = 0; d < s.diagonals() && s.fill.said(); ++d)
    for (const std::int64_t distance : distances_of(s, s.offsets[d])) {
      const std::int64_t m =
          std::lower_bound(slots.distance.begin(), slots.distance.end(), distance) - slots.distance.begin();
      for (std::int64_t r = 0; r < b; ++r)
        for (std::int64_t c = 0; c < b; ++c)
          if (s.fill_of(d)[r * b + c] != 0) used[slots.slot[m * (2 * b - 1) + c - r + b - 1]] = 1;
    }
  return used;
}

DiaSlots only_used(const DiaSlots& slots, const std::vector<std::uint8_t>& used) {
  DiaSlots result{slots.dof, slots.distance, slots.slot, {}};
  std::vector<std::int32_t> renamed(slots.offset.size(), -1);
  for (std::size_t i = 0; i < slots.offset.size(); ++i)
    if (used[i]) {
      renamed[i] = static_cast<std::int32_t>(result.offset.size());
      result.offset.push_back(slots.offset[i]);
    }
  for (std::int32_t& slot : result.slot) slot = renamed[slot];
  return result;
}

namespace {

// body(row, slot, value) for every entry that is not exactly zero; parallel over nodes, each thread with a
// copy of `body` and the number it returns added up.
template <class T, class Body>
std::int64_t for_each_entry(const BlockDiagonals<T>& hub, const DiaSlots& slots, const Body& body) {
  const std::int64_t b = hub.dof, rows = hub.rows(), nx = hub.extents[0], ny = hub.extents[1];
  std::int64_t total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
  for (std::int64_t node = 0; node < hub.nodes(); ++node)
    for (std::int64_t d = 0; d < hub.diagonals(); ++d) {
      const std::int64_t to = hub.neighbour(node % nx, node / nx % ny, node / nx / ny, hub.offsets[d]);
      if (to < 0) continue;
      const std::int64_t m =
          std::lower_bound(slots.distance.begin(), slots.distance.end(), to - node) - slots.distance.begin();
      for (std::int64_t c = 0; c < b; ++c)
        for (std::int64_t r = 0; r < b; ++r) {
          const std::int64_t row = node * b + r;
          const T value = hub.values[(d * b + c) * rows + row];
          if (value == T(0)) continue;
          body(row, slots.slot[m * (2 * b - 1) + c - r + b - 1], value);
          ++total;
        }
    }
  return total;
}

}  // namespace

template <class T>
Dia<T> dia_from_hub(const BlockDiagonals<T>& hub) {
  DiaSlots slots = dia_slots(hub);
  std::vector<std::uint8_t> used(slots.offset.size(), 0);
  if (hub.fill.said()) used = slots_of_fill(hub, slots);
  const std::int64_t non_zeros = for_each_entry(hub, slots, [&](std::int64_t, std::int32_t slot, T) {
#pragma omp atomic write
    used[slot] = 1;
  });
  slots = only_used(slots, used);
  const std::int64_t nnz = hub.fill.said() ? most_non_zeros(hub) : non_zeros;
  const std::int64_t rows = hub.rows(), diagonals = static_cast<std::int64_t>(slots.offset.size());
  refuse_absurd_fill(
      "dia",
      checked_product(checked_product(diagonals, rows, "dia"), static_cast<std::int64_t>(sizeof(T)), "dia"),
      csr_bytes(rows, nnz, sizeof(T)));
  Dia<T> dia{rows, rows, Array<std::int64_t>(diagonals), Array<T>(diagonals * rows, T(0))};
  std::copy(slots.offset.begin(), slots.offset.end(), dia.offset.data());
  for_each_entry(hub, slots, [values = dia.value.data(), rows](std::int64_t row, std::int32_t slot, T value) {
    values[slot * rows + row] = value;
  });
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

Traffic dia_traffic(std::int64_t rows, std::int64_t columns, std::int64_t diagonals,
                    std::int64_t value_bytes) {
  const std::int64_t values = checked_product(checked_product(diagonals, rows, "dia"), value_bytes, "dia");
  return whole_traffic(values + diagonals * 8, rows, columns, value_bytes);
}

template <class T, class Space>
Traffic traffic(const Dia<T, Space>& dia) {
  return dia_traffic(dia.rows, dia.columns, dia.diagonals(), sizeof(T));
}

#define QUADRILLE_INSTANTIATE(T)                          \
  template Dia<T> dia_from_csr(const Csr<T>&);            \
  template Dia<T> dia_from_hub(const BlockDiagonals<T>&); \
  template Csr<T> to_csr(const Dia<T>&);                  \
  template void validate(const Dia<T>&);                  \
  template Traffic traffic(const Dia<T, Host>&);          \
  template Traffic traffic(const Dia<T, Device>&);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
