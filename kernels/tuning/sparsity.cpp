#include "kernels/tuning/sparsity.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>
#include <vector>

#include "formats/build_csr.hpp"
#include "formats/compact.hpp"
#include "formats/dia.hpp"
#include "formats/ellr_t.hpp"
#include "formats/hyb.hpp"
#include "formats/rg_csr.hpp"
#include "formats/stencil_table.hpp"
#include "kernels/cuda/compact_from_hub.hpp"
#include "kernels/cuda/hub_counts.hpp"
#include "kernels/cuda/stencil_table_from_hub.hpp"
#include "kernels/segment_plan.hpp"
#include "kernels/tuning/cmrs_rule.hpp"
#include "kernels/tuning/ellr_t_model.hpp"
#include "kernels/tuning/rg_csr_rule.hpp"

namespace quadrille {
namespace {

constexpr std::int64_t sector = 32;  // bytes

void mark(std::uint8_t& flag) {
  const std::atomic_ref<std::uint8_t> shared(flag);
  if (shared.load(std::memory_order_relaxed) == 0) shared.store(1, std::memory_order_relaxed);
}

template <class T>
std::int64_t length_of(const Csr<T>& csr, std::int64_t row) {
  return csr.row_ptr[row + 1] - csr.row_ptr[row];
}

template <class T>
std::vector<std::int64_t> rows_of_length(const Csr<T>& csr) {
  std::vector<std::int64_t> count(static_cast<std::size_t>(longest_row(csr)) + 1, 0);
  for (std::int64_t i = 0; i < csr.rows; ++i) ++count[length_of(csr, i)];
  return count;
}

RowLengths lengths_of(const std::vector<std::int64_t>& rows_of_length, std::int64_t rows) {
  RowLengths result;
  if (rows == 0) return result;
  std::int64_t seen = 0;
  double sum = 0, squares = 0;
  bool first = true;
  for (std::size_t l = 0; l < rows_of_length.size(); ++l) {
    const std::int64_t count = rows_of_length[l], length = static_cast<std::int64_t>(l);
    if (count == 0) continue;
    if (first) result.shortest = length;
    first = false;
    if (seen <= rows / 2 && rows / 2 < seen + count) result.median = length;
    seen += count;
    result.longest = length;
    sum += static_cast<double>(count * length);
  }
  result.empty = rows_of_length[0];
  result.mean = sum / static_cast<double>(rows);
  for (std::size_t l = 0; l < rows_of_length.size(); ++l) {
    const double away = static_cast<double>(l) - result.mean;
    squares += static_cast<double>(rows_of_length[l]) * away * away;
  }
  result.deviation = std::sqrt(squares / static_cast<double>(rows));
  return result;
}

RowStatistics cmrs_rows(const Sparsity& s) {
  return {s.rows, s.columns, s.nnz, s.lengths.longest, s.lengths.mean, s.lengths.deviation};
}

// Sum over `together` consecutive rows of the longest of them.
template <class T>
std::int64_t sum_of_longest(const Csr<T>& csr, std::int64_t together) {
  std::int64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (std::int64_t first = 0; first < csr.rows; first += together) {
    std::int64_t longest = 0;
    for (std::int64_t i = first; i < std::min(csr.rows, first + together); ++i)
      longest = std::max(longest, length_of(csr, i));
    sum += longest;
  }
  return sum;
}

template <class T>
void count_rg_csr(const Csr<T>& csr, const FormatOptions& options, Sparsity& s) {
  Array<std::int32_t> order;
  if (options.rg_csr_order)
    order = copy_of(*options.rg_csr_order);
  else if (options.rg_csr_ordering == RowOrdering::descending)
    order = descending_order(csr);
  s.rg_csr_exact = options.rg_csr_order || !of_graph(options.rg_csr_ordering);
  s.rg_csr_slots = rg_csr_slots(csr, options.rg_csr_group, order);
  s.rg_csr_threads = options.rg_csr_threads > 0
                         ? std::min(options.rg_csr_threads, most_rg_csr_threads(options.rg_csr_group))
                         : rg_csr_threads(options.rg_csr_group, csr.rows, s.rg_csr_slots, s.lengths.longest);
}

// What one lane adds up, at most, where blocks of threads take segments of `height` rows as plan_segments()
// shares them out: the threads of a block are shared out evenly among its segments, so beside many short
// segments a long one has one lane.
template <class T>
std::int64_t longest_chain(const Csr<T>& csr, std::int64_t height) {
  const std::int64_t segments = (csr.rows + height - 1) / height;
  Array<std::int32_t> ptr(segments + 1);
  for (std::int64_t i = 0; i <= segments; ++i) ptr[i] = csr.row_ptr[std::min(csr.rows, i * height)];
  const SegmentPlan<> plan = plan_segments(ptr, segment_threads * segment_entries, segment_threads);
  std::int64_t chain = 0;
#pragma omp parallel for schedule(static) reduction(max : chain)
  for (std::int64_t g = 0; g < plan.group.size(); ++g) {
    const SegmentGroup& group = plan.group[g];
    if (group.count <= 0) continue;
    std::int64_t longest = 0, lanes = 32;
    for (std::int32_t segment = group.segment; segment < group.segment + group.count; ++segment)
      longest = std::max<std::int64_t>(longest, ptr[segment + 1] - ptr[segment]);
    while (lanes > 1 && lanes * group.count > segment_threads) lanes /= 2;
    chain = std::max(chain, (longest + lanes - 1) / lanes);
  }
  return chain;
}

// Scalar diagonals, blocks of bcsr and block diagonals of cds, in one pass over the columns.
template <class T>
void count_blocks(const Csr<T>& csr, bool square_blocks, Sparsity& s, std::vector<std::int64_t>& offsets) {
  const std::int64_t b = s.block_size, block_rows = (csr.rows + b - 1) / b;
  const std::int64_t block_columns = (csr.columns + b - 1) / b;
  std::vector<std::uint8_t> diagonal(static_cast<std::size_t>(csr.rows + csr.columns), 0);
  std::vector<std::uint8_t> block_diagonal(
      square_blocks && b > 1 ? static_cast<std::size_t>(2 * block_rows) : 0, 0);
  std::int64_t blocks = 0, longest = 0;
#pragma omp parallel reduction(+ : blocks) reduction(max : longest)
  {
    std::vector<std::int32_t> seen_in(b > 1 ? static_cast<std::size_t>(block_columns) : 0, -1);
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < block_rows; ++i) {
      std::int64_t found = 0;
      for (std::int64_t row = i * b; row < std::min(csr.rows, (i + 1) * b); ++row)
        for (std::int32_t k = csr.row_ptr[row]; k < csr.row_ptr[row + 1]; ++k) {
          const std::int64_t column = csr.column[k], block = column / b;
          mark(diagonal[column - row + csr.rows]);
          if (b > 1 && seen_in[block] == static_cast<std::int32_t>(i)) continue;
          if (b > 1) seen_in[block] = static_cast<std::int32_t>(i);
          if (!block_diagonal.empty()) mark(block_diagonal[block - i + block_rows]);
          ++found;
        }
      blocks += found;
      longest = std::max(longest, found);
    }
  }
  s.blocks = blocks;
  s.longest_block_row = longest;
  s.diagonals = std::count(diagonal.begin(), diagonal.end(), 1);
  if (!square_blocks) return;
  const std::vector<std::uint8_t>& used = b > 1 ? block_diagonal : diagonal;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i]) offsets.push_back(static_cast<std::int64_t>(i) - block_rows);
}

