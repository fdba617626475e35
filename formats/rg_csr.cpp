#include "formats/rg_csr.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "formats/build_csr.hpp"

namespace quadrille {
namespace {

std::int64_t group_rows(std::int64_t rows, std::int64_t group, std::int64_t g) {
  return std::min(group, rows - g * group);
}

void check_permutation(const Array<std::int32_t>& order, std::int64_t rows) {
  if (order.size() == 0) return;
  std::vector<bool> seen(static_cast<std::size_t>(rows), false);
  bool ok = order.size() == rows;
  for (std::int64_t i = 0; ok && i < rows; ++i) {
    ok = 0 <= order[i] && order[i] < rows && !seen[order[i]];
    if (ok) seen[order[i]] = true;
  }
  if (!ok) throw FormatError("rg_csr: the row order is no permutation of " + std::to_string(rows) + " rows");
}

}  // namespace

template <class T>
Array<std::int32_t> descending_order(const Csr<T>& csr) {
  Array<std::int32_t> order(csr.rows);
  std::iota(order.data(), order.data() + csr.rows, 0);
  std::stable_sort(order.data(), order.data() + csr.rows, [&](std::int32_t a, std::int32_t b) {
    return csr.row_ptr[a + 1] - csr.row_ptr[a] > csr.row_ptr[b + 1] - csr.row_ptr[b];
  });
  return order;
}

template <class T>
std::int64_t rg_csr_slots(const Csr<T>& csr, int group, const Array<std::int32_t>& order) {
  std::int64_t slots = 0;
  for (std::int64_t first = 0; first < csr.rows; first += group) {
    const std::int64_t end = std::min(csr.rows, first + group);
    std::int64_t longest = 0;
    for (std::int64_t i = first; i < end; ++i) {
      const std::int64_t row = order.size() > 0 ? order[i] : i;
      longest = std::max<std::int64_t>(longest, csr.row_ptr[row + 1] - csr.row_ptr[row]);
    }
    slots += (end - first) * longest;
  }
  return slots;
}

template <class T>
RgCsr<T> rg_csr_from_csr(const Csr<T>& csr, int group, Array<std::int32_t> order) {
  if (group < 1 || group > 1024)
    throw FormatError("rg_csr: a group of " + std::to_string(group) + " rows is not within 1..1024");
  check_permutation(order, csr.rows);
  RgCsr<T> rg{csr.rows,         csr.columns, csr.nnz(), group, {}, Array<std::int32_t>(csr.rows),
              std::move(order), {},          {}};
  const auto original = [&](std::int64_t i) {
    return rg.order.size() > 0 ? rg.order[i] : static_cast<std::int32_t>(i);
  };
  rg.group_ptr = Array<std::int32_t>(rg.groups() + 1, 0);
  std::int64_t slots = 0;
  for (std::int64_t g = 0; g < rg.groups(); ++g) {
    const std::int64_t size = group_rows(rg.rows, group, g);
    std::int32_t longest = 0;
    for (std::int64_t i = g * group; i < g * group + size; ++i) {
      rg.row_length[i] = csr.row_ptr[original(i) + 1] - csr.row_ptr[original(i)];
      longest = std::max(longest, rg.row_length[i]);
    }
    slots += size * longest;
    refuse_absurd_fill("rg_csr", checked_product(slots, 4 + sizeof(T), "rg_csr"),
                       csr_bytes(csr.rows, csr.nnz(), sizeof(T)));
    rg.group_ptr[g + 1] = to_index32(slots, "entries, padding included,");
  }
  rg.column = Array<std::int32_t>(slots, -1);
  rg.value = Array<T>(slots, T(0));
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < rg.rows; ++i) {
    const std::int64_t g = i / group, size = group_rows(rg.rows, group, g);
    for (std::int64_t e = 0; e < rg.row_length[i]; ++e) {
      const std::int64_t at = rg.group_ptr[g] + e * size + i % group, from = csr.row_ptr[original(i)] + e;
      rg.column[at] = csr.column[from];
      rg.value[at] = csr.value[from];
    }
  }
  return rg;
}

