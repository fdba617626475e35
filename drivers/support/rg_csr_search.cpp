#include "drivers/support/rg_csr_search.hpp"

#include <algorithm>

#include "drivers/support/json.hpp"
#include "drivers/support/options_text.hpp"

namespace quadrille {
namespace {

const RgCsrVariant* find(const RgCsrSearch& search, RgCsrSearch::Layout layout, Kernel kernel, int threads) {
  for (const RgCsrVariant& v : search.variants)
    if (RgCsrSearch::Layout{v.group, v.ordering} == layout && v.kernel == kernel && v.threads == threads)
      return &v;
  return nullptr;
}

}  // namespace

const RgCsrVariant* RgCsrSearch::paper(Layout layout) const {
  return find(*this, layout, Kernel::paper, 1);
}

const RgCsrVariant* RgCsrSearch::single(Layout layout) const {
  return find(*this, layout, Kernel::ours, 1);
}

const RgCsrVariant* RgCsrSearch::modern(Layout layout) const {
  const auto at = ruled.find(layout);
  return at == ruled.end() ? nullptr : find(*this, layout, Kernel::ours, at->second);
}

const RgCsrVariant* RgCsrSearch::best() const {
  const auto at = std::min_element(variants.begin(), variants.end(),
                                   [](const RgCsrVariant& a, const RgCsrVariant& b) { return a.ms < b.ms; });
  return at == variants.end() ? nullptr : &*at;
}

const char* to_string(RowOrdering ordering) {
  return ordering_names()[static_cast<std::size_t>(ordering)].c_str();
}

Json to_json(const RgCsrVariant* v) {
  if (v == nullptr) return nullptr;
  return Json{{"group", v->group},
              {"ordering", to_string(v->ordering)},
              {"kernel", v->kernel == Kernel::paper ? "paper" : "ours"},
              {"threads", v->threads},
              {"ms", json_value(v->ms)},
              {"gflops", json_value(v->gflops)},
              {"zeros_percent", json_value(v->zeros)},
              {"convert_ms", json_value(v->convert_ms)}};
}

std::vector<SetSummary> rg_csr_profiles(const std::vector<RgCsrSearch>& found) {
  std::vector<SetSummary> all;
  for (const char* precision : {"fp64", "fp32"}) {
    std::vector<MethodTime> times;
    for (const RgCsrSearch& s : found) {
      if (s.precision != precision) continue;
      for (const auto& [name, ms] : s.peer_ms) times.push_back({s.matrix, name, ms});
      const std::pair<const char*, const RgCsrVariant*> choices[] = {
          {"rg_csr 128, paper's kernel", s.paper(papers_layout)},
          {"rg_csr 128, T 1", s.single(papers_layout)},
          {"rg_csr 128, T by rule", s.modern(papers_layout)},
          {"rg_csr, best", s.best()}};
      for (const auto& [name, variant] : choices)
        if (variant != nullptr) times.push_back({s.matrix, name, variant->ms});
    }
    if (!times.empty()) all.push_back(summarize(precision, times, "csr"));
  }
  return all;
}

}  // namespace quadrille
