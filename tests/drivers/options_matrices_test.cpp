// --matrix and --matrices: files, folders and generated matrices.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "options_cases.hpp"

namespace quadrille {
namespace {

class OptionsMatrices : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("quadrille_matrices_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << "";
    return path(name);
  }
  Options set(Words words) const {
    words.insert(words.begin(), {"bench", "matrices"});
    return parse(words);
  }
  Words matrices(const std::string& list) const { return set({"--matrices", list}).matrices; }
  std::string error(const std::string& list) const {
    return error_of({"bench", "matrices", "--matrices", list});
  }

  std::filesystem::path folder_;
};

TEST_F(OptionsMatrices, FilesFoldersAndGeneratedOnesInTheirOrder) {
  const std::string b = write("set/b.mtx"), a = write("set/a.mtx.gz"), c = write("c.txt");
  write("set/notes.txt");
  write("set/deeper/d.mtx");
  EXPECT_EQ(matrices(path("set")), (Words{a, b}));
  EXPECT_EQ(matrices(path("set") + "/"), (Words{path("set/a.mtx.gz"), path("set/b.mtx")}));
  EXPECT_EQ(matrices("banded:10," + c + ", " + path("set") + ",dense:4:4"),
            (Words{"banded:10", c, a, b, "dense:4"}));
  EXPECT_EQ(matrices(b + "," + path("set")), (Words{b, a}));
  EXPECT_EQ(matrices(write("with, comma/x,y.mtx")), Words{path("with, comma/x,y.mtx")});
  EXPECT_EQ(matrices(path("with, comma")), Words{path("with, comma/x,y.mtx")});
}

TEST_F(OptionsMatrices, GeneratedSets) {
  EXPECT_EQ(matrices("generated:90"), (Words{"dense:37", "permutation:90", "long_row:90", "power_law:90",
                                             "blocks:90", "banded:90", "mesh:90"}));
  EXPECT_EQ(matrices("generated").size(), 7u);
  EXPECT_EQ(matrices("generated").at(1), "permutation:1000000");
  EXPECT_EQ(matrices("dense:37,generated:90").size(), 7u);
}

TEST_F(OptionsMatrices, MistakesAreNamed) {
  const std::string file = write("cant.mtx");
  std::filesystem::create_directory(folder_ / "empty");
  expect_contains(error(path("empty")),
                  "--matrices '" + path("empty") + "': the folder has no .mtx or .mtx.gz file");
  expect_contains(error(path("can.mtx")), "there is no such file or folder; did you mean '" + file + "'?");
  expect_contains(error(path("xyzzy") + ",dense:4"),
                  "'" + path("xyzzy") + "': there is no such file or folder");
  expect_contains(error("denes:10"), "did you mean 'dense:10'?");
  expect_contains(error("generate"), "did you mean 'generated'?");
  expect_contains(error("permutaton"), "did you mean 'permutation'?");
  expect_contains(error("generated:"), "ROWS of generated:ROWS must be a whole number from 1 to 100000000");
  expect_contains(error("generated:0"), "ROWS of generated:ROWS");
  expect_contains(error("dense:4,banded:5:5"), "'banded:5:5': HALF of banded must be");
  expect_contains(error("dense:4,,banded:5"), "a name is missing");
  expect_contains(error(file + "," + file), "'" + file + "' is named twice");
  expect_contains(error(path("empty/../cant.mtx") + "," + file), "'" + file + "' is named twice");
  expect_contains(error(folder_.string() + "," + file), "'" + file + "' is named twice");
  expect_contains(error("dense:4,dense:4:4"), "'dense:4:4' is named twice");
  expect_contains(error_of({"bench", "dof-scaling", "--matrices", file}),
                  "--matrices '" + file + "': dof-scaling takes grids only");
  expect_contains(error_of({"bench", "matrices", "--matrices", file, "--json", file}),
                  "is already the file of --matrices");
  expect_contains(error_of({"bench", "matrices", "--matrices", file, "--check", "slabs"}),
                  "operator on a grid");
}

TEST_F(OptionsMatrices, OneGeneratedMatrixInPlaceOfAFile) {
  const Options options = spmv({"--matrix", "blocks:99:5"});
  EXPECT_EQ(options.matrix, "blocks:99:5");
  EXPECT_EQ(options.format_options.block_size, 5);
  EXPECT_EQ(spmv({"--matrix", "blocks:99:5", "--block-size", "2"}).format_options.block_size, 2);
  EXPECT_EQ(parse({"inspect", "dense:10:10"}).matrix, "dense:10");
  expect_contains(error_of({"inspect", "dense"}), "write dense:ROWS[:COLUMNS]");
  expect_contains(error_of({"spmv", "--matrix", "bande:10"}),
                  "--matrix 'bande:10': there is no such file; did you mean 'banded:10'?");
  expect_contains(error_of({"spmv", "--matrix", "generated"}), "is a set of matrices, for bench");
}

TEST_F(OptionsMatrices, GridsStandBesideThem) {
  const Options none = set({});
  EXPECT_EQ(none.matrices.size(), 7u);
  EXPECT_TRUE(none.problems.empty() && none.dofs.empty());
  EXPECT_EQ(none.operator_name + none.stencil, "");
  EXPECT_EQ(none.formats, Words{"all"});
  const Options grids = set({"--grid", "8x8,4x4x4", "--operator", "laplacian"});
  EXPECT_TRUE(grids.matrices.empty());
  EXPECT_EQ(grids.problems.size(), 2u);
  EXPECT_EQ(grids.dofs, std::vector<int>{1});
  EXPECT_EQ(grids.operator_name, "laplacian");
  EXPECT_GT(set({"--dofs", "1-3"}).problems.size(), 1u);
  const Options both = set({"--matrices", "dense:4", "--grid", "8x8", "--dofs", "2,3", "--block-size", "2"});
  EXPECT_EQ(both.matrices.size(), 1u);
  EXPECT_EQ(both.problems.size(), 1u);
  EXPECT_EQ(both.format_options.block_size, 2);
  expect_contains(error_of({"bench", "matrices", "--boundary", "clamp"}),
                  "belongs to operators on grids; give --grid or --dofs");
  expect_contains(error_of({"bench", "matrices", "--block-size", "2", "--grid", "4x4"}),
                  "belongs to a matrix");
}

TEST_F(OptionsMatrices, AConfigurationReadsBack) {
  write("a.mtx");
  for (const Words& words : {Words{}, Words{"--matrices", folder_.string() + ",banded:10"},
                             Words{"--grid", "8x8", "--dofs", "1,2"},
                             Words{"--matrices", "dense:4", "--dofs", "3", "--block-size", "2"}}) {
    const Options options = set(words);
    const std::string config = path("run.ini");
    std::ofstream(config) << config_text(options);
    const Options again = parse({"bench", "--config", config});
    EXPECT_EQ(again.matrices, options.matrices);
    EXPECT_EQ(config_text(again), config_text(options));
    EXPECT_TRUE(bench({"--config", config}).matrices.empty());  // dof-scaling leaves them out
  }
}

}  // namespace
}  // namespace quadrille