// What block_diagonals_from_csr() would make of the matrix.
void plan_cds(const FormatOptions& options, const std::vector<std::int64_t>& offsets, Sparsity& s) {
  const int dof = options.block_size;
  if (s.rows != s.columns || dof < 1 || s.rows % dof != 0) {
    s.no_cds = "cds: blocks of " + std::to_string(dof) + " do not fit " + std::to_string(s.rows) + " x " +
               std::to_string(s.columns);
    return;
  }
  BlockStructure structure;
  structure.extents = {s.rows / dof, 1, 1};
  structure.dof = dof;
  for (const std::int64_t offset : offsets)
    structure.offsets.push_back({static_cast<std::int32_t>(offset), 0, 0});
  s.cds = std::move(structure);
  s.cds_from_csr = true;
}

template <class T>
std::int64_t longest_column(const Csr<T>& csr) {
  std::vector<std::int32_t> length(static_cast<std::size_t>(csr.columns), 0);
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < csr.nnz(); ++k)
    std::atomic_ref<std::int32_t>(length[csr.column[k]]).fetch_add(1, std::memory_order_relaxed);
  return length.empty() ? 0 : *std::max_element(length.begin(), length.end());
}

// Different values among those of `sectors`, which is left in another order.
std::int64_t different(std::vector<std::int32_t>& sectors) {
  std::sort(sectors.begin(), sectors.end());
  return std::unique(sectors.begin(), sectors.end()) - sectors.begin();
}

