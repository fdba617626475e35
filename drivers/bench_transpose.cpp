// `quadrille bench transpose`: y = A x and y = A^T x from CSR and from CSC, by the naive kernels, ours, cuSPARSE's and by
// conversion; each for the whole operation and for the multiplication only. Steinberger, Derler, Zayer and Seidel, "How naive
// is naive SpMV on the GPU?", HPEC 2016, Figure 3.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>
#include <map>

#include "drivers/bench.hpp"
#include "drivers/support/operator_sweep.hpp"
#include "drivers/support/set_summary.hpp"
#include "drivers/support/summary_table.hpp"
#include "formats/csc.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/product.hpp"
#include "kernels/set_up.hpp"
#include "kernels/transpose_methods.hpp"

namespace quadrille {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

// Where the matrix starts as CSR or CSC, and which product is wanted.
struct Task {
  const char* storage;
  bool transposed;
  const char* title;
  std::vector<const char*> methods;  // those that are there; the second is our own
};

const std::vector<Task>& tasks() {
  static const std::vector<Task> all{
      {"csr", false, "y = A x from CSR", {"csr_naive", "csr", "cusparse_csr", "csr_lanes"}},
      {"csr", true, "y = A^T x from CSR", {"csr_naive", "csr", "cusparse_csr", "csr_converted"}},
      {"csc", false, "y = A x from CSC", {"csc_naive", "csc", "cusparse_csc", "csc_converted"}},
      {"csc", true, "y = A^T x from CSC", {"csc_naive", "csc", "cusparse_csc"}}};
  return all;
}

// Milliseconds of one method on one operator: the whole of one product, a product among many, and what comes once before
// many.
struct Times {
  double whole = none, multiplication = none, before = none;
};
// One operator in one precision: a task and a method's place in it.
struct OperatorTimes {
  std::string matrix, precision;
  std::map<std::pair<std::size_t, std::size_t>, Times> of;
};

const FormatEntry* find_method(const std::vector<FormatEntry>& entries, SpaceKind space, const char* name) {
  for (const FormatEntry& entry : entries)
    if (entry.space == space && entry.name == name) return &entry;
  return nullptr;
}

// After how many products it pays to convert first; NaN for never.
double pays_after(const Times& scattering, const Times& converting) {
  const double gain = scattering.multiplication - converting.multiplication;
  return gain > 0 ? std::max(1.0, std::ceil(converting.before / gain)) : none;
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
                 Times& times) {
  const ProductVectors<T> vectors(op.space(), x, vector_size(product, op.rows(), op.columns()).y);
  times.whole = median_ms(op.space(), [&] {
    set_up.set_up(product.transposed);
    apply(op, product, vectors.x, vectors.y);
  });
  times.before = median_ms(op.space(), [&] { set_up.set_up(product.transposed); }) +
                 median_ms(op.space(), [&] { set_up.plan(); });
}

// What shares out the lines among the blocks of the GPU is made on the host: from the pointers in GPU memory and back.
template <class T>
double plan_ms(const Array<std::int32_t>& ptr) {
  const Array<std::int32_t, Device> on_device = transfer<Device>(ptr);
  return median_ms(SpaceKind::cuda, [&] { plan_on<T, Device>(transfer<Host>(on_device)); });
}

class TransposeBench {
 public:
  explicit TransposeBench(const Options& options)
      : options_(options), sweep_(options, "transpose"), entries_(registry()) {
    for (FormatEntry& entry : transpose_methods()) entries_.push_back(std::move(entry));
    // The kernels of the formats that options choose.
    for (const FormatEntry& entry : registry())
      for (const auto& [format, name] :
           {std::pair("csr", "csr_lanes"), {"csr", "csr_naive"}, {"csc", "csc_naive"}})
        if (entry.name == format && entry.space == SpaceKind::cuda) {
          entries_.push_back(entry);
          entries_.back().name = name;
        }
    const bool on_gpu = options.space == "cuda" || (options.space == "auto" && cuda::device_count() > 0);
    space_ = on_gpu ? SpaceKind::cuda : SpaceKind::cpu;
  }

