// The times of `quadrille bench transpose` and what they say over the set: which method is how often the
// fastest, and by how much.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "drivers/support/set_summary.hpp"
#include "drivers/support/summary_table.hpp"

namespace quadrille {

// Where the matrix starts as CSR or CSC, and which product is wanted.
struct TransposeTask {
  const char* storage;
  bool transposed;
  const char* title;
  std::vector<std::string> methods;  // the name of the storage is our own
};
const std::vector<TransposeTask>& transpose_tasks();

// Whether a method converts the matrix first, or is our own without a plan (kernels/segment_plan.hpp).
bool converts_first(const std::string& method);
bool is_once(const std::string& method);

// Milliseconds of one method on one operator: the whole of one product, a product among many, and what comes
// once before many.
struct TransposeTimes {
  double whole, multiplication, before;
};

// One operator in one precision: by the place of a task and the name of a method.
struct OperatorTransposeTimes {
  std::string matrix, precision;
  std::map<std::pair<std::size_t, std::string>, TransposeTimes> of;

  const TransposeTimes* find(std::size_t task, const std::string& method) const;
};

// After how many products it pays to convert first: from there on that takes less time in all than our own
// products from the given storage, with a plan and without. NaN for never.
double pays_after(const OperatorTransposeTimes& times, std::size_t task, const std::string& converting);

// A task's methods that have a time on any operator.
std::vector<std::string> measured_methods(const std::vector<OperatorTransposeTimes>& all, std::size_t task);

// A line per operator.
SummaryTable operator_table(const std::vector<OperatorTransposeTimes>& all, std::size_t task);
// A line per method for each task and precision: its times over ours and over cuSPARSE's, as geometric means,
// and on how many operators no other takes less time.
std::vector<SummaryTable> method_tables(const std::vector<OperatorTransposeTimes>& all);
// Of the products that CSR and CSC have only by scattering or conversion: the whole operation.
std::vector<SetSummary> whole_profiles(const std::vector<OperatorTransposeTimes>& all);

}  // namespace quadrille