// At most 96 blocks of 256 rows, evenly spread, and of each the first warp; of a row no more than 64 entries.
template <class T>
XLocality sample_x(const Csr<T>& csr) {
  constexpr std::int64_t block = 256, warp = 32, most_blocks = 96, most_entries = 64;
  constexpr std::int32_t per_sector = static_cast<std::int32_t>(sector / sizeof(T));
  const std::int64_t blocks = (csr.rows + block - 1) / block, taken = std::min(blocks, most_blocks);
  std::int64_t across = 0, across_entries = 0, along = 0, along_entries = 0, of_block = 0, block_entries = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : across, across_entries, along, along_entries, of_block, block_entries)
  for (std::int64_t sample = 0; sample < taken; ++sample) {
    const std::int64_t first = sample * blocks / taken * block, end = std::min(csr.rows, first + block);
    const std::int64_t warp_end = std::min(end, first + warp);
    std::vector<std::int32_t> sectors;
    const auto add = [&](std::int64_t k) { sectors.push_back(csr.column[k] / per_sector); };
    for (std::int64_t e = 0; e < most_entries; ++e) {
      sectors.clear();
      for (std::int64_t row = first; row < warp_end; ++row)
        if (e < length_of(csr, row)) add(csr.row_ptr[row] + e);
      across_entries += static_cast<std::int64_t>(sectors.size());
      across += different(sectors);
    }
    const std::int64_t from = csr.row_ptr[first];
    const std::int64_t to = std::min<std::int64_t>(csr.row_ptr[warp_end], from + warp * most_entries);
    for (std::int64_t k = from; k < to; k += warp) {
      sectors.clear();
      for (std::int64_t lane = k; lane < std::min(to, k + warp); ++lane) add(lane);
      along_entries += static_cast<std::int64_t>(sectors.size());
      along += different(sectors);
    }
    sectors.clear();
    for (std::int64_t row = first; row < end; ++row)
      for (std::int64_t e = 0; e < std::min(most_entries, length_of(csr, row)); ++e)
        add(csr.row_ptr[row] + e);
    block_entries += static_cast<std::int64_t>(sectors.size());
    of_block += different(sectors);
  }
  const auto ratio = [](std::int64_t sectors, std::int64_t entries) {
    return static_cast<double>(sectors) / static_cast<double>(std::max<std::int64_t>(1, entries));
  };
  return {ratio(across, across_entries), ratio(along, along_entries), ratio(of_block, block_entries)};
}

