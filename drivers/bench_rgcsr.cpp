// `quadrille bench rgcsr`: RgCSR's group sizes and row orderings, by the paper's kernel and by ours, which
// may have several threads a row, against CSR, HYB, cuSPARSE and CSR on the CPU, with the artificial zeros of
// each: Tables 1, 2 and 4 to 7 of Oberhuber, Suzuki and Vacata, "New row-grouped CSR format for storing the
// sparse matrices on GPU with implementation in CUDA", 2010.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>

#include "drivers/bench.hpp"
#include "drivers/support/operator_sweep.hpp"
#include "drivers/support/other_products.hpp"
#include "drivers/support/rg_csr_search.hpp"
#include "formats/build_csr.hpp"
#include "formats/rg_csr.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/petsc/aij/ordering.hpp"
#include "kernels/row_order.hpp"
#include "kernels/tuning/rg_csr_rule.hpp"

namespace quadrille {
namespace {

// The last is the CSR on the CPU of Tables 4 and 6.
constexpr OtherProduct other_products[] = {
    {"csr", "csr"}, {"hyb", "hyb"}, {"cusparse_csr", "cusparse_csr"}, {"petsc_aij", "petsc_aij"}};

class RgCsrBench {
 public:
  explicit RgCsrBench(const Options& options) : options_(options), sweep_(options, "rgcsr") {
    const bool on_gpu = options.space == "cuda" || (options.space == "auto" && cuda::device_count() > 0);
    space_ = on_gpu ? SpaceKind::cuda : SpaceKind::cpu;
  }

  BenchResult operator()() {
    sweep_([&](auto& formats, const Options& here) { measure_operator(formats, here); });
    sweep_.say("");
    const std::vector<SummaryTable> tables = rg_csr_tables(found_, bandwidth_gbps());
    if (!options_.quiet) {
      for (const SummaryTable& table : tables) print(std::cout, table);
      std::cout
          << "zeros: artificial ones, per cent of the non-zeros. small: fewer than 10000 rows. T: threads a "
             "row\nof our kernel; the paper's has one. /csr: the time of csr over this one. products: so "
             "many take as long.\n";
    }
    BenchResult result = sweep_.result();
    result.summary = to_json(rg_csr_profiles(found_));
    result.tables = to_json(tables);
    return result;
  }

 private:
  bool on_gpu() const { return space_ == SpaceKind::cuda; }

  // Of Table 1: on the GPU that of its memory, as in the paper; on the CPU the fastest stream that was
  // measured.
  double bandwidth_gbps() const {
    if (on_gpu()) return cuda::gpu_properties().memory_gbps;
    double fastest = 0;
    for (const Record& record : sweep_.records()) fastest = std::max(fastest, record.ceiling_gbps);
    return fastest;
  }

  template <class T>
  void measure_operator(FormatRun<T>& formats, const Options& here) {
    RgCsrSearch found;
    const Others others = measure_others(formats, sweep_, here, space_, other_products);
    found.peer_ms = {others.begin(), others.end()};
    sweep_.say("rg_csr");
    Record record = formats.measure(find_format("rg_csr", space_));
    const Csr<T>& csr = *csr_of(formats.loaded().source);
    found.matrix = record.matrix;
    found.precision = record.precision;
    found.rows = csr.rows;
    found.columns = csr.columns;
    found.nnz = csr.nnz();
    found.longest = longest_row(csr);
    found.shortest = shortest_row(csr);
    found.in_cache = record.in_cache;
    for (const RowOrdering ordering : row_orderings) search_ordering(formats, ordering, here, found);
    if (on_gpu()) measure_cache_paths(formats, here, found);
    add_search(record, found);
    sweep_.add(std::move(record));
    found_.push_back(std::move(found));
  }

  template <class T>
  static std::int64_t shortest_row(const Csr<T>& csr) {
    std::int64_t shortest = csr.columns;
    for (std::int64_t i = 0; i < csr.rows; ++i)
      shortest = std::min<std::int64_t>(shortest, csr.row_ptr[i + 1] - csr.row_ptr[i]);
    return shortest;
  }

