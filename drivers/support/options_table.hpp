// The one table of the command's options: what is parsed, helped and resolved, in this order. Internal to the
// options.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <string>
#include <vector>

namespace quadrille {

// The subcommands that take an option; a set of bits.
enum CommandSet : unsigned { for_spmv = 1, for_inspect = 2, for_info = 4, for_operators = 3, for_all = 7 };

struct OptionSpec {
  std::string name;        // without the dashes
  std::string value_name;  // empty for a switch
  std::string group;       // a heading of the help
  unsigned commands = for_all;
  bool resolves = true;  // stands in `resolved` and may stand in a configuration file
  std::string help;
};

struct CommandSpec {
  std::string name;
  CommandSet bit = for_spmv;
  std::string summary;
  std::string usage;
  std::vector<std::string> examples;
};

const std::vector<OptionSpec>& option_table();
const std::vector<CommandSpec>& command_table();

// Null when there is none of that name.
const OptionSpec* find_option(const std::string& name);
const CommandSpec* find_command(const std::string& name);

// The options of these subcommands, as Boost parses them: every value is a string.
boost::program_options::options_description describe(unsigned commands);

// The names of registry(), without repeats, in its order.
std::vector<std::string> format_names();

std::string program_help();
std::string command_help(const CommandSpec& command);

}  // namespace quadrille