template <class T>
Sparsity from_csr(const Csr<T>& csr, const BlockStructure* hub, const FormatOptions& options) {
  Sparsity s;
  s.value_bytes = sizeof(T);
  s.rows = csr.rows;
  s.columns = csr.columns;
  s.nnz = csr.nnz();
  const std::vector<std::int64_t> histogram = rows_of_length(csr);
  s.lengths = lengths_of(histogram, csr.rows);
  s.hyb_width = hyb_width(histogram, csr.rows);
  for (std::size_t l = 0; l < histogram.size(); ++l)
    s.hyb_beyond += histogram[l] * std::max<std::int64_t>(0, static_cast<std::int64_t>(l) - s.hyb_width);
  s.ellr_t_threads =
      ellr_t_choice(csr, {options.ellr_t_threads, options.ellr_t_block}, options.ellr_t_model).threads;
  s.cmrs_height = options.cmrs_height > 0 ? options.cmrs_height : cmrs_choice(cmrs_rows(s)).height;
  count_rg_csr(csr, options, s);
  s.csr_chain = longest_chain(csr, 1);
  s.cmrs_chain = longest_chain(csr, s.cmrs_height);
  s.warp_steps = sum_of_longest(csr, 32);
  s.touched_bytes = sector * (sum_of_longest(csr, sector / 4) +
                              sum_of_longest(csr, sector / static_cast<std::int64_t>(sizeof(T))));
  s.block_size = std::clamp(hub != nullptr ? hub->dof : options.block_size, 1, 64);
  std::vector<std::int64_t> offsets;
  const bool square_blocks = hub == nullptr && csr.rows == csr.columns && csr.rows % s.block_size == 0;
  count_blocks(csr, square_blocks, s, offsets);
  if (hub != nullptr)
    s.cds = *hub;
  else
    plan_cds(options, offsets, s);
  s.longest_column = hub != nullptr ? s.lengths.longest : longest_column(csr);
  s.x = sample_x(csr);
  return s;
}

// Entries, and scalar diagonals with any, that couple by the fill, or may.
void count_fill(const BlockStructure& structure, Sparsity& s) {
  const std::vector<std::uint8_t> used = slots_of_fill(structure, dia_slots(structure));
  s.nnz = most_non_zeros(structure);
  s.diagonals = std::count(used.begin(), used.end(), 1);
}

// The entries of the longest row.
std::int64_t longest_row_of(const BlockStructure& s) {
  const std::int64_t dof = s.dof;
  std::vector<std::int64_t> length(static_cast<std::size_t>(dof), 0);
  for (std::int64_t d = 0; d < s.diagonals(); ++d)
    for (std::int64_t r = 0; r < dof; ++r) {
      const std::uint8_t* const couples = s.fill_of(d);
      length[r] += couples == nullptr ? dof : dof - std::count(couples + r * dof, couples + (r + 1) * dof, 0);
    }
  return length.empty() ? 0 : *std::max_element(length.begin(), length.end());
}

// Non-zeros, and scalar diagonals with any, of a hub without CSR.
template <class T>
void count_hub(const BlockDiagonals<T>& hub, Sparsity& s) {
  if (hub.fill.said()) return count_fill(hub, s);
  const DiaSlots slots = dia_slots(hub);
  std::vector<std::uint8_t> used(slots.offset.size(), 0);
  std::int64_t nnz = 0;
#pragma omp parallel for schedule(static) reduction(+ : nnz)
  for (std::int64_t node = 0; node < hub.nodes(); ++node)
    for (std::int64_t d = 0; d < hub.diagonals(); ++d) {
      const std::int64_t line = node / hub.extents[0];
      const std::int64_t to =
          hub.neighbour(node % hub.extents[0], line % hub.extents[1], line / hub.extents[1], hub.offsets[d]);
      if (to < 0) continue;
      const std::int64_t m =
          std::lower_bound(slots.distance.begin(), slots.distance.end(), to - node) - slots.distance.begin();
      for (std::int64_t c = 0; c < hub.dof; ++c)
        for (std::int64_t r = 0; r < hub.dof; ++r) {
          if (hub.values[(d * hub.dof + c) * hub.rows() + node * hub.dof + r] == T(0)) continue;
          mark(used[slots.slot[m * (2 * hub.dof - 1) + c - r + hub.dof - 1]]);
          ++nnz;
        }
    }
  s.nnz = nnz;
  s.diagonals = std::count(used.begin(), used.end(), 1);
}

