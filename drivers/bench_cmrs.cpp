// `quadrille bench cmrs`: every height, order and kernel of CMRS on a set of operators, what the rule chooses among them, and
// the columns of Table 2 of Koza, Matyka, Szkoda and Miroslaw 2012 for the paper's kernel and for ours. Beside them CSR, by
// our kernel, by a warp a row ("vector") and by a thread a row ("scalar"), HYB, and cuSPARSE's CSR. The CPU has one kernel:
// there heights and orders are searched.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>

#include "drivers/bench.hpp"
#include "drivers/support/json.hpp"
#include "drivers/support/operator_sweep.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/tuning/cmrs_rule.hpp"
#include "kernels/tuning/cmrs_variants.hpp"

namespace quadrille {
namespace {

constexpr int heights[] = {1, 2, 4, 8, 16};
constexpr int our_blocks[] = {64, 128, 256};
constexpr int paper_blocks[] = {64, 128, 256, 512};  // of the paper's eight, 64 to 512 in steps of 64
constexpr double contender = 1.3;  // times the fastest of its kernel: measured again, longer
constexpr double enough_s = 0.1;   // for the products of one variant
constexpr Repetitions first_look{.most = 5, .least = 3, .enough_s = 0.01};

struct Variant {
  int height = 1;
  bool reorder = false;
  CmrsLaunch launch;
  Timing timing;

  double ms() const { return timing.median_ms; }
  bool ours() const { return launch.kernel == CmrsKernel::tiles; }
};

bool same(const CmrsLaunch& a, const CmrsLaunch& b) {
  return a.kernel == b.kernel && threads_of(a) == threads_of(b) &&
         (a.kernel == CmrsKernel::tiles || (a.aligned == b.aligned && a.cache == b.cache));
}

// What is tried of one conversion. Not tried: orders of height 1, whose rows are sorted in any case; and the cache paths but
// for the fastest variant, see Search::try_cache_paths().
std::vector<CmrsLaunch> launches(SpaceKind space) {
  if (space == SpaceKind::cpu) return {{}};
  std::vector<CmrsLaunch> all;
  for (const int block : our_blocks) all.push_back({.block = block});
  for (const int block : paper_blocks)
    for (const bool aligned : {false, true})
      all.push_back({CmrsKernel::paper, block, aligned, CachePath::read_only});
  return all;
}

// All variants of one operator.
template <class T>
class Search {
 public:
  // Converts, checks and times them all. Throws FormatError and MemoryError where one of them cannot be.
  Search(FormatRun<T>& formats, SpaceKind space, const Options& here, Record& record)
      : formats_(formats),
        space_(space),
        here_(here),
        record_(record),
        vectors_(space, formats.x(), record.rows) {
    const Csr<T>& csr = *csr_of(formats.loaded().source);
    for (const int height : heights)
      for (const bool reorder : {false, true})
        if (height > 1 || !reorder) {
          conversions_[{height, reorder}] = cmrs_variants(space, csr, height, reorder);
          for (const CmrsLaunch& launch : launches(space)) add({height, reorder, launch, {}});
        }
  }

  // Longer products of what may be the fastest, and of `chosen`, which may be new.
  void refine(const CmrsChoice& chosen) {
    if (conversions_.find({chosen.height, chosen.reorder}) == conversions_.end())
      conversions_[{chosen.height, chosen.reorder}] =
          cmrs_variants(space_, *csr_of(formats_.loaded().source), chosen.height, chosen.reorder);
    if (find(chosen) == nullptr) add({chosen.height, chosen.reorder, chosen.launch, {}});
    const double ours = fastest(true)->ms(), paper = space_ == SpaceKind::cuda ? fastest(false)->ms() : 0;
    for (Variant& variant : variants_)
      if (variant.ms() <= contender * (variant.ours() ? ours : paper) || &variant == find(chosen))
        time(variant, longer());
    if (space_ == SpaceKind::cuda) try_cache_paths();
  }

  const std::vector<Variant>& variants() const { return variants_; }
  const Variant* find(const CmrsChoice& choice) const {
    for (const Variant& v : variants_)
      if (v.height == choice.height && v.reorder == choice.reorder &&
          (space_ == SpaceKind::cpu || same(v.launch, choice.launch)))
        return &v;
    return nullptr;
  }
  // Of our kernel, of the paper's, or of both; null where there is none.
  const Variant* fastest(std::optional<bool> ours = {}) const {
    const Variant* best = nullptr;
    for (const Variant& v : variants_)
      if ((!ours || *ours == v.ours()) && (best == nullptr || v.ms() < best->ms())) best = &v;
    return best;
  }
  const Variant& slowest() const {
    return *std::max_element(variants_.begin(), variants_.end(),
                             [](const Variant& a, const Variant& b) { return a.ms() < b.ms(); });
  }
  const SpmvOperator<T>& use(const Variant& variant) const {
    const CmrsVariants<T>& conversion = conversions_.at({variant.height, variant.reorder});
    conversion.set_launch(variant.launch);
    return *conversion.op;
  }

