#include "kernels/tuning/set_up_time.hpp"

#include <algorithm>

#include "formats/cds.hpp"

namespace quadrille {
namespace {

// Of an H200 and its host, by results/h200_transpose_methods_*.json: the median of its plans, where the rows
// are few and where they are many; and a line of 249643 entries, of which a warp reads 128 at once.
constexpr double plan_us = 80, plan_us_per_line = 0.002;
constexpr double turn_us = 0.6, turn_entries = 128;

double plan_ms(double lines) {
  return 1e-3 * (plan_us + plan_us_per_line * lines);
}

bool is_compressed(const std::string& format) {
  return format == "csr" || format == "csc";
}

// Lines of the plan that a format has in GPU memory; 0 for none.
double lines_of(const std::string& format, const Sparsity& s) {
  if (format == "csr" || (format == "bcsr" && s.block_size == 1)) return static_cast<double>(s.rows);
  if (format == "csc") return static_cast<double>(s.columns);
  if (format == "cmrs") return static_cast<double>(s.rows) / s.cmrs_height;
  return 0;
}

double converted_bytes(const std::string& format, const Sparsity& s, double stored) {
  const double csr = static_cast<double>(csr_bytes(s.rows, s.nnz, s.value_bytes));
  const bool on_grid = s.cds && !s.cds_from_csr;
  if (!on_grid) return format == "csr" ? 0 : csr + stored;
  const double cds = static_cast<double>(cds_traffic(*s.cds, s.value_bytes).stored_bytes);
  if (format == "cds") return 0;
  if (format == "csr" || format == "dia") return cds + stored;
  return cds + csr + csr + stored;
}

}  // namespace

SetUpWork set_up_work(const std::string& format, const Sparsity& s, const Traffic& traffic, int products,
                      bool transposed, SpaceKind space) {
  const double stored = static_cast<double>(traffic.stored_bytes);
  const bool on_gpu = space == SpaceKind::cuda;
  if (on_gpu && s.assembled_on_device && (format == "cds" || format == "dia")) return {};
  SetUpWork work;
  work.converted_bytes = converted_bytes(format, s, stored);
  if (!on_gpu) return work;
  work.copied_bytes = stored;
  const bool by_columns = format == "csc", gathers = by_columns == transposed;
  const double lines = lines_of(format, s);
  work.planned = is_compressed(format)
                     ? plan_pays(by_columns ? s.columns : s.rows,
                                 by_columns ? s.longest_column : s.lengths.longest, gathers, products)
                     : lines > 0;
  if (work.planned) work.planned_lines = lines;
  return work;
}

double set_up_ms(const SetUpWork& work, const MachineModel& m) {
  const double moved_ms = 1e-6 * (work.converted_bytes / m.convert_gbps + work.copied_bytes / m.copy_gbps);
  return moved_ms + (work.planned ? plan_ms(work.planned_lines) : 0);
}

double without_plan_ms(std::int64_t longest_line) {
  return 1e-3 * turn_us * static_cast<double>(longest_line) / turn_entries;
}

bool plan_pays(std::int64_t lines, std::int64_t longest_line, bool gathers, int products) {
  if (products == 0) return true;
  return gathers && products * without_plan_ms(longest_line) > plan_ms(static_cast<double>(lines));
}

bool plan_pays(const Array<std::int32_t>& ptr, bool gathers, int products) {
  if (products == 0) return true;
  std::int64_t longest = 0;
  for (std::int64_t i = 1; i < ptr.size(); ++i)
    longest = std::max<std::int64_t>(longest, ptr[i] - ptr[i - 1]);
  return plan_pays(ptr.size() - 1, longest, gathers, products);
}

}  // namespace quadrille
