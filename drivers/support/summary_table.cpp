#include "drivers/support/summary_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <ostream>

#include "drivers/support/json.hpp"
#include "drivers/support/text_table.hpp"

namespace quadrille {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

std::string readable(double value) {
  if (std::isnan(value)) return "-";
  return value == std::round(value) && std::fabs(value) < 1e7 ? std::to_string(std::llround(value))
                                                              : short_number(value);
}

}  // namespace

void print(std::ostream& out, const SummaryTable& table) {
  if (table.lines.empty()) return;
  std::vector<std::vector<std::string>> rows{{table.heading}};
  rows[0].insert(rows[0].end(), table.columns.begin(), table.columns.end());
  for (const SummaryLine& line : table.lines) {
    rows.push_back({line.name});
    for (const double value : line.values) rows.back().push_back(readable(value));
  }
  out << table.title << "\n";
  print_columns(out, rows);
  out << "\n";
}

Json to_json(const std::vector<SummaryTable>& tables) {
  Json all = Json::array();
  for (const SummaryTable& table : tables) {
    Json lines = Json::array();
    for (const SummaryLine& line : table.lines) {
      Json members{{table.heading, line.name}};
      for (std::size_t c = 0; c < table.columns.size(); ++c)
        members[table.columns[c]] = std::isnan(line.values[c]) ? Json() : json_value(line.values[c]);
      lines.push_back(std::move(members));
    }
    all.push_back(Json{{"title", table.title}, {"lines", std::move(lines)}});
  }
  return all;
}

Spread spread_of(const std::vector<double>& values) {
  if (values.empty()) return {none, none, none};
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  return {*least, std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()),
          *greatest};
}

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return values.empty() ? none : std::exp(sum / static_cast<double>(values.size()));
}

double percent(std::size_t count, std::size_t of) {
  return of == 0 ? none : 100.0 * static_cast<double>(count) / static_cast<double>(of);
}

}  // namespace quadrille