 private:
  void add(Variant variant) {
    formats_.check(use(variant), record_);
    time(variant, first_look);
    variants_.push_back(variant);
  }

  void time(Variant& variant, const Repetitions& repetitions) {
    variant.timing = time_products(use(variant), here_.product, vectors_.x, vectors_.y, repetitions);
  }

  // The paper's texture cache was always the best; here the paths are compared where it matters, on the fastest.
  void try_cache_paths() {
    for (const CachePath cache : {CachePath::l1, CachePath::l2}) {
      Variant variant = *fastest(false);
      variant.launch.cache = cache;
      add(variant);
      time(variants_.back(), longer());
    }
  }

  Repetitions longer() const {
    Repetitions repetitions = formats_.repetitions(space_);
    repetitions.enough_s = std::min(repetitions.enough_s, enough_s);
    return repetitions;
  }

  FormatRun<T>& formats_;
  const SpaceKind space_;
  const Options& here_;
  Record& record_;
  ProductVectors<T> vectors_;
  std::map<std::pair<int, bool>, CmrsVariants<T>> conversions_;
  std::vector<Variant> variants_;
};

std::string kernel_text(const CmrsLaunch& launch) {
  return launch.kernel == CmrsKernel::tiles ? "default" : "paper";
}

std::string cache_text(CachePath cache) {
  return cache == CachePath::read_only ? "read-only" : cache == CachePath::l1 ? "l1" : "l2";
}

ExtraField field_of(const std::string& name, const Variant& v, SpaceKind space) {
  const auto yes = [](bool b) { return std::string(b ? "true" : "false"); };
  std::string json = "{\"height\": " + std::to_string(v.height) + ", \"reorder\": " + yes(v.reorder);
  std::string csv = "height " + std::to_string(v.height) + (v.reorder ? " reordered" : "");
  if (space == SpaceKind::cuda) {
    const std::string block = std::to_string(threads_of(v.launch));
    json += ", \"kernel\": " + json_string(kernel_text(v.launch)) + ", \"block\": " + block;
    csv += " " + kernel_text(v.launch) + " block " + block;
    if (!v.ours()) {
      json += ", \"aligned\": " + yes(v.launch.aligned) +
              ", \"cache\": " + json_string(cache_text(v.launch.cache));
      csv += (v.launch.aligned ? " aligned " : " ") + cache_text(v.launch.cache);
    }
  }
  const std::string ms = json_number(v.ms());
  return {name, json + ", \"ms\": " + ms + "}", csv + " ms " + ms};
}

// [height, reorder, kernel, block, aligned, cache, ms] of each variant; on the CPU without the four in the middle.
ExtraField search_field(const std::vector<Variant>& variants, SpaceKind space) {
  std::string json = "[", csv;
  for (const Variant& v : variants) {
    std::string words = std::to_string(v.height) + ", " + std::to_string(static_cast<int>(v.reorder)) + ", ";
    if (space == SpaceKind::cuda)
      words += json_string(kernel_text(v.launch)) + ", " + std::to_string(threads_of(v.launch)) + ", " +
               std::to_string(static_cast<int>(v.launch.aligned)) + ", " +
               json_string(cache_text(v.launch.cache)) + ", ";
    json += (json.size() > 1 ? ", [" : "[") + words + json_number(v.ms()) + "]";
  }
  return {"search", json + "]", csv};
}

// Milliseconds of the products beside CMRS, by name.
using Others = std::vector<std::pair<std::string, double>>;

// The columns of the paper's Table 2. Flops are those of the sums, 2 nnz - rows. Bytes, with values of v bytes: every x from
// memory, (4 + 2 v) nnz + 4 strips + v rows, or x once, (4 + v) nnz + 4 strips + v (rows + columns), which are the paper's
// for square matrices and v = 8. The efficiencies are fractions of the stream measured in the same run, where the paper took
// the bandwidth of the data sheet.
void add_table_columns(const RowStatistics& rows, int height, int value_bytes, const Others& others,
                       Record& record) {
  const auto nnz = static_cast<double>(rows.nnz), n = static_cast<double>(rows.rows),
             v = static_cast<double>(value_bytes);
  const double strips = static_cast<double>((rows.rows + height - 1) / height),
               scale = 1e-6 / record.ms_median;
  const double uncached = ((4 + 2 * v) * nnz + 4 * strips + v * n) * scale;
  const double cached = ((4 + v) * nnz + 4 * strips + v * (n + static_cast<double>(rows.columns))) * scale;
  const auto fraction = [&](double gbps) { return record.ceiling_gbps > 0 ? gbps / record.ceiling_gbps : 0; };
  record.extra.push_back(extra_field("row_mean", rows.mean));
  record.extra.push_back(extra_field("row_deviation", rows.deviation));
  record.extra.push_back(extra_field("row_longest", rows.longest));
  record.extra.push_back(extra_field("gflops_of_sums", (2 * nnz - n) * scale));
  record.extra.push_back(extra_field("gbps_x_uncached", uncached));
  record.extra.push_back(extra_field("gbps_x_cached", cached));
  record.extra.push_back(extra_field("efficiency_x_uncached", fraction(uncached)));
  record.extra.push_back(extra_field("efficiency_x_cached", fraction(cached)));
  for (const auto& [name, ms] : others)
    record.extra.push_back(extra_field("over_" + name, ms / record.ms_median));
}

// What the table shows of one operator.
struct Line {
  std::string matrix;
  RowStatistics rows;
  std::optional<Variant> paper;
  Variant best, model;
  Others others;

