#include "drivers/support/transpose_summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quadrille {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

// What a method did over the operators of one precision.
struct Comparison {
  std::vector<double> whole, only, whole_of_cusparse,
      pays;  // over ours, over cuSPARSE's; after how many products
  std::size_t wins_whole = 0, wins_only = 0;
};

// Whether no method of the task takes less of this time.
bool is_fastest(const OperatorTransposeTimes& times, std::size_t task, double TransposeTimes::*part,
                double mine) {
  return std::none_of(times.of.begin(), times.of.end(), [&](const auto& other) {
    return other.first.first == task && other.second.*part < mine;
  });
}

double median(std::vector<double> values) {
  if (values.empty()) return none;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Comparison compare(const std::vector<OperatorTransposeTimes>& all, const std::string& precision,
                   std::size_t task, const std::string& method) {
  const std::string storage = transpose_tasks()[task].storage;
  Comparison c;
  for (const OperatorTransposeTimes& times : all) {
    const TransposeTimes *const mine = times.find(task, method), *const ours = times.find(task, storage);
    if (times.precision != precision || mine == nullptr || ours == nullptr) continue;
    c.whole.push_back(mine->whole / ours->whole);
    c.only.push_back(mine->multiplication / ours->multiplication);
    if (const TransposeTimes* const peer = times.find(task, "cusparse_" + storage))
      c.whole_of_cusparse.push_back(mine->whole / peer->whole);
    c.wins_whole += is_fastest(times, task, &TransposeTimes::whole, mine->whole);
    c.wins_only += is_fastest(times, task, &TransposeTimes::multiplication, mine->multiplication);
    if (!converts_first(method)) continue;
    const double after = pays_after(times, task, method);
    c.pays.push_back(std::isnan(after) ? std::numeric_limits<double>::infinity() : after);
  }
  return c;
}

SummaryLine line_of(const std::string& method, const Comparison& c) {
  const std::size_t operators = c.whole.size();
  return {method,
          {static_cast<double>(operators), geometric_mean(c.whole), geometric_mean(c.only),
           geometric_mean(c.whole_of_cusparse), static_cast<double>(c.wins_whole),
           static_cast<double>(c.wins_only), percent(c.wins_whole, operators),
           percent(c.wins_only, operators), median(c.pays)}};
}

}  // namespace

const std::vector<TransposeTask>& transpose_tasks() {
  static const std::vector<TransposeTask> all{
      {"csr", false, "y = A x from CSR", {"csr_naive", "csr", "cusparse_csr", "csr_lanes"}},
      {"csr", true, "y = A^T x from CSR", {"csr_naive", "csr", "csr_once", "cusparse_csr", "csr_converted"}},
      {"csc", false, "y = A x from CSC", {"csc_naive", "csc", "csc_once", "cusparse_csc", "csc_converted"}},
      {"csc", true, "y = A^T x from CSC", {"csc_naive", "csc", "cusparse_csc"}}};
  return all;
}

bool converts_first(const std::string& method) {
  return method.ends_with("_converted");
}

bool is_once(const std::string& method) {
  return method.ends_with("_once");
}

const TransposeTimes* OperatorTransposeTimes::find(std::size_t task, const std::string& method) const {
  const auto at = of.find({task, method});
  return at == of.end() ? nullptr : &at->second;
}

double pays_after(const OperatorTransposeTimes& times, std::size_t task, const std::string& converting) {
  const TransposeTimes* const converted = times.find(task, converting);
  if (converted == nullptr) return none;
  const std::string ours = transpose_tasks()[task].storage;
  double after = 1;
  for (const std::string& method : {ours, ours + "_once"})
    if (const TransposeTimes* const scattered = times.find(task, method)) {
      const double gain = scattered->multiplication - converted->multiplication;
      if (gain <= 0) return none;
      after = std::max(after, std::ceil((converted->before - scattered->before) / gain));
    }
  return after;
}

std::vector<std::string> measured_methods(const std::vector<OperatorTransposeTimes>& all, std::size_t task) {
  std::vector<std::string> methods = transpose_tasks()[task].methods;
  std::erase_if(methods, [&](const std::string& method) {
    return std::none_of(all.begin(), all.end(), [&](const auto& times) { return times.find(task, method); });
  });
  return methods;
}

SummaryTable operator_table(const std::vector<OperatorTransposeTimes>& all, std::size_t task) {
  SummaryTable table{std::string(transpose_tasks()[task].title) + ", ms", "operator", {}, {}};
  const std::vector<std::string> methods = measured_methods(all, task);
  for (const std::string& method : methods) {
    for (const char* part : {" whole", " only"}) table.columns.push_back(method + part);
    if (converts_first(method)) table.columns.push_back("pays after");
  }
  for (const OperatorTransposeTimes& times : all) {
    SummaryLine line{times.matrix + " " + times.precision, {}};
    for (const std::string& method : methods) {
      const TransposeTimes* const found = times.find(task, method);
      line.values.push_back(found ? found->whole : none);
      line.values.push_back(found ? found->multiplication : none);
      if (converts_first(method)) line.values.push_back(pays_after(times, task, method));
    }
    table.lines.push_back(std::move(line));
  }
  return table;
}

std::vector<SummaryTable> method_tables(const std::vector<OperatorTransposeTimes>& all) {
  std::vector<SummaryTable> tables;
  for (const char* precision : {"fp64", "fp32"})
    for (std::size_t task = 0; task < transpose_tasks().size(); ++task) {
      SummaryTable table{
          std::string(transpose_tasks()[task].title) + ", " + precision + ": over the operators",
          "method",
          {"operators", "time/ours whole", "time/ours only", "time/cuSPARSE whole", "fastest whole",
           "fastest only", "fastest whole %", "fastest only %", "pays after (median)"},
          {}};
      for (const std::string& method : measured_methods(all, task))
        if (const Comparison c = compare(all, precision, task, method); !c.whole.empty())
          table.lines.push_back(line_of(method, c));
      if (!table.lines.empty()) tables.push_back(std::move(table));
    }
  return tables;
}

std::vector<SetSummary> whole_profiles(const std::vector<OperatorTransposeTimes>& all) {
  std::vector<SetSummary> profiles;
  for (const char* precision : {"fp64", "fp32"})
    for (const std::size_t task : {1, 2}) {
      std::vector<MethodTime> times;
      for (const OperatorTransposeTimes& found : all)
        for (const std::string& method : transpose_tasks()[task].methods)
          if (const TransposeTimes* const ms = found.find(task, method); ms && found.precision == precision)
            times.push_back({found.matrix, method, ms->whole});
      if (!times.empty())
        profiles.push_back(summarize(std::string(transpose_tasks()[task].title) + ", " + precision, times,
                                     std::string("cusparse_") + transpose_tasks()[task].storage));
    }
  return profiles;
}

}  // namespace quadrille
