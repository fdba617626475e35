#include "drivers/support/options.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "assembly/operators.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

using Words = std::vector<std::string>;

Options parse(const Words& words) {
  std::string help;
  const std::optional<Options> options = parse_options(words, help);
  EXPECT_TRUE(options.has_value()) << help;
  return options.value_or(Options{});
}

Options spmv(Words words) {
  words.insert(words.begin(), "spmv");
  return parse(words);
}

Options bench(Words words) {
  words.insert(words.begin(), {"bench", "dof-scaling"});
  return parse(words);
}

std::string help_of(const Words& words) {
  std::string help;
  EXPECT_FALSE(parse_options(words, help).has_value());
  return help;
}

std::string error_of(const Words& words) {
  std::string help;
  try {
    parse_options(words, help);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

std::map<std::string, std::string> resolved(const Options& options) {
  return {options.resolved.begin(), options.resolved.end()};
}

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

TEST(Options, DefaultsOfSpmv) {
  const Options options = spmv({});
  EXPECT_EQ(options.command, "spmv");
  EXPECT_EQ(to_string(options.grid), "64x64x64");
  EXPECT_EQ(options.grid.dof, 1);
  EXPECT_EQ(options.grid.spacing_m, (std::array<double, 3>{1, 1, 1}));
  EXPECT_EQ(options.stencil, "star");
  EXPECT_EQ(options.radius, 1);
  EXPECT_EQ(to_string(options.boundary, 3), "drop");
  EXPECT_EQ(options.operator_name, "random");
  EXPECT_EQ(options.seed, 1u);
  EXPECT_EQ(options.matrix, "");
  EXPECT_EQ(options.formats, Words{"all"});
  EXPECT_EQ(options.space, "auto");
  EXPECT_EQ(options.precision, Precision::fp64);
  EXPECT_EQ(options.repetitions, 30);
  EXPECT_EQ(options.device, 0);
  EXPECT_EQ(options.threads, 0);
  EXPECT_EQ(options.input, "random");
  EXPECT_EQ(options.format_options.block_size, 1);
  EXPECT_EQ(options.format_options.ellr_t_threads, 0);
  EXPECT_EQ(options.format_options.rg_csr_group, 64);
  EXPECT_EQ(options.format_options.rg_csr_ordering, RowOrdering::none);
  EXPECT_EQ(options.format_options.cmrs_height, 4);
  EXPECT_FALSE(options.format_options.cmrs_reorder);
  EXPECT_EQ(options.output + options.json + options.csv, "");
  EXPECT_FALSE(options.quiet);
  EXPECT_TRUE(options.progress);
  EXPECT_FALSE(options.validate_only);
  EXPECT_TRUE(options.petsc_arguments.empty());
}

TEST(Options, GridValues) {
  const Options options = spmv({"--grid", "32x16", "--spacing=0.5,2e-3", "--dof", "4", "--stencil", "box",
                                "--radius", "2", "--boundary", "periodic,periodic,value:-1.5,clamp"});
  EXPECT_EQ(options.grid.dimension, 2);
  EXPECT_EQ(options.grid.extents, (std::array<std::int64_t, 3>{32, 16, 1}));
  EXPECT_EQ(options.grid.spacing_m, (std::array<double, 3>{0.5, 2e-3, 1}));
  EXPECT_EQ(options.grid.dof, 4);
  EXPECT_EQ(options.format_options.block_size, 4);
  EXPECT_EQ(options.stencil, "box");
  EXPECT_EQ(options.radius, 2);
  EXPECT_TRUE(options.boundary.periodic(0));
  EXPECT_EQ(options.boundary.faces[2], (FaceBoundary{BoundaryKind::value, -1.5}));
  EXPECT_EQ(options.boundary.faces[3].kind, BoundaryKind::clamp);
}

TEST(Options, OneSpacingIsForAllAxes) {
  EXPECT_EQ(spmv({"--spacing", "0.25"}).grid.spacing_m, (std::array<double, 3>{0.25, 0.25, 0.25}));
  EXPECT_EQ(spmv({"--spacing", "1, 2, 3"}).grid.spacing_m, (std::array<double, 3>{1, 2, 3}));
}

TEST(Options, ElasticityHasItsOwnDefaults) {
  const Options in_3d = spmv({"--operator", "elasticity"});
  EXPECT_EQ(in_3d.grid.dof, 3);
  EXPECT_EQ(in_3d.stencil, "box");
  EXPECT_EQ(in_3d.format_options.block_size, 3);
  EXPECT_EQ(spmv({"--operator", "elasticity", "--grid", "8x8"}).grid.dof, 2);
  EXPECT_EQ(spmv({"--operator", "elasticity", "--stencil", "star"}).stencil, "star");
}

TEST(Options, RunAndFormatValues) {
  const Options options = spmv({"--operator",       "laplacian", "--seed",        "18446744073709551615",
                                "--format",         "csr,cds",   "--space",       "cpu",
                                "--precision",      "fp32",      "--input",       "sine",
                                "--threads",        "3",         "--repetitions", "1",
                                "--device",         "7",         "--rgcsr-group", "256",
                                "--rgcsr-ordering", "rcm",       "--cmrs-height", "16",
                                "--ellr-threads",   "32",        "--cmrs-reorder"});
  EXPECT_EQ(options.operator_name, "laplacian");
  EXPECT_EQ(options.seed, 18446744073709551615u);
  EXPECT_EQ(options.formats, (Words{"csr", "cds"}));
  EXPECT_EQ(options.space, "cpu");
  EXPECT_EQ(options.precision, Precision::fp32);
  EXPECT_EQ(options.input, "sine");
  EXPECT_EQ(options.threads, 3);
  EXPECT_EQ(options.repetitions, 1);
  EXPECT_EQ(options.device, 7);
  EXPECT_EQ(options.format_options.rg_csr_group, 256);
  EXPECT_EQ(options.format_options.rg_csr_ordering, RowOrdering::rcm);
  EXPECT_EQ(options.format_options.cmrs_height, 16);
  EXPECT_EQ(options.format_options.ellr_t_threads, 32);
  EXPECT_TRUE(options.format_options.cmrs_reorder);
}

TEST(Options, OutputValues) {
  const Options options =
      spmv({"--output", "a.h5", "--json", "a.json", "--csv", "a.csv", "--quiet", "--validate"});
  EXPECT_EQ(options.output, "a.h5");
  EXPECT_EQ(options.json, "a.json");
  EXPECT_EQ(options.csv, "a.csv");
  EXPECT_TRUE(options.quiet);
  EXPECT_TRUE(options.validate_only);
  EXPECT_TRUE(options.progress);
  EXPECT_FALSE(spmv({"--no-progress"}).progress);
  EXPECT_FALSE(std::filesystem::exists("a.h5"));
}

TEST(Options, EveryNamedChoiceIsTaken) {
  for (const std::string& name : operator_names()) EXPECT_EQ(spmv({"--operator", name}).operator_name, name);
  for (const char* name : {"auto", "cpu", "cuda"}) EXPECT_EQ(spmv({"--space", name}).space, name);
  for (const char* name : {"random", "ones", "sine"}) EXPECT_EQ(spmv({"--input", name}).input, name);
  for (const char* name : {"drop", "periodic", "clamp", "value:0.5"})
    EXPECT_EQ(to_string(spmv({"--boundary", name}).boundary, 3), name);
  for (const int threads : {1, 2, 4, 8, 16, 32})
    EXPECT_EQ(spmv({"--ellr-threads", std::to_string(threads)}).format_options.ellr_t_threads, threads);
  EXPECT_EQ(spmv({"--rgcsr-ordering", "descending"}).format_options.rg_csr_ordering, RowOrdering::descending);
  EXPECT_EQ(spmv({"--format", "auto"}).formats, Words{"auto"});
  for (const FormatEntry& entry : registry()) {
    EXPECT_TRUE(entry.make_fp64) << entry.name;
    EXPECT_EQ(spmv({"--format", entry.name}).formats, Words{entry.name});
  }
}

struct BadValue {
  const char *option, *value, *reason;
};

void PrintTo(const BadValue& bad, std::ostream* out) {
  *out << bad.option << " " << bad.value;
}

class RefusedValue : public testing::TestWithParam<BadValue> {};

TEST_P(RefusedValue, NamesOptionValueAndWhatIsAllowed) {
  const auto [option, value, reason] = GetParam();
  const std::string message = error_of({"spmv", option, value});
  expect_contains(message, option);
  expect_contains(message, value);
  expect_contains(message, reason);
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_EQ(message, error_of({"spmv", std::string(option) + "=" + value}));
}

INSTANTIATE_TEST_SUITE_P(
    Values, RefusedValue,
    testing::Values(
        BadValue{"--grid", "0x4", "at least 1 node"}, BadValue{"--grid", "-1x4", "at least 1 node"},
        BadValue{"--grid", "4", "two or three extents"}, BadValue{"--grid", "4x4x4x4", "NXxNYxNZ"},
        BadValue{"--grid", "4x", "NXxNYxNZ"}, BadValue{"--grid", "ax4", "NXxNYxNZ"},
        BadValue{"--grid", "4x 4", "NXxNYxNZ"}, BadValue{"--grid", "99999999999999999999x2", "NXxNYxNZ"},
        BadValue{"--grid", "3000000000x3000000000x3", "overflows 64 bits"},
        BadValue{"--spacing", "0", "positive lengths in m"},
        BadValue{"--spacing", "-1", "positive lengths in m"},
        BadValue{"--spacing", "nan", "positive lengths in m"}, BadValue{"--spacing", "1,2", "3 with commas"},
        BadValue{"--spacing", "1,,2", "positive lengths in m"},
        BadValue{"--spacing", "1m", "positive lengths in m"}, BadValue{"--dof", "0", "from 1 to 64"},
        BadValue{"--dof", "65", "from 1 to 64"}, BadValue{"--dof", "four", "from 1 to 64"},
        BadValue{"--dof", "4.5", "from 1 to 64"}, BadValue{"--dof", "99999999999", "from 1 to 64"},
        BadValue{"--stencil", "strr", "did you mean 'star'?"}, BadValue{"--stencil", "/", "is a folder"},
        BadValue{"--radius", "0", "from 1 to 4"}, BadValue{"--radius", "5", "from 1 to 4"},
        BadValue{"--boundary", "periodc", "did you mean 'periodic'?"},
        BadValue{"--boundary", "drop,drop", "6 faces"}, BadValue{"--boundary", "value:abc", "not a number"},
        BadValue{"--boundary", "value:", "not a number"}, BadValue{"--boundary", "value:inf", "finite"},
        BadValue{"--boundary", "periodic,drop,drop,drop,drop,drop", "both faces"},
        BadValue{"--operator", "laplacain", "did you mean 'laplacian'?"},
        BadValue{"--operator", "xyzzy", "laplacian, diffusion, random or elasticity"},
        BadValue{"--seed", "-1", "from 0 to 18446744073709551615"},
        BadValue{"--seed", "18446744073709551616", "from 0 to 18446744073709551615"},
        BadValue{"--seed", "0x10", "whole number"}, BadValue{"--matrix", "/nowhere/a.mtx", "no such file"},
        BadValue{"--matrix", "/", "is a folder"}, BadValue{"--block-size", "2", "belongs to a matrix file"},
        BadValue{"--format", "crs", "did you mean 'csr'?"}, BadValue{"--format", "csr,csr", "named twice"},
        BadValue{"--format", "all,csr", "must stand alone"},
        BadValue{"--format", "csr,", "a name is missing"}, BadValue{"--space", "gpu", "did you mean 'cuda'?"},
        BadValue{"--space", "cup", "did you mean 'cpu'?"},
        BadValue{"--precision", "fp46", "did you mean 'fp64'?"},
        BadValue{"--precision", "FP64", "fp64 or fp32"}, BadValue{"--repetitions", "0", "from 1 to"},
        BadValue{"--repetitions", "-5", "from 1 to"}, BadValue{"--repetitions", "ten", "from 1 to"},
        BadValue{"--device", "-1", "from 0 to"}, BadValue{"--device", "a", "from 0 to"},
        BadValue{"--threads", "-1", "from 0 to"}, BadValue{"--threads", "many", "from 0 to"},
        BadValue{"--input", "zeros", "random, ones or sine"}));

INSTANTIATE_TEST_SUITE_P(FormatValues, RefusedValue,
                         testing::Values(BadValue{"--ellr-threads", "3", "1, 2, 4, 8, 16 or 32"},
                                         BadValue{"--ellr-threads", "64", "1, 2, 4, 8, 16 or 32"},
                                         BadValue{"--rgcsr-group", "31", "from 32 to 256"},
                                         BadValue{"--rgcsr-group", "257", "from 32 to 256"},
                                         BadValue{"--rgcsr-ordering", "rmc", "did you mean 'rcm'?"},
                                         BadValue{"--cmrs-height", "0", "from 1 to 16"},
                                         BadValue{"--cmrs-height", "17", "from 1 to 16"},
                                         BadValue{"--output", "x.hdf", "must end in .h5"},
                                         BadValue{"--config", "/nowhere/a.ini", "no such file"},
                                         BadValue{"--config", "/", "no such file"}));

TEST(Options, NumbersHaveNoNearestOne) {
  EXPECT_EQ(error_of({"spmv", "--ellr-threads", "3"}).find("did you mean"), std::string::npos);
}

TEST(Options, ANewFileIsOneFileHoweverItIsSpelt) {
  for (const char* const second : {"new.json", "./new.json", "../new.json"}) {
    const std::string first = std::string(second).starts_with("..") ? "./../new.json" : "new.json";
    expect_contains(error_of({"spmv", "--json", first, "--csv", second}), "is already the file of --json");
  }
  expect_contains(error_of({"bench", "dof-scaling", "--plot", "./p", "--json", "p.svg"}), "is already the");
}

TEST(Options, SolveRefusesAClosureThatIsNotSymmetric) {
  expect_contains(error_of({"solve", "poisson", "--radius", "2", "--boundary", "clamp"}), "use 1");
  EXPECT_EQ(error_of({"solve", "poisson", "--radius", "2", "--boundary", "periodic"}), "no error");
}

TEST(Options, TransposedProductsTakeOneVector) {
  EXPECT_TRUE(spmv({"--transpose"}).product.transposed);
  EXPECT_EQ(spmv({"--vectors", "8"}).product.vectors, 8);
  expect_contains(error_of({"spmv", "--transpose", "--vectors", "2"}),
                  "--vectors '2': does not go with --transpose");
  expect_contains(error_of({"spmv", "--vectors", "65"}), "from 1 to 64");
  EXPECT_TRUE(spmv({"--check", "slabs"}).check_on_slabs);
  expect_contains(error_of({"spmv", "--transpose", "--check", "slabs"}), "--check 'slabs': is for y = A x");
}

TEST(Options, ManyUnknownsOnALargeGridOverflow) {
  const std::string message = error_of({"spmv", "--grid", "2000000000x2000000000", "--dof", "64"});
  expect_contains(message, "--grid '2000000000x2000000000'");
  expect_contains(message, "overflows 64 bits");
}

TEST(Options, EveryOptionRefusesEmptyMissingAndRepeatedValues) {
  std::vector<std::pair<std::string, std::string>> names = spmv({}).resolved;
  names.emplace_back("config", "");
  const Words switches{"transpose", "cmrs-reorder", "quiet", "no-progress"};
  for (const auto& entry : names) {
    const std::string option = "--" + entry.first;
    if (std::count(switches.begin(), switches.end(), entry.first)) {
      expect_contains(error_of({"spmv", option + "=yes"}), option + " is a switch and takes no value");
      expect_contains(error_of({"spmv", option + "="}), option + " is a switch and takes no value");
      EXPECT_EQ(error_of({"spmv", option, option}), option + " is given twice");
      continue;
    }
    expect_contains(error_of({"spmv", option}), option + " needs a value");
    expect_contains(error_of({"spmv", option + "="}), option + " needs a value");
    expect_contains(error_of({"spmv", option, "--quiet"}), option + " needs a value");
    expect_contains(error_of({"spmv", option, ""}), option);
    EXPECT_EQ(error_of({"spmv", option, "1", option, "1"}), option + " is given twice");
  }
}

TEST(Options, UnknownNamesGetTheNearest) {
  expect_contains(error_of({"spvm"}), "did you mean 'spmv'?");
  expect_contains(error_of({"inspct"}), "did you mean 'inspect'?");
  expect_contains(error_of({"spmv", "--gird", "4x4"}), "unknown option '--gird'; did you mean '--grid'?");
  expect_contains(error_of({"spmv", "--gird=4x4"}), "unknown option '--gird'; did you mean '--grid'?");
  expect_contains(error_of({"spmv", "-grid", "4x4"}), "unknown option '-grid'; did you mean '--grid'?");
  expect_contains(error_of({"spmv", "--Grid", "4x4"}), "did you mean '--grid'?");
  expect_contains(error_of({"spmv", "--foo"}), "unknown option '--foo'; 'quadrille spmv --help'");
  expect_contains(error_of({"spmv", "-x"}), "unknown option '-x'");
}

TEST(Options, NothingIsAbbreviated) {
  expect_contains(error_of({"spmv", "--rep", "5"}), "unknown option '--rep'; did you mean '--repetitions'?");
}

TEST(Options, OtherSubcommandsAreUnknown) {
  for (const char* name : {"tune", ""}) {
    expect_contains(error_of({name}), "unknown subcommand '" + std::string(name) + "'");
    expect_contains(error_of({name}), "spmv, bench, solve, inspect or info");
  }
  EXPECT_EQ(help_of({}).find("tune"), std::string::npos);
}

TEST(Options, SolveTakesOnePdeAndOneFormat) {
  const Options plain = parse({"solve", "poisson"});
  EXPECT_EQ(plain.pde, "poisson");
  EXPECT_FALSE(plain.manufactured);
  EXPECT_EQ(plain.formats, Words{"cds"});
  EXPECT_EQ(to_string(plain.boundary, 3), "value:0");
  EXPECT_EQ(plain.operator_name, "");
  const Options given = parse({"solve", "--pde", "diffusion", "--grid", "8x9", "--boundary", "clamp",
                               "--format", "ell", "--manufactured", "--", "-ksp_type", "gmres"});
  EXPECT_EQ(given.pde, "diffusion");
  EXPECT_TRUE(given.manufactured);
  EXPECT_EQ(resolved(given).at("boundary"), "clamp");
  EXPECT_EQ(resolved(given).at("format"), "ell");
  EXPECT_EQ(given.petsc_arguments, (Words{"-ksp_type", "gmres"}));
  expect_contains(error_of({"solve"}), "poisson, diffusion or elasticity");
  expect_contains(error_of({"solve", "poissn"}), "did you mean 'poisson'?");
  expect_contains(error_of({"solve", "poisson", "diffusion"}), "one PDE too many");
  expect_contains(error_of({"solve", "poisson", "--format", "csr,cds"}), "one format");
  expect_contains(error_of({"solve", "poisson", "--format", "auto"}), "one format");
  expect_contains(error_of({"solve", "poisson", "--precision", "fp32"}), "must be fp64");
  expect_contains(error_of({"solve", "poisson", "--stencil", "a.txt"}), "must be star or box");
  expect_contains(error_of({"solve", "poisson", "--operator", "random"}), "is not an option of solve");
  expect_contains(error_of({"solve", "poisson", "--csv", "a"}), "is not an option of solve");
}

TEST(Options, MisplacedWordsAreRefused) {
  expect_contains(error_of({"--quiet", "spmv"}), "subcommand");
  expect_contains(error_of({"spmv", "a.mtx"}), "'a.mtx' is not understood");
  expect_contains(error_of({"spmv", "-"}), "'-' is not understood");
  expect_contains(error_of({"spmv", "--=3"}), "not understood");
  expect_contains(error_of({"info", "--grid", "4x4"}), "'--grid' is not an option of info");
  expect_contains(error_of({"info", "--csv", "a"}), "'--csv' is not an option of info");
  expect_contains(error_of({"inspect", "--output", "a.h5"}), "'--output' is not an option of inspect");
  expect_contains(error_of({"bench", "bandwidth", "--dof", "3"}), "'--dof' is not an option of bench");
  expect_contains(error_of({"bench", "bandwidth", "--matrix=a"}), "'--matrix' is not an option of bench");
  expect_contains(error_of({"spmv", "--dofs", "3"}), "'--dofs' is not an option of spmv");
}

TEST(Options, BoostsWordsStayInside) {
  for (const Words& words : {Words{"spmv", "--grid"}, Words{"spmv", "--quiet=1"}, Words{"spmv", "--foo"}}) {
    const std::string message = error_of(words);
    for (const char* jargon : {"argument", "unrecognised", "option_name", "canonical", "parameter"})
      EXPECT_EQ(message.find(jargon), std::string::npos) << message;
  }
}

TEST(Options, TwoOutputsNeedTwoFiles) {
  expect_contains(error_of({"spmv", "--json", "a", "--csv", "a"}), "already the file of --json");
  expect_contains(error_of({"bench", "bandwidth", "--plot", "a", "--csv", "a.svg"}),
                  "already the file of the .svg of --plot");
}

TEST(Options, NamedFormatsMustRunInTheSpaceAndPrecision) {
  for (const FormatEntry& entry : registry()) {
    // The CPU's peer stands beside the formats of any space.
    bool cpu = false, cuda = entry.peer && entry.space == SpaceKind::cpu, fp32 = false;
    for (const FormatEntry& other : registry()) {
      if (other.name != entry.name) continue;
      (other.space == SpaceKind::cpu ? cpu : cuda) = true;
      fp32 |= bool(other.make_fp32);
    }
    if (!cuda) expect_contains(error_of({"spmv", "--format", entry.name, "--space", "cuda"}), "--space cuda");
    if (!cpu) expect_contains(error_of({"spmv", "--format", entry.name, "--space", "cpu"}), "--space cpu");
    if (!fp32)
      expect_contains(error_of({"spmv", "--format", entry.name, "--precision", "fp32"}), "--precision fp32");
  }
}

TEST(Options, EverythingAfterTheSeparatorIsForPetsc) {
  const Options options = spmv({"--dof", "2", "--", "-log_view", "--grid", "nonsense", "--", "--help", ""});
  EXPECT_EQ(options.grid.dof, 2);
  EXPECT_EQ(options.petsc_arguments, (Words{"-log_view", "--grid", "nonsense", "--", "--help", ""}));
  EXPECT_TRUE(spmv({"--"}).petsc_arguments.empty());
  expect_contains(error_of({"spmv", "--output", "--"}), "--output needs a value");
}

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
  expect_contains(error_of({"bench"}), "dof-scaling or bandwidth");
  expect_contains(error_of({"bench", "dof_scaling"}), "NAME 'dof_scaling': must be dof-scaling or bandwidth");
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
        BadValue{"--experiment", "bandwidth", "already given"}));

