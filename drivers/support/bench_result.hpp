// What an experiment of `quadrille bench` hands back.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "drivers/support/report.hpp"

namespace quadrille {

struct BenchResult {
  std::vector<Record> records;
  std::vector<std::pair<std::string, double>> ceilings;  // name, GB/s
  bool out_of_memory = false;                            // an operator was left out for that
  std::vector<std::string> bad_input;  // why operators were left out that could not be read or do not exist
  Json summary;                        // over the set; null for none
  Json tables;                         // of the experiment's own; null for none
};

}  // namespace quadrille
