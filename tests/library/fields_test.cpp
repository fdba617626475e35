// FieldWriter on any number of ranks.
#include <hdf5.h>

#include <array>
#include <filesystem>

#include "grid/error.hpp"
#include "model.hpp"

namespace quadrille::library_test {
namespace {

namespace fs = std::filesystem;

// A folder that all ranks know and the first one makes and removes.
class Fields : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "quadrille_fields_XXXXXX";
    std::string path = (fs::temp_directory_path() / name).string();
    if (Session::rank() == 0) {
      ASSERT_NE(::mkdtemp(path.data()), nullptr);
    }
    MPI_Bcast(path.data(), static_cast<int>(path.size()), MPI_CHAR, 0, PETSC_COMM_WORLD);
    folder_ = path;
  }
  void TearDown() override {
    MPI_Barrier(PETSC_COMM_WORLD);
    if (Session::rank() == 0) fs::remove_all(folder_);
  }
  fs::path folder_;
};

GridOperator made() {
  const Problem p = problems().front();
  return GridOperator(PETSC_COMM_WORLD, p.grid, p.stencil, p.boundary, Model{}, {.space = "cpu"});
}

double place(const Position& at, int unknown) {
  return static_cast<double>(at.x + 10 * at.y + 100 * at.z + 1000 * unknown);
}

// [step][z][y][x][unknown], read by whoever likes after the step was written.
std::vector<double> read(const std::string& path, const char* name, std::array<hsize_t, 5>& shape) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dataset);
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  std::vector<double> values(shape[0] * shape[1] * shape[2] * shape[3] * shape[4]);
  H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(file);
  return values;
}

TEST_F(Fields, StandInTheOrderOfTheGrid) {
  const GridOperator a = made();
  const Grid& grid = a.layout().grid;
  Vector x = a.vector().fill(place);
  const std::string path = (folder_ / "u.h5").string();
  FieldWriter out(path, grid, {"a", "b", {"c", "the third", "mol m-3"}});
  for (int step = 0; step < 3; ++step, x.scale(2)) out.write(0.5 * step, x);
  if (Session::rank() != 0) return;
  EXPECT_TRUE(fs::exists(folder_ / "u.xdmf"));
  const char* names[] = {"a", "b", "c"};
  for (int unknown = 0; unknown < 3; ++unknown) {
    std::array<hsize_t, 5> shape{};
    const std::vector<double> values = read(path, names[unknown], shape);
    EXPECT_EQ(shape, (std::array<hsize_t, 5>{3, 7, 5, 6, 1}));
    for (std::int64_t node = 0; node < grid.nodes(); ++node)
      for (int step = 0; step < 3; ++step)
        ASSERT_EQ(values[static_cast<std::size_t>(step * grid.nodes() + node)],
                  (1 << step) * place(node_position(grid, node), unknown));
  }
}

TEST_F(Fields, MayBeOneOfAllUnknowns) {
  const GridOperator a = made();
  const Vector x = a.vector().fill(place);
  const std::string path = (folder_ / "u.h5").string();
  FieldWriter(path, a.layout().grid, {"u"}).write(0, x);
  if (Session::rank() != 0) return;
  std::array<hsize_t, 5> shape{};
  const std::vector<double> values = read(path, "u", shape);
  EXPECT_EQ(shape, (std::array<hsize_t, 5>{1, 7, 5, 6, 3}));
  EXPECT_EQ(values[3 * 7 + 2], place({1, 1, 0}, 2));
}

TEST_F(Fields, AreRefusedOnAllRanks) {
  const GridOperator a = made();
  const Grid grid = a.layout().grid;
  EXPECT_THROW(FieldWriter((folder_ / "u.h5").string(), grid, {"a", "b"}), InputError);
  EXPECT_THROW(FieldWriter((folder_ / "no" / "u.h5").string(), grid, {"u"}), OutputError);
  EXPECT_THROW(FieldWriter((folder_ / "u.txt").string(), grid, {"u"}), OutputError);
  FieldWriter taken((folder_ / "u.h5").string(), grid, {"time"});
  EXPECT_THROW(taken.write(0, a.vector()), OutputError);
  Grid other = grid;
  other.extents[0] += 1;
  FieldWriter of_other((folder_ / "u.h5").string(), other, {"u"});
  EXPECT_THROW(of_other.write(0, a.vector()), InputError);
}

}  // namespace
}  // namespace quadrille::library_test
