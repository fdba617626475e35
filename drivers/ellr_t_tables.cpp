#include "drivers/ellr_t_tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <limits>
#include <span>

namespace quadrille {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

std::string choice_text(const EllrTTrial& trial) {
  char text[64];
  std::snprintf(text, sizeof text, "%4s %3d", block_text(trial.choice, "-").c_str(), trial.choice.threads);
  return text;
}

std::string choice_text(const EllrTFound& found, const std::optional<EllrTTrial>& choice) {
  if (!choice) return "   -   -      -";
  char text[64];
  std::snprintf(text, sizeof text, "%s %6.1f", choice_text(*choice).c_str(), 100 * found.matching(*choice));
  return text;
}

using Shown = std::pair<const EllrTLine*, const EllrTFound*>;

// The paper's Tables 1 and 3 in one.
void print_lines(const std::vector<Shown>& lines) {
  std::size_t longest = 6;
  for (const auto& [line, found] : lines) longest = std::max(longest, line->matrix.size());
  const int width = static_cast<int>(longest);
  std::printf("%-*s %9s %8s %6s | %8s %9s | %8s %6s | %8s %6s | %6s %6s\n", width, "", "", "entries", "dev.",
              "best", "", "model", "of", "paper's", "of", "worst", "");
  std::printf("%-*s %9s %8s %6s | %8s %9s | %8s %6s | %8s %6s | %6s %6s\n", width, "matrix", "rows", "a row",
              "%", "block  T", "us", "block  T", "best %", "block  T", "best %", "/ best", "GB/s");
  for (const auto& [l, found] : lines)
    std::printf("%-*s %9lld %8.1f %6.1f | %s %9.2f | %s | %s | %6.2f %6.1f\n", width, l->matrix.c_str(),
                static_cast<long long>(l->rows), l->mean, 100 * l->deviation,
                choice_text(found->best).c_str(), 1e3 * found->best.ms,
                choice_text(*found, found->model).c_str(), choice_text(*found, found->paper).c_str(),
                found->worst.ms / found->best.ms, found->gbps);
}

// As the paper's Table 2: 100 % (but for half a per cent), from 90 % on, from 80 %, ...
void print_matching(const char* name, const std::vector<double>& matchings) {
  std::vector<int> counts(11, 0);
  for (const double matching : matchings) {
    const int tens = matching >= 0.995 ? 10 : std::min(9, static_cast<int>(10 * matching));
    ++counts[static_cast<std::size_t>(10 - tens)];
  }
  const Spread spread = spread_of(matchings);
  std::printf("%-15s mean %5.1f %%, worst %5.1f %%; operators at", name, 100 * spread.mean, 100 * spread.min);
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0) std::printf(" %d %%: %d ", static_cast<int>(100 - 10 * i), counts[i]);
  std::printf("\n");
}

void print_found(const std::string& title, const std::vector<Shown>& lines) {
  if (lines.empty()) return;
  std::printf("%s\n", title.c_str());
  print_lines(lines);
  std::printf("best %%: the best time over the choice's\n");
  std::vector<double> ours, papers;
  for (const auto& [line, found] : lines) {
    if (found->model) ours.push_back(found->matching(*found->model));
    papers.push_back(found->matching(found->paper));
  }
  if (!ours.empty()) print_matching("our model:", ours);
  print_matching("paper's model:", papers);
  std::printf("\n");
}

// Milliseconds of what is compared: ELLR-T with the choice of the kernel's own model, or another format.
double ms_of(const EllrTLine& line, const std::string& method) {
  if (method == "ellr_t") return line.ours.model->ms;
  if (method == "ellr_t_paper") return line.papers ? line.papers->paper.ms : none;
  for (const auto& [name, ms] : line.others)
    if (name == method) return ms;
  return none;
}

// The first method among all of them.
SummaryTable among(std::string title, const std::vector<EllrTLine>& lines,
                   std::span<const char* const> methods) {
  const std::string own = methods.front();
  SummaryTable table{std::move(title),
                     "format",
                     {"operators", "fastest on", own + " faster on", "its time/" + own + "'s, geometric mean",
                      "least", "most"},
                     {}};
  for (const char* const method : methods) {
    double fastest = 0, behind = 0;
    std::vector<double> ratios;
    for (const EllrTLine& line : lines) {
      const double ms = ms_of(line, method), mine = ms_of(line, own);
      if (std::isnan(ms) || std::isnan(mine)) continue;
      ratios.push_back(ms / mine);
      behind += mine < ms;
      fastest += std::none_of(methods.begin(), methods.end(),
                              [&](const char* other) { return ms_of(line, other) < ms; });
    }
    if (ratios.empty()) continue;
    const Spread spread = spread_of(ratios);
    table.lines.push_back({method,
                           {static_cast<double>(ratios.size()), fastest, method == own ? none : behind,
                            geometric_mean(ratios), spread.min, spread.max}});
  }
  if (table.lines.size() < 2) table.lines.clear();
  return table;
}

}  // namespace

std::string block_text(const EllrTChoice& choice, const char* none) {
  return choice.block == EllrTTrial::blocks_on_cpu ? none : std::to_string(choice.block);
}

void EllrTTable::print(bool on_gpu) const {
  std::vector<Shown> ours, papers;
  for (const EllrTLine& line : lines_) {
    ours.emplace_back(&line, &line.ours);
    if (line.papers) papers.emplace_back(&line, &*line.papers);
  }
  std::cout.flush();
  print_found("ELLR-T, " + precision_, ours);
  if (!on_gpu && !ours.empty())
    std::printf("on the CPU T only orders the storage, and there are no blocks\n\n");
  print_found("ELLR-T by the paper's kernel, " + precision_, papers);
  std::fflush(stdout);
}

void EllrTTable::summarize_into(std::vector<SetSummary>& summaries, const std::string& device) const {
  std::vector<MethodTime> times;
  for (const EllrTLine& line : lines_)
    for (const auto& [method, trial] :
         {std::pair("best", &line.ours.best), std::pair("model", &*line.ours.model),
          std::pair("paper's model", &line.ours.paper), std::pair("worst", &line.ours.worst)})
      times.push_back({line.matrix, method, trial->ms});
  if (!times.empty()) summaries.push_back(summarize(precision_ + device, times, "best"));
}

void EllrTTable::tabulate_into(std::vector<SummaryTable>& tables) const {
  constexpr const char* of_the_paper[] = {"ellr_t_paper", "csr_scalar", "csr_vector", "ell", "hyb"};
  constexpr const char* of_today[] = {"ellr_t", "ellr_t_paper", "csr",         "csr_vector",
                                      "ell",    "hyb",          "cusparse_csr"};
  const std::string figure_5 = "Figure 5, " + precision_ + ": ", figure_6 = "Figure 6, " + precision_ + ": ",
                    by_the_paper = "the paper's kernel and model", by_us = "our kernel and model",
                    over = " over one thread of the CPU";
  tables.push_back(among(figure_5 + by_the_paper, lines_, of_the_paper));
  tables.push_back(among(figure_5 + by_us, lines_, of_today));
  for (const auto& [method, name] : {std::pair("ellr_t_paper", &by_the_paper), std::pair("ellr_t", &by_us)})
    tables.push_back(among(figure_6 + *name + over, lines_, std::array{method, "petsc_aij"}));
  std::erase_if(tables, [](const SummaryTable& table) { return table.lines.empty(); });
}

}  // namespace quadrille
