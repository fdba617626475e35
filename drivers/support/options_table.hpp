// The one table of the command's options: what is parsed, helped and resolved, in this order. Internal to the
// options.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <string>
#include <vector>

namespace quadrille {

// The subcommands that take an option; a set of bits.
enum CommandSet : unsigned {
  for_spmv = 1,
  for_inspect = 2,
  for_info = 4,
  for_bench = 8,
  for_solve = 16,
  for_operators = for_spmv | for_inspect,
  for_products = for_spmv | for_bench,
  for_formats = for_operators | for_bench,
  for_grids = for_operators | for_solve,
  for_runs = for_formats | for_solve,
  for_plot = 32,
  for_all = 63
};

// A name may stand in several rows, with other words for other subcommands.
struct OptionSpec {
  std::string name;        // without the dashes
  std::string value_name;  // empty for a switch
  std::string group;       // a heading of the help
  unsigned commands = for_all;
  bool resolves = true;  // stands in `resolved` and may stand in a configuration file
  std::string help;
  std::string repeats_with = "";  // on the command line: what joins the values; empty: it is given once
};

struct CommandSpec {
  std::string name;
  CommandSet bit = for_spmv;
  std::string summary;
  std::string usage;
  std::vector<std::string> examples;
  // The option that a word without dashes gives, how the usage calls it, and what it is; empty where there is
  // none.
  std::string positional = "", positional_name = "", positional_kind = "";
};

struct ExperimentSpec {
  std::string name;
  std::string summary;
  bool takes_matrices = true;  // its operators are --matrices, then --grid x --dofs; else grids alone
};

const std::vector<OptionSpec>& option_table();
const std::vector<CommandSpec>& command_table();
// What bench can do; drivers/bench.cpp runs them.
const std::vector<ExperimentSpec>& experiment_table();

// Null when these subcommands have none of that name.
const OptionSpec* find_option(const std::string& name, unsigned commands = for_all);
// Null when there is none of that name.
const CommandSpec* find_command(const std::string& name);
const ExperimentSpec* find_experiment(const std::string& name);

// The options of these subcommands, as Boost parses them: every value is a string.
boost::program_options::options_description describe(unsigned commands);

// The defaults of bench: the sizes, and the formats of the CDS paper's figures with today's peers, as far as
// registry() has them.
inline constexpr char bench_grids[] = "256x256,512x512,32x32x32,64x64x64";
inline constexpr char bench_dofs[] = "1-16";
std::vector<std::string> bench_formats();

std::string program_help();
std::string command_help(const CommandSpec& command);

}  // namespace quadrille
