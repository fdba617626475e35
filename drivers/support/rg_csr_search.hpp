// What `bench rgcsr` found: the times of RgCSR's variants on each operator, and the tables of Oberhuber et
// al. 2010 from them.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "drivers/support/set_summary.hpp"
#include "drivers/support/summary_table.hpp"
#include "drivers/support/x_cache_times.hpp"
#include "kernels/registry.hpp"

namespace quadrille {

struct RgCsrVariant {
  int group;
  RowOrdering ordering;
  Kernel kernel;
  int threads;  // of the GPU for each row; of the paper's kernel 1
  double ms, gflops, zeros, convert_ms;
};

// One operator in one precision.
struct RgCsrSearch {
  using Layout = std::pair<int, RowOrdering>;  // group and order of the rows

  std::string matrix, precision;
  std::int64_t rows = 0, columns = 0, nnz = 0;
  std::int64_t longest = 0, shortest = 0;  // rows, in entries
  bool in_cache = false;
  std::vector<RgCsrVariant> variants;  // that were measured
  std::map<Layout, double> zeros;  // artificial ones, in per cent of the non-zeros; of refused layouts too
  std::map<Layout, int> ruled;     // the threads by rg_csr_threads()
  std::map<RowOrdering, double> order_ms;  // to find the order
  XCacheTimes x_cache;                     // of the paper's kernel and layout
  std::map<std::string, double> peer_ms;   // csr, hyb, cusparse_csr, petsc_aij

  // By the paper's kernel, which the GPU has; by ours with one thread a row, or with as many as the rule
  // says. Null where it was not measured.
  const RgCsrVariant* paper(Layout layout) const;
  const RgCsrVariant* single(Layout layout) const;
  const RgCsrVariant* modern(Layout layout) const;
  const RgCsrVariant* best() const;
};

inline constexpr int rg_csr_groups[] = {32, 64, 128, 256};
inline constexpr RowOrdering row_orderings[] = {RowOrdering::none, RowOrdering::descending, RowOrdering::rcm,
                                                RowOrdering::amd};
inline constexpr int papers_group = 128;  // the paper's choice, which its Tables 5 to 7 are of
inline constexpr RgCsrSearch::Layout papers_layout{papers_group, RowOrdering::none};
const char* to_string(RowOrdering ordering);

// {"group": ..., "ordering": ..., "kernel": ..., "threads": ..., "ms": ..., "gflops": ..., "zeros_percent":
// ..., "convert_ms": ...}, or null
Json to_json(const RgCsrVariant* variant);

// For each precision the peers, and RgCSR in the paper's layout by its kernel, by ours with one thread a row
// and with those of the rule, and the best of the search.
std::vector<SetSummary> rg_csr_profiles(const std::vector<RgCsrSearch>& found);

// Tables 1, 2 and 4 to 7, and how near each layout comes to the best one. `gbps`: the memory's bandwidth, of
// Table 1. Lines that nothing was measured for are left out.
std::vector<SummaryTable> rg_csr_tables(const std::vector<RgCsrSearch>& found, double gbps);

}  // namespace quadrille
