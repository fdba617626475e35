// Options of solve that follow from what a PDE declares.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "assembly/pdes.hpp"
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

}  // namespace
}  // namespace quadrille
