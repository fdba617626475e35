// `quadrille bench ellr-t`: every T and block size of ELLR-T on a set of operators, what the models choose among them, and the
// worst: Tables 1 to 3 of Vazquez, Fernandez and Garzon 2011. On the CPU T only orders the storage, and there are no blocks.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <numeric>

#include "drivers/bench.hpp"
#include "drivers/support/json.hpp"
#include "drivers/support/operator_sweep.hpp"
#include "drivers/support/set_summary.hpp"
#include "formats/ellr_t.hpp"
#include "kernels/tuning/ellr_t_model.hpp"
#include "kernels/tuning/ellr_t_variants.hpp"

namespace quadrille {
namespace {

constexpr int rounds = 3;               // over all variants, so that what drifts meets every one of them
constexpr int finals = 3;               // times as many products of the variants that are compared in the end
constexpr std::size_t fastest_few = 3;  // of these
constexpr int blocks_on_cpu = 0;

struct Variant {
  EllrTChoice choice;
  std::vector<double> times_ms;
  double ms = 0;  // their median
};

// All variants of one operator.
template <class T>
class Search {
 public:
  // Converts and checks them all; the larger T that pad too much are left out. Throws FormatError where T = 1 does, and
  // MemoryError.
  Search(FormatRun<T>& formats, SpaceKind space, Record& record)
      : csr_(*csr_of(formats.loaded().source)), on_gpu_(space == SpaceKind::cuda) {
    for (const int threads : ellr_t_threads) {
      try {
        loaded_.push_back(ellr_t_variants(space, csr_, threads));
      } catch (const FormatError&) {  // a row is padded to a multiple of T
        if (loaded_.empty()) throw;
        break;
      }
      for (const int block : on_gpu_ ? std::vector<int>(ellr_t_blocks.begin(), ellr_t_blocks.end())
                                     : std::vector<int>{blocks_on_cpu}) {
        variants_.push_back({{threads, block}, {}, 0});
        formats.check(use(variants_.back()), record);
      }
    }
  }

  // Products of every variant in turns.
  void run(const ProductVectors<T>& vectors, const Product& product, const Repetitions& all) {
    Repetitions part = part_of(all, rounds);
    for (int round = 0; round < rounds; ++round)
      for (Variant& variant : variants_) {
        time(variant, vectors, product, part);
        part.warm_up_ms = 0;
      }
  }

  // The fastest few, the slowest and `also` once more, as often as all rounds together, `finals` times over: their times
  // become these, for of 30 medians the least is too small by chance.
  void compare(const ProductVectors<T>& vectors, const Product& product, const Repetitions& all,
               const std::vector<EllrTChoice>& also) {
    std::vector<Variant*> finalists;
    for (Variant& variant : variants_) finalists.push_back(&variant);
    std::sort(finalists.begin(), finalists.end(), [](auto* a, auto* b) { return less(*a, *b); });
    std::vector<Variant*> chosen{finalists.back()};
    finalists.resize(std::min<std::size_t>(finalists.size(), fastest_few));
    const auto add = [&](Variant* v) {
      if (std::find(chosen.begin(), chosen.end(), v) == chosen.end()) chosen.push_back(v);
    };
    for (Variant* variant : finalists) add(variant);
    for (const EllrTChoice& choice : also) add(&of(choice));
    for (Variant* variant : chosen) variant->times_ms.clear();
    Repetitions part = part_of(all, rounds);
    part.warm_up_ms = 0;
    for (int round = 0; round < finals * rounds; ++round)
      for (Variant* variant : chosen) time(*variant, vectors, product, part);
    compared_ = chosen;
  }

  // On the CPU any block will do; of a T that is left out, the next smaller one.
  Variant& of(EllrTChoice choice) {
    choice.threads = std::min(choice.threads, variants_.back().choice.threads);
    return *std::find_if(variants_.begin(), variants_.end(), [&](const Variant& v) {
      return v.choice.threads == choice.threads && (!on_gpu_ || v.choice.block == choice.block);
    });
  }
  // Of those that were compared.
  const Variant& fastest() const {
    return **std::min_element(compared_.begin(), compared_.end(),
                              [](auto* a, auto* b) { return less(*a, *b); });
  }
  const Variant& slowest() const {
    return **std::max_element(compared_.begin(), compared_.end(),
                              [](auto* a, auto* b) { return less(*a, *b); });
  }
  const std::vector<Variant>& variants() const { return variants_; }
  const SpmvOperator<T>& use(const Variant& variant) const {
    const auto at = std::find(ellr_t_threads.begin(), ellr_t_threads.end(), variant.choice.threads);
    const EllrTVariants<T>& loaded = loaded_[static_cast<std::size_t>(at - ellr_t_threads.begin())];
    loaded.set_block(variant.choice.block);
    return *loaded.op;
  }

 private:
  static Repetitions part_of(Repetitions all, int parts) {
    all.most = std::max(1, all.most / parts);
    all.least = std::max(1, all.least / parts);
    all.enough_s /= parts;
    return all;
  }
  static bool less(const Variant& a, const Variant& b) { return a.ms < b.ms; }

