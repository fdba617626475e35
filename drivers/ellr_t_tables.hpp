// What `quadrille bench ellr-t` shows of its searches: Tables 1 to 3 and Figures 5 and 6 of Vazquez,
// Fernandez and Garzon 2011.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "drivers/support/other_products.hpp"
#include "drivers/support/set_summary.hpp"
#include "drivers/support/summary_table.hpp"
#include "kernels/tuning/ellr_t_model.hpp"

namespace quadrille {

// T and a block, timed.
struct EllrTTrial {
  static constexpr int blocks_on_cpu = 0;

  EllrTChoice choice;
  std::vector<double> times_ms;
  double ms = 0;  // their median
};

// By one kernel; our model is for our kernel.
struct EllrTFound {
  EllrTTrial best, worst, paper;
  std::optional<EllrTTrial> model;
  double gbps = 0;  // of our model's choice, of the paper's kernel of its model's

  double matching(const EllrTTrial& choice) const { return best.ms / choice.ms; }
};

// One operator.
struct EllrTLine {
  std::string matrix;
  std::int64_t rows = 0;
  double mean = 0, deviation = 0;  // of the row lengths; the deviation as a part of the mean
  EllrTFound ours;
  std::optional<EllrTFound> papers;  // by the paper's kernel, on the GPU
  Others others;
};

// "128", or `none` on the CPU.
std::string block_text(const EllrTChoice& choice, const char* none);

// One precision.
class EllrTTable {
 public:
  explicit EllrTTable(std::string precision) : precision_(std::move(precision)) {}
  void add(EllrTLine line) { lines_.push_back(std::move(line)); }

  void print(bool on_gpu) const;
  // Our kernel with the four choices as methods; speed-ups over the best are what the paper calls matching.
  void summarize_into(std::vector<SetSummary>& summaries, const std::string& device) const;
  // ELLR-T among the other formats.
  void tabulate_into(std::vector<SummaryTable>& tables) const;

 private:
  const std::string precision_;
  std::vector<EllrTLine> lines_;
};

}  // namespace quadrille
