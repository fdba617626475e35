// Options of solve that follow from what a PDE declares.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "assembly/pdes.hpp"
#include "drivers/support/options_pdes.hpp"
#include "options_cases.hpp"

namespace quadrille {
namespace {

// What it declares is known before anything runs.
TEST(OptionsOfPdes, AreRefusedWhereItDoesNotTakeThem) {
  const auto refused = [](const Words& words, const std::string& place, const std::string& reason) {
    Words all{"solve"};
    all.insert(all.end(), words.begin(), words.end());
    expect_contains(error_of(all), place);
    expect_contains(error_of(all), reason);
  };
  for (const Pde& pde : pdes()) {
    const Discretisation& taken = pde.discretisation;
    if (taken.star == 0) refused({pde.name, "--stencil", "star"}, "--stencil 'star'", stencils_text(taken));
    if (taken.box == 0) refused({pde.name, "--stencil", "box"}, "--stencil 'box'", stencils_text(taken));
    if (std::max(taken.star, taken.box) == 1)
      refused({pde.name, "--radius", "2"}, "--radius '2'", stencils_text(taken));
    if (taken.unknown_per_axis) refused({pde.name, "--dof", "6"}, "--dof '6'", "one unknown per axis");
    for (const char* sides : {"value:1", "drop", "periodic", "clamp", "outflow", "flux:1", "robin:1,2,3"}) {
      const BoundaryKind kind = parse_boundary(sides, 2).faces[0].kind;
      if (takes(pde, kind))
        EXPECT_NO_THROW(parse({"solve", pde.name, "--boundary", sides})) << pde.name << " " << sides;
      else
        refused({pde.name, "--boundary", sides}, "--boundary '" + std::string(sides), "not");
    }
    if (!pde.takes_coefficient)
      refused({pde.name, "--coefficient-ratio", "2"}, "--coefficient-ratio", "belongs to solve");
    const Options plain = parse({"solve", pde.name});
    EXPECT_EQ(plain.points.name, default_stencil(taken));
    EXPECT_EQ(plain.grid.dof, default_dof(taken, 3));
    expect_contains(help_of({"solve", "--help"}), pde.equation);
  }
}

TEST(OptionsOfPdes, ParametersAreThoseOfThePde) {
  const auto with = [](const std::string& pde, const std::string& text) {
    return Words{"solve", pde, "--parameter", text};
  };
  const std::string help = help_of({"solve", "--help"});
  for (const Pde& pde : pdes()) {
    for (const PdeParameter& parameter : pde.parameters)
      expect_contains(help,
                      parameters_text(pde, {{parameter.name, parameter.usual}}) + ": " + parameter.about);
    EXPECT_EQ(parse({"solve", pde.name}).parameters, parameters_of(pde, {}));
    if (pde.parameters.empty())
      expect_contains(error_of(with(pde.name, "lambda=1")),
                      "--parameter 'lambda=1': belongs to solve elasticity");
  }
  Words several = with("elasticity", "mu=0.5");
  EXPECT_EQ(resolved(parse(several)).at("parameter"), "lambda=1,mu=0.5");
  several.insert(several.end(), {"--parameter", "lambda=-0.25"});
  const ParameterValues expected{{"lambda", -0.25}, {"mu", 0.5}};
  EXPECT_EQ(parse(several).parameters, expected);
  EXPECT_EQ(parse(with("elasticity", "mu = 0.5, lambda=-0.25")).parameters, expected);
  for (const auto& [pde, text, reason] :
       {std::array{"bratu", "lamda=7", "it has lambda; did you mean 'lambda'?"},
        std::array{"gray_scott", "D=1", "it has F, k, D_u and D_v"},
        std::array{"bratu", "lambda", "write NAME=VALUE, for example lambda=6"},
        std::array{"bratu", "=7", "write NAME=VALUE"},
        std::array{"cahn_hilliard", "e=six", "'six' of e is no number"},
        std::array{"cahn_hilliard", "e=inf", "'inf' of e is no number"},
        std::array{"cahn_hilliard", "e=", "'' of e is no number"},
        std::array{"bratu", "lambda=6,lambda=7", "lambda is given twice"},
        std::array{"transport", "d=0", "d of transport is 0, and must be above 0"},
        std::array{"cahn_hilliard", "e=-1", "must be above 0"},
        std::array{"gray_scott", "D_v=-1e-5", "D_v of gray_scott is -1e-05, and must be at least 0"},
        std::array{"elasticity", "lambda=-2", "lambda + mu not negative"}})
    for (const std::string& part : {"--parameter '" + std::string(text) + "': ", std::string(reason)})
      expect_contains(error_of(with(pde, text)), part);
  for (const char* text : {"six", "inf", "", "x*"})  // of one that may be a field
    expect_contains(
        error_of(with("bratu", "lambda=" + std::string(text))),
        "--parameter: lambda '" + std::string(text) + "': must be a number, FILE.h5:DATASET or a formula");
  const Options options = parse(with("transport", "d=max(0.1, x),k=2,v_x=-y"));
  EXPECT_EQ(options.parameter_fields,
            (std::vector<std::pair<std::string, std::string>>{{"d", "max(0.1, x)"}, {"v_x", "-y"}}));
  EXPECT_EQ(options.parameters, (ParameterValues{{"v_y", 0.5}, {"v_z", 0.25}, {"k", 2}}));
}

TEST(OptionsOfPdes, ProbesAreAtTheNearestNode) {
  const auto with = [](const std::string& at) {
    return Words{"solve", "heat", "--grid", "8x5x6", "--spacing", "0.5,1,2", "--probe", at};
  };
  Words twice = with("1.2,0,9");
  twice.insert(twice.end(), {"--probe", "3.7,4.4,0/0,0,0"});
  const Options options = parse(twice);
  ASSERT_EQ(options.probes.size(), 3u);
  EXPECT_EQ(options.probes[0].node, (Position{2, 0, 5}));
  EXPECT_EQ(options.probes[1].node, (Position{7, 4, 0}));
  EXPECT_EQ(resolved(options).at("probe"), "1.2,0,9/3.7,4.4,0/0,0,0");
  EXPECT_EQ(probe_path(options), "heat.probe.csv");
  expect_contains(error_of(with("1,1")), "give X,Y,Z in m");
  expect_contains(error_of(with("1,x,1")), "'x' is no length");
  for (const char* outside : {"4,0,0", "-0.3,0,0", "0,0,1e30", "0,0,0/0,5,0"})
    expect_contains(error_of(with(outside)), "0 to 3.5 m along x, 0 to 4 m along y, 0 to 10 m along z");
  twice.insert(twice.end(), {"--csv", "heat.probe.csv"});
  expect_contains(error_of(twice), "is already the file of --probe");
}

TEST(OptionsOfPdes, TimesOfTheClock) {
  const auto option = [](const std::string& name, const std::string& text) {
    return parse({"solve", "heat", "--output", "a/b.h5", name, text});
  };
  EXPECT_EQ(option("--wall-time", "1.5").wall_time_s, 90);
  EXPECT_EQ(option("--wall-time", "90s").wall_time_s, 90);
  EXPECT_EQ(option("--wall-time", "2h").wall_time_s, 7200);
  EXPECT_EQ(option("--checkpoint-every", "10min").checkpoint_s, 600);
  EXPECT_EQ(option("--checkpoint-every", "10m").checkpoint_s, 600);
  EXPECT_EQ(option("--checkpoint-every", "10").checkpoint_steps, 10);
  EXPECT_EQ(option("--restart", "auto").checkpoint, "a/b");
  expect_contains(error_of({"solve", "heat", "--wall-time", "10days"}), "no time of the clock");
  expect_contains(error_of({"solve", "heat", "--wall-time", "s"}), "positive number");
  expect_contains(error_of({"solve", "heat", "--checkpoint-every", "0"}), "whole number");
}

}  // namespace
}  // namespace quadrille
