// `quadrille bench ellr-t`: every T and block size of ELLR-T on a set of operators, what the models choose
// among them, and the worst, by our kernel (`ellr_t`) and by the paper's (`ellr_t_paper`), beside the formats
// that the paper compares: Tables 1 to 3 and Figures 5 and 6 of Vazquez, Fernandez and Garzon 2011. On the
// CPU, which has one kernel, T only orders the storage, and there are no blocks.
#include <cmath>
#include <iostream>
#include <span>

#include "drivers/bench.hpp"
#include "drivers/ellr_t_search.hpp"
#include "drivers/ellr_t_tables.hpp"
#include "drivers/support/json.hpp"
#include "drivers/support/other_products.hpp"
#include "kernels/cuda/device.hpp"

namespace quadrille {
namespace {

// The paper's CRS, CRS(vector), ELLPACK and HYB, and its processor's CRS by PETSc's; ours and cuSPARSE's
// beside. Its ELLPACK-R is T = 1 of the search; SpMV4GPU is not to be had.
constexpr OtherProduct other_products[] = {{"csr_scalar", "csr", 0, Kernel::paper},
                                           {"csr_vector", "csr", 32},
                                           {"csr", "csr"},
                                           {"ell", "ell"},
                                           {"hyb", "hyb"},
                                           {"cusparse_csr", "cusparse_csr"},
                                           {"petsc_aij", "petsc_aij"}};

Json block_json(const EllrTTrial& trial) {
  return trial.choice.block == EllrTTrial::blocks_on_cpu ? Json() : Json(trial.choice.block);
}

ExtraField field_of(const std::string& name, const EllrTTrial& trial) {
  const int t = trial.choice.threads;
  return {
      name, Json{{"t", t}, {"block", block_json(trial)}, {"ms", json_value(trial.ms)}},
      "t " + std::to_string(t) + " block " + block_text(trial.choice, "-") + " ms " + plain_number(trial.ms)};
}

ExtraField search_field(const std::vector<EllrTTrial>& trials) {
  Json json = Json::array();
  std::string csv;
  for (const EllrTTrial& trial : trials) {
    json.push_back(Json::array({trial.choice.threads, block_json(trial), json_value(trial.ms)}));
    csv += (csv.empty() ? "" : "; ") + std::to_string(trial.choice.threads) + " " +
           block_text(trial.choice, "-") + " " + plain_number(trial.ms);
  }
  return {"search", std::move(json), csv};
}

void set_row_lengths(std::span<const std::int32_t> row_ptr, EllrTLine& line) {
  line.rows = static_cast<std::int64_t>(row_ptr.size()) - 1;
  if (line.rows == 0) return;
  const auto rows = static_cast<double>(line.rows);
  line.mean = (row_ptr.back() - row_ptr.front()) / rows;
  double squares = 0;
  for (std::int64_t i = 0; i < line.rows; ++i)
    squares += std::pow(row_ptr[i + 1] - row_ptr[i] - line.mean, 2);
  if (line.mean > 0) line.deviation = std::sqrt(squares / rows) / line.mean;
}

// The models' choices.
struct Choices {
  EllrTChoice ours, papers;
};

// One operator in one precision.
template <class T>
class Bench {
 public:
  Bench(FormatRun<T>& formats, SpaceKind space, EllrTLine& line)
      : formats_(formats),
        space_(space),
        line_(line),
        csr_(*csr_of(formats.loaded().source)),
        vectors_(space, formats.x(), csr_.rows) {
    set_row_lengths({csr_.row_ptr.data(), static_cast<std::size_t>(csr_.rows + 1)}, line);
    choices_ = {ellr_t_choice(csr_, {0, 0}), ellr_t_choice(csr_, {0, 0}, EllrTModel::paper)};
    conversions_ = ellr_t_conversions(space, csr_);
  }