template <class T>
Csr<T> to_csr(const RgCsr<T>& rg) {
  Array<std::int32_t> stored_at(rg.order.size());  // the inverse of the order
  for (std::int64_t i = 0; i < rg.order.size(); ++i) stored_at[rg.order[i]] = static_cast<std::int32_t>(i);
  return build_csr<T>(rg.rows, rg.columns, [&](std::int64_t row, auto& entries) {
    const std::int64_t i = rg.order.size() > 0 ? stored_at[row] : row;
    const std::int64_t g = i / rg.group, size = group_rows(rg.rows, rg.group, g);
    for (std::int64_t e = 0; e < rg.row_length[i]; ++e) {
      const std::int64_t at = rg.group_ptr[g] + e * size + i % rg.group;
      entries.emplace_back(rg.column[at], rg.value[at]);
    }
  });
}

template <class T>
void validate(const RgCsr<T>& rg) {
  check_permutation(rg.order, rg.rows);
  if (rg.group < 1 || rg.group_ptr.size() != rg.groups() + 1 || rg.row_length.size() != rg.rows ||
      rg.group_ptr[0] != 0 || rg.group_ptr[rg.groups()] != rg.column.size() ||
      rg.column.size() != rg.value.size())
    throw FormatError("rg_csr: the group pointers do not span the " + std::to_string(rg.value.size()) +
                      " entries");
  if (!std::is_sorted(rg.group_ptr.begin(), rg.group_ptr.end()) ||
      std::accumulate(rg.row_length.begin(), rg.row_length.end(), std::int64_t{0}) != rg.nnz)
    throw FormatError("rg_csr: the group pointers do not ascend, or the row lengths do not add up to " +
                      std::to_string(rg.nnz) + " non-zeros");
  for (std::int64_t i = 0; i < rg.rows; ++i) {
    const std::int64_t g = i / rg.group, size = group_rows(rg.rows, rg.group, g);
    const std::int64_t slots = rg.group_ptr[g + 1] - rg.group_ptr[g];
    bool ok = 0 <= rg.row_length[i] && rg.row_length[i] * size <= slots && slots % size == 0;
    for (std::int64_t e = 0, last = -1; ok && e < slots / size; ++e) {
      const std::int64_t at = rg.group_ptr[g] + e * size + i % rg.group;
      ok = e < rg.row_length[i] ? last < rg.column[at] && rg.column[at] < rg.columns
                                : rg.column[at] == -1 && rg.value[at] == T(0);
      last = rg.column[at];
    }
    if (!ok)
      throw FormatError("rg_csr: stored row " + std::to_string(i) +
                        " is broken: ascending columns, then padding");
  }
}

Traffic rg_csr_traffic(std::int64_t rows, std::int64_t columns, std::int64_t nnz, std::int64_t group,
                       std::int64_t slots, bool ordered, std::int64_t value_bytes) {
  const std::int64_t entry = 4 + value_bytes;
  const std::int64_t fixed = ((rows + group - 1) / group + 1 + rows + (ordered ? rows : 0)) * 4;
  return {fixed + checked_product(slots, entry, "rg_csr"), fixed + nnz * entry + columns * value_bytes,
          rows * value_bytes};
}

template <class T, class Space>
Traffic traffic(const RgCsr<T, Space>& rg) {
  return rg_csr_traffic(rg.rows, rg.columns, rg.nnz, rg.group, rg.value.size(), rg.order.size() > 0,
                        sizeof(T));
}

#define QUADRILLE_INSTANTIATE(T)                                                      \
  template RgCsr<T> rg_csr_from_csr(const Csr<T>&, int, Array<std::int32_t>);         \
  template std::int64_t rg_csr_slots(const Csr<T>&, int, const Array<std::int32_t>&); \
  template Array<std::int32_t> descending_order(const Csr<T>&);                       \
  template Csr<T> to_csr(const RgCsr<T>&);                                            \
  template void validate(const RgCsr<T>&);                                            \
  template Traffic traffic(const RgCsr<T, Host>&);                                    \
  template Traffic traffic(const RgCsr<T, Device>&);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
