#include "drivers/support/options_text.hpp"

#include <algorithm>
#include <cctype>

namespace quadrille {

const Words& ordering_names() {
  static const Words names{"none", "descending", "rcm", "amd"};
  return names;
}
const Words& value_precision_names() {
  static const Words names{to_string(ValuePrecision::own), to_string(ValuePrecision::fp32),
                           to_string(ValuePrecision::bf16)};
  return names;
}
const Words& kernel_names() {
  static const Words names{"ours", "paper"};
  return names;
}
const Words& cache_path_names() {
  static const Words names{"read-only", "l1", "l2"};
  return names;
}
const Words& memory_split_names() {
  static const Words names{"driver", "l1", "shared"};
  return names;
}

namespace {

std::string grid_text(const Options& options) {
  Words grids;
  for (const Problem& problem : options.problems) grids.push_back(to_string(problem.grid));
  return grids.empty() ? to_string(options.grid) : joined(grids, ",");
}

std::string precision_text(const Options& options) {
  if (options.precisions.size() > 1) return "both";
  return options.precision == Precision::fp64 ? "fp64" : "fp32";
}

std::string per_axis_text(const std::array<double, 3>& h, const Grid& grid) {
  const bool equal =
      std::all_of(h.begin(), h.begin() + grid.dimension, [&](double number) { return number == h[0]; });
  std::string text = number_text(h[0]);
  for (int axis = 1; axis < grid.dimension && !equal; ++axis) text += "," + number_text(h[axis]);
  return text;
}

std::string parameters_text(const Options& options) {
  Words texts;
  for (const auto& [name, value] : options.parameters) texts.push_back(name + "=" + number_text(value));
  for (const auto& [name, text] : options.parameter_fields) texts.push_back(name + "=" + text);
  return joined(texts, ",");
}

std::string numbers_text(const std::vector<double>& numbers) {
  Words texts;
  for (const double number : numbers) texts.push_back(number_text(number));
  return joined(texts, ",");
}

std::string probes_text(const Options& options) {
  std::string text;
  for (const Probe& probe : options.probes)
    for (int axis = 0; axis < options.grid.dimension; ++axis)
      text += (axis > 0 ? "," : text.empty() ? "" : "/") + number_text(probe.at_m[axis]);
  return text;
}

}  // namespace

std::map<std::string, std::string> value_texts(const Options& options) {
  const auto yes_no = [](bool value) { return std::string(value ? "true" : "false"); };
  const bool with_matrix = !options.matrix.empty() || !options.matrices.empty();
  const bool gridded = !with_matrix || !options.problems.empty();
  const bool named_stencil = options.stencil == "star" || options.stencil == "box";
  const FormatOptions& formats = options.format_options;
  return {
      {"experiment", options.experiment},
      {"pde", options.pde},
      {"manufactured", yes_no(options.manufactured)},
      {"parameter", parameters_text(options)},
      {"coefficient", options.coefficient},
      {"coefficient-ratio",
       options.coefficient.empty() && options.coefficient_ratio == std::array<double, 3>{1, 1, 1}
           ? ""
           : per_axis_text(options.coefficient_ratio, options.grid)},
      {"reaction", numbers_text(options.reaction)},
      {"source", options.source},
      {"initial", options.initial},
      {"steady", yes_no(options.steady)},
      {"steps", options.steps > 0 ? std::to_string(options.steps) : ""},
      {"until", options.until_s > 0 && options.steps == 0 ? number_text(options.until_s) : ""},
      {"dt", options.dt_s > 0 ? number_text(options.dt_s) : ""},
      {"output-every", options.output_s > 0       ? number_text(options.output_s) + "s"
                       : options.output_steps > 0 ? std::to_string(options.output_steps)
                                                  : ""},
      {"checkpoint-every", options.checkpoint_s > 0       ? number_text(options.checkpoint_s) + "s"
                           : options.checkpoint_steps > 0 ? std::to_string(options.checkpoint_steps)
                                                          : ""},
      {"wall-time", options.wall_time_s > 0 ? number_text(options.wall_time_s) + "s" : ""},
      {"restart", options.restart},
      {"grid", gridded ? grid_text(options) : ""},
      {"dofs", dofs_text(options.dofs)},
      {"spacing", gridded ? per_axis_text(options.grid.spacing_m, options.grid) : ""},
      {"dof", gridded ? std::to_string(options.grid.dof) : ""},
      {"stencil", options.stencil},
      {"radius", gridded && named_stencil ? std::to_string(options.radius) : ""},
      {"boundary", gridded ? to_string(options.boundary, options.grid.dimension) : ""},
      {"operator", options.operator_name},
      {"seed", std::to_string(options.seed)},
      {"matrix", options.matrix},
      {"matrices", options.matrices_text},
      {"block-size", with_matrix && formats.block_size > 0 ? std::to_string(formats.block_size) : ""},
      {"format", joined(options.formats, ",")},
      {"tune", yes_no(options.tune)},
      {"retune", yes_no(options.retune)},
      {"predict", yes_no(options.predict)},
      {"space", options.space},
      {"precision", precision_text(options)},
      {"repetitions", std::to_string(options.repetitions)},
      {"device", std::to_string(options.device)},
      {"threads", std::to_string(options.threads)},
      {"products", std::to_string(formats.products)},
      {"transpose", yes_no(options.product.transposed)},
      {"vectors", std::to_string(options.product.vectors)},
      {"check", options.check_on_slabs ? "slabs" : "all"},
      {"input", options.input},
      {"kernel", kernel_names().at(static_cast<std::size_t>(formats.kernel))},
      {"x-cache", cache_path_names().at(static_cast<std::size_t>(formats.x_cache))},
      {"value-precision", to_string(formats.value_precision)},
      {"csr-lanes", std::to_string(formats.csr_lanes)},
      {"ellr-threads", std::to_string(formats.ellr_t_threads)},
      {"ellr-block", std::to_string(formats.ellr_t_block)},
      {"ellr-model", kernel_names().at(static_cast<std::size_t>(formats.ellr_t_model))},
      {"rgcsr-group", std::to_string(formats.rg_csr_group)},
      {"rgcsr-ordering", ordering_names().at(static_cast<std::size_t>(formats.rg_csr_ordering))},
      {"rgcsr-threads", std::to_string(formats.rg_csr_threads)},
      {"cmrs-height", std::to_string(formats.cmrs_height)},
      {"cmrs-reorder", yes_no(formats.cmrs_reorder)},
      {"cmrs-block", std::to_string(formats.cmrs_block)},
      {"cmrs-aligned", formats.cmrs_aligned ? "on" : "off"},
      {"cmrs-split", memory_split_names().at(static_cast<std::size_t>(formats.cmrs_split))},
      {"file", options.file},
      {"field", options.field},
      {"slice", options.slice},
      {"step", options.step ? std::to_string(*options.step) : ""},
      {"movie", yes_no(options.movie)},
      {"out", options.out},
      {"plot", options.plot},
      {"output", options.output},
      {"probe", probes_text(options)},
      {"json", options.json},
      {"csv", options.csv},
      {"quiet", yes_no(options.quiet)},
      {"no-progress", yes_no(!options.progress)},
  };
}

std::string config_text(const Options& options) {
  std::string text = "# quadrille " + options.command + "\n";
  for (const auto& [name, value] : options.resolved) {
    const bool comment = value.find('#') != std::string::npos ||
                         (" " + value).find(" ;") != std::string::npos ||
                         value.find("\t;") != std::string::npos;
    const bool outer_blanks = !value.empty() && (std::isspace(static_cast<unsigned char>(value.front())) ||
                                                 std::isspace(static_cast<unsigned char>(value.back())));
    if (comment || outer_blanks || value.find_first_of("\r\n") != std::string::npos)
      text += "# " + name + ": holds a # or ;, a line break or outer blanks; give it on the command line\n";
    else
      text += name + " = " + value + "\n";
  }
  if (!options.petsc_arguments.empty()) text += "# and, on the command line, after --: PETSc's options\n";
  return text;
}

}  // namespace quadrille
