#include "kernels/tuning/set_up_time.hpp"

#include <algorithm>

#include "formats/cds.hpp"

namespace quadrille {
namespace {

// Of an H200 and its host, by results/h200_transpose_methods_*.json: the median of its plans, where the rows
// are few and where they are many; and a segment of 249643 entries, of which a warp reads 128 at once.
constexpr double plan_us = 80, plan_us_per_segment = 0.002;
constexpr double turn_us = 0.6, turn_entries = 128;
// A Jacobian of 64^3, of few bytes, takes so much longer into compact (results/varying_2026-11-27.txt).
constexpr double look_us = 150;

double plan_ms(double segments) {
  return 1e-3 * (plan_us + plan_us_per_segment * segments);
}

double converted_bytes(const FormatTraits& format, const Sparsity& s, double stored) {
  const double csr = static_cast<double>(csr_bytes(s.rows, s.nnz, s.value_bytes));
  const bool on_grid = s.cds && !s.cds_from_csr;
  if (!on_grid) return format.made_from == MadeFrom::the_csr ? 0 : csr + stored;
  const double hub = static_cast<double>(cds_traffic(*s.cds, s.value_bytes).stored_bytes);
  switch (format.made_from) {
    case MadeFrom::the_hub:
      return 0;
    case MadeFrom::hub:
    case MadeFrom::the_csr:
      return hub + stored;
    default:
      return hub + csr + csr + stored;
  }
}

}  // namespace

bool gathers_segments(const FormatTraits& format, bool transposed) {
  return format.compressed == (transposed ? Compressed::columns : Compressed::rows);
}

namespace {

// Of values in block diagonals.
SetUpWork work_of_values(const FormatTraits& format, const Sparsity& s, const Traffic& traffic, int products,
                         bool transposed, SpaceKind space) {
  const double stored = static_cast<double>(traffic.stored_bytes);
  const bool on_gpu = space == SpaceKind::cuda;
  if (on_gpu && s.assembled_on_device && !needs_csr(format) && !format.follows_values) return {};
  if (on_gpu && s.hub_on_device && format.made_from == MadeFrom::the_hub) return {};
  SetUpWork work;
  if (on_gpu && (s.hub_on_device || s.assembled_on_device) && s.compact_by_fill && format.follows_fill) {
    work.gathered_bytes = 2 * stored;
    work.looks = s.cds && looks_at_values(*s.cds);
    if (work.looks) work.gathered_bytes += static_cast<double>(value_bytes(*s.cds, s.value_bytes));
    return work;
  }
  work.converted_bytes = converted_bytes(format, s, stored);
  if (!on_gpu) return work;
  work.copied_bytes = stored;
  if (s.hub_on_device && s.cds)  // down to the host first
    work.copied_bytes += static_cast<double>(cds_traffic(*s.cds, s.value_bytes).stored_bytes);
  const double segments = format.planned_segments != nullptr ? format.planned_segments(s) : 0;
  const bool by_columns = format.compressed == Compressed::columns;
  work.planned =
      format.compressed == Compressed::no
          ? segments > 0
          : plan_pays(by_columns ? s.columns : s.rows, by_columns ? s.longest_column : s.lengths.longest,
                      gathers_segments(format, transposed), products);
  if (work.planned) work.planned_segments = segments;
  return work;
}

}  // namespace

SetUpWork set_up_work(const FormatTraits& format, const Sparsity& s, const Traffic& traffic, int products,
                      bool transposed, SpaceKind space) {
  if (!s.few_rows || !s.cds) return work_of_values(format, s, traffic, products, transposed, space);
  SetUpWork work;
  if (!format.takes_few_rows) work = work_of_values(format, s, traffic, products, transposed, space);
  const double written =
      static_cast<double>(format.takes_few_rows ? traffic.stored_bytes : value_bytes(*s.cds, s.value_bytes));
  if (space == SpaceKind::cuda)
    work.gathered_bytes += written / 2;  // nothing is read
  else
    work.converted_bytes += written;
  return work;
}

double set_up_ms(const SetUpWork& work, const MachineModel& m) {
  const double moved_ms = 1e-6 * (work.converted_bytes / m.convert_gbps + work.copied_bytes / m.copy_gbps +
                                  2 * work.gathered_bytes / m.memory_gbps);
  return moved_ms + (work.looks ? 1e-3 * look_us : 0) + (work.planned ? plan_ms(work.planned_segments) : 0);
}

double without_plan_ms(std::int64_t longest_segment) {
  return 1e-3 * turn_us * static_cast<double>(longest_segment) / turn_entries;
}

bool plan_pays(std::int64_t segments, std::int64_t longest_segment, bool gathers, int products) {
  if (products == 0) return true;
  return gathers && products * without_plan_ms(longest_segment) > plan_ms(static_cast<double>(segments));
}

bool plan_pays(const Array<std::int32_t>& ptr, bool gathers, int products) {
  if (products == 0) return true;
  std::int64_t longest = 0;
  for (std::int64_t i = 1; i < ptr.size(); ++i)
    longest = std::max<std::int64_t>(longest, ptr[i] - ptr[i - 1]);
  return plan_pays(ptr.size() - 1, longest, gathers, products);
}

}  // namespace quadrille