TEST(Options, Nearest) {
  const Words known{"csr", "csc", "ellr_t", "rg_csr", "elasticity"};
  EXPECT_EQ(nearest("csr", known), "csr");
  EXPECT_EQ(nearest("crs", known), "csr");
  EXPECT_EQ(nearest("CSC", known), "csc");
  EXPECT_EQ(nearest("ellrt", known), "ellr_t");
  EXPECT_EQ(nearest("rgcsr", known), "rg_csr");
  EXPECT_EQ(nearest("elast", known), "elasticity");
  EXPECT_EQ(nearest("zzz", known), "");
  EXPECT_EQ(nearest("", known), "");
  EXPECT_EQ(nearest("csr", {}), "");
}

TEST(Options, HelpListsEveryOptionAndThreeExamples) {
  for (const std::string command : {"spmv", "bench", "solve", "inspect", "info"}) {
    const std::string help = help_of({command, "--help"});
    const Options options = command == "bench"   ? bench({})
                            : command == "solve" ? parse({"solve", "poisson"})
                                                 : parse({command});
    for (const auto& entry : options.resolved) expect_contains(help, "  --" + entry.first + " ");
    for (const char* name : {"config", "validate", "help", "version"})
      expect_contains(help, "  --" + std::string(name));
    const std::string examples = help.substr(help.find("Examples:"));
    EXPECT_EQ(std::count(examples.begin(), examples.end(), '\n'), 4) << examples;
    expect_contains(help_of({}), "  " + command + " ");
  }
  for (const FormatEntry& entry : registry()) expect_contains(help_of({"spmv", "--help"}), entry.name);
}

