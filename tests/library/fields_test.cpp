// FieldWriter on any number of ranks.
#include <hdf5.h>
#include <sys/resource.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <functional>
#include <iterator>

#include "drivers/fields/field_file.hpp"
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

// What an InputError or OutputError says, which all ranks must say.
template <class Error>
std::string said_by_all(const std::function<void()>& work) {
  std::string text;
  try {
    work();
  } catch (const Error& error) {
    text = error.what();
  }
  int mine = static_cast<int>(std::hash<std::string>{}(text) % 1000000007), least = 0, most = 0;
  MPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD);
  MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
  EXPECT_EQ(least, most) << text;
  return text;
}

bool same(const Vector& x, const Vector& y) {
  Vector difference = x;
  return difference.axpy(-1, y).largest() == 0;
}

TEST_F(Fields, AreReadAgain) {
  const GridOperator a = made();
  const Grid& grid = a.layout().grid;
  const std::string one = (folder_ / "one.h5").string(), several = (folder_ / "several.h5").string();
  Vector x = a.vector().fill(place);
  FieldWriter all(one, grid, {"u"}), each(several, grid, {"c", "a", "b"});
  for (int step = 0; step < 3; ++step, x.scale(2)) {
    all.write(0.5 * step, x);
    each.write(0.25 * step, x);
  }
  const FieldReader in(one), in_each(several);
  EXPECT_EQ(in.steps(), 3);
  EXPECT_EQ(in.times_s(), (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(in.names(), std::vector<std::string>{"u"});
  EXPECT_EQ(in.grid().extents, grid.extents);
  EXPECT_EQ(in.grid().spacing_m, grid.spacing_m);
  EXPECT_EQ(in.grid().dof, 3);
  EXPECT_EQ(in_each.names(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(in_each.grid().dof, 1);
  for (int step = 2; step >= 0; --step) {
    x = a.vector().fill(place).scale(1 << step);
    Vector y = a.vector().set(-1), z = y, turned = y;
    in.read(step, {"u"}, y);
    in_each.read(step, {"c", "a", "b"}, z);
    in_each.read(step, {"a", "b", "c"}, turned);
    EXPECT_TRUE(same(x, y) && same(x, z) && !same(x, turned));
  }
}

// As the program writes its results: whole, with other fields beside.
TEST_F(Fields, OfAFileThatWasWrittenAtOnceAreRead) {
  const GridOperator a = made();
  const Vector x = a.vector().fill(place);
  const auto numbers = [](const HostValues<const double>& of) {
    return std::vector<double>(of.begin(), of.end());
  };
  FieldFile file;
  file.grid = a.layout().grid;
  file.part = a.layout().box();
  file.ranks = {PETSC_COMM_WORLD};
  for (const double time_s : {1.5, 2.5}) {
    const std::vector<double> values = numbers(x.values()), zeros(values.size(), 0.0);
    file.steps.push_back({time_s, {{"solution", "u", "K", values}, {"error", "e", "K", zeros}}});
  }
  const std::string path = (folder_ / "whole.h5").string();
  write_field_file(path, file);
  const FieldReader in(path);
  EXPECT_EQ(in.names(), (std::vector<std::string>{"error", "solution"}));
  EXPECT_EQ(in.times_s(), (std::vector<double>{1.5, 2.5}));
  Vector y = a.vector();
  in.read(1, {"solution"}, y);
  EXPECT_TRUE(same(x, y));
}

TEST_F(Fields, AreRefusedWhereTheyCannotBeRead) {
  const GridOperator a = made();
  const std::string path = (folder_ / "u.h5").string();
  FieldWriter(path, a.layout().grid, {"u"}).write(0, a.vector());
  const auto opening = [&](const std::string& name) {
    return said_by_all<InputError>([&] { FieldReader((folder_ / name).string()); });
  };
  EXPECT_NE(opening("none.h5").find("none.h5: there is no such file"), std::string::npos);
  EXPECT_NE(opening("u.xdmf").find("is no HDF5 file"), std::string::npos);
  const FieldReader in(path);
  Vector x = a.vector();
  const auto reading = [&](std::int64_t step, const std::vector<std::string>& names) {
    return said_by_all<InputError>([&] { in.read(step, names, x); });
  };
  EXPECT_EQ(reading(0, {"u"}), "");
  EXPECT_NE(reading(1, {"u"}).find("there is no step 1; it has 1"), std::string::npos);
  EXPECT_NE(reading(0, {"v"}).find("there is no field 'v'; there are u"), std::string::npos);
  EXPECT_NE(reading(0, {"u", "u"}).find("2 fields of 3 unknowns"), std::string::npos);
  const GridOperator other(PETSC_COMM_WORLD, {.extents = {9, 5, 7}, .dof = 3}, star_stencil(3, 1),
                           BoundaryConditions(no_flux()), Model{}, {.space = "cpu"});
  Vector of_other = other.vector();
  EXPECT_NE(said_by_all<InputError>([&] { in.read(0, {"u"}, of_other); }).find("its grid is 6x5x7"),
            std::string::npos);
  if (Session::rank() == 0) fs::resize_file(path, fs::file_size(path) - 100);
  MPI_Barrier(PETSC_COMM_WORLD);
  EXPECT_NE(opening("u.h5").find("truncated file"), std::string::npos);
  EXPECT_NE(reading(0, {"u"}).find("truncated file"), std::string::npos);
}

// A full disk is one in which no file may grow past some size: the first rank takes the room for all.
TEST_F(Fields, LeaveTheFileAsItWasOnAFullDisk) {
  const GridOperator a = made();
  const std::string path = (folder_ / "u.h5").string();
  const Vector x = a.vector().fill(place);
  FieldWriter out(path, a.layout().grid, {"u"});
  out.write(0, x);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto with_limit = [&](rlim_t bytes, const std::function<void()>& work) {
    if (Session::rank() != 0) return said_by_all<OutputError>(work);
    const rlimit limit{bytes, before.rlim_max};
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string text = said_by_all<OutputError>(work);
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    return text;
  };
  MPI_Barrier(PETSC_COMM_WORLD);
  const auto size = fs::file_size(path);
  MPI_Barrier(PETSC_COMM_WORLD);
  EXPECT_NE(with_limit(size + 100, [&] { out.write(1, x); }).find("u.h5: File too large"), std::string::npos);
  EXPECT_EQ(fs::file_size(path), size);
  EXPECT_EQ(FieldReader(path).steps(), 1);
  const std::string fresh = (folder_ / "v.h5").string();
  for (const rlim_t bytes : {0, 1000, 40000})
    EXPECT_NE(with_limit(bytes, [&] { FieldWriter(fresh, a.layout().grid, {"v"}).write(0, x); }).find("v.h5"),
              std::string::npos);
  EXPECT_FALSE(fs::exists(fresh));
  out.write(1, x);
  Vector y = a.vector();
  FieldReader(path).read(1, {"u"}, y);
  EXPECT_TRUE(same(x, y));
}

// On another machine's disk, say.
TEST_F(Fields, AreRefusedWhereOneRankDoesNotSeeTheFolder) {
  if (Session::ranks() == 1) GTEST_SKIP() << "one rank sees what it sees";
  const GridOperator a = made();
  const fs::path here = fs::current_path();
  if (Session::rank() == 0) fs::current_path(folder_);
  MPI_Barrier(PETSC_COMM_WORLD);
  const std::string text = said_by_all<OutputError>(
      [&] { FieldWriter("mine_alone.h5", a.layout().grid, {"u"}).write(0, a.vector()); });
  fs::current_path(here);
  EXPECT_NE(text.find("mine_alone.h5: not all ranks see the file"), std::string::npos) << text;
  if (Session::rank() == 0) {
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 0);
  }
}

}  // namespace
}  // namespace quadrille::library_test
