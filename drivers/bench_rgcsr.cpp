// `quadrille bench rgcsr`: RgCSR's group sizes and row orderings against CSR, HYB and cuSPARSE, with the artificial zeros of
// each: Tables 4, 5 and 7 of Oberhuber, Suzuki and Vacata, "New row-grouped CSR format for storing the sparse matrices on GPU
// with implementation in CUDA", 2010. Beyond the paper: several threads a row.
#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>

#include "drivers/bench.hpp"
#include "drivers/support/operator_sweep.hpp"
#include "drivers/support/rg_csr_search.hpp"
#include "formats/build_csr.hpp"
#include "formats/rg_csr.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/petsc/ordering.hpp"
#include "kernels/tuning/rg_csr_rule.hpp"

namespace quadrille {
namespace {

class RgCsrBench {
 public:
  explicit RgCsrBench(const Options& options) : options_(options), sweep_(options, "rgcsr") {
    const bool on_gpu = options.space == "cuda" || (options.space == "auto" && cuda::device_count() > 0);
    space_ = on_gpu ? SpaceKind::cuda : SpaceKind::cpu;
  }

  BenchResult operator()() {
    sweep_([&](auto& formats, const Options& here) { measure_operator(formats, here); });
    sweep_.say("");
    const std::vector<SummaryTable> tables = rg_csr_tables(found_);
    if (!options_.quiet) {
      for (const SummaryTable& table : tables) print(std::cout, table);
      std::cout
          << "zeros: artificial ones, per cent of the non-zeros. small: fewer than 10000 rows. T: threads a "
             "row;\n"
             "the paper has one. /csr: the time of csr over this one. products: so many take as long.\n";
    }
    BenchResult result = sweep_.result();
    result.summary = to_json(rg_csr_profiles(found_));
    result.tables = to_json(tables);
    return result;
  }

 private:
  const FormatEntry* find_entry(const std::string& name) const {
    for (const FormatEntry& entry : registry())
      if (entry.name == name && entry.space == space_) return &entry;
    return nullptr;
  }

  template <class T>
  void measure_operator(FormatRun<T>& formats, const Options& here) {
    RgCsrSearch found;
    for (const char* name : {"csr", "hyb", "cusparse_csr"}) {
      const FormatEntry* const entry = find_entry(name);
      if (entry == nullptr) continue;
      sweep_.say(name);
      Record record = formats.measure(*entry);
      if (record.skipped.empty()) found.peer_ms[name] = record.ms_median;
      sweep_.add(std::move(record));
    }
    sweep_.say("rg_csr");
    Record record = formats.measure(*find_entry("rg_csr"));
    found.matrix = record.matrix;
    found.precision = record.precision;
    found.rows = record.rows;
    found.nnz = record.nnz;
    for (const RowOrdering ordering : row_orderings) search_ordering(formats, ordering, here, found);
    add_search(record, found);
    sweep_.add(std::move(record));
    found_.push_back(std::move(found));
  }

  template <class T>
  void search_ordering(FormatRun<T>& formats, RowOrdering ordering, const Options& here, RgCsrSearch& found) {
    const Csr<T>& csr = *csr_of(formats.loaded().source);
    if (ordering == RowOrdering::rcm && csr.rows != csr.columns) return;
    sweep_.say(std::string("ordering ") + to_string(ordering));
    const auto start = std::chrono::steady_clock::now();
    Array<std::int32_t> order;
    if (ordering == RowOrdering::descending) order = descending_order(csr);
    if (ordering == RowOrdering::rcm)
      order = petsc::rcm_order(csr.rows, csr.columns, csr.row_ptr, csr.column);
    found.order_ms[ordering] =
        ordering == RowOrdering::none
            ? 0
            : std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    FormatOptions parameters = here.format_options;
    parameters.rg_csr_order = std::make_shared<const Array<std::int32_t>>(std::move(order));
    for (const int group : rg_csr_groups) {
      parameters.rg_csr_group = group;
      search_threads(formats, ordering, parameters, found);
    }
  }

  // Where there are a million threads or more, only what the rule says is tried beside the paper's.
  template <class T>
  void search_threads(FormatRun<T>& formats, RowOrdering ordering, FormatOptions& parameters,
                      RgCsrSearch& found) {
    constexpr std::int64_t enough = 1 << 20;
    const Csr<T>& csr = *csr_of(formats.loaded().source);
    const int group = parameters.rg_csr_group;
    const std::int64_t slots = rg_csr_slots(csr, group, *parameters.rg_csr_order);
    const double zeros =
        csr.nnz() == 0 ? 0 : 100.0 * static_cast<double>(slots - csr.nnz()) / static_cast<double>(csr.nnz());
    found.zeros[{group, ordering}] = zeros;
    const bool on_gpu = space_ == SpaceKind::cuda;
    const int ruled = on_gpu ? rg_csr_threads(group, csr.rows, slots, longest_row(csr)) : 1;
    found.ruled[{group, ordering}] = ruled;
    for (int threads = 1; threads <= (on_gpu ? most_rg_csr_threads(group) : 1); threads *= 2) {
      if (threads > 1 && threads != ruled && threads * csr.rows > enough) continue;
      sweep_.say(std::string("ordering ") + to_string(ordering) + ", group " + std::to_string(group) +
                 ", threads " + std::to_string(threads));
      parameters.rg_csr_threads = threads;
      const Record line = formats.measure(*find_entry("rg_csr"), parameters);
      if (!line.skipped.empty()) return;
      found.variants.push_back(
          {group, ordering, threads, line.ms_median, line.gflops, zeros, line.convert_ms});
    }
  }

  // The fields that only this experiment has.
  static void add_search(Record& record, const RgCsrSearch& found) {
    std::string search, order_ms;
    for (const RgCsrVariant& variant : found.variants)
      search += (search.empty() ? "" : ", ") + to_json(&variant);
    for (const auto& [ordering, ms] : found.order_ms)
      order_ms +=
          std::string(order_ms.empty() ? "\"" : ", \"") + to_string(ordering) + "\": " + std::to_string(ms);
    const auto ms_of = [](const RgCsrVariant* variant) {
      return variant == nullptr ? "" : std::to_string(variant->ms);
    };
    const RgCsrVariant* const paper = found.paper({128, RowOrdering::none});
    record.extra.push_back({"best", to_json(found.best()), ms_of(found.best())});
    record.extra.push_back({"paper", to_json(paper), ms_of(paper)});
    record.extra.push_back({"order_ms", "{" + order_ms + "}", ""});
    record.extra.push_back({"search", "[" + search + "]", std::to_string(found.variants.size())});
  }

  const Options& options_;
  OperatorSweep sweep_;
  SpaceKind space_;
  std::vector<RgCsrSearch> found_;
};

}  // namespace

BenchResult bench_rgcsr(const Options& options) {
  return RgCsrBench(options)();
}

}  // namespace quadrille
