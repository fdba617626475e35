// `quadrille bench cmrs`: every height, order and kernel of CMRS on a set of operators, what the rule chooses
// among them, and the columns of Table 2 of Koza, Matyka, Szkoda and Miroslaw 2012: for the rule's choice
// (`cmrs`), the best of our kernel on strips of 2 rows and more (`cmrs_strips`), the best of the paper's
// there (`cmrs_paper`) and on single rows (`cmrs_paper_vector`, the paper's vector kernel). Beside them CSR,
// by our kernel, by ours with a warp a row ("vector") and by the plain kernel with a thread a row ("scalar"),
// HYB, and cuSPARSE's CSR. The CPU has one kernel: there heights and orders are searched.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <optional>

#include "drivers/bench.hpp"
#include "drivers/cmrs_search.hpp"
#include "drivers/support/json.hpp"
#include "drivers/support/options_text.hpp"
#include "drivers/support/other_products.hpp"
#include "drivers/support/set_summary.hpp"
#include "kernels/cuda/device.hpp"

namespace quadrille {
namespace {

std::string kernel_text(const Launch& launch) {
  return launch.kernel == Kernel::ours ? "ours" : "paper";
}

std::string cache_text(CachePath cache) {
  return cache_path_names().at(static_cast<std::size_t>(cache));
}
std::string split_text(MemorySplit split) {
  return memory_split_names().at(static_cast<std::size_t>(split));
}

ExtraField field_of(const std::string& name, const CmrsTrial& v, SpaceKind space) {
  Json json{{"height", v.height}, {"reorder", v.reorder}};
  std::string csv = "height " + std::to_string(v.height) + (v.reorder ? " reordered" : "");
  if (space == SpaceKind::cuda) {
    json["kernel"] = kernel_text(v.launch);
    json["block"] = cmrs_block(v.launch);
    csv += " " + kernel_text(v.launch) + " block " + std::to_string(cmrs_block(v.launch));
    if (!v.ours()) {
      json["aligned"] = v.launch.aligned;
      json["cache"] = cache_text(v.launch.cache);
      json["split"] = split_text(v.launch.split);
      csv += (v.launch.aligned ? " aligned " : " ") + cache_text(v.launch.cache) + " split " +
             split_text(v.launch.split);
    }
  }
  json["ms"] = json_value(v.ms());
  return {name, std::move(json), csv + " ms " + plain_number(v.ms())};
}

// [height, reorder, kernel, block, aligned, cache, split, ms] of each variant; on the CPU without the five in
// the middle.
ExtraField search_field(const std::vector<CmrsTrial>& variants, SpaceKind space) {
  Json json = Json::array();
  for (const CmrsTrial& v : variants) {
    Json words = Json::array({v.height, static_cast<int>(v.reorder)});
    if (space == SpaceKind::cuda) {
      words.push_back(kernel_text(v.launch));
      words.push_back(cmrs_block(v.launch));
      words.push_back(static_cast<int>(v.launch.aligned));
      words.push_back(cache_text(v.launch.cache));
      words.push_back(split_text(v.launch.split));
    }
    words.push_back(json_value(v.ms()));
    json.push_back(std::move(words));
  }
  return {"search", std::move(json), ""};
}

// CSR three ways, HYB and cuSPARSE's CSR.
constexpr OtherProduct other_products[] = {{"csr", "csr"},
                                           {"vector", "csr", 32},
                                           {"scalar", "csr", 0, Kernel::paper},
                                           {"hyb", "hyb"},
                                           {"cusparse_csr", "cusparse_csr"}};

// The columns of the paper's Table 2. Flops are those of the sums, 2 nnz - rows. Bytes, with values of v
// bytes: every x from memory, (4 + 2 v) nnz + 4 strips + v rows, or x once, (4 + v) nnz + 4 strips + v (rows
// + columns), which are the paper's for square matrices and v = 8. The efficiencies are fractions of the
// stream measured in the same run, where the paper took the bandwidth of the data sheet.
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
  std::optional<CmrsTrial> paper;
  CmrsTrial best, model;
  Others others;