  BenchResult operator()() {
    sweep_([&](auto& formats, const Options& here) { measure_operator(formats, here); });
    sweep_.say("");
    const std::vector<SummaryTable> tables = summaries();
    if (!options_.quiet) {
      for (std::size_t task = 0; task < tasks().size(); ++task) print_times(task);
      for (const SummaryTable& table : tables) print(std::cout, table);
      for (const SetSummary& profile : profiles()) print(std::cout, profile);
      std::cout
          << "whole: with what comes before the first product, conversion or analysis, memory being there.\n"
             "only: the multiplication. pays after: so many products make the conversion worth its time.\n";
    }
    BenchResult result = sweep_.result();
    result.summary = to_json(profiles());
    result.tables = to_json(tables);
    return result;
  }

 private:
  template <class T>
  void measure_operator(FormatRun<T>& formats, const Options& here) {
    Options transposing = here;
    transposing.product.transposed = true;
    FormatRun<T> transposed(formats, transposing);
    OperatorTimes& times = times_.emplace_back();
    for (std::size_t task = 0; task < tasks().size(); ++task)
      measure_task(tasks()[task].transposed ? transposed : formats, task, times);
  }

  template <class T>
  void measure_task(FormatRun<T>& formats, std::size_t task, OperatorTimes& times) {
    const Task& t = tasks()[task];
    std::vector<Record> records;
    for (std::size_t m = 0; m < t.methods.size(); ++m) {
      const FormatEntry* const entry = find_method(entries_, space_, t.methods[m]);
      if (entry == nullptr) continue;
      sweep_.say(std::string(t.title) + ", " + entry->name);
      Times& here = times.of[{task, m}];
      FormatOptions parameters = formats.options().format_options;
      parameters.csr_lanes = entry->name == "csr_lanes" ? lanes_of(*csr_of(formats.loaded().source)) : 0;
      parameters.kernel = entry->name.ends_with("_naive") ? Kernel::paper : Kernel::ours;
      Record record = formats.measure(*entry, parameters, [&](SpmvOperator<T>& op, Record& line) {
        here = {line.ms_median, line.ms_median, 0};
        if (auto* const set_up = dynamic_cast<SetUp*>(&op); set_up != nullptr) {
          time_set_up(op, *set_up, formats.options().product, formats.x(), here);
        } else if (m == 1 && space_ == SpaceKind::cuda && (task == 0 || task == 3)) {
          const Csr<T>& csr = *csr_of(formats.loaded().source);
          here.before = task == 0 ? plan_ms<T>(csr.row_ptr) : plan_ms<T>(csc_from_csr(csr).column_ptr);
          here.whole += here.before;
        }
      });
      record.extra.push_back(extra_field("storage", std::string(t.storage)));
      record.extra.push_back(number_or_null("whole_ms", here.whole));
      record.extra.push_back(number_or_null("before_ms", here.before));
      record.extra.push_back(
          number_or_null("pays_after", converts(task, m) ? pays_after(times.of[{task, 1}], here) : none));
      times.matrix = record.matrix;
      times.precision = record.precision;
      records.push_back(std::move(record));
    }
    for (Record& record : records) sweep_.add(std::move(record));
  }

  static ExtraField number_or_null(const std::string& name, double value) {
    return std::isnan(value) ? ExtraField{name, "null", ""} : extra_field(name, value);
  }

  static bool converts(std::size_t task, std::size_t method) {
    return method == 3 && (task == 1 || task == 2);
  }

  // Of the vector kernel: 4 entries a lane are in flight.
  template <class T>
  static int lanes_of(const Csr<T>& csr) {
    int lanes = 1;
    while (lanes < 32 && 4 * lanes * csr.rows < csr.nnz()) lanes *= 2;
    return lanes;
  }

  // The methods of a task that were measured.
  std::vector<std::size_t> methods_of(std::size_t task) const {
    std::vector<std::size_t> there;
    for (std::size_t m = 0; m < tasks()[task].methods.size(); ++m)
      if (find_method(entries_, space_, tasks()[task].methods[m]) != nullptr) there.push_back(m);
    return there;
  }

  static Times times_of(const OperatorTimes& times, std::size_t task, std::size_t method) {
    const auto at = times.of.find({task, method});
    return at == times.of.end() ? Times{} : at->second;
  }

