#include "drivers/support/options_values.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include "drivers/support/options.hpp"
#include "drivers/support/options_table.hpp"
#include "grid/error.hpp"
#include "grid/suggestion.hpp"
#include "kernels/petsc/aij/all_products.hpp"

namespace quadrille {

namespace {

// The whole text as a number, without blanks or a plus sign.
template <class Number>
bool parse_number(const std::string& text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && at == end;
}

// One positive number for all axes, or one per axis.
std::array<double, 3> parse_per_axis(const Setting& setting, int dimension, const std::string& one,
                                     const std::string& several) {
  const Words parts = comma_parts(setting.text);
  if (parts.size() != 1 && parts.size() != static_cast<std::size_t>(dimension))
    refuse(setting,
           "give one " + one + " for all axes, or " + std::to_string(dimension) + " with commas between");
  std::array<double, 3> numbers{1, 1, 1};
  for (int axis = 0; axis < dimension; ++axis) {
    double& number = numbers[axis];
    if (!parse_number(parts[parts.size() == 1 ? 0 : axis], number) || !std::isfinite(number) || number <= 0)
      refuse(setting, "must be positive " + several + ", for example 0.01 or 0.01,0.02" +
                          std::string(dimension == 3 ? ",0.02" : ""));
  }
  return numbers;
}

// The reason alone of a message like "grid '0x4': every extent must be at least 1 node".
std::string reason_of(const InputError& error) {
  const std::string message = error.what();
  const std::size_t colon = message.find(": ");
  return colon == std::string::npos ? message : message.substr(colon + 2);
}

}  // namespace

void refuse(const Setting& setting, const std::string& reason) {
  throw InputError(setting.place + " '" + setting.text + "': " + reason);
}

std::string listed(const Words& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::string joined(const Words& words, const std::string& separator) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) text += (i > 0 ? separator : "") + words[i];
  return text;
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

Words comma_parts(const std::string& text) {
  Words parts;
  int open = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && text[at] == '(') ++open;
    if (at < text.size() && text[at] == ')') --open;
    if (at < text.size() && (text[at] != ',' || open > 0)) continue;
    parts.push_back(trimmed(text.substr(begin, at - begin)));
    begin = at + 1;
  }
  return parts;
}

std::string number_text(double number) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  return error == std::errc() ? std::string(buffer, end) : std::to_string(number);
}

const Setting* find(const Settings& settings, const std::string& name) {
  const auto at = settings.find(name);
  return at == settings.end() ? nullptr : &at->second;
}

std::string read_text(const Settings& settings, const std::string& name, const std::string& otherwise) {
  const Setting* setting = find(settings, name);
  return setting ? setting->text : otherwise;
}

int read_int(const Settings& settings, const std::string& name, int otherwise, int low, int high) {
  const Setting* setting = find(settings, name);
  if (!setting) return otherwise;
  int number = 0;
  if (!parse_number(setting->text, number) || number < low || number > high)
    refuse(*setting, "must be a whole number from " + std::to_string(low) + " to " + std::to_string(high));
  return number;
}

std::uint64_t read_seed(const Settings& settings, const std::string& name, std::uint64_t otherwise) {
  const Setting* setting = find(settings, name);
  if (!setting) return otherwise;
  std::uint64_t number = 0;
  if (!parse_number(setting->text, number))
    refuse(*setting,
           "must be a whole number from 0 to " + std::to_string(std::numeric_limits<std::uint64_t>::max()));
  return number;
}

bool parse_finite(const std::string& text, double& number) {
  return parse_number(text, number) && std::isfinite(number);
}

double parse_positive(const Setting& setting, const std::string& text) {
  double number = 0;
  if (!parse_number(text, number) || !std::isfinite(number) || number <= 0)
    refuse(setting, "must be a positive number");
  return number;
}

double read_positive(const Settings& settings, const std::string& name, double otherwise) {
  const Setting* setting = find(settings, name);
  return setting ? parse_positive(*setting, setting->text) : otherwise;
}

bool read_switch(const Settings& settings, const std::string& name) {
  const Setting* setting = find(settings, name);
  if (!setting) return false;
  const std::string text = lower(setting->text);
  for (const char* yes : {"true", "yes", "on", "1"})
    if (text == yes) return true;
  for (const char* no : {"false", "no", "off", "0"})
    if (text == no) return false;
  refuse(*setting, "must be true or false");
}

std::string read_word(const Settings& settings, const std::string& name, const std::string& otherwise,
                      const Words& known) {
  const Setting* setting = find(settings, name);
  if (!setting) return otherwise;
  if (std::find(known.begin(), known.end(), setting->text) == known.end())
    refuse(*setting, "must be " + listed(known) + suggestion(setting->text, known));
  return setting->text;
}

std::array<double, 3> parse_spacing(const Setting& setting, int dimension) {
  const auto spacing_m = parse_per_axis(setting, dimension, "length in m", "lengths in m");
  for (const double length : spacing_m)
    if (length < 1e-100 || length > 1e100)
      refuse(setting, "must be from 1e-100 to 1e100: operators hold 1/h^2");
  return spacing_m;
}