  void by_our_kernel(Record& record) {
    EllrTSearch<T> search(formats_, space_, conversions_, vectors_, Kernel::ours, record);
    search.run(3);
    const ExtraField searched = search_field(search.trials());
    search.compare({choices_.ours, choices_.papers});
    EllrTFound& found = line_.ours = {search.fastest(), search.slowest(), search.of(choices_.papers),
                                      search.of(choices_.ours)};
    report(search, *found.model, found, record);
    record.extra.push_back(field_of("best", found.best));
    record.extra.push_back(field_of("model", *found.model));
    record.extra.push_back(field_of("worst", found.worst));
    record.extra.push_back(extra_field("matching", found.matching(*found.model)));
    record.extra.push_back(field_of("paper_model", found.paper));
    record.extra.push_back(extra_field("paper_matching", found.matching(found.paper)));
    record.extra.push_back(searched);
  }

  // With the paper's model alone, as `model`, and a shorter search.
  void by_the_papers_kernel(Record& record) {
    EllrTSearch<T> search(formats_, space_, conversions_, vectors_, Kernel::paper, record);
    search.run(1);
    const ExtraField searched = search_field(search.trials());
    search.compare({choices_.papers});
    EllrTFound found{search.fastest(), search.slowest(), search.of(choices_.papers), {}};
    report(search, found.paper, found, record);
    record.extra.push_back(field_of("best", found.best));
    record.extra.push_back(field_of("model", found.paper));
    record.extra.push_back(field_of("worst", found.worst));
    record.extra.push_back(extra_field("matching", found.matching(found.paper)));
    record.extra.push_back({"x_cache", to_json(search.cache_paths()), ""});
    record.extra.push_back(searched);
    line_.papers = found;
  }

 private:
  void report(const EllrTSearch<T>& search, const EllrTTrial& choice, EllrTFound& found, Record& record) {
    formats_.report(*search.use(choice), timing_of(choice.times_ms), record);
    found.gbps = record.gbps;
    record.extra = {extra_field("row_mean", line_.mean), extra_field("row_deviation", line_.deviation)};
  }

  FormatRun<T>& formats_;
  const SpaceKind space_;
  EllrTLine& line_;
  const Csr<T>& csr_;
  ProductVectors<T> vectors_;
  Choices choices_;
  EllrTConversions<T> conversions_;
};

}  // namespace

BenchResult bench_ellr_t(const Options& options) {
  const bool on_gpu = options.space == "cuda" || (options.space == "auto" && cuda::device_count() > 0);
  const SpaceKind space = on_gpu ? SpaceKind::cuda : SpaceKind::cpu;
  const FormatEntry& entry = find_format("ellr_t", space);
  OperatorSweep sweep(options, "ellr-t");
  EllrTTable fp64("fp64"), fp32("fp32");
  sweep([&]<class T>(FormatRun<T>& formats, const Options& here) {
    EllrTLine line;
    line.others = measure_others(formats, sweep, here, space, other_products);
    Record record = formats.record(entry), papers = record;
    line.matrix = record.matrix;
    papers.format = "ellr_t_paper";
    sweep.say("ellr_t, every T and block");
    formats.guarded(record, [&] {
      Bench<T> bench(formats, space, line);
      bench.by_our_kernel(record);
      if (on_gpu) bench.by_the_papers_kernel(papers);
      (sizeof(T) == 8 ? fp64 : fp32).add(line);
    });
    sweep.add(std::move(record));
    if (line.papers) sweep.add(std::move(papers));
  });
  std::vector<SummaryTable> tables;
  std::vector<SetSummary> summaries;
  for (const EllrTTable* table : {&fp64, &fp32}) {
    if (!options.quiet) table->print(on_gpu);
    table->tabulate_into(tables);
    table->summarize_into(summaries, on_gpu ? ", gpu " + std::to_string(options.device) : ", cpu");
  }
  if (!options.quiet)
    for (const SummaryTable& table : tables) print(std::cout, table);
  BenchResult result = sweep.result();
  result.summary = to_json(summaries);
  result.tables = to_json(tables);
  return result;
}

}  // namespace quadrille
