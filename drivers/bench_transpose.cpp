// `quadrille bench transpose`: y = A x and y = A^T x from CSR and from CSC, by the naive kernels, ours,
// cuSPARSE's and by conversion; each for the whole operation and for the multiplication only. Steinberger,
// Derler, Zayer and Seidel, "How naive is naive SpMV on the GPU?", HPEC 2016, Figure 3.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <iostream>

#include "drivers/bench.hpp"
#include "drivers/support/operator_sweep.hpp"
#include "drivers/support/transpose_summary.hpp"
#include "formats/csc.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/petsc/aij/all_products.hpp"
#include "kernels/product.hpp"
#include "kernels/set_up.hpp"
#include "kernels/transpose_methods.hpp"

namespace quadrille {
namespace {

const FormatEntry* find_method(const std::vector<FormatEntry>& entries, SpaceKind space,
                               const std::string& name) {
  for (const FormatEntry& entry : entries)
    if (entry.space == space && entry.name == name) return &entry;
  return nullptr;
}

// The median of a few runs after one that warms up.
double median_ms(SpaceKind space, const std::function<void()>& work) {
  constexpr int runs = 7;
  const auto wall_clock_ms = [&] {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  };
  work();
  std::vector<double> ms;
  for (int i = 0; i < runs; ++i)
    ms.push_back(space == SpaceKind::cpu ? wall_clock_ms() : cuda::time_ms(work));
  std::nth_element(ms.begin(), ms.begin() + runs / 2, ms.end());
  return ms[runs / 2];
}

// A method that does something before its first product, from the arrays of its storage; memory is there.
template <class T>
void time_set_up(SpmvOperator<T>& op, SetUp& set_up, const Product& product, const std::vector<T>& x,
                 TransposeTimes& times) {
  const ProductVectors<T> vectors(op.space(), x, vector_size(product, op.rows(), op.columns()).y);
  times.whole = median_ms(op.space(), [&] {
    set_up.set_up(product.transposed);
    apply(op, product, vectors.x, vectors.y);
  });
  times.before = median_ms(op.space(), [&] { set_up.set_up(product.transposed); }) +
                 median_ms(op.space(), [&] { set_up.plan(); });
}

// The plan of our own product on the GPU (kernels/segment_plan.hpp) is made on the host: from the arrays in
// GPU memory, where the matrix is, and back. One that scatters also asks what neighbouring lines share.
double plan_ms(const Array<std::int32_t>& ptr, const Array<std::int32_t>& index, bool scatters) {
  const Array<std::int32_t, Device> ptr_there = copy_to<Device>(ptr);
  Array<std::int32_t, Device> index_there;
  if (scatters) index_there = copy_to<Device>(index);
  return median_ms(SpaceKind::cuda, [&] {
    if (scatters)
      plan_on_device(copy_to<Host>(ptr_there), copy_to<Host>(index_there));
    else
      plan_on_device(copy_to<Host>(ptr_there));
  });
}

template <class T>
double plan_ms(const Csr<T>& csr, const TransposeTask& task) {
  if (task.storage == std::string("csr")) return plan_ms(csr.row_ptr, csr.column, task.transposed);
  const Csc<T> csc = csc_from_csr(csr);
  return plan_ms(csc.column_ptr, csc.row, !task.transposed);
}

class TransposeBench {
 public:
  explicit TransposeBench(const Options& options)
      : options_(options), sweep_(options, "transpose"), entries_(petsc::all_products()) {
    for (FormatEntry& entry : transpose_methods()) entries_.push_back(std::move(entry));
    // The kernels of the formats that options choose.
    for (const auto& [name, format] : {std::pair{"csr_lanes", "csr"},
                                       {"csr_naive", "csr"},
                                       {"csc_naive", "csc"},
                                       {"csr_once", "csr"},
                                       {"csc_once", "csc"}})
      if (const FormatEntry* const entry = find_method(petsc::all_products(), SpaceKind::cuda, format)) {
        entries_.push_back(*entry);
        entries_.back().name = name;
      }
    const bool on_gpu = options.space == "cuda" || (options.space == "auto" && cuda::device_count() > 0);
    space_ = on_gpu ? SpaceKind::cuda : SpaceKind::cpu;
  }