std::array<double, 3> parse_ratio(const Setting& setting, int dimension) {
  return parse_per_axis(setting, dimension, "number", "numbers");
}

Grid parse_grid(const Setting& setting) {
  if (setting.text.find_first_not_of("0123456789x-") != std::string::npos)
    refuse(setting, "write NXxNY or NXxNYxNZ in nodes, for example 256x256 or 64x64x64");
  try {
    return parse_grid(setting.text);
  } catch (const InputError& error) {
    refuse(setting, reason_of(error));
  }
}

namespace {

Boundary check_boundary(const Setting& setting, const std::string& text, int dimension) {
  try {
    return parse_boundary(text, dimension);
  } catch (const InputError& error) {
    refuse(setting, reason_of(error));
  }
}

}  // namespace

Boundary parse_boundary(const Setting& setting, const Grid& grid, const std::vector<int>& dofs) {
  const Words kinds{"drop", "periodic", "clamp", "outflow", "value:X", "flux:X", "robin:A,B,C"};
  if (setting.text.find('{') != std::string::npos)
    refuse(setting, "has a formula, which solve takes, and nothing else");
  const auto parts = boundary_parts(setting.text);
  for (const Words& face : parts)
    for (const std::string& part : face) {
      const std::string word = part.substr(0, part.find(':'));
      if (part != word && (word == "value" || word == "flux" || word == "robin")) {
        check_boundary(setting, part, 2);
        continue;
      }
      if (std::find(kinds.begin(), kinds.end(), part) == kinds.end())
        refuse(setting, "every face must be " + listed(kinds) +
                            suggestion(word, {"drop", "periodic", "clamp", "outflow", "value:0", "flux:0",
                                              "robin:1,1,0"}));
    }
  if (parts.size() != 1 && parts.size() != static_cast<std::size_t>(2 * grid.dimension))
    refuse(setting, "give one kind for all faces, or one for each of the " +
                        std::to_string(2 * grid.dimension) +
                        " faces: " + (grid.dimension == 2 ? "x-,x+,y-,y+" : "x-,x+,y-,y+,z-,z+"));
  const Boundary boundary = check_boundary(setting, setting.text, grid.dimension);
  for (const int dof : dofs) {
    Grid other = grid;
    other.dof = dof;
    require_fitting(setting, boundary, other);
  }
  return boundary;
}

void require_fitting(const Setting& setting, const Boundary& boundary, const Grid& grid) {
  try {
    validate(boundary, grid);
  } catch (const InputError& error) {
    refuse(setting, reason_of(error));
  }
}

std::vector<int> parse_dofs(const Setting& setting) {
  const auto number = [&](const std::string& text) {
    int dof = 0;
    if (!parse_number(text, dof) || dof < 1 || dof > max_dof)
      refuse(setting, "must be numbers or ranges from 1 to " + std::to_string(max_dof) +
                          ", for example 1-16 or 1,2,4,8");
    return dof;
  };
  std::vector<int> dofs;
  for (const std::string& part : comma_parts(setting.text)) {
    const std::size_t dash = std::min(part.find('-'), part.size());
    const int low = number(part.substr(0, dash));
    const int high = dash == part.size() ? low : number(part.substr(dash + 1));
    if (low > high) refuse(setting, "the range " + part + " goes down; write the smaller number first");
    for (int dof = low; dof <= high; ++dof) {
      if (std::find(dofs.begin(), dofs.end(), dof) != dofs.end())
        refuse(setting, std::to_string(dof) + " is named twice");
      dofs.push_back(dof);
    }
  }
  std::sort(dofs.begin(), dofs.end());
  return dofs;
}

std::string dofs_text(const std::vector<int>& dofs) {
  std::string text;
  for (std::size_t begin = 0, end = 0; begin < dofs.size(); begin = end) {
    for (end = begin + 1; end < dofs.size() && dofs[end] == dofs[end - 1] + 1;) ++end;
    text += (begin > 0 ? "," : "") + std::to_string(dofs[begin]);
    if (end > begin + 1) text += (end > begin + 2 ? "-" : ",") + std::to_string(dofs[end - 1]);
  }
  return text;
}

Words parse_formats(const Setting& setting) {
  const Words names = comma_parts(setting.text);
  Words known = format_names(petsc::all_products());
  known.insert(known.begin(), {"all", "auto"});
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      refuse(setting, (name.empty() ? "a name is missing" : "there is no format '" + name + "'") +
                          "; known are " + joined(known, ", ") + suggestion(name, known));
    if ((name == "all" || name == "auto") && names.size() > 1)
      refuse(setting, "'" + name + "' must stand alone");
    if (std::count(names.begin(), names.end(), name) > 1) refuse(setting, "'" + name + "' is named twice");
  }
  return names;
}

}  // namespace quadrille
