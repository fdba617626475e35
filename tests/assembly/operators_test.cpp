#include "assembly/operators.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "grid/error.hpp"

namespace quadrille {
namespace {

Grid cube(int dof) {
  Grid grid = parse_grid("6x5x4");
  grid.dof = dof;
  return grid;
}

Stencil usual_stencil(const std::string& name) {
  return make_stencil(default_stencil(operator_discretisation(name)), 3, 1);
}

AssembledOperator<double> assembled(const std::string& name, std::uint64_t seed) {
  return assemble_operator<double>(name, cube(3), usual_stencil(name),
                                   parse_boundary("clamp,value:0.7,periodic,periodic,drop,clamp", 3), seed);
}

TEST(Operators, NamesAndDefaultStencils) {
  EXPECT_EQ(operator_names(), (std::vector<std::string>{"laplacian", "diffusion", "random", "elasticity"}));
  EXPECT_STREQ(default_stencil(operator_discretisation("elasticity")), "box");
  EXPECT_STREQ(default_stencil(operator_discretisation("diffusion")), "star");
  EXPECT_EQ(default_dof(operator_discretisation("elasticity"), 3), 3);
  EXPECT_EQ(default_dof(operator_discretisation("random"), 3), 1);
  EXPECT_THROW(operator_discretisation("poisson"), InputError);
}

TEST(Operators, FloatIsDoubleRoundedOnce) {
  for (const std::string& name : operator_names()) {
    const auto exact = assembled(name, 1);
    const auto rounded =
        assemble_operator<float>(name, cube(3), usual_stencil(name),
                                 parse_boundary("clamp,value:0.7,periodic,periodic,drop,clamp", 3), 1);
    EXPECT_NO_THROW(validate(exact.hub)) << name;
    ASSERT_EQ(rounded.hub.offsets, exact.hub.offsets) << name;
    ASSERT_EQ(rounded.hub.values.size(), exact.hub.values.size()) << name;
    for (std::int64_t i = 0; i < exact.hub.values.size(); ++i)
      ASSERT_EQ(rounded.hub.values[i], static_cast<float>(exact.hub.values[i])) << name << " " << i;
    EXPECT_EQ(rounded.rhs, exact.rhs) << name;
  }
}

TEST(Operators, SeedMattersToRandomAndDiffusion) {
  for (const std::string& name : operator_names()) {
    const auto a = assembled(name, 1), b = assembled(name, 1), c = assembled(name, 2);
    const auto same = [&](const AssembledOperator<double>& other) {
      return std::memcmp(a.hub.values.data(), other.hub.values.data(), a.hub.values.bytes()) == 0;
    };
    EXPECT_TRUE(same(b)) << name;
    EXPECT_EQ(same(c), name == "laplacian" || name == "elasticity") << name;
  }
}

TEST(Operators, RefusalsAreInputErrors) {
  const Boundary drop;
  EXPECT_THROW(assemble_operator<double>("poisson", cube(1), star_stencil(3, 1), drop, 1), InputError);
  EXPECT_THROW(assemble_operator<double>("elasticity", cube(2), box_stencil(3, 1), drop, 1), InputError);
  EXPECT_THROW(assemble_operator<double>("elasticity", cube(3), star_stencil(3, 1), drop, 1), InputError);
  EXPECT_THROW(assemble_operator<double>("laplacian", cube(1), box_stencil(3, 2), drop, 1), InputError);
  EXPECT_THROW(assemble_operator<double>("diffusion", cube(1), star_stencil(3, 2), drop, 1), InputError);
  EXPECT_THROW(assemble_operator<double>("random", cube(0), star_stencil(3, 1), drop, 1), InputError);
  EXPECT_THROW(assemble_operator<double>("random", parse_grid("4x4"), star_stencil(3, 1), drop, 1),
               InputError);
}

}  // namespace
}  // namespace quadrille
