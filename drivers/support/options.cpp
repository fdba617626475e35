#include "drivers/support/options.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>

#include "assembly/operators.hpp"
#include "drivers/fields/paths.hpp"
#include "drivers/support/face_formulas.hpp"
#include "drivers/support/field_input.hpp"
#include "drivers/support/options_fields.hpp"
#include "drivers/support/options_matrices.hpp"
#include "drivers/support/options_pdes.hpp"
#include "drivers/support/options_places.hpp"
#include "drivers/support/options_sources.hpp"
#include "drivers/support/options_table.hpp"
#include "drivers/support/options_text.hpp"
#include "drivers/support/options_values.hpp"
#include "grid/error.hpp"
#include "grid/stencil.hpp"
#include "grid/suggestion.hpp"
#include "kernels/petsc/aij/all_products.hpp"
#include "kernels/petsc/aij/ordering.hpp"

namespace quadrille {

namespace {

bool on_command_line(const Settings& settings, const std::string& name) {
  const Setting* setting = find(settings, name);
  return setting && !setting->from_config;
}

// Of two options that exclude each other, the one of the command line removes the one of the configuration
// file.
void exclude(Settings& settings, const std::string& winner, const std::string& loser,
             const std::string& reason) {
  if (!settings.contains(winner) || !settings.contains(loser)) return;
  if (!on_command_line(settings, winner) || on_command_line(settings, loser))
    throw InputError(settings.at(loser).place + " and " + settings.at(winner).place +
                     " exclude each other: " + reason);
  settings.erase(loser);
}

void settle_matrix(Settings& settings) {
  for (const char* name : {"grid", "operator", "stencil", "boundary"})
    if (on_command_line(settings, name) && !on_command_line(settings, "matrix")) settings.erase("matrix");
  for (const char* name : {"grid", "operator", "stencil", "boundary", "spacing", "radius"})
    exclude(settings, "matrix", name, "a matrix file takes the place of a grid and its operator");
  exclude(settings, "matrix", "dof", "--block-size gives the unknowns per node of a matrix file");
  const Setting* block_size = find(settings, "block-size");
  if (!block_size || settings.contains("matrix") || settings.contains("matrices")) return;
  if (!block_size->from_config)
    refuse(*block_size, "belongs to a matrix; on a grid --dof gives the unknowns per node");
  settings.erase("block-size");
}

void require_file(const Setting& setting) {
  std::error_code error;
  if (!std::filesystem::exists(setting.text, error)) refuse(setting, why_missing(setting.text));
  if (std::filesystem::is_directory(setting.text, error)) refuse(setting, "is a folder, not a file");
}

void read_stencil_options(Settings& settings, Options& options, const Discretisation& taken) {
  options.stencil = default_stencil(taken);
  const Setting* stencil = find(settings, "stencil");
  if (stencil) options.stencil = stencil->text;
  if (options.stencil == "star" || options.stencil == "box") {
    options.radius = read_int(settings, "radius", 1, 1, max_stencil_radius);
    options.points = make_stencil(options.stencil, options.grid.dimension, options.radius);
    return;
  }
  std::error_code ignored;
  if (!std::filesystem::exists(stencil->text, ignored))
    refuse(*stencil,
           why_missing(stencil->text, "must be star, box or a file of offsets, and there is no such file" +
                                          suggestion(stencil->text, {"star", "box"})));
  require_file(*stencil);
  exclude(settings, "stencil", "radius", "a stencil file has its own radius");
  options.points = make_stencil(options.stencil, options.grid.dimension, 1);
  options.radius = options.points.radius;
}

// Of a grid with `dof` unknowns per node. Throws InputError where their number overflows.
void require_countable(const Setting& extents, const Grid& grid) {
  try {
    validate(grid);
  } catch (const InputError&) {
    refuse(extents, "with " + std::to_string(grid.dof) + " unknowns per node their number overflows 64 bits");
  }
}

void read_grid_options(Settings& settings, Options& options, const Discretisation& taken) {
  const Setting standard{"64x64x64", "--grid", false};
  const Setting& extents = settings.contains("grid") ? settings.at("grid") : standard;
  options.grid = parse_grid(extents);
  options.grid.dof = read_int(settings, "dof", default_dof(taken, options.grid.dimension), 1, max_dof);
  if (const Setting* spacing = find(settings, "spacing"))
    options.grid.spacing_m = parse_spacing(*spacing, options.grid.dimension);
  require_countable(extents, options.grid);
  if (const Setting* boundary = find(settings, "boundary")) {
    Grid grid = options.grid;
    if (!options.pde.empty() && !settings.contains("spacing")) grid.spacing_m.fill(0);  // known later
    options.boundary = parse_boundary(*boundary, grid, {options.grid.dof});
  }
  read_stencil_options(settings, options, taken);
  options.format_options.block_size = options.grid.dof;
}

void read_operator_options(Settings& settings, Options& options) {
  options.operator_name = read_word(settings, "operator", "random", operator_names());
  read_grid_options(settings, options, operator_discretisation(options.operator_name));
}

// An option of the command line that what was asked for cannot use is refused, one of the configuration file
// left out.
void leave_out(Settings& settings, const std::string& name, const std::string& reason) {
  const Setting* const setting = find(settings, name);
  if (setting && !setting->from_config) refuse(*setting, reason);
  settings.erase(name);
}

void read_solve_options(Settings& settings, Options& options) {
  if (!settings.contains("pde"))
    throw InputError("solve needs the name of a PDE: quadrille solve " + listed(pde_names()));
  options.pde = read_word(settings, "pde", "", pde_names());
  options.manufactured = read_switch(settings, "manufactured");
  options.operator_name.clear();
  read_word(settings, "stencil", "star", {"star", "box"});
  read_parameters(settings, options);
  read_field_options(settings, options);
  const Pde& pde = pde_of(options);
  options.boundary = usual_boundary(pde);
  const bool in_time = makes_steps(settings, pde);
  FaceFormulas formulas;
  if (const Setting* boundary = find(settings, "boundary")) {
    formulas = face_formulas(*boundary, in_time);
  }
  const std::string boundary_as_given = settings.contains("boundary") ? settings.at("boundary").text : "";
  if (!formulas.plain.empty()) settings.at("boundary").text = formulas.plain;
  read_grid_options(settings, options, pde.discretisation);
  if (!formulas.plain.empty()) settings.at("boundary").text = boundary_as_given;
  check_pde_options(settings, options);
  if (!formulas.all.empty() && options.manufactured)
    refuse(settings.at("boundary"), "has formulas, which do not go with --manufactured");
  if (pde.residual != nullptr)
    leave_out(settings, "plot",
              "draws how a solve of poisson, diffusion or elasticity converges, not of " + options.pde +
                  "; fields are drawn by quadrille plot FILE.h5");
  read_coefficient_ratio(settings, options);
  read_reaction(settings, options);
  if (!settings.contains("spacing"))
    options.grid.spacing_m.fill(usual_spacing_m(pde, options.grid, options.boundary));
  if (const Setting* boundary = find(settings, "boundary"))
    require_fitting(*boundary, options.boundary, options.grid);
  if (!formulas.all.empty())
    add_formulas(settings.at("boundary"), formulas, options.grid, in_time, options.boundary);
  const bool until = on_command_line(settings, "until");
  exclude(settings, until ? "until" : "steps", until ? "steps" : "until",
          "so many steps of --dt end where they end");
  options.output = read_text(settings, "output", "");  // which others are named by
  read_time_options(settings, options);
  if (const Setting* probes = find(settings, "probe")) options.probes = parse_probes(*probes, options.grid);
}

// What the operator usually has on each of these grids.
std::vector<int> usual_dofs(const std::string& operator_name, Setting extents) {
  std::set<int> dofs;
  for (const std::string& part : comma_parts(std::string(extents.text))) {
    extents.text = part;
    dofs.insert(default_dof(operator_discretisation(operator_name), parse_grid(extents).dimension));
  }
  return {dofs.begin(), dofs.end()};
}

// Every grid with the largest number of unknowns; options.grid, points and boundary are left at the last
// one's. Without --dofs and `dofs`, what is usual.
void read_bench_grids(Settings& settings, const std::string& dofs, Options& options) {
  options.operator_name = read_word(settings, "operator", "random", operator_names());
  Setting extents = settings.contains("grid") ? settings.at("grid") : Setting{bench_grids, "--grid", false};
  if (const Setting* given = find(settings, "dofs"))
    options.dofs = parse_dofs(*given);
  else
    options.dofs =
        dofs.empty() ? usual_dofs(options.operator_name, extents) : parse_dofs({dofs, "--dofs", false});
  for (const std::string& part : comma_parts(std::string(extents.text))) {
    extents.text = part;
    options.grid = parse_grid(extents);
    options.grid.dof = options.dofs.back();
    require_countable(extents, options.grid);
    for (const Problem& earlier : options.problems)
      if (earlier.grid.extents == options.grid.extents && earlier.grid.dimension == options.grid.dimension)
        refuse(extents, "is named twice");
    if (const Setting* boundary = find(settings, "boundary"))
      options.boundary = parse_boundary(*boundary, options.grid, options.dofs);
    read_stencil_options(settings, options, operator_discretisation(options.operator_name));
    options.problems.push_back({options.grid, options.points, options.boundary});
  }
}

void read_bench_options(Settings& settings, Options& options) {
  Words names;
  for (const ExperimentSpec& experiment : experiment_table()) names.push_back(experiment.name);
  if (!settings.contains("experiment"))
    throw InputError("bench needs the name of an experiment: quadrille bench " + listed(names));
  options.experiment = read_word(settings, "experiment", "", names);
  if (options.experiment != "auto")
    leave_out(settings, "products", "belongs to spmv and to the experiment auto");
  options.format_options.block_size = 0;
  if (!find_experiment(options.experiment)->takes_matrices) {
    for (const char* name : {"matrices", "block-size"})
      leave_out(settings, name, options.experiment + " takes grids only");
    read_bench_grids(settings, bench_dofs, options);
    return;
  }
  const bool on_grids = settings.contains("grid") || settings.contains("dofs");
  if (settings.contains("matrices") || !on_grids) {
    const Setting standard{small_generated_set, "--matrices", false};
    const Setting& matrices = settings.contains("matrices") ? settings.at("matrices") : standard;
    options.matrices_text = matrices.text;
    options.matrices = read_matrix_names(matrices);
    options.format_options.block_size = read_int(settings, "block-size", 0, 1, max_dof);
  }
  if (on_grids) return read_bench_grids(settings, "", options);
  for (const char* name : {"operator", "stencil", "radius", "boundary"})
    leave_out(settings, name, "belongs to operators on grids; give --grid or --dofs as well");
  options.operator_name.clear();
  options.stencil.clear();
}

void read_plot_options(const Settings& settings, Options& options) {
  const Setting* const file = find(settings, "file");
  if (!file) throw InputError("plot needs a file that --output wrote: quadrille plot FILE.h5");
  require_file(*file);
  options.file = file->text;
  options.field = read_text(settings, "field", "");
  if (const Setting* const slice = find(settings, "slice")) options.slice = parse_slice(*slice);
  if (settings.contains("step"))
    options.step = read_int(settings, "step", 0, 0, std::numeric_limits<int>::max());
  options.movie = read_switch(settings, "movie");
  options.out = read_text(settings, "out", "");
  if (options.movie && options.step)
    refuse(settings.at("step"), "does not go with --movie, which has all steps");
}

void read_matrix_options(const Settings& settings, Options& options) {
  options.matrix = read_matrix_name(settings.at("matrix"));
  options.operator_name.clear();
  options.stencil.clear();
  options.format_options.block_size =
      read_int(settings, "block-size", usual_block_size(options.matrix), 1, max_dof);
}

// Why a format cannot run in the asked space or in any asked precision; empty when it can.
std::string why_not(const std::string& name, const Options& options) {
  bool in_space = false, in_precision = false;
  for (const FormatEntry& entry : petsc::all_products()) {
    const bool beside_all = entry.peer && entry.space == SpaceKind::cpu;
    if (entry.name != name ||
        (options.space != "auto" && !beside_all && options.space != to_string(entry.space)))
      continue;
    in_space = true;
    for (const Precision precision : options.precisions)
      in_precision |= precision == Precision::fp64 ? bool(entry.make_fp64) : bool(entry.make_fp32);
  }
  if (!in_space) return "does not run in --space " + options.space;
  if (!in_precision)
    return std::string("does not run in --precision ") +
           (options.precision == Precision::fp64 ? "fp64" : "fp32");
  return "";
}

// Refuses a named format that the asked space or precision does not have.
void check_formats(const Setting& setting, const Options& options) {
  for (const std::string& name : options.formats)
    if (const std::string reason = name == "all" || name == "auto" ? "" : why_not(name, options);
        !reason.empty())
      refuse(setting, "'" + name + "' " + reason);
}

void read_run_options(const Settings& settings, Options& options) {
  options.seed = read_seed(settings, "seed", 1);
  options.space = read_word(settings, "space", "auto", {"auto", "cpu", "cuda"});
  const bool bench = options.command == "bench", solve = options.command == "solve";
  const Words precisions = bench   ? Words{"both", "fp64", "fp32"}
                           : solve ? Words{"fp64"}
                                   : Words{"fp64", "fp32"};
  const std::string precision = read_word(settings, "precision", precisions.front(), precisions);
  if (precision != "fp32") options.precisions.push_back(Precision::fp64);
  if (precision != "fp64") options.precisions.push_back(Precision::fp32);
  options.precision = options.precisions.front();
  options.repetitions = read_int(settings, "repetitions", 30, 1, 1000000);
  options.device = read_int(settings, "device", 0, 0, 1023);
  options.threads = read_int(settings, "threads", 0, 0, 4096);
  options.product.transposed = read_switch(settings, "transpose");
  options.product.vectors = read_int(settings, "vectors", 1, 1, 64);
  options.format_options.products = read_int(settings, "products", 0, 0, 1000000000);
  options.format_options.of_transpose = options.product.transposed;
  if (options.product.transposed && options.product.vectors > 1)
    refuse(settings.at("vectors"), "does not go with --transpose, which takes one vector");
  options.check_on_slabs = read_word(settings, "check", "all", {"all", "slabs"}) == "slabs";
  const bool on_grids_alone = options.matrix.empty() && options.matrices.empty();
  if (options.check_on_slabs && (!on_grids_alone || options.product.transposed))
    refuse(settings.at("check"), "is for y = A x of an operator on a grid");
  options.input = read_word(settings, "input", "random", {"random", "ones", "sine"});
  if (bench && !find_experiment(options.experiment)->takes_matrices) {
    options.formats = bench_formats();
    std::erase_if(options.formats, [&](const std::string& name) { return !why_not(name, options).empty(); });
  }
  if (solve) options.formats = {"auto"};
  if (const Setting* formats = find(settings, "format")) {
    options.formats = parse_formats(*formats);
    if (bench && options.formats.front() == "auto")
      refuse(*formats, "bench draws every format it is given: all, or names with commas between");
    if (solve && (options.formats.size() > 1 || options.formats.front() == "all"))
      refuse(*formats, "solve takes the name of one format, or auto");
    check_formats(*formats, options);
  }
  for (const char* name : {"tune", "retune"})
    if (read_switch(settings, name) && options.formats.front() != "auto")
      refuse(settings.at(name), "belongs to --format auto");
  options.retune = read_switch(settings, "retune");
  options.tune = options.retune || read_switch(settings, "tune");
  options.predict = read_switch(settings, "predict");
}

// Of the word among the names, the first of which is the default.
std::ptrdiff_t place_of(const Settings& settings, const char* option, const Words& names) {
  const std::string word = read_word(settings, option, names.front(), names);
  return std::find(names.begin(), names.end(), word) - names.begin();
}

void read_format_options(const Settings& settings, Options& options) {
  FormatOptions& formats = options.format_options;
  const Words powers{"0", "1", "2", "4", "8", "16", "32"};
  formats.value_precision =
      static_cast<ValuePrecision>(place_of(settings, "value-precision", value_precision_names()));
  if (formats.value_precision != ValuePrecision::own && options.formats.front() == "auto")
    refuse(settings.at("value-precision"), "auto takes what is exact: name cds or compact");
  if (formats.value_precision != ValuePrecision::own && !options.formats.front().empty() &&
      std::none_of(options.formats.begin(), options.formats.end(), [](const std::string& name) {
        return name == "all" || name == "cds" || name == "compact";
      }))
    refuse(settings.at("value-precision"), "is of what cds and compact store, and --format names neither");
  formats.csr_lanes = std::stoi(read_word(settings, "csr-lanes", "0", powers));
  formats.ellr_t_threads = std::stoi(read_word(settings, "ellr-threads", "0", powers));
  const Words blocks{"0", "64", "128", "256", "512", "1024"};
  formats.ellr_t_block = std::stoi(read_word(settings, "ellr-block", "0", blocks));
  formats.rg_csr_group = read_int(settings, "rgcsr-group", 64, 32, 256);
  const auto place = [&](const char* option, const Words& names) {
    return place_of(settings, option, names);
  };
  formats.rg_csr_ordering = static_cast<RowOrdering>(place("rgcsr-ordering", ordering_names()));
  formats.rg_csr_graph_order = petsc::graph_order;
  if (formats.rg_csr_ordering == RowOrdering::amd && !petsc::has_amd())
    refuse(settings.at("rgcsr-ordering"), "this build has no SuiteSparse, which it comes from");
  formats.rg_csr_threads = std::stoi(read_word(settings, "rgcsr-threads", "0", powers));
  formats.cmrs_height = read_int(settings, "cmrs-height", 0, 0, 16);
  formats.cmrs_reorder = read_switch(settings, "cmrs-reorder");
  formats.kernel = static_cast<Kernel>(place("kernel", kernel_names()));
  const Words& models = kernel_names();  // whose kernel, whose model
  formats.ellr_t_model = read_word(settings, "ellr-model",
                                   models.at(static_cast<std::size_t>(formats.kernel)), models) == "paper"
                             ? EllrTModel::paper
                             : EllrTModel::ours;
  formats.x_cache = static_cast<CachePath>(place("x-cache", cache_path_names()));
  formats.cmrs_block = read_int(settings, "cmrs-block", 0, 0, 1024);
  formats.cmrs_aligned = read_word(settings, "cmrs-aligned", "on", {"on", "off"}) == "on";
  formats.cmrs_split = static_cast<MemorySplit>(place("cmrs-split", memory_split_names()));
  try {
    cmrs_block({.kernel = formats.kernel, .block = formats.cmrs_block});
  } catch (const FormatError& error) {
    refuse(settings.at("cmrs-block"), error.what());
  }
}

// Whether two paths are one regular file, there already or not.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  const auto regular_or_new = [&](const std::string& path) {
    return !std::filesystem::exists(path, ignored) || std::filesystem::is_regular_file(path, ignored);
  };
  const auto canonical = [&](const std::string& path) {  // of a file that may not be there yet
    return std::filesystem::weakly_canonical(std::filesystem::absolute(final_target(path), ignored), ignored);
  };
  return regular_or_new(a) && regular_or_new(b) &&
         (std::filesystem::equivalent(a, b, ignored) || canonical(a) == canonical(b));
}