  double matching() const { return best.ms() / model.ms(); }
};

std::string choice_text(const Variant& v, SpaceKind space) {
  char text[48];
  if (space == SpaceKind::cpu)
    std::snprintf(text, sizeof text, "%2d %c", v.height, v.reorder ? 'r' : ' ');
  else
    std::snprintf(text, sizeof text, "%c %2d %c%c %3d", v.ours() ? ' ' : 'p', v.height, v.reorder ? 'r' : ' ',
                  !v.ours() && v.launch.aligned ? 'a' : ' ', threads_of(v.launch));
  return text;
}

// One precision.
class Table {
 public:
  explicit Table(SpaceKind space) : space_(space) {}
  void add(Line line) { lines_.push_back(std::move(line)); }

  void print(const std::string& title) const {
    if (lines_.empty()) return;
    std::size_t width = 6;
    for (const Line& line : lines_) width = std::max(width, line.matrix.size());
    const bool gpu = space_ == SpaceKind::cuda;
    std::cout.flush();
    std::printf("%s\n%-*s %9s %7s %7s", title.c_str(), static_cast<int>(width), "matrix", "rows", "mean",
                "dev.");
    if (gpu) std::printf(" | %-11s %9s", "paper's", "us");
    std::printf(" | %-11s %9s | %-11s %6s", "best", "us", "rule", "best %");
    for (const auto& [name, ms] : lines_.front().others) std::printf(" %8s", name.substr(0, 8).c_str());
    std::printf("\n");
    for (const Line& l : lines_) {
      std::printf("%-*s %9lld %7.1f %7.1f", static_cast<int>(width), l.matrix.c_str(),
                  static_cast<long long>(l.rows.rows), l.rows.mean, l.rows.deviation);
      if (gpu) std::printf(" | %-11s %9.2f", choice_text(*l.paper, space_).c_str(), 1e3 * l.paper->ms());
      std::printf(" | %-11s %9.2f | %-11s %6.1f", choice_text(l.best, space_).c_str(), 1e3 * l.best.ms(),
                  choice_text(l.model, space_).c_str(), 100 * l.matching());
      for (const auto& [name, ms] : l.others) std::printf(" %8.2f", ms / l.model.ms());
      std::printf("\n");
    }
    std::printf(
        "%sheight, r: reordered%s; best %%: the best time over the rule's; the last columns: their time over "
        "the rule's\n",
        gpu ? "p: the paper's kernel, " : "", gpu ? ", a: aligned, threads of a block" : "");
    const auto [mean, worst] = matching();
    std::printf("rule: mean %.1f %%, worst %.1f %% of the best\n\n", 100 * mean, 100 * worst);
    std::fflush(stdout);
  }

  // "" for none.
  std::string json() const {
    if (lines_.empty()) return "";
    const auto [mean, worst] = matching();
    return "{\"operators\": " + std::to_string(lines_.size()) +
           ", \"matching\": {\"mean\": " + json_number(mean) + ", \"worst\": " + json_number(worst) + "}}";
  }

