// Options that name files: matrices, stencils, configurations.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "options_cases.hpp"

namespace quadrille {
namespace {

// A folder of its own for each test.
class OptionsFiles : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("quadrille-options-" + std::to_string(getpid()) + "-" + test->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path) << text;
    return path;
  }

  std::filesystem::path folder_;
};
TEST_F(OptionsFiles, MatrixTakesThePlaceOfTheGrid) {
  const std::string matrix = write("a.mtx", "");
  const Options options = spmv({"--matrix", matrix, "--block-size", "3"});
  EXPECT_EQ(options.matrix, matrix);
  EXPECT_EQ(options.format_options.block_size, 3);
  EXPECT_EQ(options.operator_name + options.stencil, "");
  EXPECT_EQ(resolved(options).at("grid"), "");
  expect_contains(error_of({"spmv", "--matrix", matrix, "--block-size", "0"}), "from 1 to 64");
  for (const Words& words : {Words{"--grid", "4x4"}, Words{"--stencil", "star"}, Words{"--boundary", "drop"},
                             Words{"--operator", "random"}, Words{"--spacing", "1"}, Words{"--radius", "1"}})
    EXPECT_EQ(
        error_of({"spmv", "--matrix", matrix, words[0], words[1]}),
        words[0] +
            " and --matrix exclude each other: a matrix file takes the place of a grid and its operator");
  expect_contains(error_of({"spmv", "--matrix", matrix, "--dof", "2"}), "--block-size");
}

TEST_F(OptionsFiles, InspectTakesOneFile) {
  const std::string matrix = write("a.mtx", "");
  EXPECT_EQ(parse({"inspect", matrix}).matrix, matrix);
  EXPECT_EQ(parse({"inspect", "--block-size", "2", matrix}).matrix, matrix);
  EXPECT_EQ(parse({"inspect", "--matrix", matrix}).matrix, matrix);
  EXPECT_EQ(parse({"inspect"}).matrix, "");
  expect_contains(error_of({"inspect", matrix, matrix}), "one file too many");
  expect_contains(error_of({"inspect", matrix, "--matrix", matrix}), "already given");
  expect_contains(error_of({"inspect", "--matrix", matrix, matrix}), "one file too many");
  expect_contains(error_of({"inspect", "/nowhere/a.mtx"}), "'/nowhere/a.mtx': there is no such file");
  expect_contains(error_of({"inspect", matrix, "--grid", "4x4"}), "exclude each other");
}

TEST_F(OptionsFiles, StencilFile) {
  const std::string stencil = write("s.txt", "0 0 0\n2 0 0\n");
  const Options options = spmv({"--stencil", stencil});
  EXPECT_EQ(options.stencil, stencil);
  EXPECT_EQ(options.radius, 2);
  EXPECT_EQ(resolved(options).at("radius"), "");
  expect_contains(error_of({"spmv", "--stencil", stencil, "--radius", "2"}),
                  "a stencil file has its own radius");
  expect_contains(error_of({"spmv", "--stencil", write("bad.txt", "0 zero 0\n")}), "bad.txt");
}

TEST_F(OptionsFiles, TheCommandLineWinsOverTheConfigurationFile) {
  const std::string config = write("run.ini",
                                   "# a comment\r\n\ngrid = 8x8\n dof=3 \nformat = csr, cds\nquiet = yes\n"
                                   "cmrs-reorder = false\nseed =\nrepetitions = 5  # a trial\n");
  const Options options = spmv({"--config", config, "--dof", "2"});
  EXPECT_EQ(to_string(options.grid), "8x8");
  EXPECT_EQ(options.grid.dof, 2);
  EXPECT_EQ(options.formats, (Words{"csr", "cds"}));
  EXPECT_TRUE(options.quiet);
  EXPECT_FALSE(options.format_options.cmrs_reorder);
  EXPECT_EQ(options.seed, 1u);
  EXPECT_EQ(options.repetitions, 5);
}

TEST_F(OptionsFiles, ConfigurationFilesAreSharedBySubcommands) {
  const std::string config = write("run.ini", "grid = 8x8\nspace = cpu\noutput = y.h5\nquiet = on\n");
  EXPECT_EQ(to_string(parse({"inspect", "--config", config}).grid), "8x8");
  EXPECT_TRUE(parse({"info", "--config", config}).quiet);
  EXPECT_EQ(bench({"--config", config}).problems.size(), 1u);
}

TEST_F(OptionsFiles, MistakesInAConfigurationFileNameIt) {
  const auto error_in = [&](const std::string& text) {
    return error_of({"spmv", "--config", write("run.ini", text)});
  };
  expect_contains(error_in("gird = 4x4\n"), "run.ini: unknown option 'gird'; did you mean 'grid'?");
  expect_contains(error_in("[grid]\ngird = 4x4\n"), "run.ini: unknown option 'gird'; did you mean 'grid'?");
  expect_contains(error_in("[solve]\ngird = 4x4\n"), "run.ini: unknown option 'gird'; did you mean 'grid'?");
  expect_contains(error_in("[spmv]\ndof = 1\ndof = 1\n"), "run.ini: dof is given twice");
  for (const char* bad : {"[]", " [ ] ", "[", "[spmv", "= 4", "dof"})
    expect_contains(error_in(bad), "run.ini: ");
  expect_contains(error_in("\xff\xfe"
                           "d"),
                  "save it as UTF-8");
  expect_contains(error_in("dof = 0\n"), "run.ini: dof '0': must be a whole number from 1 to 64");
  expect_contains(error_in("dof = 1\ndof = 1\n"), "run.ini: dof is given twice");
  expect_contains(error_in("quiet = perhaps\n"), "run.ini: quiet 'perhaps': must be true or false");
  expect_contains(error_in("just words\n"), "run.ini: 'just words' is not understood");
  expect_contains(error_in("config = other.ini\n"), "belongs on the command line");
  expect_contains(error_in("validate = true\n"), "belongs on the command line");
  expect_contains(error_in("stencil = strr\n"), "run.ini: stencil 'strr'");
}