// No output may take the place of another one or of an input.
void refuse_shared_files(const Settings& settings, const Options& options) {
  std::vector<std::pair<std::string, std::string>> files;  // path, who names it
  for (const std::string& matrix : options.matrices) files.emplace_back(matrix, "--matrices");
  for (const char* name : {"coefficient", "source", "initial"})
    for (const std::string& part : field_places(read_text(settings, name, "")))
      files.emplace_back(field_place(part)->file, "--" + std::string(name));
  if (!options.probes.empty()) files.emplace_back(probe_path(options), "--probe");
  if (!options.restart.empty() && options.restart != "auto") files.emplace_back(options.restart, "--restart");
  for (const char* name : {"matrix", "config", "stencil", "file", "plot", "output", "out", "json", "csv"}) {
    const Setting* setting = find(settings, name);
    if (setting == nullptr || setting->text.empty()) continue;
    const bool is_output =
        files.size() > 0 && std::string("output out json csv").find(name) != std::string::npos;
    for (const auto& [path, place] : files)
      if (is_output && same_file(path, setting->text)) refuse(*setting, "is already the file of " + place);
    if (std::string(name) == "plot") {
      for (const char* extension : {".png", ".svg"})
        files.emplace_back(setting->text + extension,
                           "the " + std::string(extension) + " of " + setting->place);
      continue;
    }
    files.emplace_back(setting->text, setting->place);
    if (std::string(name) == "output")
      files.emplace_back(std::filesystem::path(setting->text).replace_extension(".xdmf").string(),
                         "the .xdmf of " + setting->place);
  }
}

