// What an experiment of `quadrille bench` hands back. One file per group of experiments.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "drivers/support/options.hpp"
#include "drivers/support/report.hpp"

namespace quadrille {

struct BenchResult {
  std::vector<Record> records;
  std::vector<std::pair<std::string, double>> ceilings;  // name, GB/s
  bool out_of_memory = false;                            // an operator was left out for that
};

// Each runs with PETSc started, prints its tables unless --quiet, and goes on where one operator or format is refused.

// drivers/bench_dofs.cpp
BenchResult bench_dof_scaling(const Options& options);
BenchResult bench_bandwidth(const Options& options);

}  // namespace quadrille
