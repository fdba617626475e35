// Resolved options back to text, as a configuration file has them. Internal to the options.
#pragma once

#include <map>
#include <string>

#include "drivers/support/options.hpp"
#include "drivers/support/options_values.hpp"

namespace quadrille {

// In the order of RowOrdering.
const Words& ordering_names();
// In the order of ValuePrecision, Kernel, CachePath and MemorySplit.
const Words& value_precision_names();
const Words& kernel_names();
const Words& cache_path_names();
const Words& memory_split_names();

// Every value, by the option's name; what does not apply (a grid beside a matrix file, ...) is empty.
std::map<std::string, std::string> value_texts(const Options& options);

}  // namespace quadrille
