// `quadrille bench matrices`: every format on a set of operators, and a summary over the set.
#include <algorithm>
#include <iostream>
#include <map>
#include <optional>

#include "drivers/bench.hpp"
#include "drivers/support/operator_source.hpp"
#include "drivers/support/operator_sweep.hpp"
#include "drivers/support/set_summary.hpp"
#include "drivers/support/text_table.hpp"

namespace quadrille {
namespace {

std::string count_text(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

bool passed(const Record& record) {
  return record.skipped.empty() && record.error_over_bound && *record.error_over_bound <= 1;
}

// The lines of one precision: one for each operator as soon as it is measured, with a column for each format.
class Lines {
 public:
  Lines(const Options& options, std::size_t name_width, std::ostream& out)
      : out_(out), name_width_(name_width), device_("cpu") {
    for (const FormatEntry* entry : bench_entries(options)) {
      columns_.push_back(entry->name);
      if (entry->space == SpaceKind::cuda)
        ranked_ = "cuda", device_ = "gpu " + std::to_string(options.device);
    }
    out_ << (options.precision == Precision::fp64 ? "fp64" : "fp32") << ", " << device_
         << ": GFLOP/s, 2 for each non-zero\n";
    print_heading();
  }

  // Of the records of one operator.
  void print(const std::vector<Record>& records) {
    std::vector<std::string> cells(columns_.size(), "- ");
    const Record* best = nullptr;
    for (const Record& r : records)
      if (passed(r) && r.space == ranked_ && (best == nullptr || r.ms_median < best->ms_median)) best = &r;
    for (const Record& r : records) {
      const auto column = std::find(columns_.begin(), columns_.end(), r.format) - columns_.begin();
      if (r.skipped.empty())
        cells.at(column) = short_number(r.gflops) + (&r == best ? "+" : passed(r) ? " " : "!");
      else
        refusals_[r.format].push_back(r);
    }
    for (const Record& r : records) in_memory_ += &r == best && !r.in_cache;
    ++operators_;
    const Record& first = records.front();
    print_line(first.matrix, {short_count(first.rows), short_count(first.nnz)}, cells);
  }

  void print_failure(const std::string& name, const std::string& reason) {
    out_ << pad_right(name, name_width_) << "  left out: " << reason << "\n";
  }

  // What the marks mean, and who was refused why.
  void end() const {
    out_ << "+ fastest" << (ranked_ == "cuda" ? " on the GPU" : "") << "   ! wrong   - refused; "
         << operators_ - in_memory_ << " of " << count_text(operators_, "operator")
         << " fit the last cache\n";
    std::map<std::string, std::string> lines;  // reason, formats
    std::vector<std::string> order;
    for (const std::string& format : columns_) {
      const auto at = refusals_.find(format);
      if (at == refusals_.end()) continue;
      const Record& first = at->second.front();
      const std::size_t count = at->second.size();
      const std::string reason = ", " + count_text(count, "operator") + (count > 1 ? ", the first " : " ") +
                                 refusal(first, first.matrix);
      std::string& formats = lines[reason];
      if (formats.empty()) order.push_back(reason);
      formats += (formats.empty() ? "" : ", ") + format;
    }
    for (const std::string& reason : order) out_ << "  - " << lines.at(reason) << reason << "\n";
  }

 private:
  static constexpr std::size_t size_width = 7, least_width = 7;

  // Long names in two lines: cusparse_csr as cusparse, csr.
  static std::pair<std::string, std::string> split(const std::string& name) {
    const std::size_t at = name.size() > least_width ? name.find('_') : std::string::npos;
    return at == std::string::npos ? std::pair(std::string(), name)
                                   : std::pair(name.substr(0, at), name.substr(at + 1));
  }

  std::size_t width(const std::string& format) const {
    const auto [upper, lower] = split(format);
    return std::max({least_width, upper.size() + 2, lower.size() + 2});
  }

  void print_heading() const {
    std::vector<std::string> upper, lower;
    for (const std::string& format : columns_) {
      upper.push_back(split(format).first + " ");
      lower.push_back(split(format).second + " ");
    }
    if (std::any_of(upper.begin(), upper.end(), [](const std::string& text) { return text != " "; }))
      print_line("", {"", ""}, upper);
    print_line("", {"rows", "nnz"}, lower);
  }

  void print_line(const std::string& name, const std::vector<std::string>& sizes,
                  const std::vector<std::string>& cells) const {
    std::string line = pad_right(name, name_width_);
    for (const std::string& size : sizes) line += pad_left(size, size_width);
    line += " ";
    for (std::size_t c = 0; c < cells.size(); ++c) line += pad_left(cells[c], width(columns_[c]));
    out_ << line.erase(line.find_last_not_of(' ') + 1) << std::endl;
  }

  std::ostream& out_;
  const std::size_t name_width_;
  std::vector<std::string> columns_;
  std::string ranked_ = "cpu", device_;
  std::map<std::string, std::vector<Record>> refusals_;
  std::size_t operators_ = 0, in_memory_ = 0;
};

class SetRun {
 public:
  explicit SetRun(const Options& options)
      : options_(options), out_(options.quiet ? nullptr : std::cout.rdbuf()) {}

  BenchResult operator()() {
    sweep_([this](auto& formats, const Options& here) { measure(formats, here); },
           [this](const Options& here, const std::string& reason) {
             begin(here);
             sweep_.add_refusal(here, reason);
             sweep_.say("");
             lines_->print_failure(matrix_label(here), reason);
           });
    end();
    BenchResult result = sweep_.result();
    result.summary = to_json(summaries_);
    return result;
  }

 private:
  template <class T>
  void measure(FormatRun<T>& formats, const Options& here) {
    begin(here);
    const std::size_t first = sweep_.records().size();
    sweep_.add_all_formats(formats, here);
    sweep_.say("");
    lines_->print(since(first));
    if (const std::int64_t count = formats.reference().non_finite_rows(); count > 0)
      out_ << "  note: " << to_string(here.product) << " has NaN or Inf in " << count_text(count, "place")
           << "\n";
  }

  std::vector<Record> since(std::size_t first) const {
    return {sweep_.records().begin() + static_cast<std::ptrdiff_t>(first), sweep_.records().end()};
  }

  // The lines of this precision, after the end of those of another.
  void begin(const Options& here) {
    if (lines_ && here.precision == precision_) return;
    end();
    std::size_t width = 0;
    for (const std::string& label : sweep_.labels()) width = std::max(width, label.size());
    sweep_.say("");
    lines_.emplace(here, width, out_);
    precision_ = here.precision;
    first_ = sweep_.records().size();
  }

  void end() {
    if (!lines_) return;
    lines_->end();
    for (SetSummary& summary : summarize(since(first_), [](const Record& r) { return r.format; })) {
      out_ << "\n";
      if (summary.methods.size() > 1) print(out_, summary);
      summaries_.push_back(std::move(summary));
    }
    out_ << "\n" << std::flush;
    lines_.reset();
  }

  const Options& options_;
  OperatorSweep sweep_{options_, "matrices"};
  std::ostream out_;
  std::optional<Lines> lines_;
  Precision precision_ = Precision::fp64;
  std::size_t first_ = 0;  // record of this precision
  std::vector<SetSummary> summaries_;
};

}  // namespace

BenchResult bench_matrices(const Options& options) {
  return SetRun(options)();
}

}  // namespace quadrille
