#include "drivers/support/rg_csr_search.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "drivers/support/json.hpp"

namespace quadrille {
namespace {

using Found = std::vector<const RgCsrSearch*>;
using Layout = RgCsrSearch::Layout;
using Choice = std::function<const RgCsrVariant*(const RgCsrSearch&)>;

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t small_rows = 10000;  // the paper's small matrices have fewer
constexpr int papers_group = 128;           // of Tables 5 and 7

const RgCsrVariant* find(const RgCsrSearch& search, Layout layout, int threads) {
  for (const RgCsrVariant& v : search.variants)
    if (Layout{v.group, v.ordering} == layout && v.threads == threads) return &v;
  return nullptr;
}

double peer(const RgCsrSearch& search, const char* name) {
  const auto at = search.peer_ms.find(name);
  return at == search.peer_ms.end() ? none : at->second;
}

Choice paper(Layout layout) {
  return [layout](const RgCsrSearch& s) { return s.paper(layout); };
}
Choice modern(Layout layout) {
  return [layout](const RgCsrSearch& s) { return s.modern(layout); };
}

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

SummaryLine speeds(const std::string& name, const Found& found, Layout layout, const Choice& choice) {
  std::vector<double> zeros, gflops, speed_up;
  for (const RgCsrSearch* s : found) {
    if (const auto at = s->zeros.find(layout); at != s->zeros.end()) zeros.push_back(at->second);
    const RgCsrVariant* const v = choice(*s);
    if (v == nullptr) continue;
    gflops.push_back(v->gflops);
    if (const double csr = peer(*s, "csr"); !std::isnan(csr)) speed_up.push_back(csr / v->ms);
  }
  const Spread z = spread_of(zeros), g = spread_of(gflops), u = spread_of(speed_up);
  return {name, {z.max, z.mean, g.min, g.mean, g.max, u.min, u.mean, u.max}};
}

SummaryTable table_4(const std::vector<RgCsrSearch>& all, const std::string& precision,
                     const Subset& subset) {
  const Found found = part_of(all, precision, subset);
  SummaryTable table{
      "Table 4, " + precision + ", " + subset.name + " (" + std::to_string(found.size()) + " operators)",
      "group",
      {"zeros max %", "zeros mean %", "GFLOP/s min", "mean", "max", "/csr min", "/csr mean", "/csr max"},
      {}};
  if (found.empty()) return table;
  for (const int group : rg_csr_groups) {
    const Layout layout{group, RowOrdering::none};
    table.lines.push_back(speeds(std::to_string(group) + ", T 1", found, layout, paper(layout)));
    table.lines.push_back(speeds(std::to_string(group) + ", T by rule", found, layout, modern(layout)));
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
  if (parts.front().empty()) return table;
  const auto add = [&](const std::string& name, const auto& value) {
    SummaryLine line{name, {}};
    for (const Found& part : parts) line.values.push_back(value(part));
    table.lines.push_back(std::move(line));
  };
  const auto time_of = [](const char* name) {
    return [name](const RgCsrSearch& s) { return peer(s, name); };
  };
  add("hyb faster than csr", [&](const Found& part) { return share(part, time_of("hyb"), time_of("csr")); });
  const Layout layout{papers_group, RowOrdering::none};
  const std::pair<const char*, Choice> choices[] = {
      {"group 128, T 1", paper(layout)},
      {"group 128, T by rule", modern(layout)},
      {"best of the search", [](const RgCsrSearch& s) { return s.best(); }}};
  for (const auto& [name, choice] : choices) {
    const auto ms = [choice = choice](const RgCsrSearch& s) {
      const RgCsrVariant* const v = choice(s);
      return v == nullptr ? none : v->ms;
    };
    for (const char* other : {"csr", "hyb", "cusparse_csr"})
      add(std::string(name) + " faster than " + other,
          [&](const Found& part) { return share(part, ms, time_of(other)); });
    add(std::string(name) + ": mean of hyb's ms over its own", [&](const Found& part) {
      std::vector<double> ratios;
      for (const RgCsrSearch* s : part)
        if (const double ratio = peer(*s, "hyb") / ms(*s); !std::isnan(ratio)) ratios.push_back(ratio);
      return spread_of(ratios).mean;
    });
  }
  return table;
}

double median(std::vector<double> values) {
  if (values.empty()) return none;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

SummaryTable table_7(const std::vector<RgCsrSearch>& all, const std::string& precision) {
  SummaryTable table{"Table 7, " + precision + ": orderings, group " + std::to_string(papers_group),
                     "ordering",
                     {"zeros max %", "zeros mean %", "GFLOP/s T 1", "GFLOP/s T by rule", "faster than none %",
                      "ordering, products", "conversion, products"},
                     {}};
  const Found found = part_of(all, precision, subsets[0]);
  for (const RowOrdering ordering : row_orderings) {
    const Layout layout{papers_group, ordering}, plain{papers_group, RowOrdering::none};
    std::vector<double> zeros, papers, moderns, order_products, convert_products;
    for (const RgCsrSearch* s : found) {
      if (const auto at = s->zeros.find(layout); at != s->zeros.end()) zeros.push_back(at->second);
      if (const RgCsrVariant* v = s->paper(layout)) papers.push_back(v->gflops);
      if (const RgCsrVariant* v = s->modern(layout)) {
        moderns.push_back(v->gflops);
        order_products.push_back(s->order_ms.at(ordering) / v->ms);
        convert_products.push_back(v->convert_ms / v->ms);
      }
    }
    if (zeros.empty()) continue;
    const auto ms = [](const Layout& of) {
      return [of](const RgCsrSearch& s) {
        const RgCsrVariant* const v = s.modern(of);
        return v == nullptr ? none : v->ms;
      };
    };
    table.lines.push_back(
        {to_string(ordering),
         {spread_of(zeros).max, spread_of(zeros).mean, spread_of(papers).mean, spread_of(moderns).mean,
          share(found, ms(layout), ms(plain)), median(order_products), median(convert_products)}});
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
  const auto add = [&](const std::string& name, const Choice& choice) {
    std::vector<double> share_of_best;
    for (const RgCsrSearch* s : found)
      if (const RgCsrVariant* v = choice(*s)) share_of_best.push_back(100 * s->best()->ms / v->ms);
    if (share_of_best.empty()) return;
    const Spread spread = spread_of(share_of_best);
    table.lines.push_back({name, {static_cast<double>(share_of_best.size()), spread.mean, spread.min}});
  };
  for (const RowOrdering ordering : row_orderings)
    for (const int group : rg_csr_groups) {
      const std::string name = std::to_string(group) + ", " + to_string(ordering) + ", ";
      add(name + "T 1", paper({group, ordering}));
      add(name + "T by rule", modern({group, ordering}));
    }
  return table;
}

}  // namespace

const RgCsrVariant* RgCsrSearch::paper(Layout layout) const {
  return find(*this, layout, 1);
}

const RgCsrVariant* RgCsrSearch::modern(Layout layout) const {
  const auto at = ruled.find(layout);
  return at == ruled.end() ? nullptr : find(*this, layout, at->second);
}

const RgCsrVariant* RgCsrSearch::best() const {
  const auto at = std::min_element(variants.begin(), variants.end(),
                                   [](const RgCsrVariant& a, const RgCsrVariant& b) { return a.ms < b.ms; });
  return at == variants.end() ? nullptr : &*at;
}

const char* to_string(RowOrdering ordering) {
  return ordering == RowOrdering::none ? "none" : ordering == RowOrdering::descending ? "descending" : "rcm";
}

std::string to_json(const RgCsrVariant* v) {
  if (v == nullptr) return "null";
  return "{\"group\": " + std::to_string(v->group) + ", \"ordering\": \"" + to_string(v->ordering) +
         "\", \"threads\": " + std::to_string(v->threads) + ", \"ms\": " + json_number(v->ms) +
         ", \"gflops\": " + json_number(v->gflops) + ", \"zeros_percent\": " + json_number(v->zeros) +
         ", \"convert_ms\": " + json_number(v->convert_ms) + "}";
}

std::vector<SetSummary> rg_csr_profiles(const std::vector<RgCsrSearch>& found) {
  std::vector<SetSummary> all;
  for (const char* precision : {"fp64", "fp32"}) {
    std::vector<MethodTime> times;
    for (const RgCsrSearch& s : found) {
      if (s.precision != precision) continue;
      for (const auto& [name, ms] : s.peer_ms) times.push_back({s.matrix, name, ms});
      const Layout layout{papers_group, RowOrdering::none};
      const std::pair<const char*, const RgCsrVariant*> choices[] = {
          {"rg_csr 128, T 1", s.paper(layout)},
          {"rg_csr 128, T by rule", s.modern(layout)},
          {"rg_csr, best", s.best()}};
      for (const auto& [name, variant] : choices)
        if (variant != nullptr) times.push_back({s.matrix, name, variant->ms});
    }
    if (!times.empty()) all.push_back(summarize(precision, times, "csr"));
  }
  return all;
}

std::vector<SummaryTable> rg_csr_tables(const std::vector<RgCsrSearch>& found) {
  std::vector<SummaryTable> tables;
  for (const char* precision : {"fp64", "fp32"}) {
    for (const Subset& subset : subsets) tables.push_back(table_4(found, precision, subset));
    tables.push_back(table_5(found, precision));
    tables.push_back(table_7(found, precision));
    tables.push_back(nearness(found, precision));
  }
  std::erase_if(tables, [](const SummaryTable& table) { return table.lines.empty(); });
  return tables;
}

}  // namespace quadrille
