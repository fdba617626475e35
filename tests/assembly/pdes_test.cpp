// What PDEs declare is so.
#include "assembly/pdes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <set>
#include <sstream>
#include <string>

#include "grid/error.hpp"
#include "tests/pde_cases.hpp"
#include "tests/whole_pde.hpp"

namespace quadrille {
namespace {

Grid grid_of(const Pde& pde, int dimension) {
  return {dimension,
          {7, 6, dimension == 3 ? 5 : 1},
          {0.5, 0.25, 0.125},
          pde.discretisation.unknown_per_axis ? dimension : 2};
}

// What assembly says against it; empty for nothing.
std::string refused(const Pde& pde, const Grid& grid, const Stencil& stencil, const std::string& sides,
                    const PdeInput& input = {}) {
  try {
    assemble_whole_pde(pde.name, grid, stencil, parse_boundary(sides, grid.dimension), input);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

Stencil usual_stencil(const Pde& pde, int dimension) {
  return make_stencil(default_stencil(pde.discretisation), dimension, 1);
}

TEST(Pdes, HaveNamesAndUnitsOfTheirOwn) {
  std::set<std::string> names;
  for (const Pde& pde : linear_pdes()) {
    EXPECT_TRUE(names.insert(pde.name).second) << pde.name;
    EXPECT_FALSE(pde.equation.empty() || pde.source_units.empty() || pde.solution_units.empty()) << pde.name;
    EXPECT_EQ(find_pde(pde.name).equation, pde.equation);
  }
  EXPECT_THROW(find_pde("nosuch"), InputError);
}

// Of the table in docs/pdes.md.
std::string row_of(const Pde& pde) {
  const Discretisation& taken = pde.discretisation;
  std::string faces;
  for (const BoundaryKind kind : pde.faces)
    faces += (faces.empty() ? "`" : ", `") + std::string(usage(kind)) + "`";
  return "| `" + pde.name + "` | " + pde.equation + (pde.about.empty() ? "" : ", " + pde.about) + " | " +
         (taken.unknown_per_axis ? "one per axis" : "`--dof`, 1 by default") +
         (taken.coupled ? ", coupled" : "") + " | " + stencils_text(taken) + " | " +
         (pde.faces == every_face() ? "all" : faces) + " | " + pde.source_units + ", " + pde.solution_units +
         " | " + (pde.order > 0 ? std::to_string(pde.order) : "") + " |";
}

TEST(Pdes, HaveARowInTheirPage) {
  const std::string path = QUADRILLE_SOURCE_DIR "/docs/pdes.md";
  std::ifstream file(path);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const Pde& pde : linear_pdes())
    EXPECT_NE(page.find("\n" + row_of(pde) + "\n"), page.npos) << path << " lacks\n" << row_of(pde);
}

// Of another table there.
std::string row_of(const Pde& pde, const PdeParameter& parameter) {
  std::ostringstream text;
  text << "| `" << pde.name << "` | `" << parameter.name << "` | " << parameter.usual << " | "
       << (parameter.units == std::string("1") ? "" : parameter.units) << " | " << parameter.about << " | "
       << bound_text(parameter) << " |";
  return text.str();
}

TEST(Pdes, HaveARowForEachParameter) {
  const std::string path = QUADRILLE_SOURCE_DIR "/docs/pdes.md";
  std::ifstream file(path);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const Pde& pde : pdes())
    for (const PdeParameter& parameter : pde.parameters)
      EXPECT_NE(page.find("\n" + row_of(pde, parameter) + "\n"), page.npos) << path << " lacks\n"
                                                                            << row_of(pde, parameter);
}

TEST(Pdes, TakeTheParametersTheyDeclareAndNoOthers) {
  const auto said = [](const Pde& pde, const ParameterValues& given) -> std::string {
    try {
      parameters_of(pde, given);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  for (const Pde& pde : pdes()) {
    EXPECT_EQ(parameters_of(pde, other_parameters(pde)), other_parameters(pde));
    const std::string has =
        pde.parameters.empty() ? " has no parameters" : " has no parameter 'nosuch'; it has";
    EXPECT_EQ(said(pde, {{"nosuch", 1}}).find(pde.name + has), 0u) << said(pde, {{"nosuch", 1}});
    for (const PdeParameter& parameter : pde.parameters) {
      const auto with = [&](double value) { return said(pde, {{parameter.name, value}}); };
      EXPECT_EQ(with(parameter.usual), "");
      EXPECT_NE(with(std::nan("")).find("must be finite"), std::string::npos) << with(std::nan(""));
      EXPECT_NE(with(std::numeric_limits<double>::infinity()), "");
      EXPECT_NE(said(pde, {{parameter.name, parameter.usual}, {parameter.name, parameter.usual}}), "");
      if (!std::isfinite(parameter.least)) continue;
      EXPECT_EQ(with(parameter.least).empty(), !parameter.above_least) << pde.name << " " << parameter.name;
      EXPECT_NE(with(parameter.least - 0.1).find(bound_text(parameter)), std::string::npos) << pde.name;
    }
  }
  EXPECT_EQ(said(find_pde("elasticity"), {{"lambda", -0.5}, {"mu", 0.5}}), "");
  for (const char* of_a_body : {"elasticity", "poroelastic"})
    EXPECT_NE(said(find_pde(of_a_body), {{"lambda", -0.5}, {"mu", 0.4}}).find("lambda + mu"),
              std::string::npos);
  PdeInput input;
  input.parameters = {{"mu", -1}};
  const Pde& elasticity = find_pde("elasticity");
  EXPECT_NE(refused(elasticity, grid_of(elasticity, 2), usual_stencil(elasticity, 2), "value:0", input), "");
}

TEST(Pdes, TakeTheStencilsTheyDeclareAndNoOthers) {
  for (const Pde& pde : linear_pdes())
    for (const int dimension : {2, 3})
      for (const std::string name : {"star", "box"})
        for (int radius = 1; radius <= max_stencil_radius; ++radius) {
          SCOPED_TRACE(pde.name + " " + name + " " + std::to_string(radius));
          const bool taken = radius <= (name == "star" ? pde.discretisation.star : pde.discretisation.box);
          const std::string said =
              refused(pde, grid_of(pde, dimension), make_stencil(name, dimension, radius),
                      written(pde.faces.front(), 0));
          EXPECT_EQ(said.empty(), taken) << said;
          EXPECT_EQ(said.find("use " + stencils_text(pde.discretisation)) == said.npos, taken) << said;
        }
}

TEST(Pdes, TakeTheFacesTheyDeclareAndNoOthers) {
  for (const Pde& pde : linear_pdes())
    for (const BoundaryKind kind : every_face()) {
      SCOPED_TRACE(pde.name + " " + usage(kind));
      const std::string said = refused(pde, grid_of(pde, 2), usual_stencil(pde, 2), all_round(pde, 2, kind));
      EXPECT_EQ(said.empty(), takes(pde, kind)) << said;
      EXPECT_EQ(said.find(pde.name + " is solved with faces of") == said.npos, takes(pde, kind)) << said;
    }
}

TEST(Pdes, TakeTheUnknownsTheyDeclareAndNoOthers) {
  for (const Pde& pde : linear_pdes())
    for (const int dof : {1, 2, 3, 5}) {
      Grid grid = grid_of(pde, 3);
      grid.dof = dof;
      const bool taken = !pde.discretisation.unknown_per_axis || dof == 3;
      EXPECT_EQ(refused(pde, grid, usual_stencil(pde, 3), written(pde.faces.front(), 0)).empty(), taken)
          << pde.name << " " << dof;
    }
}

TEST(Pdes, CoupleUnknownsOrNotAsDeclared) {
  for (const PdeCase& c : pde_cases()) {
    if (c.dof == 1) continue;
    Grid grid = grid_of(*c.pde, c.dimension);
    grid.dof = c.dof;
    const PdeProblem problem = assemble_whole_pde(c.pde->name, grid, make_stencil(c.stencil, c.dimension, 1),
                                                  parse_boundary(c.sides, c.dimension), {});
    const Csr<double> csr = to_csr(problem.system.hub);
    bool coupled = false;
    for (std::int64_t row = 0; row < csr.rows; ++row)
      for (std::int64_t at = csr.row_ptr[row]; at < csr.row_ptr[row + 1]; ++at)
        coupled = coupled || csr.column[at] % c.dof != row % c.dof;
    EXPECT_EQ(coupled, c.pde->discretisation.coupled) << c.name;
  }
}

TEST(Pdes, HaveAManufacturedSolutionWhereTheyDeclareAnOrder) {
  for (const Pde& pde : linear_pdes()) {
    const std::string said =
        refused(pde, grid_of(pde, 2), usual_stencil(pde, 2), written(pde.faces.front(), 0), {1, true});
    EXPECT_EQ(said.empty(), pde.order > 0) << said;
  }
}

TEST(Pdes, TakeACoefficientWhereTheyDeclareIt) {
  for (const Pde& pde : linear_pdes()) {
    const Grid grid = grid_of(pde, 2);
    Array<double> a(grid.nodes());
    for (std::int64_t i = 0; i < a.size(); ++i) a[i] = 3;
    PdeInput input;
    input.coefficient =
        std::make_shared<const CoefficientField>(coefficient_field(grid, {}, std::move(a), "a"));
    const std::string said = refused(pde, grid, usual_stencil(pde, 2), written(pde.faces.front(), 0), input);
    EXPECT_EQ(said.empty(), pde.takes_coefficient) << said;
  }
}

TEST(Pdes, WideStencilsHaveAnOrderOfTheirOwn) {
  const Pde& poisson = find_pde("poisson");
  const Grid grid = grid_of(poisson, 2);
  const auto order = [&](int radius, const char* sides) {
    return order_of(poisson, grid, star_stencil(2, radius), parse_boundary(sides, 2));
  };
  EXPECT_EQ(order(1, "clamp"), 2);
  EXPECT_EQ(order(2, "clamp"), 4);
  EXPECT_EQ(order(3, "periodic"), 6);
  EXPECT_EQ(order(3, "periodic,periodic,value:0,value:0"), 1);
}

}  // namespace
}  // namespace quadrille
