// Several methods on a set of operators: who is fastest how often, and by how much. A method is a format, or
// a format with parameters ("ellr_t T=4").
//
// Speed-ups over one of the methods, the base, are averaged geometrically over the operators that both have a
// time on. The performance profile of a method is the share of all operators on which it takes at most r
// times the time of the fastest method there, as a function of r >= 1; an operator that it has no time on
// counts as never. Source: Dolan and More, "Benchmarking optimization software with performance profiles",
// Mathematical Programming 91 (2002), section 2.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "drivers/support/report.hpp"

namespace quadrille {

// One time; of several of one method on one operator the least counts. Times that are not positive are left
// out.
struct MethodTime {
  std::string operator_name, method;
  double ms = 0;
};

// A number and the operator it is of; 0 and "" where there is none.
struct Extreme {
  double value = 0;
  std::string operator_name;
};

struct MethodSummary {
  std::string method;
  int measured = 0;    // operators that it has a time on
  int fastest = 0;     // operators that no method takes less time on
  int compared = 0;    // operators that it and the base have times on
  double speedup = 0;  // geometric mean of base time / its time; 0 where nothing was compared
  Extreme worst_speedup, best_speedup;
  Extreme slowest;                                 // largest time over the fastest's
  std::vector<std::pair<double, double>> profile;  // ratio ascending, share from there on
};

struct SetSummary {
  std::string title;                   // "fp64, gpu 0"
  std::string base;                    // empty for none
  int operators = 0;                   // that any method has a time on
  int brief = 0;                       // of them, those whose fastest time is below 0.01 ms
  std::vector<MethodSummary> methods;  // by `fastest`, then `speedup`, descending
};

// The share of all operators on which the method takes at most `ratio` times the fastest's time.
double share_within(const MethodSummary& method, double ratio);

// A base that is no method gives no speed-ups.
SetSummary summarize(std::string title, const std::vector<MethodTime>& times, const std::string& base);

// One summary for each precision, of the records that passed their check: of the GPU's where there are any,
// else of all. Over `base`, or where that is empty cusparse_csr or else csr, as far as there are methods of
// that name.
std::vector<SetSummary> summarize(const std::vector<Record>& records,
                                  const std::function<std::string(const Record&)>& method,
                                  std::string base = "");

// A table with a line for each method.
void print(std::ostream& out, const SetSummary& summary);

// The members of its object, without the braces; what there is none of is null.
Json to_json(const SetSummary& summary);
// An array of such objects.
Json to_json(const std::vector<SetSummary>& summaries);

}  // namespace quadrille
