// A small table of numbers, for people and for the JSON of an experiment.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "drivers/support/json.hpp"

namespace quadrille {

struct SummaryLine {
  std::string name;
  std::vector<double> values;  // one for each column; NaN for none
};

struct SummaryTable {
  std::string title;
  std::string heading;               // of the names
  std::vector<std::string> columns;  // their headings
  std::vector<SummaryLine> lines;
};

// Title, headings, and the lines with columns to the right; a blank line after. Nothing for a table without
// lines.
void print(std::ostream& out, const SummaryTable& table);

// [{"title": ..., "lines": [{"<heading>": name, "<column>": value, ...}, ...]}, ...]; null for none.
Json to_json(const std::vector<SummaryTable>& tables);

// Least, mean and greatest; NaN of none.
struct Spread {
  double min, mean, max;
};
Spread spread_of(const std::vector<double>& values);
// NaN of none.
double geometric_mean(const std::vector<double>& values);
// Of those that are true, in per cent; NaN of none.
double percent(std::size_t count, std::size_t of);

}  // namespace quadrille