  void time(Variant& variant, const ProductVectors<T>& vectors, const Product& product,
            const Repetitions& part) {
    const std::vector<double> ms = product_times(use(variant), product, vectors.x, vectors.y, part);
    variant.times_ms.insert(variant.times_ms.end(), ms.begin(), ms.end());
    variant.ms = timing_of(variant.times_ms).median_ms;
  }

  const Csr<T>& csr_;
  bool on_gpu_;
  std::vector<EllrTVariants<T>> loaded_;  // as ellr_t_threads
  std::vector<Variant> variants_;
  std::vector<Variant*> compared_;  // of variants_
};

std::string block_text(const EllrTChoice& choice, const char* none) {
  return choice.block == blocks_on_cpu ? none : std::to_string(choice.block);
}

ExtraField field_of(const std::string& name, const Variant& v) {
  const std::string ms = json_number(v.ms), t = std::to_string(v.choice.threads);
  return {name, "{\"t\": " + t + ", \"block\": " + block_text(v.choice, "null") + ", \"ms\": " + ms + "}",
          "t " + t + " block " + block_text(v.choice, "-") + " ms " + ms};
}

ExtraField search_field(const std::vector<Variant>& variants) {
  std::string json = "[", csv;
  for (const Variant& v : variants) {
    const std::string t = std::to_string(v.choice.threads), ms = json_number(v.ms);
    json += (json.size() > 1 ? ", [" : "[") + t + ", " + block_text(v.choice, "null") + ", " + ms + "]";
    csv += (csv.empty() ? "" : "; ") + t + " " + block_text(v.choice, "-") + " " + ms;
  }
  return {"search", json + "]", csv};
}

// What the table shows of one operator.
struct Line {
  std::string matrix;
  std::int64_t rows = 0;
  double mean = 0, deviation = 0;  // of the row lengths; the deviation as a part of the mean
  Variant best, model, paper, worst;
  double gbps = 0;  // of the model's choice

  double matching() const { return best.ms / model.ms; }
  double paper_matching() const { return best.ms / paper.ms; }
};

void set_row_lengths(std::span<const std::int32_t> row_ptr, Line& line) {
  line.rows = static_cast<std::int64_t>(row_ptr.size()) - 1;
  if (line.rows == 0) return;
  const auto rows = static_cast<double>(line.rows);
  line.mean = (row_ptr.back() - row_ptr.front()) / rows;
  double squares = 0;
  for (std::int64_t i = 0; i < line.rows; ++i)
    squares += std::pow(row_ptr[i + 1] - row_ptr[i] - line.mean, 2);
  if (line.mean > 0) line.deviation = std::sqrt(squares / rows) / line.mean;
}

// Searches one operator, and adds what it found to the record and the line.
template <class T>
void search_operator(FormatRun<T>& formats, const FormatEntry& entry, const Options& here, Record& record,
                     Line& line) {
  const Csr<T>& csr = *csr_of(formats.loaded().source);
  const std::span<const std::int32_t> row_ptr(csr.row_ptr.data(), static_cast<std::size_t>(csr.rows + 1));
  set_row_lengths(row_ptr, line);
  const cuda::GpuProperties gpu = cuda::gpu_properties();
  const EllrTChoice model = ellr_t_choice(csr, {0, 0});
  const EllrTChoice paper = ellr_t_paper_choice(
      row_ptr, {gpu.multiprocessors, gpu.threads_per_multiprocessor, gpu.blocks_per_multiprocessor},
      {ellr_t_blocks.begin(), ellr_t_blocks.end()});

  Search<T> search(formats, entry.space, record);
  const ProductVectors<T> vectors(entry.space, formats.x(), csr.rows);
  const Repetitions repetitions = formats.repetitions(entry.space);
  search.run(vectors, here.product, repetitions);
  const ExtraField searched = search_field(search.variants());
  search.compare(vectors, here.product, repetitions, {model, paper});
  line.best = search.fastest();
  line.worst = search.slowest();
  line.model = search.of(model);
  line.paper = search.of(paper);
  formats.report(search.use(line.model), timing_of(line.model.times_ms), record);
  line.gbps = record.gbps;
  record.extra = {extra_field("row_mean", line.mean),
                  extra_field("row_deviation", line.deviation),
                  field_of("best", line.best),
                  field_of("model", line.model),
                  field_of("worst", line.worst),
                  extra_field("matching", line.matching()),
                  field_of("paper_model", line.paper),
                  extra_field("paper_matching", line.paper_matching()),
                  searched};
}

std::string choice_text(const Variant& v) {
  char text[64];
  std::snprintf(text, sizeof text, "%4s %3d", block_text(v.choice, "-").c_str(), v.choice.threads);
  return text;
}

// The paper's Tables 1 and 3 in one.
void print_lines(const std::vector<Line>& lines) {
  std::size_t width = 6;
  for (const Line& line : lines) width = std::max(width, line.matrix.size());
  std::printf("%-*s %9s %8s %6s | %8s %9s | %8s %6s | %8s %6s | %6s %6s\n", static_cast<int>(width), "", "",
              "entries", "dev.", "best", "", "model", "of", "paper's", "of", "worst", "");
  std::printf("%-*s %9s %8s %6s | %8s %9s | %8s %6s | %8s %6s | %6s %6s\n", static_cast<int>(width), "matrix",
              "rows", "a row", "%", "block  T", "us", "block  T", "best %", "block  T", "best %", "/ best",
              "GB/s");
  for (const Line& l : lines)
    std::printf("%-*s %9lld %8.1f %6.1f | %s %9.2f | %s %6.1f | %s %6.1f | %6.2f %6.1f\n",
                static_cast<int>(width), l.matrix.c_str(), static_cast<long long>(l.rows), l.mean,
                100 * l.deviation, choice_text(l.best).c_str(), 1e3 * l.best.ms, choice_text(l.model).c_str(),
                100 * l.matching(), choice_text(l.paper).c_str(), 100 * l.paper_matching(),
                l.worst.ms / l.best.ms, l.gbps);
}

struct Matching {
  double mean = 0, worst = 0;
  std::vector<int>
      counts;  // as the paper's Table 2: 100 % (but for half a per cent), from 90 % on, from 80 %, ...
};

template <class Value>
Matching matching_of(const std::vector<Line>& lines, const Value& value) {
  Matching result{0, 1, std::vector<int>(11, 0)};
  for (const Line& line : lines) {
    const double matching = value(line);
    result.mean += matching / static_cast<double>(lines.size());
    result.worst = std::min(result.worst, matching);
    const int tens = matching >= 0.995 ? 10 : std::min(9, static_cast<int>(10 * matching));
    ++result.counts[static_cast<std::size_t>(10 - tens)];
  }
  return result;
}

void print_matching(const char* name, const Matching& m) {
  std::printf("%-15s mean %5.1f %%, worst %5.1f %%; operators at", name, 100 * m.mean, 100 * m.worst);
  for (std::size_t i = 0; i < m.counts.size(); ++i)
    if (m.counts[i] > 0) std::printf(" %d %%: %d ", static_cast<int>(100 - 10 * i), m.counts[i]);
  std::printf("\n");
}

// One precision.
class Table {
 public:
  void add(Line line) { lines_.push_back(std::move(line)); }