  template <class T>
  void search_ordering(FormatRun<T>& formats, RowOrdering ordering, const Options& here, RgCsrSearch& found) {
    const Csr<T>& csr = *csr_of(formats.loaded().source);
    if (of_graph(ordering) && csr.rows != csr.columns) return;
    if (ordering == RowOrdering::amd && !petsc::has_amd()) return;
    sweep_.say(std::string("ordering ") + to_string(ordering));
    const auto start = std::chrono::steady_clock::now();
    Array<std::int32_t> order = row_order(csr, ordering, petsc::graph_order);
    found.order_ms[ordering] =
        ordering == RowOrdering::none
            ? 0
            : std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    FormatOptions parameters = here.format_options;
    parameters.rg_csr_order = std::make_shared<const Array<std::int32_t>>(std::move(order));
    for (const int group : rg_csr_groups) {
      parameters.rg_csr_group = group;
      search_kernels(formats, ordering, parameters, found);
    }
  }

  // The paper's kernel, which only the GPU has, and ours: in the matrix's own order with every number of
  // threads a row, but where there are a million threads or more, and in other orders, only with what the
  // rule says.
  template <class T>
  void search_kernels(FormatRun<T>& formats, RowOrdering ordering, FormatOptions& parameters,
                      RgCsrSearch& found) {
    constexpr std::int64_t enough = 1 << 20;
    const Csr<T>& csr = *csr_of(formats.loaded().source);
    const int group = parameters.rg_csr_group;
    const std::int64_t slots = rg_csr_slots(csr, group, *parameters.rg_csr_order);
    const RgCsrSearch::Layout layout{group, ordering};
    found.zeros[layout] =
        csr.nnz() == 0 ? 0 : 100.0 * static_cast<double>(slots - csr.nnz()) / static_cast<double>(csr.nnz());
    const int ruled = on_gpu() ? rg_csr_threads(group, csr.rows, slots, longest_row(csr)) : 1;
    found.ruled[layout] = ruled;
    if (on_gpu() && !measure_variant(formats, layout, Kernel::paper, 1, parameters, found)) return;
    for (int threads = 1; threads <= (on_gpu() ? most_rg_csr_threads(group) : 1); threads *= 2) {
      const bool tried = ordering == RowOrdering::none && (threads == 1 || threads * csr.rows <= enough);
      if (!tried && threads != ruled) continue;
      if (!measure_variant(formats, layout, Kernel::ours, threads, parameters, found)) return;
    }
  }

  // False where the format refuses the matrix.
  template <class T>
  bool measure_variant(FormatRun<T>& formats, RgCsrSearch::Layout layout, Kernel kernel, int threads,
                       FormatOptions& parameters, RgCsrSearch& found) {
    const auto& [group, ordering] = layout;
    sweep_.say(std::string("ordering ") + to_string(ordering) + ", group " + std::to_string(group) + ", " +
               (kernel == Kernel::paper ? "the paper's kernel" : "threads " + std::to_string(threads)));
    parameters.kernel = kernel;
    parameters.rg_csr_threads = threads;
    const Record line = formats.measure(find_format("rg_csr", space_), parameters);
    if (!line.skipped.empty()) return false;
    found.variants.push_back({group, ordering, kernel, threads, line.ms_median, line.gflops,
                              found.zeros.at(layout), line.convert_ms});
    return true;
  }

  // The paper's switch of the texture cache, on its kernel with its group.
  template <class T>
  void measure_cache_paths(FormatRun<T>& formats, const Options& here, RgCsrSearch& found) {
    FormatOptions parameters = here.format_options;
    parameters.rg_csr_group = papers_group;
    parameters.rg_csr_ordering = RowOrdering::none;
    parameters.kernel = Kernel::paper;
    for (const CachePath path : cache_paths) {
      sweep_.say("ways to read x");
      parameters.x_cache = path;
      const Record line = formats.measure(find_format("rg_csr", space_), parameters);
      if (!line.skipped.empty()) return;
      found.x_cache[path] = line.ms_median;
    }
  }

  // The fields that only this experiment has.
  static void add_search(Record& record, const RgCsrSearch& found) {
    Json search = Json::array(), order_ms = Json::object();
    for (const RgCsrVariant& variant : found.variants) search.push_back(to_json(&variant));
    for (const auto& [ordering, ms] : found.order_ms) order_ms[to_string(ordering)] = json_value(ms);
    const auto ms_of = [](const RgCsrVariant* variant) {
      return variant == nullptr ? "" : std::to_string(variant->ms);
    };
    const RgCsrVariant* const paper = found.paper(papers_layout);
    record.extra.push_back({"best", to_json(found.best()), ms_of(found.best())});
    record.extra.push_back({"paper", to_json(paper), ms_of(paper)});
    record.extra.push_back({"x_cache", to_json(found.x_cache), ""});
    record.extra.push_back({"order_ms", std::move(order_ms), ""});
    record.extra.push_back({"search", std::move(search), std::to_string(found.variants.size())});
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