  // A line per operator, where they are few enough to read.
  void print_times(std::size_t task) const {
    constexpr std::size_t readable = 48;
    if (times_.size() > readable) return;
    const Task& t = tasks()[task];
    SummaryTable table{std::string(t.title) + ", ms", "operator", {}, {}};
    const std::vector<std::size_t> methods = methods_of(task);
    for (const std::size_t m : methods)
      for (const char* part : {" whole", " only"}) table.columns.push_back(std::string(t.methods[m]) + part);
    const bool converted = converts(task, methods.back());
    if (converted) table.columns.push_back("pays after");
    for (const OperatorTimes& times : times_) {
      SummaryLine line{times.matrix + " " + times.precision, {}};
      for (const std::size_t m : methods) {
        line.values.push_back(times_of(times, task, m).whole);
        line.values.push_back(times_of(times, task, m).multiplication);
      }
      if (converted) line.values.push_back(pays_after(times_of(times, task, 1), times_of(times, task, 3)));
      table.lines.push_back(std::move(line));
    }
    print(std::cout, table);
  }

  // Of the products that CSR and CSC have only by scattering or conversion: the whole operation.
  std::vector<SetSummary> profiles() const {
    std::vector<SetSummary> all;
    for (const char* precision : {"fp64", "fp32"})
      for (const std::size_t task : {1, 2}) {
        std::vector<MethodTime> times;
        for (const OperatorTimes& found : times_)
          for (const std::size_t m : methods_of(task))
            if (const Times ms = times_of(found, task, m);
                found.precision == precision && !std::isnan(ms.whole))
              times.push_back({found.matrix, tasks()[task].methods[m], ms.whole});
        if (!times.empty())
          all.push_back(summarize(std::string(tasks()[task].title) + ", " + precision, times,
                                  std::string("cusparse_") + tasks()[task].storage));
      }
    return all;
  }

  // Each method against ours over the set.
  std::vector<SummaryTable> summaries() const {
    std::vector<SummaryTable> tables;
    for (const char* precision : {"fp64", "fp32"})
      for (std::size_t task = 0; task < tasks().size(); ++task) {
        SummaryTable table{std::string(tasks()[task].title) + ", " + precision + ": over the operators",
                           "method",
                           {"operators", "time/ours whole", "time/ours only", "fastest whole %",
                            "fastest only %", "pays after (median)"},
                           {}};
        for (const std::size_t m : methods_of(task)) add_summary(table, precision, task, m);
        if (!table.lines.empty()) tables.push_back(std::move(table));
      }
    return tables;
  }

  void add_summary(SummaryTable& table, const std::string& precision, std::size_t task,
                   std::size_t method) const {
    std::vector<double> whole, only, pays;
    std::size_t wins_whole = 0, wins_only = 0;
    for (const OperatorTimes& times : times_) {
      const Times mine = times_of(times, task, method), ours = times_of(times, task, 1);
      if (times.precision != precision || std::isnan(mine.whole) || std::isnan(ours.whole)) continue;
      whole.push_back(mine.whole / ours.whole);
      only.push_back(mine.multiplication / ours.multiplication);
      bool best_whole = true, best_only = true;
      for (const std::size_t m : methods_of(task)) {
        const Times other = times_of(times, task, m);
        best_whole = best_whole && !(other.whole < mine.whole);
        best_only = best_only && !(other.multiplication < mine.multiplication);
      }
      wins_whole += best_whole;
      wins_only += best_only;
      const double after = pays_after(ours, mine);
      if (converts(task, method))
        pays.push_back(std::isnan(after) ? std::numeric_limits<double>::infinity() : after);
    }
    if (whole.empty()) return;
    std::nth_element(pays.begin(), pays.begin() + static_cast<std::ptrdiff_t>(pays.size() / 2), pays.end());
    table.lines.push_back({tasks()[task].methods[method],
                           {static_cast<double>(whole.size()), geometric_mean(whole), geometric_mean(only),
                            percent(wins_whole, whole.size()), percent(wins_only, whole.size()),
                            pays.empty() ? none : pays[pays.size() / 2]}});
  }

  const Options& options_;
  OperatorSweep sweep_;
  std::vector<FormatEntry> entries_;
  SpaceKind space_;
  std::vector<OperatorTimes> times_;
};

}  // namespace

BenchResult bench_transpose(const Options& options) {
  return TransposeBench(options)();
}

}  // namespace quadrille