  void print(const std::string& title, bool on_gpu) const {
    if (lines_.empty()) return;
    std::cout.flush();
    std::printf("%s\n", title.c_str());
    print_lines(lines_);
    std::printf("best %%: the best time over the choice's\n");
    if (!on_gpu) std::printf("on the CPU T only orders the storage, and there are no blocks\n");
    print_matching("our model:", ours());
    print_matching("paper's model:", papers());
    std::printf("\n");
    std::fflush(stdout);
  }

  // The four choices as methods; speed-ups over the best are what the paper calls matching.
  void summarize_into(std::vector<SetSummary>& summaries, const std::string& title) const {
    std::vector<MethodTime> times;
    for (const Line& line : lines_)
      for (const auto& [method, variant] :
           {std::pair("best", &line.best), std::pair("model", &line.model),
            std::pair("paper's model", &line.paper), std::pair("worst", &line.worst)})
        times.push_back({line.matrix, method, variant->ms});
    if (!times.empty()) summaries.push_back(summarize(title, times, "best"));
  }

 private:
  Matching ours() const {
    return matching_of(lines_, [](const Line& line) { return line.matching(); });
  }
  Matching papers() const {
    return matching_of(lines_, [](const Line& line) { return line.paper_matching(); });
  }

  std::vector<Line> lines_;
};

const FormatEntry& ellr_t_entry(const Options& options) {
  const bool on_gpu = options.space == "cuda" || (options.space == "auto" && cuda::device_count() > 0);
  const SpaceKind space = on_gpu ? SpaceKind::cuda : SpaceKind::cpu;
  return *std::find_if(registry().begin(), registry().end(), [&](const FormatEntry& entry) {
    return entry.name == "ellr_t" && entry.space == space;
  });
}

}  // namespace

BenchResult bench_ellr_t(const Options& options) {
  const FormatEntry& entry = ellr_t_entry(options);
  OperatorSweep sweep(options, "ellr-t");
  Table fp64, fp32;
  sweep([&]<class T>(FormatRun<T>& formats, const Options& here) {
    Record record = formats.record(entry);
    Line line;
    line.matrix = record.matrix;
    sweep.say("ellr_t, every T and block");
    formats.guarded(record, [&] {
      search_operator(formats, entry, here, record, line);
      (sizeof(T) == 8 ? fp64 : fp32).add(line);
    });
    sweep.add(std::move(record));
  });
  if (!options.quiet) {
    fp64.print("ELLR-T, fp64", entry.space == SpaceKind::cuda);
    fp32.print("ELLR-T, fp32", entry.space == SpaceKind::cuda);
  }
  BenchResult result = sweep.result();
  const std::string device =
      entry.space == SpaceKind::cuda ? ", gpu " + std::to_string(options.device) : ", cpu";
  std::vector<SetSummary> summaries;
  fp64.summarize_into(summaries, "fp64" + device);
  fp32.summarize_into(summaries, "fp32" + device);
  result.summary = to_json(summaries);
  return result;
}

}  // namespace quadrille
