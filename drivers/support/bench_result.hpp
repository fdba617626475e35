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
  std::string summary;                 // JSON of a summary over the set; empty for none
  std::string tables;                  // JSON of the experiment's own tables; empty for none
};

}  // namespace quadrille