void read_output_options(const Settings& settings, Options& options) {
  options.plot = read_text(settings, "plot", "");
  for (const char* ending : {".png", ".svg", "/"})
    if (options.plot.ends_with(ending))
      refuse(settings.at("plot"), "give the name without its ending; .png and .svg are written");
  for (const char* name : {"output", "out", "json", "csv", "plot"})
    if (read_text(settings, name, "") == "-")
      refuse(settings.at(name), "is no name of a file; /dev/stdout is the standard output");
  options.output = read_text(settings, "output", "");
  options.json = read_text(settings, "json", "");
  options.csv = read_text(settings, "csv", "");
  options.quiet = read_switch(settings, "quiet");
  options.progress = !read_switch(settings, "no-progress");
  options.validate_only = read_switch(settings, "validate");
  const std::filesystem::path fields = std::filesystem::path(options.output).filename();
  if (!options.output.empty() && fields.extension() != ".h5")
    refuse(settings.at("output"), "must end in .h5, after a name, for example fields.h5");
  if (fields.string().find(':') != std::string::npos)
    refuse(settings.at("output"), "must have no colon in its name: XDMF files cannot refer to such a file");
  refuse_shared_files(settings, options);
}

}  // namespace

std::string run_name(const Options& options) {
  return options.output.empty() ? options.pde
                                : std::filesystem::path(options.output).replace_extension().string();
}