// Of a hub in GPU memory. Where it wraps, a scalar diagonal counts when its block diagonal has a number there
// at any node, wrapped or not.
template <class T>
void count_hub(const BlockDiagonals<T, Device>& hub, Sparsity& s) {
  if (hub.fill.said()) return count_fill(hub, s);
  const cuda::HubCounts counts = cuda::count_hub(hub);
  const DiaSlots slots = dia_slots(hub);
  const std::int64_t dof = hub.dof;
  std::vector<std::uint8_t> used(slots.offset.size(), 0);
  for (std::int64_t d = 0; d < hub.diagonals(); ++d)
    for (const std::int64_t distance : distances_of(hub, hub.offsets[d])) {
      const std::int64_t m =
          std::lower_bound(slots.distance.begin(), slots.distance.end(), distance) - slots.distance.begin();
      for (std::int64_t c = 0; c < dof; ++c)
        for (std::int64_t r = 0; r < dof; ++r)
          if (counts.used[(d * dof + c) * dof + r] != 0)
            used[slots.slot[m * (2 * dof - 1) + c - r + dof - 1]] = 1;
    }
  s.nnz = counts.non_zeros;
  s.diagonals = std::count(used.begin(), used.end(), 1);
}

// What the forms that follow the values take of this operator.
template <class T>
void count_entries(const std::vector<CompactEntry<T>>& entries, Sparsity& s) {
  const auto count = [&](Stored stored) {
    return std::count_if(entries.begin(), entries.end(), [=](const auto& e) { return e.stored == stored; });
  };
  s.compact_columns = columns_of(entries);
  s.compact_entries = std::ssize(entries) - count(Stored::nothing);
  s.compact_constants = count(Stored::constant);
  s.compact_exact = true;
}
template <class T>
void count_values(const BlockDiagonals<T>& hub, Sparsity& s) {
  count_entries(compact_entries(hub), s);
  s.stencils = count_stencils(hub);
  s.stencils_exact = true;
}
template <class T>
void count_values(const BlockDiagonals<T, Device>& hub, Sparsity& s) {
  count_entries(cuda::compact_entries(hub), s);
  s.stencils = cuda::count_stencils(hub);
  s.stencils_exact = true;
}
// By the fill, where that hints at more, or few rows follow; what is all zeros has no values yet.
template <class T>
void count_hinted(const FormatInput<T>& source, const BlockStructure& structure, const FormatOptions& options,
                  Sparsity& s) {
  if (!options.by_fill || !(options.few_rows || looks_at_values(structure))) return;
  std::vector<CompactEntry<T>> entries;
  if (source.few_rows) return count_entries(compact_entries(*source.few_rows), s);
  if (source.device_hub)  // in a hundredth of the time, where both are there
    entries = cuda::compact_entries(*source.device_hub);
  else if (source.hub)
    entries = compact_entries(*source.hub);
  if (std::any_of(entries.begin(), entries.end(), [](const auto& e) { return e.stored != Stored::nothing; }))
    count_entries(entries, s);
}
// Of one that is assembled in GPU memory for this alone, where that has room.
template <class T>
void count_assembled(const FormatInput<T>& source, Sparsity& s) {
  try {
    count_values(source.on_device.block_diagonals(), s);
  } catch (const MemoryError&) {
  }
}
// Upper bounds; of compact what it takes by the fill.
void bound_values(const BlockStructure& structure, const FormatOptions& options, Sparsity& s) {
  s.compact_exact = s.compact_by_fill = options.by_fill;
  s.few_rows = options.few_rows;
  s.compact_entries = 0;
  for (std::int64_t d = 0; d < structure.diagonals(); ++d) {
    const std::int64_t block = std::int64_t{structure.dof} * structure.dof;
    const std::uint8_t* const couples = structure.fill_of(d);
    s.compact_entries += couples == nullptr ? block : block - std::count(couples, couples + block, 0);
  }
  s.compact_columns = s.compact_entries;
  s.stencils = std::min(structure.nodes(), most_stencils);
}

}  // namespace

template <class T>
RowLengths row_lengths(const Csr<T>& csr) {
  return lengths_of(rows_of_length(csr), csr.rows);
}

