// Settings as text and how they become values. Every refusal is one sentence that names the option, its value
// and what is allowed. Internal to the options.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "grid/boundary.hpp"
#include "grid/grid.hpp"

namespace quadrille {

struct Setting {
  std::string text;
  std::string place;  // "--dof", or "run.ini: dof"
  bool from_config = false;
};

// What was given, by the option's name.
using Settings = std::map<std::string, Setting>;
using Words = std::vector<std::string>;

// Throws InputError: place 'text': reason.
[[noreturn]] void refuse(const Setting& setting, const std::string& reason);

// "a, b or c"
std::string listed(const Words& words);
std::string joined(const Words& words, const std::string& separator);
std::string trimmed(const std::string& text);  // without the blanks around it
// The parts between commas that stand in no parentheses, without the blanks around them; "" has one empty
// part.
Words comma_parts(const std::string& text);
// The shortest text that reads back as the same number.
std::string number_text(double number);

// Null when the option was not given.
const Setting* find(const Settings& settings, const std::string& name);

// Each returns `otherwise` when the option was not given.
std::string read_text(const Settings& settings, const std::string& name, const std::string& otherwise);
int read_int(const Settings& settings, const std::string& name, int otherwise, int low, int high);
std::uint64_t read_seed(const Settings& settings, const std::string& name, std::uint64_t otherwise);
double read_positive(const Settings& settings, const std::string& name, double otherwise);
// The whole text as a number that is one.
bool parse_finite(const std::string& text, double& number);
// A positive number.
double parse_positive(const Setting& setting, const std::string& text);
bool read_switch(const Settings& settings, const std::string& name);
std::string read_word(const Settings& settings, const std::string& name, const std::string& otherwise,
                      const Words& known);

// One length for all axes, or one per axis.
std::array<double, 3> parse_spacing(const Setting& setting, int dimension);
// The same of numbers without units.
std::array<double, 3> parse_ratio(const Setting& setting, int dimension);
Grid parse_grid(const Setting& setting);
// For each of these numbers of unknowns of a node.
Boundary parse_boundary(const Setting& setting, const Grid& grid, const std::vector<int>& dofs);
// Refuses faces that do not fit the grid, its spacing and its unknowns.
void require_fitting(const Setting& setting, const Boundary& boundary, const Grid& grid);
// Numbers and ranges of unknowns per node: "1-4,8"; ascending.
std::vector<int> parse_dofs(const Setting& setting);
// parse_dofs reads it back.
std::string dofs_text(const std::vector<int>& dofs);
// "all", "auto", or names of registry(), each once.
Words parse_formats(const Setting& setting);

}  // namespace quadrille