TEST_F(OptionsFiles, SectionsCommentsAndEmptyValues) {
  const std::string config = write(
      "run.ini",
      "\xef\xbb\xbf; of all subcommands\r\ngrid = 8x8 ; nodes\r\nseed = \r\njson = a;b.json\r\n"
      "\r\n[run]\r\nthreads = 2\r\n[ spmv ] ; of one\r\ndof = 3\r\nthreads = 4\r\nrepetitions =\t; empty\r\n"
      "\r\n[inspect]\r\ndof = 5\r\nthreads =\r\n");
  const Options options = spmv({"--config", config});
  EXPECT_EQ(to_string(options.grid), "8x8");
  EXPECT_EQ(options.grid.dof, 3);
  EXPECT_EQ(options.threads, 4);
  EXPECT_EQ(options.seed, 1u);
  EXPECT_EQ(options.repetitions, 30);
  EXPECT_EQ(options.json, "a;b.json");
  const Options other = parse({"inspect", "--config", config});
  EXPECT_EQ(to_string(other.grid), "8x8");
  EXPECT_EQ(other.grid.dof, 5);
  EXPECT_EQ(other.threads, 0);
  EXPECT_EQ(spmv({"--config", config, "--dof", "2"}).grid.dof, 2);
  EXPECT_EQ(spmv({"--config", write("old.ini", "grid = 4x4\rdof = 2\r")}).grid.dof, 2);
}

TEST_F(OptionsFiles, MatrixAndGridFromTwoPlaces) {
  const std::string matrix = write("a.mtx", "");
  const std::string grid_config =
      write("grid.ini", "grid = 8x8\ndof = 2\noperator = laplacian\nradius = 1\n");
  EXPECT_EQ(spmv({"--config", grid_config, "--matrix", matrix}).matrix, matrix);
  const std::string matrix_config = write("matrix.ini", "matrix = " + matrix + "\nblock-size = 2\n");
  EXPECT_EQ(spmv({"--config", matrix_config, "--grid", "4x4"}).matrix, "");
  expect_contains(error_of({"spmv", "--config", matrix_config, "--dof", "2"}), "exclude each other");
  const std::string both = write("both.ini", "matrix = " + matrix + "\ngrid = 4x4\n");
  expect_contains(error_of({"spmv", "--config", both}), "exclude each other");
}

TEST_F(OptionsFiles, ResolvedOptionsReadBackTheSame) {
  const std::string matrix = write("a.mtx", "");
  const std::string stencil = write("s.txt", "0 0\n1 0\n");
  const std::vector<Words> cases{
      {"spmv"},
      {"spmv", "--grid", "7x5", "--spacing", "0.1,0.30000000000000004", "--dof", "5", "--boundary",
       "periodic,periodic,value:-0.1,clamp", "--operator", "diffusion", "--seed", "18446744073709551615"},
      {"spmv", "--matrix", matrix, "--block-size", "2", "--format", "csr,cds", "--precision", "fp32"},
      {"spmv", "--grid", "7x5", "--stencil", stencil, "--output", "a b.h5", "--json", "j", "--csv", "c = d"},
      {"spmv",
       "--operator",
       "elasticity",
       "--cmrs-reorder",
       "--quiet",
       "--no-progress",
       "--rgcsr-ordering",
       "rcm",
       "--cmrs-height",
       "3",
       "--ellr-threads",
       "1",
       "--ellr-block",
       "64",
       "--rgcsr-group",
       "32",
       "--input",
       "ones",
       "--space",
       "cpu"},
      {"spmv", "--kernel", "paper", "--x-cache", "l1", "--cmrs-block", "96", "--cmrs-aligned", "off",
       "--cmrs-split", "shared", "--csr-lanes", "8", "--ellr-model", "ours"},
      {"inspect", matrix, "--threads", "2"},
      {"inspect", "--grid", "4x4x4", "--radius", "3"},
      {"info", "--quiet", "--json", "i.json"},
      {"bench", "bandwidth", "--grid", "8x8,4x4x4", "--dofs", "1-3,7", "--boundary", "clamp", "--plot", "p"},
      {"bench", "dof-scaling", "--precision", "fp32", "--format", "csr,cds", "--stencil", "box"},
  };
  for (const Words& words : cases) {
    const Options first = parse(words);
    const Options second =
        parse({words[0], "--config", write("again.ini", config_text(first)), "--validate"});
    EXPECT_EQ(first.resolved, second.resolved);
    EXPECT_EQ(config_text(first), config_text(second));
    EXPECT_EQ(first.grid.spacing_m, second.grid.spacing_m);
    EXPECT_EQ(first.progress, second.progress);
  }
}

TEST_F(OptionsFiles, WhatAConfigurationFileCannotHoldIsLeftOut) {
  for (const char* name : {"a#b.json", "a ;b.json", ";b.json"}) {
    const std::string text = config_text(spmv({"--json", name, "--", "-log_view"}));
    EXPECT_EQ(text.find(name), std::string::npos);
    EXPECT_EQ(spmv({"--config", write("run.ini", text)}).json, "");
  }
  EXPECT_EQ(spmv({"--config", write("run.ini", config_text(spmv({"--json", "a;b"})))}).json, "a;b");
}
}  // namespace
}  // namespace quadrille
