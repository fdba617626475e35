// The command line of `quadrille`, resolved: everything a subcommand needs, checked as far as it can be
// without running.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assembly/pde/parameter.hpp"
#include "grid/boundary.hpp"
#include "grid/grid.hpp"
#include "grid/stencil.hpp"
#include "kernels/product.hpp"
#include "kernels/registry.hpp"

namespace quadrille {

enum class Precision { fp32, fp64 };

// A grid with what depends on its dimension.
struct Problem {
  Grid grid;
  Stencil points;
  Boundary boundary;
};

// A point of --probe, and the node that is nearest to it.
struct Probe {
  std::array<double, 3> at_m{};
  Position node;
};

struct Options {
  std::string command;       // "spmv", "bench", "solve", "inspect", "plot", "info"
  std::string command_line;  // as it was typed, for reports

  // grid
  Grid grid;                     // --grid, --spacing, --dof
  std::string stencil = "star";  // "star", "box" or a file, as for make_stencil; empty for a matrix
  int radius = 1;                // of the file where the stencil is one
  Stencil points;                // of a grid: what stencil and radius stand for, read once
  Boundary boundary;

  // operator
  std::string operator_name = "random";  // empty for a matrix and for solve
  std::uint64_t seed = 1;
  std::string matrix;  // instead of a grid, a Matrix Market file or a generated matrix; empty for a grid

  // run
  std::vector<std::string> formats{"all"};  // "all", "auto", or names
  std::string space = "auto";               // "auto", "cpu", "cuda"
  Precision precision = Precision::fp64;
  int repetitions = 30;
  int device = 0;
  int threads = 0;  // OpenMP threads; 0 leaves the runtime's choice
  Product product;
  bool check_on_slabs = false;   // of a grid operator: compare some rows with PETSc, and make no CSR
  std::string input = "random";  // the vector x: "random", "ones", "sine"
  FormatOptions format_options;
  bool tune = false;     // --format auto: measure the best few
  bool retune = false;   // and forget what an earlier run measured
  bool predict = false;  // inspect: the predicted times

  // bench
  std::string experiment;     // a name of experiment_table()
  std::string matrices_text;  // --matrices
  std::vector<std::string>
      matrices;  // what it stands for, each as `matrix` takes it; the operators before the grids
  std::vector<Problem> problems;      // --grid, with the largest of dofs; none where there are matrices alone
  std::vector<int> dofs;              // ascending; none where there are no problems
  std::vector<Precision> precisions;  // of other subcommands: the one above

  // solve
  std::string pde;             // a name of pde_names()
  bool manufactured = false;   // solve for a known function
  ParameterValues parameters;  // all that the PDE has, but for those that are fields:
  std::vector<std::pair<std::string, std::string>> parameter_fields;  // name, FILE.h5:DATASET or formula
  std::vector<double> reaction;  // [row][column] of the unknowns; empty: the PDE's own
  // Each a word, FILE.h5:DATASET or formulas; empty for PDEs that take none, or have their own.
  std::string coefficient, source, initial;
  std::array<double, 3> coefficient_ratio{1, 1, 1};
  int coefficient_numbers = 1;  // of a node; more are those of a tensor
  bool steady = false;          // the problem with u_t = 0 of a PDE in time
  // of PDEs in time
  int steps = 0;  // all alike; 0: as many as it takes until
  double until_s = 0, dt_s = 0;
  // To the output: every so many steps, or seconds; 0 both: the beginning and the end.
  int output_steps = 0;
  double output_s = 0;
  std::string checkpoint;  // NAME of NAME.checkpoint-STEP.h5, where a run may go on; empty for none
  // Every so many steps, or seconds of the clock; 0 both: where the run is ended.
  int checkpoint_steps = 0;
  double checkpoint_s = 0;
  std::string restart;     // a checkpoint to go on from, or "auto"; empty for none
  double wall_time_s = 0;  // after which the run is ended; 0: never

  // plot
  std::string file;         // the HDF5 file
  std::string field;        // empty: the script's choice, as of the next ones
  std::string slice;        // "z=0.5"
  std::optional<int> step;  // from 0
  bool movie = false;
  std::string out;

  // output
  std::string plot;    // PREFIX of a .png and an .svg; empty for none
  std::string output;  // an HDF5 file; empty for none
  std::vector<Probe> probes;
  std::string json, csv;
  bool quiet = false;
  bool progress = true;
  bool validate_only = false;

  std::vector<std::string> petsc_arguments;  // everything after the bare --
  // Every option with its final value, in help's order.
  std::vector<std::pair<std::string, std::string>> resolved;
};

// Parses argv[1..]. Throws InputError with one sentence on anything wrong; an unknown option, subcommand,
// format, operator, space or precision is answered with the nearest known one. Returns nothing when --help or
// --version was asked for: the text is then in `help`.
std::optional<Options> parse_options(const std::vector<std::string>& arguments, std::string& help);

// The resolved options as `name = value` lines that --config reads back to the same options.
std::string config_text(const Options& options);

// Of solve: --output without its ending, or the PDE's name. What goes beside the output begins with it.
std::string run_name(const Options& options);
std::string probe_path(const Options& options);

// "quadrille 0.1.0\n"
std::string version_text();

}  // namespace quadrille
