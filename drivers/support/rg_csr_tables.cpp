#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "drivers/support/rg_csr_search.hpp"
#include "drivers/support/text_table.hpp"

namespace quadrille {
namespace {

using Found = std::vector<const RgCsrSearch*>;
using Layout = RgCsrSearch::Layout;
using Choice = std::function<const RgCsrVariant*(const RgCsrSearch&)>;

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t small_rows = 10000;  // the paper's small matrices have fewer
constexpr const char* peers[] = {"csr", "hyb", "cusparse_csr", "petsc_aij"};

double peer(const RgCsrSearch& search, const char* name) {
  const auto at = search.peer_ms.find(name);
  return at == search.peer_ms.end() ? none : at->second;
}

double ms_of(const RgCsrVariant* variant) {
  return variant == nullptr ? none : variant->ms;
}

double gflops_of(const RgCsrSearch& s, double ms) {
  return 2e-6 * static_cast<double>(s.nnz) / ms;
}

// How a layout is multiplied.
struct Way {
  const char* name;
  const RgCsrVariant* (RgCsrSearch::*variant)(Layout) const;

  Choice of(Layout layout) const {
    return [way = variant, layout](const RgCsrSearch& s) { return (s.*way)(layout); };
  }
};
constexpr Way ways[] = {{"paper's kernel", &RgCsrSearch::paper},
                        {"T 1", &RgCsrSearch::single},
                        {"T by rule", &RgCsrSearch::modern}};

struct Subset {
  const char* name;
  bool small, large;
};
constexpr Subset subsets[] = {{"all", true, true}, {"small", true, false}, {"large", false, true}};

Found part_of(const std::vector<RgCsrSearch>& all, const std::string& precision, const Subset& subset) {
  Found found;
  for (const RgCsrSearch& s : all)
    if (s.precision == precision && (s.rows < small_rows ? subset.small : subset.large)) found.push_back(&s);
  return found;
}

std::vector<double> values_of(const Found& found, const std::function<double(const RgCsrSearch&)>& value) {
  std::vector<double> values;
  for (const RgCsrSearch* s : found)
    if (const double v = value(*s); !std::isnan(v)) values.push_back(v);
  return values;
}

// Section 3.4: two operations for each non-zero, which takes the bytes of a column, a value and, where
// nothing holds it, its x. Measured: the most of the operators that are larger than the last cache, past L1
// or by the read-only path.
SummaryTable table_1(const std::vector<RgCsrSearch>& all, double gbps) {
  SummaryTable table{"Table 1: GFLOP/s at most, estimated from " + short_number(gbps) +
                         " GB/s and by the paper's kernel, group " + std::to_string(papers_group),
                     "cache for x",
                     {},
                     {{"without", {}}, {"with", {}}}};
  for (const char* precision : {"fp64", "fp32"}) {
    const Found found = part_of(all, precision, subsets[0]);
    if (found.empty()) continue;
    for (const char* what : {" estimated", " measured", " of the estimate %"})
      table.columns.push_back(std::string(precision) + what);
    const int value = precision == std::string("fp64") ? 8 : 4;
    for (const bool cached : {false, true}) {
      const double estimate = 2 * gbps / (4 + value + (cached ? 0 : value));
      const double most = spread_of(values_of(found, [&](const RgCsrSearch& s) {
                            const auto at = s.x_cache.find(cached ? CachePath::read_only : CachePath::l2);
                            return s.in_cache || at == s.x_cache.end() ? none : gflops_of(s, at->second);
                          })).max;
      for (const double number : {estimate, most, 100 * most / estimate})
        table.lines[cached ? 1 : 0].values.push_back(number);
    }
  }
  if (table.columns.empty()) table.lines.clear();
  return table;
}

// Of the precision that has more operators.
SummaryTable table_2(const std::vector<RgCsrSearch>& all) {
  const std::string precision =
      part_of(all, "fp64", subsets[0]).size() >= part_of(all, "fp32", subsets[0]).size() ? "fp64" : "fp32";
  SummaryTable table{"Table 2: the operators", "", {}, {}};
  const std::pair<const char*, std::function<double(const RgCsrSearch&)>> properties[] = {
      {"rows", [](const RgCsrSearch& s) { return static_cast<double>(s.rows); }},
      {"non-zeros", [](const RgCsrSearch& s) { return static_cast<double>(s.nnz); }},
      {"non-zeros, % of all entries", [](const RgCsrSearch& s) {
         return 100.0 * static_cast<double>(s.nnz) /
                (static_cast<double>(s.rows) * static_cast<double>(s.columns));
       }}};
  table.lines.push_back({"operators", {}});
  for (const auto& [name, value] : properties)
    for (const char* what : {", min", ", max", ", mean"})
      table.lines.push_back({std::string(name) + what, {}});
  for (const Subset& subset : subsets) {
    const Found found = part_of(all, precision, subset);
    table.columns.push_back(subset.name);
    auto line = table.lines.begin();
    (line++)->values.push_back(static_cast<double>(found.size()));
    for (const auto& [name, value] : properties) {
      const Spread spread = spread_of(values_of(found, value));
      for (const double number : {spread.min, spread.max, spread.mean}) (line++)->values.push_back(number);
    }
  }
  if (all.empty()) table.lines.clear();
  return table;
}

SummaryTable table_4(const std::vector<RgCsrSearch>& all, const std::string& precision,
                     const Subset& subset) {
  const Found found = part_of(all, precision, subset);
  SummaryTable table{
      "Table 4, " + precision + ", " + subset.name + " (" + std::to_string(found.size()) + " operators)",
      "group",
      {"zeros max %", "zeros mean %", "GFLOP/s min", "mean", "max", "/csr min", "/csr mean", "/csr max"},
      {}};
  for (const int group : rg_csr_groups)
    for (const Way& way : ways) {
      const Layout layout{group, RowOrdering::none};
      const Choice choice = way.of(layout);
      const Spread z = spread_of(values_of(found, [&](const RgCsrSearch& s) {
        const auto at = s.zeros.find(layout);
        return at == s.zeros.end() ? none : at->second;
      }));
      const std::vector<double> gflops = values_of(found, [&](const RgCsrSearch& s) {
        const RgCsrVariant* const v = choice(s);
        return v == nullptr ? none : v->gflops;
      });
      if (gflops.empty()) continue;
      const Spread g = spread_of(gflops);
      const Spread u = spread_of(
          values_of(found, [&](const RgCsrSearch& s) { return peer(s, "csr") / ms_of(choice(s)); }));
      table.lines.push_back({std::to_string(group) + ", " + way.name,
                             {z.max, z.mean, g.min, g.mean, g.max, u.min, u.mean, u.max}});
    }
  return table;
}

// In how many of the operators that have both times the first is the shorter one.
double share(const Found& found, const std::function<double(const RgCsrSearch&)>& a,
             const std::function<double(const RgCsrSearch&)>& b) {
  std::size_t faster = 0, both = 0;
  for (const RgCsrSearch* s : found) {
    const double p = a(*s), q = b(*s);
    both += !std::isnan(p) && !std::isnan(q);
    faster += p < q;
  }
  return percent(faster, both);
}

SummaryTable table_5(const std::vector<RgCsrSearch>& all, const std::string& precision) {
  SummaryTable table{"Table 5, " + precision + ": share of the operators, per cent", "", {}, {}};
  std::vector<Found> parts;
  for (const Subset& subset : subsets) {
    parts.push_back(part_of(all, precision, subset));
    table.columns.push_back(subset.name);
  }
  const auto add = [&](const std::string& name, const auto& value) {
    SummaryLine line{name, {}};
    for (const Found& part : parts) line.values.push_back(value(part));
    if (!std::isnan(line.values.front())) table.lines.push_back(std::move(line));
  };
  const auto time_of = [](const char* name) {
    return [name](const RgCsrSearch& s) { return peer(s, name); };
  };
  add("hyb faster than csr", [&](const Found& part) { return share(part, time_of("hyb"), time_of("csr")); });
  const auto add_choice = [&](const std::string& name, const Choice& choice) {
    const auto ms = [&choice](const RgCsrSearch& s) { return ms_of(choice(s)); };
    for (const char* other : peers)
      add(name + " faster than " + other, [&](const Found& part) { return share(part, ms, time_of(other)); });
    add(name + ": mean of hyb's ms over its own", [&](const Found& part) {
      return spread_of(values_of(part, [&](const RgCsrSearch& s) { return peer(s, "hyb") / ms(s); })).mean;
    });
  };
  for (const Way& way : ways)
    add_choice("group " + std::to_string(papers_group) + ", " + way.name, way.of(papers_layout));
  add_choice("best of the search", [](const RgCsrSearch& s) { return s.best(); });
  return table;
}

// The operators where RgCSR and HYB differ most, two either way, as the paper's kernel multiplies them; the
// CPU's has no such.
SummaryTable table_6(const std::vector<RgCsrSearch>& all, const std::string& precision) {
  constexpr std::ptrdiff_t each_way = 2;
  const auto ms = [](const RgCsrSearch& s) {
    const RgCsrVariant* const paper = s.paper(papers_layout);
    return ms_of(paper != nullptr ? paper : s.single(papers_layout));
  };
  const auto ratio = [&](const RgCsrSearch& s) { return peer(s, "hyb") / ms(s); };
  Found found = part_of(all, precision, subsets[0]);
  std::erase_if(found, [&](const RgCsrSearch* s) { return std::isnan(ratio(*s)); });
  std::stable_sort(found.begin(), found.end(), [&](auto* a, auto* b) { return ratio(*a) > ratio(*b); });
  if (found.size() > 2 * each_way) found.erase(found.begin() + each_way, found.end() - each_way);
  SummaryTable table{
      "Table 6, " + precision + ": where RgCSR and HYB differ most, group " + std::to_string(papers_group),
      "matrix",
      {"rows", "row max", "row mean", "row min", "RgCSR GFLOP/s", "HYB GFLOP/s", "ratio",
       "CSR on the CPU GFLOP/s"},
      {}};
  for (const RgCsrSearch* s : found)
    table.lines.push_back(
        {s->matrix,
         {static_cast<double>(s->rows), static_cast<double>(s->longest),
          static_cast<double>(s->nnz) / static_cast<double>(s->rows), static_cast<double>(s->shortest),
          gflops_of(*s, ms(*s)), gflops_of(*s, peer(*s, "hyb")), ratio(*s),
          gflops_of(*s, peer(*s, "petsc_aij"))}});
  return table;
}

double median(std::vector<double> values) {
  if (values.empty()) return none;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

SummaryTable table_7(const std::vector<RgCsrSearch>& all, const std::string& precision) {
  SummaryTable table{
      "Table 7, " + precision + ": orderings, group " + std::to_string(papers_group),
      "ordering",
      {"zeros max %", "zeros mean %", "GFLOP/s paper's kernel", "its faster than none %", "GFLOP/s T by rule",
       "faster than none %", "ordering, products", "conversion, products"},
      {}};
  const Found found = part_of(all, precision, subsets[0]);
  for (const RowOrdering ordering : row_orderings) {
    const Layout layout{papers_group, ordering};
    const std::vector<double> zeros = values_of(found, [&](const RgCsrSearch& s) {
      const auto at = s.zeros.find(layout);
      return at == s.zeros.end() ? none : at->second;
    });
    if (zeros.empty()) continue;
    const auto of_rule = [&](const auto& value) {
      return median(values_of(found, [&](const RgCsrSearch& s) {
        const RgCsrVariant* const v = s.modern(layout);
        return v == nullptr ? none : value(s, *v);
      }));
    };
    SummaryLine line{to_string(ordering), {spread_of(zeros).max, spread_of(zeros).mean}};
    for (const Way& way : {ways[0], ways[2]}) {
      const auto ms = [&](Layout of) {
        return [=](const RgCsrSearch& s) { return ms_of((s.*way.variant)(of)); };
      };
      line.values.push_back(spread_of(values_of(found, [&](const RgCsrSearch& s) {
                              return gflops_of(s, ms(layout)(s));
                            })).mean);
      line.values.push_back(share(found, ms(layout), ms(papers_layout)));
    }
    line.values.push_back(
        of_rule([&](const RgCsrSearch& s, const RgCsrVariant& v) { return s.order_ms.at(ordering) / v.ms; }));
    line.values.push_back(
        of_rule([&](const RgCsrSearch&, const RgCsrVariant& v) { return v.convert_ms / v.ms; }));
    table.lines.push_back(std::move(line));
  }
  return table;
}

// The best one's time over each choice's, over the operators.
SummaryTable nearness(const std::vector<RgCsrSearch>& all, const std::string& precision) {
  SummaryTable table{"Each choice against the best of the search, " + precision,
                     "choice",
                     {"operators", "of the best, mean %", "worst %"},
                     {}};
  const Found found = part_of(all, precision, subsets[0]);
  for (const RowOrdering ordering : row_orderings)
    for (const int group : rg_csr_groups)
      for (const Way& way : ways) {
        const Choice choice = way.of({group, ordering});
        const std::vector<double> of_best =
            values_of(found, [&](const RgCsrSearch& s) { return 100 * ms_of(s.best()) / ms_of(choice(s)); });
        if (of_best.empty()) continue;
        const Spread spread = spread_of(of_best);
        table.lines.push_back({std::to_string(group) + ", " + to_string(ordering) + ", " + way.name,
                               {static_cast<double>(of_best.size()), spread.mean, spread.min}});
      }
  return table;
}

}  // namespace

std::vector<SummaryTable> rg_csr_tables(const std::vector<RgCsrSearch>& found, double gbps) {
  std::vector<SummaryTable> tables{table_1(found, gbps), table_2(found)};
  for (const char* precision : {"fp64", "fp32"}) {
    for (const Subset& subset : subsets) tables.push_back(table_4(found, precision, subset));
    tables.push_back(table_5(found, precision));
    tables.push_back(table_6(found, precision));
    tables.push_back(table_7(found, precision));
    tables.push_back(nearness(found, precision));
  }
  std::erase_if(tables, [](const SummaryTable& table) { return table.lines.empty(); });
  return tables;
}

}  // namespace quadrille