  BenchResult operator()() {
    sweep_([&](auto& formats, const Options& here) { measure_operator(formats, here); });
    sweep_.say("");
    const std::vector<SummaryTable> tables = method_tables(times_);
    const std::vector<SetSummary> profiles = whole_profiles(times_);
    if (!options_.quiet) {
      constexpr std::size_t readable = 48;  // operators
      for (std::size_t task = 0; task < transpose_tasks().size() && times_.size() <= readable; ++task)
        print(std::cout, operator_table(times_, task));
      for (const SummaryTable& table : tables) print(std::cout, table);
      for (const SetSummary& profile : profiles) print(std::cout, profile);
      std::cout << "whole: one product with what comes before the first, a plan, conversion or analysis, "
                   "memory being there.\n"
                   "only: the multiplication. once: ours without a plan.\n"
                   "pays after: so many products make the conversion worth its time.\n";
    }
    BenchResult result = sweep_.result();
    result.summary = to_json(profiles);
    result.tables = to_json(tables);
    return result;
  }

 private:
  template <class T>
  void measure_operator(FormatRun<T>& formats, const Options& here) {
    Options transposing = here;
    transposing.product.transposed = true;
    FormatRun<T> transposed(formats, transposing);
    OperatorTransposeTimes& times = times_.emplace_back();
    for (std::size_t task = 0; task < transpose_tasks().size(); ++task)
      measure_task(transpose_tasks()[task].transposed ? transposed : formats, task, times);
  }

  template <class T>
  void measure_task(FormatRun<T>& formats, std::size_t task, OperatorTransposeTimes& times) {
    const TransposeTask& t = transpose_tasks()[task];
    std::vector<Record> records;
    for (const std::string& method : t.methods) {
      const FormatEntry* const entry = find_method(entries_, space_, method);
      if (entry == nullptr) continue;
      sweep_.say(std::string(t.title) + ", " + method);
      FormatOptions parameters = formats.options().format_options;
      parameters.csr_lanes = method == "csr_lanes" ? lanes_of(*csr_of(formats.loaded().source)) : 0;
      parameters.products = is_once(method) ? 1 : 0;
      parameters.of_transpose = t.transposed;
      parameters.kernel = method.ends_with("_naive") ? Kernel::paper : Kernel::ours;
      Record record = formats.measure(*entry, parameters, [&](SpmvOperator<T>& op, Record& line) {
        TransposeTimes here{line.ms_median, line.ms_median, 0};
        if (auto* const set_up = dynamic_cast<SetUp*>(&op); set_up != nullptr) {
          time_set_up(op, *set_up, formats.options().product, formats.x(), here);
        } else if (method == t.storage && space_ == SpaceKind::cuda) {
          here.before = plan_ms(*csr_of(formats.loaded().source), t);
          here.whole += here.before;
        }
        times.of[{task, method}] = here;
      });
      const TransposeTimes* const found = times.find(task, method);
      record.extra.push_back(extra_field("storage", std::string(t.storage)));
      record.extra.push_back(number_or_null("whole_ms", found ? found->whole : NAN));
      record.extra.push_back(number_or_null("before_ms", found ? found->before : NAN));
      record.extra.push_back(
          number_or_null("pays_after", converts_first(method) ? pays_after(times, task, method) : NAN));
      times.matrix = record.matrix;
      times.precision = record.precision;
      records.push_back(std::move(record));
    }
    for (Record& record : records) sweep_.add(std::move(record));
  }

  static ExtraField number_or_null(const std::string& name, double value) {
    return std::isnan(value) ? ExtraField{name, nullptr, ""} : extra_field(name, value);
  }

  // Of the vector kernel: 4 entries a lane are in flight.
  template <class T>
  static int lanes_of(const Csr<T>& csr) {
    int lanes = 1;
    while (lanes < 32 && 4 * lanes * csr.rows < csr.nnz()) lanes *= 2;
    return lanes;
  }

  const Options& options_;
  OperatorSweep sweep_;
  std::vector<FormatEntry> entries_;
  SpaceKind space_;
  std::vector<OperatorTransposeTimes> times_;
};

}  // namespace

BenchResult bench_transpose(const Options& options) {
  return TransposeBench(options)();
}

}  // namespace quadrille
