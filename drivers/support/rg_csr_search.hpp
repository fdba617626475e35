// What `bench rgcsr` found: the times of RgCSR's variants on each operator, and the tables of Oberhuber et al. 2010 from them.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "drivers/support/set_summary.hpp"
#include "drivers/support/summary_table.hpp"
#include "kernels/registry.hpp"

namespace quadrille {

struct RgCsrVariant {
  int group;
  RowOrdering ordering;
  int threads;  // of the GPU for each row
  double ms, gflops, zeros, convert_ms;
};

// One operator in one precision.
struct RgCsrSearch {
  using Layout = std::pair<int, RowOrdering>;  // group and order of the rows

  std::string matrix, precision;
  std::int64_t rows = 0, nnz = 0;
  std::vector<RgCsrVariant> variants;  // that were measured
  std::map<Layout, double> zeros;  // artificial ones, in per cent of the non-zeros; of refused layouts too
  std::map<Layout, int> ruled;     // the threads by rg_csr_threads()
  std::map<RowOrdering, double> order_ms;  // to find the order
  std::map<std::string, double> peer_ms;   // csr, hyb, cusparse_csr

  // One thread a row, as in the paper, or as many as the rule says; null where it was not measured.
  const RgCsrVariant* paper(Layout layout) const;
  const RgCsrVariant* modern(Layout layout) const;
  const RgCsrVariant* best() const;
};

inline constexpr int rg_csr_groups[] = {32, 64, 128, 256};
inline constexpr RowOrdering row_orderings[] = {RowOrdering::none, RowOrdering::descending, RowOrdering::rcm};
const char* to_string(RowOrdering ordering);

// {"group": ..., "ordering": ..., "threads": ..., "ms": ..., "gflops": ..., "zeros_percent": ..., "convert_ms": ...}, or null
std::string to_json(const RgCsrVariant* variant);

// For each precision csr, hyb, cusparse_csr, and RgCSR as in the paper (group 128, one thread a row), with the threads of the
// rule, and the best of the search.
std::vector<SetSummary> rg_csr_profiles(const std::vector<RgCsrSearch>& found);

// Tables 4, 5 and 7 for each precision, and how near each layout comes to the best one.
std::vector<SummaryTable> rg_csr_tables(const std::vector<RgCsrSearch>& found);

}  // namespace quadrille
