#include "drivers/support/set_summary.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>

#include "drivers/support/json.hpp"
#include "drivers/support/text_table.hpp"

namespace quadrille {
namespace {

constexpr double brief_ms = 0.01;

// Of one operator: times by method.
using Times = std::map<std::string, double>;

template <class Value>
void add_unique(std::vector<Value>& values, const Value& value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

MethodSummary summarize_method(const std::string& method, const std::map<std::string, Times>& operators,
                               const std::string& base) {
  MethodSummary result;
  result.method = method;
  double log_sum = 0;
  std::vector<double> ratios;
  for (const auto& [name, times] : operators) {
    const auto mine = times.find(method), other = times.find(base);
    if (mine == times.end()) continue;
    const double ms = mine->second;
    const double least = std::min_element(times.begin(), times.end(), [](auto& a, auto& b) {
                           return a.second < b.second;
                         })->second;
    ++result.measured;
    result.fastest += ms == least;
    ratios.push_back(ms / least);
    if (ratios.back() > result.slowest.value) result.slowest = {ratios.back(), name};
    if (other == times.end()) continue;
    const double speedup = other->second / ms;
    log_sum += std::log(speedup);
    if (result.compared == 0 || speedup < result.worst_speedup.value) result.worst_speedup = {speedup, name};
    if (result.compared == 0 || speedup > result.best_speedup.value) result.best_speedup = {speedup, name};
    ++result.compared;
  }
  if (result.compared > 0) result.speedup = std::exp(log_sum / result.compared);
  std::sort(ratios.begin(), ratios.end());
  for (std::size_t i = 0; i < ratios.size(); ++i)
    if (i + 1 == ratios.size() || ratios[i + 1] > ratios[i])
      result.profile.emplace_back(ratios[i],
                                  static_cast<double>(i + 1) / static_cast<double>(operators.size()));
  return result;
}

void add(Json& json, const Extreme& extreme, const std::string& name) {
  const bool none = extreme.operator_name.empty();
  json[name] = none ? Json() : json_value(extreme.value);
  json[name + "_operator"] = none ? Json() : Json(extreme.operator_name);
}

Json json_of(const MethodSummary& m) {
  Json json{{"method", m.method},
            {"measured", m.measured},
            {"fastest", m.fastest},
            {"compared", m.compared},
            {"speedup", m.compared > 0 ? json_value(m.speedup) : Json()}};
  add(json, m.worst_speedup, "worst_speedup");
  add(json, m.best_speedup, "best_speedup");
  add(json, m.slowest, "slowest");
  json["profile"] = Json::array();
  for (const auto& [ratio, share] : m.profile)
    json["profile"].push_back(Json::array({json_value(ratio), json_value(share)}));
  return json;
}

bool passed(const Record& r) {
  return r.skipped.empty() && r.error_over_bound && *r.error_over_bound <= 1;
}

}  // namespace

double share_within(const MethodSummary& method, double ratio) {
  double share = 0;
  for (const auto& [from, value] : method.profile)
    if (from <= ratio) share = value;
  return share;
}

SetSummary summarize(std::string title, const std::vector<MethodTime>& times, const std::string& base) {
  std::map<std::string, Times> operators;
  std::vector<std::string> methods;
  for (const MethodTime& time : times) {
    if (!(time.ms > 0) || !std::isfinite(time.ms)) continue;
    add_unique(methods, time.method);
    double& ms = operators[time.operator_name].emplace(time.method, time.ms).first->second;
    ms = std::min(ms, time.ms);
  }
  SetSummary result;
  result.title = std::move(title);
  result.operators = static_cast<int>(operators.size());
  if (std::find(methods.begin(), methods.end(), base) != methods.end()) result.base = base;
  for (const auto& [name, all] : operators)
    result.brief +=
        std::any_of(all.begin(), all.end(), [](const auto& time) { return time.second < brief_ms; });
  for (const std::string& method : methods)
    result.methods.push_back(summarize_method(method, operators, base));
  std::stable_sort(result.methods.begin(), result.methods.end(),
                   [](const MethodSummary& a, const MethodSummary& b) {
                     return std::pair(a.fastest, a.speedup) > std::pair(b.fastest, b.speedup);
                   });
  return result;
}

std::vector<SetSummary> summarize(const std::vector<Record>& records,
                                  const std::function<std::string(const Record&)>& method, std::string base) {
  std::vector<std::string> precisions;
  for (const Record& record : records)
    if (passed(record)) add_unique(precisions, record.precision);
  std::vector<SetSummary> summaries;
  for (const std::string& precision : precisions) {
    const auto here = [&](const Record& r) { return passed(r) && r.precision == precision; };
    const auto on_gpu = [&](const Record& r) { return here(r) && r.space == "cuda"; };
    const auto first = std::find_if(records.begin(), records.end(), on_gpu);
    std::vector<MethodTime> times;
    bool cusparse = false;
    for (const Record& record : records) {
      if (first == records.end() ? !here(record) : !on_gpu(record)) continue;
      times.push_back({record.matrix, method(record), record.ms_median});
      cusparse |= times.back().method == "cusparse_csr";
    }
    summaries.push_back(summarize(precision + ", " + (first == records.end() ? "cpu" : first->device), times,
                                  !base.empty() ? base
                                  : cusparse    ? "cusparse_csr"
                                                : "csr"));
  }
  return summaries;
}

void print(std::ostream& out, const SetSummary& summary) {
  const bool with_base = !summary.base.empty();
  const auto count = [](int n, const std::string& what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
  };
  out << "summary: " << summary.title << ", " << count(summary.operators, "operator")
      << (with_base ? "; speed-up over " + summary.base : "") << "\n";
  std::vector<std::vector<std::string>> rows{{"", "measured", "fastest"}};
  if (with_base) rows[0].insert(rows[0].end(), {"speed-up", "worst", "best"});
  rows[0].insert(rows[0].end(), {"within 1.05", "1.2", "1.5", "2", "slowest", "on"});
  for (const MethodSummary& m : summary.methods) {
    std::vector<std::string> row{m.method, std::to_string(m.measured), std::to_string(m.fastest)};
    for (const double value : {m.speedup, m.worst_speedup.value, m.best_speedup.value})
      if (with_base) row.push_back(m.compared > 0 ? short_number(value) : "-");
    for (const double ratio : {1.05, 1.2, 1.5, 2.0})
      row.push_back(std::to_string(std::lround(100 * share_within(m, ratio))) + " %");
    row.push_back(short_number(m.slowest.value));
    row.push_back(m.slowest.operator_name);
    rows.push_back(row);
  }
  print_columns(out, rows);
  out << (with_base ? "speed-up: geometric mean over the operators that both are measured on. " : "")
      << "within: on how many of all operators it takes\nat most so many times the fastest's time; slowest: "
         "at most how "
         "many times where it is measured.\n";
  if (summary.brief > 0)
    out << "On " << count(summary.brief, "operator") << " the fastest takes less than 10 us: there the "
        << (summary.title.ends_with("cpu") ? "start of the threads" : "launch of a kernel")
        << " decides, not the format.\n";
}

Json to_json(const SetSummary& s) {
  Json json{{"title", s.title},
            {"base", s.base.empty() ? Json() : Json(s.base)},
            {"operators", s.operators},
            {"brief", s.brief},
            {"methods", Json::array()}};
  for (const MethodSummary& method : s.methods) json["methods"].push_back(json_of(method));
  return json;
}

Json to_json(const std::vector<SetSummary>& summaries) {
  Json all = Json::array();
  for (const SetSummary& summary : summaries) all.push_back(to_json(summary));
  return all;
}

}  // namespace quadrille