Sparsity sparsity_at_most(const BlockStructure& structure, int value_bytes, const FormatOptions& options) {
  Sparsity s;
  s.exact = false;
  s.value_bytes = value_bytes;
  s.rows = s.columns = structure.rows();
  count_fill(structure, s);
  s.cds = structure;
  bound_values(structure, options, s);
  s.block_size = structure.dof;
  s.blocks = coupled_pairs(structure);
  s.longest_block_row = structure.diagonals();
  const std::int64_t longest = longest_row_of(structure);
  const double rows = static_cast<double>(std::max<std::int64_t>(1, s.rows));
  s.lengths = {0, longest, longest, 0, static_cast<double>(s.nnz) / rows, 0};
  s.longest_column = longest;
  s.hyb_width = longest;
  s.cmrs_height = options.cmrs_height > 0 ? options.cmrs_height : cmrs_choice(cmrs_rows(s)).height;
  s.rg_csr_exact = false;
  s.touched_bytes = checked_product(s.nnz, 4 + value_bytes, "the entries");
  s.csr_chain = longest;
  s.cmrs_chain = longest * s.cmrs_height;
  s.warp_steps = (s.rows + 31) / 32 * longest;
  const double unit = static_cast<double>(value_bytes) / static_cast<double>(sector);
  const double rows_of_blocks = static_cast<double>(s.blocks) * structure.dof;  // a run of columns in each
  s.x = {unit * (s.nnz > 0 ? rows_of_blocks / static_cast<double>(s.nnz) : 1.0), unit, unit / 2};
  try {
    to_index32(s.rows, "rows");
    to_index32(s.nnz, "non-zeros");
    s.rg_csr_slots = checked_product(s.rows, longest, "rg_csr");
    if (options.ellr_t_model == EllrTModel::ours)
      s.ellr_t_threads = ellr_t_choice(equal_rows(s.rows, longest), value_bytes, cuda::gpu_properties(),
                                       {options.ellr_t_threads, options.ellr_t_block})
                             .threads;
    else  // the paper's needs the rows themselves; more threads pad more
      s.ellr_t_threads = options.ellr_t_threads > 0 ? options.ellr_t_threads : ellr_t_threads.back();
  } catch (const FormatError& error) {
    s.has_csr = false;
    s.no_csr = error.what();
  }
  return s;
}

template <class T>
Sparsity sparsity_of(const FormatInput<T>& source, const FormatOptions& options,
                     const BlockStructure* structure, bool of_values) {
  const bool on_device = source.on_device.block_diagonals != nullptr;
  if (source.csr) {
    Sparsity s = from_csr(*source.csr, source.hub.get(), options);
    if (s.cds) bound_values(*s.cds, options, s);
    if (source.hub && of_values) count_values(*source.hub, s);
    if (source.hub) count_hinted(source, *source.hub, options, s);
    s.assembled_on_device = on_device;
    s.hub_on_device = source.device_hub != nullptr;
    return s;
  }
  const BlockStructure* known = structure;  // of few rows, too
  if (source.hub) known = source.hub.get();
  if (!source.hub && source.device_hub) known = source.device_hub.get();
  if (known == nullptr) csr_of(source);  // throws
  Sparsity s = sparsity_at_most(*known, sizeof(T), options);
  const bool by_fill = options.by_fill && known->fill.said();  // values are not looked at
  count_hinted(source, *known, options, s);
  const auto count = [&](const auto& hub) {
    count_hub(hub, s);
    if (of_values) count_values(hub, s);
    s.exact = true;
  };
  if (source.device_hub && !by_fill)
    count(*source.device_hub);
  else if (source.hub && !by_fill)
    count(*source.hub);
  if (!source.hub && !source.device_hub && source.on_device.block_diagonals && of_values)
    count_assembled(source, s);
  s.assembled_on_device = on_device;
  s.hub_on_device = source.device_hub != nullptr;
  s.has_csr = false;
  try {
    csr_of(source);
  } catch (const std::exception& error) {
    s.no_csr = error.what();
  }
  return s;
}

#define QUADRILLE_INSTANTIATE(T)                  \
  template RowLengths row_lengths(const Csr<T>&); \
  template Sparsity sparsity_of(const FormatInput<T>&, const FormatOptions&, const BlockStructure*, bool);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