 private:
  std::pair<double, double> matching() const {
    double mean = 0, worst = 1;
    for (const Line& line : lines_) {
      mean += line.matching() / static_cast<double>(lines_.size());
      worst = std::min(worst, line.matching());
    }
    return {mean, worst};
  }

  const SpaceKind space_;
  std::vector<Line> lines_;
};

const FormatEntry* entry_of(const std::string& name, SpaceKind space) {
  for (const FormatEntry& entry : registry())
    if (entry.name == name && entry.space == space) return &entry;
  return nullptr;
}

// CSR three ways, HYB and cuSPARSE's CSR, each with a record of its own.
template <class T>
Others measure_others(FormatRun<T>& formats, OperatorSweep& sweep, const Options& here, SpaceKind space) {
  const std::tuple<const char*, const char*, int> wanted[] = {{"csr", "csr", 0},
                                                              {"vector", "csr", 32},
                                                              {"scalar", "csr", 1},
                                                              {"hyb", "hyb", 0},
                                                              {"cusparse_csr", "cusparse_csr", 0}};
  Others others;
  for (const auto& [name, format, lanes] : wanted) {
    const FormatEntry* const entry = entry_of(format, space);
    if (entry == nullptr || !entry->make<T>() || (lanes > 0 && space == SpaceKind::cpu)) continue;
    sweep.say(name);
    FormatOptions options = here.format_options;
    options.csr_lanes = lanes;
    Record record = formats.measure(*entry, options);
    if (lanes > 0) record.format = "csr_" + std::string(name);
    if (record.skipped.empty()) others.emplace_back(name, record.ms_median);
    sweep.add(std::move(record));
  }
  return others;
}

}  // namespace

BenchResult bench_cmrs(const Options& options) {
  const bool on_gpu = options.space == "cuda" || (options.space == "auto" && cuda::device_count() > 0);
  const SpaceKind space = on_gpu ? SpaceKind::cuda : SpaceKind::cpu;
  const FormatEntry& entry = *entry_of("cmrs", space);
  OperatorSweep sweep(options, "cmrs");
  Table fp64(space), fp32(space);
  sweep([&]<class T>(FormatRun<T>& formats, const Options& here) {
    const Csr<T>& csr = *csr_of(formats.loaded().source);
    Line line;
    line.rows = row_statistics({csr.row_ptr.data(), static_cast<std::size_t>(csr.rows + 1)}, csr.columns);
    line.others = measure_others(formats, sweep, here, space);
    Record record = formats.record(entry), papers = record;
    line.matrix = record.matrix;
    sweep.say("cmrs, every height and kernel");
    formats.guarded(record, [&] {
      Search<T> search(formats, space, here, record);
      const CmrsChoice choice = cmrs_choice(line.rows, sizeof(T));
      search.refine(choice);
      line.best = *search.fastest();
      line.model = *search.find(choice);
      formats.report(search.use(line.model), line.model.timing, record);
      add_table_columns(line.rows, line.model.height, sizeof(T), line.others, record);
      record.extra.push_back(field_of("best", line.best, space));
      record.extra.push_back(field_of("model", line.model, space));
      record.extra.push_back(field_of("worst", search.slowest(), space));
      record.extra.push_back(extra_field("matching", line.matching()));
      if (const Variant* const paper = search.fastest(false)) {
        line.paper = *paper;
        papers.format = "cmrs_paper";
        papers.checked = record.checked;
        papers.rows_checked = record.rows_checked;
        papers.error_over_bound = record.error_over_bound;
        formats.report(search.use(*paper), paper->timing, papers);
        add_table_columns(line.rows, paper->height, sizeof(T), line.others, papers);
        papers.extra.push_back(field_of("best", *paper, space));
        record.extra.push_back(extra_field("over_paper", paper->ms() / line.model.ms()));
      }
      record.extra.push_back(search_field(search.variants(), space));
      (sizeof(T) == 8 ? fp64 : fp32).add(line);
    });
    if (line.paper) sweep.add(std::move(papers));
    sweep.add(std::move(record));
  });
  if (!options.quiet) {
    fp64.print("CMRS, fp64");
    fp32.print("CMRS, fp32");
  }
  BenchResult result = sweep.result();
  for (const auto& [name, table] : {std::pair("fp64", &fp64), std::pair("fp32", &fp32)})
    if (const std::string json = table->json(); !json.empty())
      result.summary += (result.summary.empty() ? "{\"" : ", \"") + std::string(name) + "\": " + json;
  if (!result.summary.empty()) result.summary += "}";
  return result;
}

}  // namespace quadrille
