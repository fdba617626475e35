#include "drivers/support/options_pdes.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <limits>
#include <utility>

#include "assembly/operators.hpp"
#include "drivers/support/options_fields.hpp"

namespace quadrille {
namespace {

using Usual = std::vector<std::pair<std::string, std::string>>;  // of each name

std::string stencil_text(const Discretisation& taken) {
  return default_stencil(taken);
}
std::string dof_text(const Discretisation& taken) {
  if (!taken.unknown_per_axis) return std::to_string(default_dof(taken, 2));
  return "the dimension" + (taken.more_unknowns > 0 ? " + " + std::to_string(taken.more_unknowns) : "");
}

// Those of the first, and who has others.
std::string usual_text(const Usual& all) {
  std::string text = all.front().second;
  for (const auto& [name, usual] : all)
    if (usual != all.front().second) text += "; " + name + ": " + usual;
  return text;
}

template <class Text>
std::string usual_of_operators(const Text& text) {
  Usual all;
  for (const std::string& name : operator_names())
    all.emplace_back(name, text(operator_discretisation(name)));
  return usual_text(all);
}

template <class Text>
std::string usual_of_pdes(const Text& text) {
  Usual all;
  for (const Pde& pde : pdes()) all.emplace_back(pde.name, text(pde));
  return usual_text(all);
}

template <class Takes>
Words pdes_with(const Takes& takes) {
  Words names;
  for (const Pde& pde : pdes())
    if (takes(pde)) names.push_back(pde.name);
  return names;
}

}  // namespace

std::string usual_stencils_of_operators() {
  return usual_of_operators(stencil_text);
}
std::string usual_stencils_of_pdes() {
  return usual_of_pdes([](const Pde& pde) { return stencil_text(pde.discretisation); });
}
std::string usual_dofs_of_operators() {
  return usual_of_operators(dof_text);
}
std::string usual_dofs_of_pdes() {
  return usual_of_pdes([](const Pde& pde) { return dof_text(pde.discretisation); });
}
std::string usual_faces_of_pdes() {
  return usual_of_pdes([](const Pde& pde) { return to_string(usual_boundary(pde), 3); });
}

std::string usual_ends_of_pdes() {
  std::string text;
  for (const Pde& pde : pdes())
    if (pde.in_time()) text += (text.empty() ? "" : "; ") + pde.name + ": " + number_text(pde.until_s);
  return text;
}

namespace {

// "6/m2", "0.02 m", "1"
std::string with_units(double value, const std::string& units) {
  return number_text(value) + (units.starts_with("1") ? units.substr(1) : " " + units);
}

}  // namespace

std::string parameters_help(const Pde& pde) {
  std::string text;
  for (const PdeParameter& parameter : pde.parameters) {
    const std::string bound = bound_text(parameter);
    text += std::string(17, ' ') + parameters_text(pde, {{parameter.name, parameter.usual}}) + ": " +
            parameter.about + (bound.empty() ? "" : "; " + bound) +
            (parameter.varies ? "; a field, too" : "") + "\n";
  }
  return text;
}

std::string parameters_text(const Pde& pde, const ParameterValues& values) {
  std::string text;
  for (const auto& [name, value] : values)
    if (const PdeParameter* const parameter = find_parameter(pde, name))
      text += (text.empty() ? "" : ", ") + name + " = " + with_units(value, parameter->units);
  return text;
}

Words pdes_in_time() {
  return pdes_with([](const Pde& pde) { return pde.in_time(); });
}

bool makes_steps(const Settings& settings, const Pde& pde) {
  return pde.in_time() && !read_switch(settings, "steady");
}
Words pdes_also_steady() {
  return pdes_with([](const Pde& pde) { return pde.also_steady; });
}
Words pdes_with_reaction() {
  return pdes_with([](const Pde& pde) { return pde.rate != nullptr; });
}
Words pdes_with_box() {
  return pdes_with([](const Pde& pde) { return pde.discretisation.box > 0; });
}
Words pdes_with_wide_star() {
  return pdes_with([](const Pde& pde) { return pde.discretisation.star > 1; });
}
bool takes_initial_values(const Pde& pde) {
  return pde.residual != nullptr && pde.takes_initial;
}
Words pdes_with_initial() {
  return pdes_with(takes_initial_values);
}
Words pdes_with_coefficient() {
  return pdes_with([](const Pde& pde) { return pde.takes_coefficient; });
}
Words pdes_that_draw() {
  return pdes_with([](const Pde& pde) { return pde.takes_coefficient && pde.assemble != nullptr; });
}

std::string all_of(const Words& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

void leave_to(const Words& pdes, Settings& settings, const Words& names) {
  for (const std::string& name : names) {
    const Setting* const setting = find(settings, name);
    if (setting && !setting->from_config) refuse(*setting, "belongs to solve " + listed(pdes));
    settings.erase(name);
  }
}

namespace {

std::string name_in(const std::string& assignment) {
  return trimmed(assignment.substr(0, assignment.find('=')));
}

bool may_vary(const Pde& pde, const std::string& name) {
  const PdeParameter* const parameter = find_parameter(pde, name);
  return parameter != nullptr && parameter->varies;
}

// Numbers, and fields: of those that may vary.
struct GivenParameters {
  ParameterValues numbers;
  std::vector<std::pair<std::string, std::string>> fields;
};

GivenParameters given_parameters(const Setting& setting, const Pde& pde) {
  GivenParameters given;
  for (const std::string& part : comma_parts(setting.text)) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string name = name_in(part), number = trimmed(part.substr(std::min(equals + 1, part.size())));
    if (name.empty() || equals == part.size())
      refuse(setting, "write NAME=VALUE, for example " + std::string(pde.parameters.front().name) + "=" +
                          number_text(pde.parameters.front().usual));
    double value = 0;
    if (parse_finite(number, value))
      given.numbers.emplace_back(name, value);
    else if (may_vary(pde, name))
      given.fields.emplace_back(name, number);
    else
      refuse(setting, "'" + number + "' of " + name + " is no number");
  }
  return given;
}

}  // namespace

void settle_parameters(Settings& settings, Settings& of_file) {
  const std::string pde = read_text(of_file, "pde", "");
  if (!pde.empty() && pde != read_text(settings, "pde", pde)) of_file.erase("parameter");
  const Setting* const in_file = find(of_file, "parameter");
  if (!in_file || !settings.contains("parameter")) return;
  std::string& text = settings.at("parameter").text;
  const Words given = comma_parts(text);
  for (const std::string& part : comma_parts(in_file->text))
    if (std::none_of(given.begin(), given.end(),
                     [&](const std::string& other) { return name_in(other) == name_in(part); }))
      text += "," + part;
}

void read_parameters(Settings& settings, Options& options) {
  const Pde& pde = find_pde(options.pde);
  if (pde.parameters.empty())
    return leave_to(pdes_with([](const Pde& other) { return !other.parameters.empty(); }), settings,
                    {"parameter"});
  options.parameters = parameters_of(pde, {});
  const auto without = [&](const std::string& name) {
    std::erase_if(options.parameters, [&](const auto& parameter) { return parameter.first == name; });
  };
  const bool replaced = pde.rate != nullptr && settings.contains("reaction");
  if (replaced) without(pde.rate);
  if (!find(settings, "parameter")) return;
  const Setting setting = settings.at("parameter");
  const GivenParameters given = given_parameters(setting, pde);
  ParameterValues names = given.numbers;  // each once, those of fields with a number that does
  for (const auto& [name, text] : given.fields) names.emplace_back(name, find_parameter(pde, name)->usual);
  try {
    options.parameters = parameters_of(pde, names);
  } catch (const InputError& error) {
    refuse(setting, error.what());
  }
  for (const auto& [name, number] : names)
    if (replaced && name == pde.rate) refuse(setting, name + " is what --reaction stands for");
  if (replaced) without(pde.rate);
  for (const auto& [name, text] : given.fields) {
    if (options.manufactured) refuse(setting, name + " is a field, which does not go with --manufactured");
    read_parameter_field(settings, {text, setting.place, setting.from_config}, name);
    without(name);
  }
  options.parameter_fields = given.fields;
}

double usual_spacing_m(const Pde& pde, const Grid& grid, const Boundary& boundary) {
  if (pde.length_m == 0) return 1;
  const auto gap = [](const FaceBoundary& face) {
    return face.kind == BoundaryKind::periodic || !holds_value(face) ? 0.5 : 1;
  };
  const Faces& faces = boundary.of(0);
  return pde.length_m / (static_cast<double>(grid.extents[0] - 1) + gap(faces[0]) + gap(faces[1]));
}

namespace {

// 90s, 10min (or 10m) or 2h, in seconds; a number alone is minutes.
double clock_time(const Setting& setting) {
  const std::string text(setting.text);
  const std::size_t digits = std::min(text.find_last_of("0123456789.") + 1, text.size());
  const std::string unit = text.substr(digits);
  const bool minutes = unit.empty() || unit == "m" || unit == "min";
  if (!minutes && unit != "s" && unit != "h")
    refuse(setting, "is no time of the clock such as 90s, 10min or 2h");
  return parse_positive(setting, text.substr(0, digits)) * (minutes ? 60 : unit == "s" ? 1 : 3600);
}

void read_checkpoint_options(Settings& settings, Options& options) {
  if (const Setting* const every = find(settings, "checkpoint-every")) {
    if (!every->text.empty() && std::isalpha(static_cast<unsigned char>(every->text.back())))
      options.checkpoint_s = clock_time(*every);
    else
      options.checkpoint_steps =
          read_int(settings, "checkpoint-every", 0, 1, std::numeric_limits<int>::max());
  }
  if (const Setting* const limit = find(settings, "wall-time")) options.wall_time_s = clock_time(*limit);
  options.restart = read_text(settings, "restart", "");
  if (options.checkpoint_s > 0 || options.checkpoint_steps > 0 || options.wall_time_s > 0 ||
      !options.restart.empty())
    options.checkpoint = run_name(options);
}

}  // namespace

void read_time_options(Settings& settings, Options& options) {
  const Pde& pde = find_pde(options.pde);
  if (!pde.also_steady) leave_to(pdes_also_steady(), settings, {"steady"});
  options.steady = read_switch(settings, "steady");
  const Words of_time{"steps", "until", "dt", "output-every", "checkpoint-every", "wall-time", "restart"};
  if (!pde.in_time()) return leave_to(pdes_in_time(), settings, of_time);
  if (options.steady) {
    for (const std::string& name : of_time) {
      const Setting* const setting = find(settings, name);
      if (setting && !setting->from_config) refuse(*setting, "does not go with --steady, which has no time");
      settings.erase(name);
    }
    return;
  }
  read_checkpoint_options(settings, options);
  options.steps = read_int(settings, "steps", 0, 1, std::numeric_limits<int>::max());
  // Manufactured solutions fade by e^-t.
  const double usual_s = options.manufactured ? std::min(pde.until_s, 1.0) : pde.until_s;
  const double until_s = read_positive(settings, "until", usual_s);
  options.dt_s = read_positive(settings, "dt", until_s / 1000);
  options.until_s = options.steps > 0 ? options.steps * options.dt_s : until_s;
  if (!std::isfinite(options.until_s)) refuse(settings.at("dt"), "so many steps of it end at no finite time");
  const Setting* const every = find(settings, "output-every");
  if (!every) return;
  if (every->text.ends_with("s"))
    options.output_s = parse_positive(*every, every->text.substr(0, every->text.size() - 1));
  else if (every->text.find('.') != std::string::npos)
    refuse(*every, "is no number of steps; seconds have an s behind them: " + every->text + "s");
  else if (every->text.find_first_not_of("+-0123456789") != std::string::npos)
    refuse(*every, "must be a number of steps, or of seconds with an s behind it, as in 0.5s");
  else
    options.output_steps = read_int(settings, "output-every", 0, 1, std::numeric_limits<int>::max());
  if (options.output_s > 0 && options.steps > 0)
    refuse(*every, "does not go with --steps, which are all alike; give a number of steps");
}

Boundary usual_boundary(const Pde& pde) {
  Boundary boundary;
  boundary.faces.fill({pde.faces.front(), 0});
  return boundary;
}

const Pde& pde_of(const Options& options) {
  const Pde& pde = find_pde(options.pde);
  return options.coefficient_numbers > 1 ? pde.with_tensor() : pde;
}

void check_pde_options(const Settings& settings, const Options& options) {
  const Pde& pde = pde_of(options);
  const auto check = [&](const char* option, const std::string& reason) {
    if (!reason.empty()) refuse(settings.at(option), reason);
  };
  if (options.manufactured && pde.order == 0) check("manufactured", pde.name + " has no such solution");
  check("dof", why_not(pde.discretisation, pde.name, options.grid));
  const bool taken = (options.stencil == "star" ? pde.discretisation.star : pde.discretisation.box) > 0;
  check(taken ? "radius" : "stencil",
        why_not(pde.discretisation, pde.name, options.points, options.grid.dimension));
  check("boundary", why_not(pde, options.grid, options.boundary));
  check("radius", why_not_wide(options.grid, options.points, options.boundary));
}

}  // namespace quadrille
