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
#include "drivers/support/options_table.hpp"
#include "grid/suggestion.hpp"
#include "kernels/format_traits.hpp"
#include "kernels/petsc/aij/all_products.hpp"
#include "kernels/petsc/aij/ordering.hpp"
#include "options_cases.hpp"

namespace quadrille {
namespace {

// What a format says of its options, and what the options say of formats.
TEST(Options, AreThoseThatTheFormatsName) {
  for (const FormatTraits& format : format_traits())
    for (const std::string& option : format.options)
      EXPECT_NE(find_option(option, for_runs), nullptr) << format.name << " names --" << option;
  for (const OptionSpec& option : option_table()) {
    if (option.group != "Format parameters") continue;
    const auto names_it = [&](const FormatTraits& format) {
      return std::find(format.options.begin(), format.options.end(), option.name) != format.options.end();
    };
    EXPECT_TRUE(std::any_of(format_traits().begin(), format_traits().end(), names_it)) << option.name;
  }
}

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
  EXPECT_EQ(options.format_options.ellr_t_block, 0);
  EXPECT_EQ(options.format_options.rg_csr_group, 64);
  EXPECT_EQ(options.format_options.rg_csr_threads, 0);
  EXPECT_EQ(options.format_options.rg_csr_ordering, RowOrdering::none);
  EXPECT_EQ(options.format_options.cmrs_height, 0);
  EXPECT_FALSE(options.format_options.cmrs_reorder);
  EXPECT_EQ(options.format_options.kernel, Kernel::ours);
  EXPECT_EQ(options.format_options.cmrs_block, 0);
  EXPECT_EQ(options.format_options.csr_lanes, 0);
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
  const Options solved = parse({"solve", "elasticity", "--grid", "8x9"});
  EXPECT_EQ(solved.grid.dof, 2);
  EXPECT_EQ(solved.points.offsets.size(), 9u);
  EXPECT_EQ(resolved(solved).at("stencil"), "box");
  EXPECT_EQ(parse({"solve", "diffusion", "--grid", "8x9"}).stencil, "star");
  const Words bench{"bench", "matrices", "--operator", "elasticity", "--grid"};
  const auto dofs = [&](const std::string& grids, const Words& more = {}) {
    Words words = bench;
    words.push_back(grids);
    words.insert(words.end(), more.begin(), more.end());
    return parse(words).dofs;
  };
  EXPECT_EQ(dofs("8x8"), std::vector<int>{2});
  EXPECT_EQ(dofs("4x4x4,8x8"), (std::vector<int>{2, 3}));
  EXPECT_EQ(dofs("4x4x4", {"--dofs", "1-2"}), (std::vector<int>{1, 2}));
  EXPECT_EQ(parse({"bench", "dof-scaling", "--operator", "elasticity"}).dofs.size(), 16u);
}

TEST(Options, RunAndFormatValues) {
  const Options options = spmv({"--operator",       "laplacian", "--seed",        "18446744073709551615",
                                "--format",         "csr,cds",   "--space",       "cpu",
                                "--precision",      "fp32",      "--input",       "sine",
                                "--threads",        "3",         "--repetitions", "1",
                                "--device",         "7",         "--rgcsr-group", "256",
                                "--rgcsr-ordering", "rcm",       "--cmrs-height", "16",
                                "--ellr-threads",   "32",        "--ellr-block",  "512",
                                "--rgcsr-threads",  "4",         "--cmrs-reorder"});
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
  EXPECT_EQ(options.format_options.rg_csr_threads, 4);
  EXPECT_EQ(options.format_options.rg_csr_ordering, RowOrdering::rcm);
  EXPECT_EQ(options.format_options.cmrs_height, 16);
  EXPECT_EQ(options.format_options.ellr_t_threads, 32);
  EXPECT_EQ(options.format_options.ellr_t_block, 512);
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

// The kernel brings its model along.
TEST(Options, ModelOfEllrT) {
  const auto model = [](const Words& words) { return spmv(words).format_options.ellr_t_model; };
  EXPECT_EQ(model({}), EllrTModel::ours);
  EXPECT_EQ(model({"--kernel", "paper"}), EllrTModel::paper);
  EXPECT_EQ(model({"--kernel", "paper", "--ellr-model", "ours"}), EllrTModel::ours);
  EXPECT_EQ(model({"--ellr-model", "paper"}), EllrTModel::paper);
  EXPECT_NE(error_of({"spmv", "--ellr-model", "theirs"}).find("ours or paper"), std::string::npos);
}

TEST(Options, EveryNamedChoiceIsTaken) {
  for (const std::string& name : operator_names()) EXPECT_EQ(spmv({"--operator", name}).operator_name, name);
  for (const char* name : {"auto", "cpu", "cuda"}) EXPECT_EQ(spmv({"--space", name}).space, name);
  for (const char* name : {"random", "ones", "sine"}) EXPECT_EQ(spmv({"--input", name}).input, name);
  for (const char* name : {"drop", "periodic", "clamp", "outflow", "value:0.5", "flux:-2", "robin:1,2,0.5"})
    EXPECT_EQ(to_string(spmv({"--boundary", name}).boundary, 3), name);
  for (const int threads : {1, 2, 4, 8, 16, 32})
    EXPECT_EQ(spmv({"--ellr-threads", std::to_string(threads)}).format_options.ellr_t_threads, threads);
  for (const int block : {64, 128, 256, 512, 1024})
    EXPECT_EQ(spmv({"--ellr-block", std::to_string(block)}).format_options.ellr_t_block, block);
  EXPECT_EQ(spmv({"--rgcsr-ordering", "descending"}).format_options.rg_csr_ordering, RowOrdering::descending);
  if (petsc::has_amd())
    EXPECT_EQ(spmv({"--rgcsr-ordering", "amd"}).format_options.rg_csr_ordering, RowOrdering::amd);
  else
    EXPECT_NE(error_of({"spmv", "--rgcsr-ordering", "amd"}).find("no SuiteSparse"), std::string::npos);
  for (const int lanes : {0, 1, 2, 4, 8, 16, 32})
    EXPECT_EQ(spmv({"--csr-lanes", std::to_string(lanes)}).format_options.csr_lanes, lanes);
  const FormatOptions paper = spmv({"--kernel", "paper", "--x-cache", "l2", "--cmrs-block", "320",
                                    "--cmrs-aligned", "off", "--cmrs-split", "l1"})
                                  .format_options;
  EXPECT_EQ(paper.kernel, Kernel::paper);
  EXPECT_EQ(paper.x_cache, CachePath::l2);
  EXPECT_EQ(paper.cmrs_block, 320);
  EXPECT_FALSE(paper.cmrs_aligned);
  EXPECT_EQ(paper.cmrs_split, MemorySplit::l1);
  EXPECT_EQ(spmv({"--x-cache", "l1"}).format_options.x_cache, CachePath::l1);
  EXPECT_EQ(spmv({"--cmrs-block", "64"}).format_options.cmrs_block, 64);
  EXPECT_EQ(spmv({"--format", "auto"}).formats, Words{"auto"});
  for (const FormatEntry& entry : petsc::all_products()) {
    EXPECT_TRUE(entry.make_fp64) << entry.name;
    EXPECT_EQ(spmv({"--format", entry.name}).formats, Words{entry.name});
  }
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
        BadValue{"--boundary", "outfow", "did you mean 'outflow'?"},
        BadValue{"--boundary", "neumann:1", "did you mean 'flux:0'?"},
        BadValue{"--boundary", "robin:1,2", "three numbers"}, BadValue{"--boundary", "robin", "robin:A,B,C"},
        BadValue{"--boundary", "robin:1,2,3,4", "three numbers"},
        BadValue{"--boundary", "robin:0,0,1", "both 0"},
        BadValue{"--boundary", "robin:1,x,1", "three numbers"},
        BadValue{"--boundary", "robin:1,2,clamp", "three numbers"},
        BadValue{"--boundary", "robin:-2,1,0", "less than 2 |B/A|, 1 m"},
        BadValue{"--boundary", "flux:", "not a number"}, BadValue{"--boundary", "clamp/flux:1", "grid has 1"},
        BadValue{"--boundary", "clamp/,drop", "every face must be"},
        BadValue{"--operator", "laplacain", "did you mean 'laplacian'?"},
        BadValue{"--operator", "xyzzy", "laplacian, diffusion, random or elasticity"},
        BadValue{"--seed", "-1", "from 0 to 18446744073709551615"},
        BadValue{"--seed", "18446744073709551616", "from 0 to 18446744073709551615"},
        BadValue{"--seed", "0x10", "whole number"}, BadValue{"--matrix", "/nowhere/a.mtx", "no such file"},
        BadValue{"--matrix", "/", "is a folder"}, BadValue{"--block-size", "2", "belongs to a matrix"},
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

INSTANTIATE_TEST_SUITE_P(
    FormatValues, RefusedValue,
    testing::Values(
        BadValue{"--ellr-threads", "3", "1, 2, 4, 8, 16 or 32"},
        BadValue{"--ellr-threads", "64", "1, 2, 4, 8, 16 or 32"},
        BadValue{"--ellr-block", "32", "64, 128, 256, 512 or 1024"},
        BadValue{"--rgcsr-threads", "3", "1, 2, 4, 8, 16 or 32"},
        BadValue{"--rgcsr-group", "31", "from 32 to 256"}, BadValue{"--rgcsr-group", "257", "from 32 to 256"},
        BadValue{"--rgcsr-ordering", "rmc", "did you mean 'rcm'?"},
        BadValue{"--cmrs-height", "-1", "from 0 to 16"}, BadValue{"--cmrs-height", "17", "from 0 to 16"},
        BadValue{"--cmrs-block", "320", "64, 128 and 256"}, BadValue{"--kernel", "papers", "paper"},
        BadValue{"--cmrs-aligned", "yes", "on or off"}, BadValue{"--x-cache", "l3", "l1"},
        BadValue{"--cmrs-split", "l2", "shared"}, BadValue{"--csr-lanes", "3", "32"},
        BadValue{"--output", "x.hdf", "must end in .h5"}, BadValue{"--output", ".h5", "after a name"},
        BadValue{"--output", "a/.h5", "after a name"}, BadValue{"--output", "a:b.h5", "colon"},
        BadValue{"--config", "/nowhere/a.ini", "no such file"}, BadValue{"--config", "/", "no such file"}));

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

TEST(Options, KindsOfUnknownsAreForTheirNumber) {
  const Options options =
      spmv({"--grid", "8x8", "--dof", "2", "--boundary", "value:1/robin:1,2,3, clamp,drop/flux:2,outflow"});
  EXPECT_EQ(to_string(options.boundary, 2), "value:1/robin:1,2,3,clamp,drop/flux:2,outflow");
  EXPECT_EQ(resolved(options).at("boundary"), "value:1/robin:1,2,3,clamp,drop/flux:2,outflow");
  expect_contains(
      error_of({"bench", "dof-scaling", "--grid", "8x8", "--dofs", "1-3", "--boundary", "drop/clamp"}),
      "is for 2 unknowns of a node, the grid has 1");
}

TEST(Options, SolveRefusesAClosureThatIsNotSymmetric) {
  const auto said = [](const char* radius, const char* kind) {
    return error_of({"solve", "poisson", "--radius", radius, "--boundary", kind});
  };
  for (const char* kind : {"clamp", "outflow", "flux:1", "robin:1,2,3"})
    expect_contains(said("3", kind), "use radius 1 or 2");
  expect_contains(said("2", "robin:1,2,3"), "not robin; use radius 1");
  expect_contains(
      error_of({"solve", "poisson", "--radius", "2", "--dof", "2", "--boundary", "value:0/clamp"}),
      "of all unknowns of a node or of none");
  for (const char* kind : {"periodic", "value:1", "drop", "clamp", "outflow", "flux:1"})
    EXPECT_EQ(said("2", kind), "no error");
}

TEST(Options, TransposedProductsTakeOneVector) {
  EXPECT_TRUE(spmv({"--transpose"}).product.transposed);
  EXPECT_EQ(spmv({"--vectors", "8"}).product.vectors, 8);
  expect_contains(error_of({"spmv", "--transpose", "--vectors", "2"}),
                  "--vectors '2': does not go with --transpose");
  expect_contains(error_of({"spmv", "--vectors", "65"}), "from 1 to 64");
}

TEST(Options, ProductsAreCountedOrMany) {
  EXPECT_EQ(spmv({}).format_options.products, 0);
  EXPECT_EQ(resolved(spmv({})).at("products"), "0");
  const Options once = spmv({"--transpose", "--products", "1", "--format", "csr"});
  EXPECT_EQ(once.format_options.products, 1);
  EXPECT_TRUE(once.format_options.of_transpose);
  EXPECT_FALSE(spmv({"--products", "1"}).format_options.of_transpose);
  EXPECT_EQ(resolved(spmv({"--format", "auto", "--products", "250"})).at("products"), "250");
  expect_contains(error_of({"spmv", "--products", "-1"}), "from 0 to 1000000000");
  expect_contains(error_of({"solve", "poisson", "--products", "3"}), "--products");
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
  const Words switches{"tune", "retune", "transpose", "cmrs-reorder", "quiet", "no-progress"};
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
  expect_contains(error_of({"solve", "poisson", "-ksp_monitor"}), "PETSc's own stand behind a bare --");
}

TEST(Options, NothingIsAbbreviated) {
  expect_contains(error_of({"spmv", "--rep", "5"}), "unknown option '--rep'; did you mean '--repetitions'?");
}

TEST(Options, OtherSubcommandsAreUnknown) {
  for (const char* name : {"tune", ""}) {
    expect_contains(error_of({name}), "unknown subcommand '" + std::string(name) + "'");
    expect_contains(error_of({name}), "spmv, bench, solve, inspect, plot or info");
  }
  EXPECT_EQ(help_of({}).find("tune"), std::string::npos);
}

TEST(Options, SolveTakesOnePdeAndOneFormat) {
  const Options plain = parse({"solve", "poisson"});
  EXPECT_EQ(plain.pde, "poisson");
  EXPECT_FALSE(plain.manufactured);
  EXPECT_EQ(plain.formats, Words{"auto"});
  EXPECT_EQ(to_string(plain.boundary, 3), "value:0");
  EXPECT_EQ(plain.operator_name, "");
  const Options given = parse({"solve", "--pde", "diffusion", "--grid", "8x9", "--boundary", "clamp",
                               "--format", "ell", "--manufactured", "--", "-ksp_type", "gmres"});
  EXPECT_EQ(given.pde, "diffusion");
  EXPECT_TRUE(given.manufactured);
  EXPECT_EQ(resolved(given).at("boundary"), "clamp");
  EXPECT_EQ(resolved(given).at("format"), "ell");
  EXPECT_EQ(given.petsc_arguments, (Words{"-ksp_type", "gmres"}));
  expect_contains(error_of({"solve"}), "poisson, diffusion");
  expect_contains(error_of({"solve", "poissn"}), "did you mean 'poisson'?");
  expect_contains(error_of({"solve", "poisson", "diffusion"}), "one PDE too many");
  expect_contains(error_of({"solve", "poisson", "--format", "csr,cds"}), "one format");
  expect_contains(error_of({"solve", "poisson", "--format", "all"}), "one format");
  expect_contains(error_of({"solve", "poisson", "--precision", "fp32"}), "must be fp64");
  expect_contains(error_of({"solve", "poisson", "--stencil", "a.txt"}), "must be star or box");
  expect_contains(error_of({"solve", "poisson", "--operator", "random"}), "is not an option of solve");
  EXPECT_EQ(parse({"solve", "poisson", "--csv", "a"}).csv, "a");
  EXPECT_EQ(parse({"solve", "poisson", "--plot", "a"}).plot, "a");
  expect_contains(error_of({"solve", "heat", "--plot", "a"}), "converges, not of heat");
}

TEST(Options, MisplacedWordsAreRefused) {
  expect_contains(error_of({"--quiet", "spmv"}), "subcommand");
  expect_contains(error_of({"spmv", "a.mtx"}), "'a.mtx' is not understood");
  expect_contains(error_of({"spmv", "-"}), "'-' is not understood");
  expect_contains(error_of({"spmv", "--=3"}), "not understood");
  expect_contains(error_of({"info", "--grid", "4x4"}), "'--grid' is not an option of info");
  expect_contains(error_of({"info", "--plot", "a"}), "'--plot' is not an option of info");
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
  for (const FormatEntry& entry : petsc::all_products()) {
    // The CPU's peer stands beside the formats of any space.
    bool cpu = false, cuda = entry.peer && entry.space == SpaceKind::cpu, fp32 = false;
    for (const FormatEntry& other : petsc::all_products()) {
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
  for (const std::string command : {"spmv", "bench", "solve", "inspect", "plot", "info"}) {
    const std::string help = help_of({command, "--help"});
    const Options options = command == "bench"   ? bench({})
                            : command == "solve" ? parse({"solve", "poisson"})
                            : command == "plot"  ? parse({"plot", "/dev/null"})
                                                 : parse({command});
    for (const auto& entry : options.resolved) expect_contains(help, "  --" + entry.first + " ");
    for (const char* name : {"config", "validate", "help", "version"})
      expect_contains(help, "  --" + std::string(name));
    const std::string examples = help.substr(help.find("Examples:"));
    EXPECT_EQ(std::count(examples.begin(), examples.end(), '\n'), 4) << examples;
    expect_contains(help_of({}), "  " + command + " ");
  }
  for (const FormatEntry& entry : petsc::all_products())
    expect_contains(help_of({"spmv", "--help"}), entry.name);
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
  for (const std::string command : {"spmv", "bench", "solve", "inspect", "plot", "info"}) {
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
  std::size_t in_help = 0;
  for (std::size_t at = help.find("\n  --"); at != std::string::npos; at = help.find("\n  --", at + 1))
    ++in_help;
  EXPECT_EQ(options.resolved.size() + 4,
            in_help);  // --config, --validate, --help and --version do not resolve
  EXPECT_EQ(resolved(options).at("spacing"), "0.1");
  EXPECT_EQ(resolved(options).at("format"), "csr,cds");
  EXPECT_EQ(resolved(options).at("matrix"), "");
  EXPECT_EQ(parse({"info"}).resolved,
            (decltype(options.resolved){{"json", ""}, {"csv", ""}, {"quiet", "false"}}));
}

}  // namespace
}  // namespace quadrille