std::string probe_path(const Options& options) {
  return run_name(options) + ".probe.csv";
}

std::optional<Options> parse_options(const std::vector<std::string>& arguments, std::string& help) {
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  const Words own(arguments.begin(), separator);
  const bool wants_help =
      std::count(own.begin(), own.end(), "--help") + std::count(own.begin(), own.end(), "-h") > 0;
  if (own.empty() || (wants_help && own[0].starts_with("-"))) {
    help = program_help();
    return std::nullopt;
  }
  if (own[0] == "--version") {
    help = version_text();
    return std::nullopt;
  }
  const CommandSpec& command = read_command(own[0]);
  if (wants_help || std::count(own.begin(), own.end(), "--version") > 0) {
    help = wants_help ? command_help(command) : version_text();
    return std::nullopt;
  }
  Settings settings = read_command_line(Words(own.begin() + 1, own.end()), command);
  if (const Setting* config = find(settings, "config")) {
    Settings of_file = read_config(config->text, command);
    settle_parameters(settings, of_file);
    settings.merge(of_file);
  }
  settle_matrix(settings);

  Options options;
  options.command = command.name;
  options.command_line = "quadrille";
  for (const std::string& argument : arguments) options.command_line += " " + argument;
  if (command.bit == for_bench)
    read_bench_options(settings, options);
  else if (command.bit == for_solve)
    read_solve_options(settings, options);
  else if (command.bit == for_plot)
    read_plot_options(settings, options);
  else if (settings.contains("matrix"))
    read_matrix_options(settings, options);
  else
    read_operator_options(settings, options);
  read_run_options(settings, options);
  read_format_options(settings, options);
  read_output_options(settings, options);
  if (separator != arguments.end()) options.petsc_arguments.assign(separator + 1, arguments.end());
  const std::map<std::string, std::string> texts = value_texts(options);
  for (const OptionSpec& option : option_table())
    if (option.resolves && (option.commands & command.bit))
      options.resolved.emplace_back(option.name, texts.at(option.name));
  return options;
}

}  // namespace quadrille
