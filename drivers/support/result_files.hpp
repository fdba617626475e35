// The files of --json and --csv, which every subcommand has.
#pragma once

#include <string>

#include "drivers/support/options.hpp"

namespace quadrille {

// Throws OutputError at once, before any work, when one of them could not be written.
void check_result_paths(const Options& options);

// Writes those that were asked for, each whatever becomes of the other. Throws OutputError.
void write_results(const Options& options, const std::string& json, const std::string& csv);

}  // namespace quadrille