  double matching() const { return best.ms() / model.ms(); }
  std::optional<double> other(const std::string& name) const {
    for (const auto& [their_name, ms] : others)
      if (their_name == name) return ms;
    return {};
  }
};

std::string choice_text(const CmrsTrial& v, SpaceKind space) {
  char text[48];
  if (space == SpaceKind::cpu)
    std::snprintf(text, sizeof text, "%2d %c", v.height, v.reorder ? 'r' : ' ');
  else
    std::snprintf(text, sizeof text, "%c %2d %c%c %3d", v.ours() ? ' ' : 'p', v.height, v.reorder ? 'r' : ' ',
                  !v.ours() && v.launch.aligned ? 'a' : ' ', cmrs_block(v.launch));
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
    for (const OtherProduct& other : other_products) std::printf(" %8.8s", other.name);
    std::printf("\n");
    for (const Line& l : lines_) {
      std::printf("%-*s %9lld %7.1f %7.1f", static_cast<int>(width), l.matrix.c_str(),
                  static_cast<long long>(l.rows.rows), l.rows.mean, l.rows.deviation);
      if (gpu) std::printf(" | %-11s %9.2f", choice_text(*l.paper, space_).c_str(), 1e3 * l.paper->ms());
      std::printf(" | %-11s %9.2f | %-11s %6.1f", choice_text(l.best, space_).c_str(), 1e3 * l.best.ms(),
                  choice_text(l.model, space_).c_str(), 100 * l.matching());
      for (const OtherProduct& other : other_products)
        if (const auto ms = l.other(other.name))
          std::printf(" %8.2f", *ms / l.model.ms());
        else
          std::printf(" %8s", "-");
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

  // Our choice, the fastest of all, the fastest of the paper's kernel, and the products beside them.
  void summarize_into(std::vector<SetSummary>& summaries, const std::string& title) const {
    std::vector<MethodTime> times;
    for (const Line& line : lines_) {
      times.push_back({line.matrix, "rule", line.model.ms()});
      times.push_back({line.matrix, "best", line.best.ms()});
      if (line.paper) times.push_back({line.matrix, "paper", line.paper->ms()});
      for (const auto& [name, ms] : line.others) times.push_back({line.matrix, name, ms});
    }
    if (!times.empty())
      summaries.push_back(summarize(title, times, space_ == SpaceKind::cuda ? "cusparse_csr" : "csr"));
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

// A record for the fastest of each group but for our strips of one row, which are what the rule takes:
// `record`.
template <class T>
std::vector<Record> group_records(FormatRun<T>& formats, const CmrsSearch<T>& search, const Line& line,
                                  SpaceKind space, const Record& record) {
  std::vector<Record> records;
  for (const auto& [group, name] : {std::pair(CmrsGroup::strips, "cmrs_strips"),
                                    {CmrsGroup::paper_strips, "cmrs_paper"},
                                    {CmrsGroup::paper_rows, "cmrs_paper_vector"}}) {
    const CmrsTrial* const best = search.fastest(group);
    if (best == nullptr) continue;
    Record found = record;
    found.extra.clear();
    found.format = name;
    formats.report(*search.use(*best), best->timing, found);
    add_table_columns(line.rows, best->height, sizeof(T), line.others, found);
    found.extra.push_back(field_of("best", *best, space));
    records.push_back(std::move(found));
  }
  return records;
}

}  // namespace

BenchResult bench_cmrs(const Options& options) {
  const bool on_gpu = options.space == "cuda" || (options.space == "auto" && cuda::device_count() > 0);
  const SpaceKind space = on_gpu ? SpaceKind::cuda : SpaceKind::cpu;
  const FormatEntry& entry = find_format("cmrs", space);
  OperatorSweep sweep(options, "cmrs");
  Table fp64(space), fp32(space);
  sweep([&]<class T>(FormatRun<T>& formats, const Options& here) {
    const Csr<T>& csr = *csr_of(formats.loaded().source);
    Line line;
    line.rows = row_statistics({csr.row_ptr.data(), static_cast<std::size_t>(csr.rows + 1)}, csr.columns);
    line.others = measure_others(formats, sweep, here, space, other_products);
    Record record = formats.record(entry);
    std::vector<Record> groups;
    line.matrix = record.matrix;
    sweep.say("cmrs, every height and kernel");
    formats.guarded(record, [&] {
      CmrsSearch<T> search(formats, space, here, record);
      const CmrsChoice choice = cmrs_choice(line.rows);
      search.refine(choice);
      line.best = *search.fastest();
      line.model = *search.find(choice);
      search.compare(line.best, line.model);
      formats.report(*search.use(line.model), line.model.timing, record);
      add_table_columns(line.rows, line.model.height, sizeof(T), line.others, record);
      record.extra.push_back(field_of("best", line.best, space));
      record.extra.push_back(field_of("model", line.model, space));
      record.extra.push_back(field_of("worst", search.slowest(), space));
      record.extra.push_back(extra_field("matching", line.matching()));
      if (const CmrsTrial* const paper = search.fastest(CmrsGroup::paper_strips)) line.paper = *paper;
      record.extra.push_back(search_field(search.variants(), space));
      groups = group_records(formats, search, line, space, record);
      (sizeof(T) == 8 ? fp64 : fp32).add(line);
    });
    for (Record& group : groups) sweep.add(std::move(group));
    sweep.add(std::move(record));
  });
  if (!options.quiet) {
    fp64.print("CMRS, fp64");
    fp32.print("CMRS, fp32");
  }
  std::vector<SetSummary> summaries;
  const std::string device = on_gpu ? ", gpu " + std::to_string(options.device) : ", cpu";
  fp64.summarize_into(summaries, "fp64" + device);
  fp32.summarize_into(summaries, "fp32" + device);
  if (!options.quiet)
    for (const SetSummary& summary : summaries) print(std::cout, summary);
  BenchResult result = sweep.result();
  result.summary = to_json(summaries);
  return result;
}

}  // namespace quadrille
