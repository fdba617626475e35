// `quadrille bench dof-scaling` and `bench bandwidth`: y = A x of dense random blocks, over the unknowns per
// node, on several grids: Figures 7 and 8 of Godwin, Holewinski and Sadayappan (GPGPU-5, 2012). One sweep
// measures both; they differ in what they show, and dof-scaling has the paper's own kernel beside ours.
#include <algorithm>
#include <iostream>
#include <set>

#include "drivers/bench.hpp"
#include "drivers/support/operator_source.hpp"
#include "drivers/support/operator_sweep.hpp"
#include "drivers/support/options_values.hpp"
#include "drivers/support/text_table.hpp"

namespace quadrille {
namespace {

struct Figure {
  const char* experiment;
  const char* quantity;
  double Record::*value;
  bool with_stream;  // the ceiling as a last column
};

constexpr Figure dof_scaling{"dof-scaling", "GFLOP/s, 2 for each non-zero", &Record::gflops, false};
constexpr Figure bandwidth{"bandwidth", "GB/s of the bytes that must move", &Record::gbps, true};

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
      if (figure_.with_stream) row.push_back(short_number(stream(dof)));
      rows.push_back(row);
    }
    for (const auto& row : rows) {
      std::string line;
      for (std::size_t c = 0; c < row.size(); ++c) {
        const bool marked = row[c].find_last_of(" *!") + 1 == row[c].size();
        const std::string text = c == 0 || marked ? row[c] : row[c] + " ";
        line += pad_left(text, c == 0 ? 3 : std::max<std::size_t>(rows[0][c].size(), 6) + 3);
      }
      out << line.erase(line.find_last_not_of(' ') + 1) << "\n";
    }
    print_refusals(out);
    out << "\n";
  }

 private:
  const Record* find(int dof, const std::string& format) const {
    for (const Record& r : records_)
      if (r.dof == dof && r.format == format) return &r;
    return nullptr;
  }

  std::string cell(const Record* r) const {
    if (r == nullptr || !r->skipped.empty()) return "-";
    const bool wrong = !r->error_over_bound || !(*r->error_over_bound <= 1);
    return short_number(r->*figure_.value) + (wrong ? "!" : r->in_cache ? "*" : "");
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

// CDS by the kernel of its paper, as `cds_paper`, where CDS is measured on the GPU.
template <class T>
void add_paper_kernel(OperatorSweep& sweep, FormatRun<T>& formats, const Options& here) {
  for (const FormatEntry* entry : bench_entries(here)) {
    if (entry->name != "cds" || entry->space != SpaceKind::cuda) continue;
    sweep.say("cds by the paper's kernel");
    FormatOptions options = here.format_options;
    options.kernel = Kernel::paper;
    Record record = formats.measure(*entry, options);
    record.format = "cds_paper";
    sweep.add(std::move(record));
  }
}

BenchResult measure(const Figure& figure, const Options& options) {
  OperatorSweep sweep(options, figure.experiment);
  std::size_t begin = 0;  // of the panel's records
  const auto end_panel = [&](const Options& here) {
    if (here.grid.dof != options.dofs.back()) return;
    sweep.say("");
    const std::vector<Record>& records = sweep.records();
    if (!options.quiet)
      Panel(figure, {records.begin() + static_cast<std::ptrdiff_t>(begin), records.end()}).print(std::cout);
    std::cout.flush();
    begin = records.size();
  };
  sweep(
      [&](auto& formats, const Options& here) {
        sweep.add_all_formats(formats, here);
        if (&figure == &dof_scaling) add_paper_kernel(sweep, formats, here);
        end_panel(here);
      },
      [&](const Options& here, const std::string& reason) {
        for (const FormatEntry* entry : bench_entries(here)) {
          Record record = record_of(here, entry->name, entry->space);
          record.skipped = reason;
          sweep.add(std::move(record));
        }
        end_panel(here);
      });
  if (!options.quiet)
    std::cout << "* fits the last cache   ! wrong   - refused"
              << (figure.with_stream ? "   stream: the ceiling of the first format's bytes, in the same run"
                                     : "")
              << "\n";
  return sweep.result();
}

}  // namespace

BenchResult bench_dof_scaling(const Options& options) {
  return measure(dof_scaling, options);
}

BenchResult bench_bandwidth(const Options& options) {
  return measure(bandwidth, options);
}

}  // namespace quadrille
