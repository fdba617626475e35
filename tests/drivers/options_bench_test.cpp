// The options of `quadrille bench`.
#include "options_cases.hpp"

namespace quadrille {
namespace {

TEST(Options, DefaultsOfBench) {
  const Options options = bench({});
  EXPECT_EQ(options.command, "bench");
  EXPECT_EQ(options.experiment, "dof-scaling");
  ASSERT_EQ(options.problems.size(), 4u);
  EXPECT_EQ(std::count_if(options.problems.begin(), options.problems.end(),
                          [](const Problem& problem) { return problem.grid.dimension == 3; }),
            2);
  for (const Problem& problem : options.problems)
    EXPECT_EQ(problem.points.offsets.size(), problem.grid.dimension == 2 ? 5u : 7u);
  ASSERT_EQ(options.dofs.size(), 16u);
  EXPECT_EQ(options.dofs.front(), 1);
  EXPECT_EQ(options.dofs.back(), 16);
  EXPECT_EQ(options.precisions, (std::vector{Precision::fp64, Precision::fp32}));
  EXPECT_EQ(options.formats.front(), "cds");
  EXPECT_EQ(std::count(options.formats.begin(), options.formats.end(), "petsc_aij"), 1);
  EXPECT_EQ(options.repetitions, 30);
  EXPECT_EQ(options.operator_name, "random");
  EXPECT_EQ(options.plot, "");
}

TEST(Options, BenchTakesListsOfGridsAndUnknowns) {
  const Options options = bench({"--grid", "8x4, 5x6x7", "--dofs", "8,1-3", "--boundary", "periodic",
                                 "--stencil", "box", "--precision", "fp32", "--plot", "a.b", "--seed", "3"});
  ASSERT_EQ(options.problems.size(), 2u);
  EXPECT_EQ(to_string(options.problems[0].grid), "8x4");
  EXPECT_EQ(to_string(options.problems[1].grid), "5x6x7");
  EXPECT_EQ(options.problems[0].points.offsets.size(), 9u);
  EXPECT_EQ(options.problems[1].points.offsets.size(), 27u);
  EXPECT_FALSE(options.problems[0].boundary.periodic(2));
  EXPECT_TRUE(options.problems[1].boundary.periodic(2));
  EXPECT_EQ(options.dofs, (std::vector{1, 2, 3, 8}));
  EXPECT_EQ(options.precisions, std::vector{Precision::fp32});
  EXPECT_EQ(options.plot, "a.b");
  EXPECT_EQ(resolved(options).at("grid"), "8x4,5x6x7");
  EXPECT_EQ(resolved(options).at("dofs"), "1-3,8");
  EXPECT_EQ(resolved(options).at("precision"), "fp32");
  EXPECT_EQ(bench({"--dofs", "4"}).dofs, std::vector{4});
  EXPECT_EQ(resolved(bench({"--dofs", "1,2,4,5-64"})).at("dofs"), "1,2,4-64");
  EXPECT_EQ(bench({"--format", "all"}).formats, Words{"all"});
  EXPECT_EQ(parse({"bench", "--experiment", "bandwidth"}).experiment, "bandwidth");
}

TEST(Options, BenchNeedsAnExperimentThatExists) {
  expect_contains(error_of({"bench"}), "bench needs the name of an experiment");
  expect_contains(error_of({"bench"}), "dof-scaling, bandwidth");
  expect_contains(error_of({"bench", "dof_scaling"}), "NAME 'dof_scaling': must be dof-scaling, bandwidth");
  expect_contains(error_of({"bench", "dof_scaling"}), "did you mean 'dof-scaling'?");
  expect_contains(error_of({"bench", "bandwith"}), "did you mean 'bandwidth'?");
  expect_contains(error_of({"bench", ""}), "NAME is empty");
  expect_contains(error_of({"bench", "bandwidth", "dof-scaling"}), "one experiment too many");
  expect_contains(error_of({"bench", "bandwidth", "--experiment", "bandwidth"}), "already given");
  const std::string help = help_of({"bench", "--help"});
  expect_contains(help, "\n  dof-scaling  GFLOP/s");
  expect_contains(help, "\n  bandwidth    GB/s");
}

class RefusedByBench : public testing::TestWithParam<BadValue> {};

TEST_P(RefusedByBench, NamesOptionValueAndWhatIsAllowed) {
  const auto [option, value, reason] = GetParam();
  const std::string message = error_of({"bench", "bandwidth", option, value});
  expect_contains(message, option);
  expect_contains(message, reason);
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    BenchValues, RefusedByBench,
    testing::Values(
        BadValue{"--dofs", "0", "from 1 to 64"}, BadValue{"--dofs", "65", "from 1 to 64"},
        BadValue{"--dofs", "1-65", "from 1 to 64"}, BadValue{"--dofs", "1-", "for example 1-16 or 1,2,4,8"},
        BadValue{"--dofs", "-4", "from 1 to 64"}, BadValue{"--dofs", "1,,2", "from 1 to 64"},
        BadValue{"--dofs", "1-2-3", "from 1 to 64"}, BadValue{"--dofs", "4-1", "goes down"},
        BadValue{"--dofs", "1-4,3", "3 is named twice"}, BadValue{"--dofs", "all", "from 1 to 64"},
        BadValue{"--grid", "8x8,4", "'4': give two or three extents"}, BadValue{"--grid", "8x8,", "NXxNY"},
        BadValue{"--grid", "8x8,0x4", "'0x4'"}, BadValue{"--grid", "8x8,8x8", "named twice"},
        BadValue{"--grid", "8x8,3000000000x1000000000", "overflows 64 bits"},
        BadValue{"--boundary", "drop,drop,clamp,drop", "6 faces"}, BadValue{"--precision", "fp46", "both"},
        BadValue{"--format", "auto", "bench"}, BadValue{"--format", "crs", "did you mean 'csr'?"},
        BadValue{"--plot", "a.png", "without its ending"}, BadValue{"--plot", "a/", "without its ending"},
        BadValue{"--experiment", "bandwidth", "already given"},
        BadValue{"--products", "3", "belongs to spmv and to the experiment auto"}));

TEST(Options, BenchAutoTakesProducts) {
  EXPECT_EQ(parse({"bench", "auto", "--products", "3"}).format_options.products, 3);
  expect_contains(error_of({"bench", "transpose", "--products", "3"}), "the experiment auto");
}

}  // namespace
}  // namespace quadrille
