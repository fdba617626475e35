// `quadrille bench dof-scaling` and `bench bandwidth`: y = A x of dense random blocks, over the unknowns per node, on
// several grids: Figures 7 and 8 of Godwin, Holewinski and Sadayappan (GPGPU-5, 2012). One sweep measures both; they
// differ in what they show.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <new>
#include <optional>
#include <set>

#include "assembly/stencil_operator.hpp"
#include "drivers/bench.hpp"
#include "drivers/support/format_run.hpp"
#include "drivers/support/options_values.hpp"
#include "formats/format.hpp"
#include "kernels/cuda/device.hpp"

namespace quadrille {
namespace {

constexpr double cpu_enough_s = 2;  // for the products of one CPU line

struct Figure {
  const char* experiment;
  const char* quantity;
  double Record::*value;
  bool with_stream;  // the ceiling as a last column
};

constexpr Figure dof_scaling{"dof-scaling", "GFLOP/s, 2 for each non-zero", &Record::gflops, false};
constexpr Figure bandwidth{"bandwidth", "GB/s of the bytes that must move", &Record::gbps, true};

// The options of one operator of the sweep.
Options point_of(const Options& options, Precision precision, const Problem& problem, int dof) {
  Options here = options;
  here.precision = precision;
  here.grid = problem.grid;
  here.grid.dof = dof;
  here.points = problem.points;
  here.boundary = problem.boundary;
  here.format_options.block_size = dof;
  return here;
}

// Of --space auto: the GPU's formats where there is a GPU, else the CPU's; and the peers. In the order of --format.
std::vector<const FormatEntry*> entries_of(const Options& options) {
  std::vector<const FormatEntry*> entries = wanted_entries(options);
  const auto on_gpu = [](const FormatEntry* entry) {
    return !entry->peer && entry->space == SpaceKind::cuda;
  };
  if (options.space == "auto" && std::any_of(entries.begin(), entries.end(), on_gpu))
    std::erase_if(entries,
                  [](const FormatEntry* entry) { return !entry->peer && entry->space == SpaceKind::cpu; });
  const auto place = [&](const FormatEntry* entry) {
    return std::find(options.formats.begin(), options.formats.end(), entry->name);  // all: none is found
  };
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const FormatEntry* a, const FormatEntry* b) { return place(a) < place(b); });
  return entries;
}

// The line of a format whose operator could not be made.
Record refused(const Options& here, const FormatEntry& entry, const std::string& reason) {
  Record record;
  record.space = to_string(entry.space);
  record.device = entry.space == SpaceKind::cuda ? "gpu " + std::to_string(here.device) : "cpu";
  record.format = entry.name;
  record.precision = here.precision == Precision::fp64 ? "fp64" : "fp32";
  record.operator_name = here.operator_name;
  record.grid = to_string(here.grid);
  record.dof = here.grid.dof;
  record.stencil = describe(here.points);
  record.boundary = to_string(here.boundary, here.grid.dimension);
  record.rows = here.grid.rows();
  record.skipped = reason;
  return record;
}

// One grid in one precision: a table with a line per number of unknowns and a column per format.
class Panel {
 public:
  Panel(const Figure& figure, std::vector<Record> records) : figure_(figure), records_(std::move(records)) {
    for (const Record& r : records_) {
      if (std::find(columns_.begin(), columns_.end(), r.format) == columns_.end())
        columns_.push_back(r.format);
      dofs_.insert(r.dof);
    }
  }

  void print(std::ostream& out) const {
    if (records_.empty()) return;
    const Record& first = records_.front();
    out << first.grid << ", " << first.precision << ", on " << first.device << ": " << figure_.quantity
        << "\n";
    std::vector<std::vector<std::string>> rows{{"DoF"}};
    rows[0].insert(rows[0].end(), columns_.begin(), columns_.end());
    if (figure_.with_stream) rows[0].push_back("stream");
    for (const int dof : dofs_) {
      std::vector<std::string> row{std::to_string(dof)};
      for (const std::string& format : columns_) row.push_back(cell(find(dof, format)));
      if (figure_.with_stream) row.push_back(number(stream(dof)));
      rows.push_back(row);
    }
    for (const auto& row : rows) {
      std::string line;
      for (std::size_t c = 0; c < row.size(); ++c) {
        const bool marked = row[c].find_last_of(" *!") + 1 == row[c].size();
        const std::string text = c == 0 || marked ? row[c] : row[c] + " ";
        line += pad(text, c == 0 ? 3 : std::max<std::size_t>(rows[0][c].size(), 6) + 3);
      }
      out << line.erase(line.find_last_not_of(' ') + 1) << "\n";
    }
    print_refusals(out);
    out << "\n";
  }

 private:
  static std::string pad(const std::string& text, std::size_t width) {
    return std::string(width - std::min(width, text.size()), ' ') + text;
  }

