// Where settings come from: the command line and a configuration file. Internal to the options.
#pragma once

#include <string>

#include "drivers/support/options_table.hpp"
#include "drivers/support/options_values.hpp"

namespace quadrille {

// Throws InputError, with the nearest one, when there is no such subcommand.
const CommandSpec& read_command(const std::string& name);

// The words after the subcommand, up to the bare --. Throws InputError for unknown and repeated options,
// missing and empty values, and words that belong to no option.
Settings read_command_line(const Words& words, const CommandSpec& command);

// The settings of an INI file that this subcommand takes; those of others are skipped, an empty value leaves
// the default. Throws InputError with the file's name.
Settings read_config(const std::string& path, const CommandSpec& command);

}  // namespace quadrille
