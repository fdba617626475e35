#include "formats/cmrs.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "formats/build_csr.hpp"

namespace quadrille {
namespace {

// The entries of rows [first, end) in CSR's order, or sorted by column and then row.
template <class T>
void order_strip(const Csr<T>& csr, std::int64_t first, std::int64_t end, bool reorder,
                 std::vector<std::pair<std::int32_t, std::int32_t>>& out) {  // {csr entry, row in strip}
  out.clear();
  for (std::int64_t row = first; row < end; ++row)
    for (std::int32_t k = csr.row_ptr[row]; k < csr.row_ptr[row + 1]; ++k)
      out.emplace_back(k, static_cast<std::int32_t>(row - first));
  if (reorder)
    std::stable_sort(out.begin(), out.end(),
                     [&](const auto& a, const auto& b) { return csr.column[a.first] < csr.column[b.first]; });
}

}  // namespace

bool cmrs_packs(std::int64_t columns) {
  return columns <= (std::int64_t{1} << 28);
}

template <class T>
Cmrs<T> cmrs_from_csr(const Csr<T>& csr, int height, bool reorder, CmrsRows where) {
  if (height < 1 || height > 16)
    throw FormatError("cmrs: a strip of " + std::to_string(height) + " rows is not within 1..16");
  Cmrs<T> cmrs{csr.rows, csr.columns, height, false, {}, {}, {}, {}};
  cmrs.packed = height > 1 && where == CmrsRows::automatic && cmrs_packs(csr.columns);
  memory::require_host(csr.nnz() * static_cast<std::int64_t>(5 + sizeof(T)));
  cmrs.strip_ptr = Array<std::int32_t>(cmrs.strips() + 1);
  cmrs.column = Array<std::uint32_t>(csr.nnz());
  cmrs.row_in_strip = Array<std::uint8_t>(height > 1 && !cmrs.packed ? csr.nnz() : 0);
  cmrs.value = Array<T>(csr.nnz());
  cmrs.strip_ptr[0] = 0;
#pragma omp parallel
  {
    std::vector<std::pair<std::int32_t, std::int32_t>> strip;
#pragma omp for schedule(static)
    for (std::int64_t s = 0; s < cmrs.strips(); ++s) {
      const std::int64_t first = s * height, end = std::min(csr.rows, first + height);
      order_strip(csr, first, end, reorder, strip);
      cmrs.strip_ptr[s + 1] = csr.row_ptr[end];
      std::int64_t at = csr.row_ptr[first];
      for (const auto& [k, row] : strip) {
        const std::uint32_t column = static_cast<std::uint32_t>(csr.column[k]);
        cmrs.column[at] =
            cmrs.packed ? column << Cmrs<T>::packed_bits | static_cast<std::uint32_t>(row) : column;
        if (cmrs.row_in_strip.size() > 0) cmrs.row_in_strip[at] = static_cast<std::uint8_t>(row);
        cmrs.value[at++] = csr.value[k];
      }
    }
  }
  return cmrs;
}

template <class T>
Csr<T> to_csr(const Cmrs<T>& cmrs) {
  return build_csr<T>(cmrs.rows, cmrs.columns, [&](std::int64_t row, auto& entries) {
    const std::int64_t s = row / cmrs.height;
    for (std::int32_t k = cmrs.strip_ptr[s]; k < cmrs.strip_ptr[s + 1]; ++k)
      if (const CmrsEntry e = entry(cmrs, k); e.row_in_strip == row % cmrs.height)
        entries.emplace_back(static_cast<std::int32_t>(e.column), cmrs.value[k]);
  });
}

template <class T>
void validate(const Cmrs<T>& cmrs) {
  const bool separate = cmrs.height > 1 && !cmrs.packed;
  if (cmrs.height < 1 || cmrs.height > 16 || cmrs.strip_ptr.size() != cmrs.strips() + 1 ||
      cmrs.column.size() != cmrs.nnz() || cmrs.row_in_strip.size() != (separate ? cmrs.nnz() : 0) ||
      cmrs.strip_ptr[0] != 0 || cmrs.strip_ptr[cmrs.strips()] != cmrs.nnz())
    throw FormatError("cmrs: the strip pointers do not span the " + std::to_string(cmrs.nnz()) + " entries");
  for (std::int64_t s = 0; s < cmrs.strips(); ++s) {
    bool ok = 0 <= cmrs.strip_ptr[s] && cmrs.strip_ptr[s] <= cmrs.strip_ptr[s + 1] &&
              cmrs.strip_ptr[s + 1] <= cmrs.nnz();
    std::int64_t last[16];
    std::fill(last, last + 16, std::int64_t{-1});
    for (std::int32_t k = cmrs.strip_ptr[s]; ok && k < cmrs.strip_ptr[s + 1]; ++k) {
      const CmrsEntry e = entry(cmrs, k);
      ok = e.row_in_strip < static_cast<std::uint32_t>(cmrs.height) &&
           s * cmrs.height + e.row_in_strip < cmrs.rows && last[e.row_in_strip] < e.column &&
           e.column < cmrs.columns;
      if (ok) last[e.row_in_strip] = e.column;
    }
    if (!ok)
      throw FormatError("cmrs: strip " + std::to_string(s) + " is broken: each row's columns must ascend");
  }
}

Traffic cmrs_traffic(std::int64_t rows, std::int64_t columns, std::int64_t nnz, std::int64_t height,
                     bool separate_rows, std::int64_t value_bytes) {
  const std::int64_t strips = (rows + height - 1) / height, entry = 4 + value_bytes + (separate_rows ? 1 : 0);
  return whole_traffic((strips + 1) * 4 + checked_product(nnz, entry, "cmrs"), rows, columns, value_bytes);
}

template <class T, class Space>
Traffic traffic(const Cmrs<T, Space>& cmrs) {
  return cmrs_traffic(cmrs.rows, cmrs.columns, cmrs.nnz(), cmrs.height, cmrs.row_in_strip.size() > 0,
                      sizeof(T));
}

#define QUADRILLE_INSTANTIATE(T)                                      \
  template Cmrs<T> cmrs_from_csr(const Csr<T>&, int, bool, CmrsRows); \
  template Csr<T> to_csr(const Cmrs<T>&);                             \
  template void validate(const Cmrs<T>&);                             \
  template Traffic traffic(const Cmrs<T, Host>&);                     \
  template Traffic traffic(const Cmrs<T, Device>&);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