  static std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text,
                  value >= 100  ? "%.0f"
                  : value >= 10 ? "%.1f"
                  : value >= 1  ? "%.2f"
                                : "%.3f",
                  value);
    return text;
  }

  const Record* find(int dof, const std::string& format) const {
    for (const Record& r : records_)
      if (r.dof == dof && r.format == format) return &r;
    return nullptr;
  }

  std::string cell(const Record* r) const {
    if (r == nullptr || !r->skipped.empty()) return "-";
    const bool wrong = !r->error_over_bound || !(*r->error_over_bound <= 1);
    return number(r->*figure_.value) + (wrong ? "!" : r->in_cache ? "*" : "");
  }

  // The ceiling of the first format that was measured.
  double stream(int dof) const {
    for (const std::string& format : columns_)
      if (const Record* r = find(dof, format); r != nullptr && r->skipped.empty()) return r->ceiling_gbps;
    return 0;
  }

  // Each format's first reason, with all the unknowns it was refused for; formats refused alike share a line.
  void print_refusals(std::ostream& out) const {
    std::vector<std::pair<std::string, std::string>> lines;  // reason, formats
    for (const std::string& format : columns_) {
      std::vector<int> dofs;
      const Record* first = nullptr;
      for (const int dof : dofs_) {
        const Record* const r = find(dof, format);
        if (r == nullptr || r->skipped.empty()) continue;
        if (first == nullptr) first = r;
        dofs.push_back(dof);
      }
      if (first == nullptr) continue;
      const std::string reason = refusal(*first, ", DoF " + dofs_text(dofs));
      const auto at =
          std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.first == reason; });
      if (at == lines.end())
        lines.emplace_back(reason, format);
      else
        at->second += ", " + format;
    }
    for (const auto& [reason, formats] : lines) out << "  - " << formats << reason << "\n";
  }

  const Figure& figure_;
  std::vector<Record> records_;
  std::vector<std::string> columns_;  // formats
  std::set<int> dofs_;
};

class DofSweep {
 public:
  DofSweep(const Figure& figure, const Options& options)
      : figure_(figure), options_(options), progress_(options), ceilings_(options.device) {}

  BenchResult operator()() {
    for (const Precision precision : options_.precisions)
      for (const Problem& problem : options_.problems) run_panel(precision, problem);
    if (!options_.quiet) std::cout << "* fits the last cache   ! wrong   - refused" << footnote() << "\n";
    return {std::move(records_), ceilings_.all(), out_of_memory_};
  }

 private:
  void run_panel(Precision precision, const Problem& problem) {
    const std::size_t begin = records_.size();
    for (const int dof : options_.dofs) {
      const Options here = point_of(options_, precision, problem, dof);
      if (precision == Precision::fp64)
        run_point<double>(here);
      else
        run_point<float>(here);
    }
    progress_.say("");
    if (!options_.quiet)
      Panel(figure_, {records_.begin() + static_cast<std::ptrdiff_t>(begin), records_.end()})
          .print(std::cout);
    std::cout.flush();
  }

  template <class T>
  void run_point(const Options& here) {
    const std::size_t points = options_.precisions.size() * options_.problems.size() * options_.dofs.size();
    progress_.set_place(std::to_string(++point_) + "/" + std::to_string(points) + " " + to_string(here.grid) +
                        ", DoF " + std::to_string(here.grid.dof) +
                        (sizeof(T) == 8 ? ", fp64: " : ", fp32: "));
    const std::vector<const FormatEntry*> entries = entries_of(here);
    if (entries.empty()) return;  // PETSc's alone, in fp32
    std::optional<FormatRun<T>> formats;
    std::string reason;
    try {
      formats.emplace(here, ceilings_, progress_, cpu_enough_s);
    } catch (const FormatError& error) {
      reason = error.what();
    } catch (const MemoryError& error) {
      reason = error.what();
      out_of_memory_ = true;
    } catch (const std::bad_alloc&) {
      reason = "not enough memory to assemble it";
      out_of_memory_ = true;
    }
    for (const FormatEntry* entry : entries) {
      progress_.say(entry->name + " on " + to_string(entry->space));
      records_.push_back(formats ? formats->measure(*entry) : refused(here, *entry, reason));
      records_.back().bench = figure_.experiment;
    }
  }

  const char* footnote() const {
    return figure_.with_stream ? "   stream: the ceiling of the first format's bytes, in the same run" : "";
  }

  const Figure& figure_;
  const Options& options_;
  Progress progress_;
  Ceilings ceilings_;
  std::vector<Record> records_;
  std::size_t point_ = 0;
  bool out_of_memory_ = false;
};

}  // namespace

BenchResult bench_dof_scaling(const Options& options) {
  return DofSweep(dof_scaling, options)();
}

BenchResult bench_bandwidth(const Options& options) {
  return DofSweep(bandwidth, options)();
}

}  // namespace quadrille