TEST(Options, HelpWinsOverMistakes) {
  EXPECT_EQ(help_of({"--help"}), help_of({}));
  EXPECT_EQ(help_of({"-h"}), help_of({}));
  EXPECT_EQ(help_of({"spmv", "--foo", "-h"}), help_of({"spmv", "--help"}));
  EXPECT_EQ(help_of({"spmv", "--json", "--help"}), help_of({"spmv", "--help"}));
  EXPECT_EQ(help_of({"--version"}), version_text());
  EXPECT_EQ(help_of({"info", "--version"}), version_text());
  EXPECT_TRUE(version_text().starts_with("quadrille "));
}

TEST(Options, TheExamplesAreValid) {
  for (const std::string command : {"spmv", "bench", "solve", "inspect", "info"}) {
    const std::string help = help_of({command, "--help"});
    std::istringstream lines(help.substr(help.find("Examples:")));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream stream(line);
      Words words;
      for (std::string word; stream >> word;) words.push_back(word);
      if (words.empty() || words[0] != "quadrille") continue;
      const std::string message = error_of({words.begin() + 1, words.end()});
      EXPECT_TRUE(message == "no error" || message.find("no such file") != std::string::npos) << message;
    }
  }
}

TEST(Options, ResolvedHasEveryOptionInHelpsOrder) {
  const Options options = spmv({"--spacing", "0.1,0.1,0.1", "--format", "csr, cds"});
  const std::string help = help_of({"spmv", "--help"});
  std::size_t last = 0;
  for (const auto& entry : options.resolved) {
    const std::size_t at = help.find("\n  --" + entry.first + " ");
    ASSERT_NE(at, std::string::npos) << entry.first;
    EXPECT_GE(at, last) << entry.first;
    last = at;
  }
  EXPECT_EQ(options.resolved.size(), 30u);
  EXPECT_EQ(resolved(options).at("spacing"), "0.1");
  EXPECT_EQ(resolved(options).at("format"), "csr,cds");
  EXPECT_EQ(resolved(options).at("matrix"), "");
  EXPECT_EQ(parse({"info"}).resolved, (decltype(options.resolved){{"json", ""}, {"quiet", "false"}}));
}

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
  expect_contains(error_in("[grid]\ndof = 4\n"), "run.ini: unknown option 'grid.dof'");
  expect_contains(error_in("dof = 0\n"), "run.ini: dof '0': must be a whole number from 1 to 64");
  expect_contains(error_in("dof = 1\ndof = 1\n"), "run.ini: dof is given twice");
  expect_contains(error_in("quiet = perhaps\n"), "run.ini: quiet 'perhaps': must be true or false");
  expect_contains(error_in("just words\n"), "run.ini: 'just words' is not understood");
  expect_contains(error_in("config = other.ini\n"), "belongs on the command line");
  expect_contains(error_in("validate = true\n"), "belongs on the command line");
  expect_contains(error_in("stencil = strr\n"), "run.ini: stencil 'strr'");
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
      {"spmv", "--operator", "elasticity", "--cmrs-reorder", "--quiet", "--no-progress", "--rgcsr-ordering",
       "rcm", "--cmrs-height", "3", "--ellr-threads", "1", "--rgcsr-group", "32", "--input", "ones",
       "--space", "cpu"},
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
  const std::string text = config_text(spmv({"--json", "a#b.json", "--", "-log_view"}));
  EXPECT_EQ(text.find("a#b"), std::string::npos);
  EXPECT_EQ(spmv({"--config", write("run.ini", text)}).json, "");
}

}  // namespace
}  // namespace quadrille
