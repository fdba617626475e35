#include "drivers/fields/field_series.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "drivers/fields/xdmf.hpp"

namespace quadrille {
namespace {

namespace fs = std::filesystem;

class FieldFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "quadrille_field_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string in_folder(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }

  fs::path folder_;
};

FieldFile sample(std::int64_t nx, std::int64_t ny, std::int64_t nz, int dof, int steps) {
  FieldFile file;
  file.grid.dimension = nz > 1 ? 3 : 2;
  file.grid.extents = {nx, ny, nz};
  file.grid.dof = dof;
  file.options = {{"grid", "a"}};
  file.version = "0";
  for (int step = 0; step < steps; ++step) {
    Field field{"u", "a field", "1", {}};
    for (std::int64_t row = 0; row < file.grid.rows(); ++row)
      field.values.push_back(static_cast<double>(row + 1000 * step) / 3.0);
    file.steps.push_back({0.5 * step, {field}});
  }
  return file;
}

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string message(const std::function<void()>& work) {
  try {
    work();
  } catch (const OutputError& error) {
    return error.what();
  }
  return "";
}

std::vector<double> read_all(const std::string& path, const char* name) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
  const hid_t space = H5Dget_space(dataset);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Sclose(space), H5Dclose(dataset), H5Fclose(file);
  return values;
}

// The exit code of `work` in a child process in which no file may grow past `bytes`: a full disk. The child
// ends through exit(), so that what HDF5 does there is covered; one that hangs is killed.
int run_with_file_limit(rlim_t bytes, const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(30);
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::exit(work());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

// 0 when written, 3 when refused with `reason`, 4 when refused with another.
int write_status(const std::string& path, const FieldFile& file, const std::string& reason) {
  const std::string text = message([&] { write_field_file(path, file); });
  if (text.empty()) return 0;
  return text.find(reason) != std::string::npos ? 3 : 4;
}

TEST_F(FieldFileTest, WritesBothFilesAndNothingElse) {
  write_field_file(in_folder("a.h5"), sample(5, 4, 3, 2, 2));
  EXPECT_TRUE(fs::exists(in_folder("a.h5")));
  EXPECT_NE(content(in_folder("a.xdmf")).find(">a.h5:/xdmf/1/u_1<"), std::string::npos);
  EXPECT_EQ(count(), 2u);
}

TEST_F(FieldFileTest, KeepsEveryNumber) {
  FieldFile file = sample(5, 4, 3, 2, 2);
  using Limits = std::numeric_limits<double>;
  std::vector<double>& values = file.steps[1].fields[0].values;
  values[0] = Limits::quiet_NaN(), values[1] = -Limits::infinity(), values[2] = -0.0,
  values[3] = Limits::denorm_min();
  write_field_file(in_folder("a.h5"), file);
  const std::vector<double> read = read_all(in_folder("a.h5"), "u");
  ASSERT_EQ(read.size(), 240u);
  for (std::size_t i = 0; i < 120; ++i) EXPECT_EQ(read[i], file.steps[0].fields[0].values[i]);
  EXPECT_TRUE(std::isnan(read[120]));
  EXPECT_EQ(read[121], -Limits::infinity());
  EXPECT_TRUE(read[122] == 0 && std::signbit(read[122]));
  for (std::size_t i = 3; i < 120; ++i) EXPECT_EQ(read[120 + i], values[i]);
}

TEST_F(FieldFileTest, CutsLargeStepsIntoChunks) {
  const FieldFile file = sample(1031, 521, 2, 1, 2);  // a layer of 4.1 MiB
  write_field_file(in_folder("a.h5"), file);
  const std::vector<double> read = read_all(in_folder("a.h5"), "u");
  const std::vector<double>& last = file.steps[1].fields[0].values;
  ASSERT_EQ(read.size(), 2 * last.size());
  EXPECT_TRUE(std::equal(last.begin(), last.end(), read.begin() + static_cast<std::ptrdiff_t>(last.size())));
}

TEST_F(FieldFileTest, FullDiskLeavesTheOldFiles) {
  const FieldFile file = sample(16, 9, 3, 3, 2);
  write_field_file(in_folder("whole.h5"), file);
  const auto whole = static_cast<rlim_t>(fs::file_size(in_folder("whole.h5")));
  fs::remove(in_folder("whole.h5")), fs::remove(in_folder("whole.xdmf"));
  put(in_folder("a.h5"), "old h5"), put(in_folder("a.xdmf"), "old xdmf");
  const rlim_t enough = whole + (rlim_t{1} << 17);  // what HDF5 may need at most is asked for
  std::vector<rlim_t> limits{0, 1, 100, whole - 1};
  for (rlim_t limit = 500; limit < whole; limit += 997) limits.push_back(limit);
  for (const rlim_t limit : limits) {
    EXPECT_EQ(run_with_file_limit(
                  limit, [&] { return write_status(in_folder("a.h5"), file, "a.h5: File too large"); }),
              3)
        << "limit " << limit << " of " << whole;
    EXPECT_EQ(content(in_folder("a.h5")), "old h5");
    EXPECT_EQ(content(in_folder("a.xdmf")), "old xdmf");
    EXPECT_EQ(count(), 2u) << "a temporary file was left";
  }
  EXPECT_EQ(run_with_file_limit(enough, [&] { return write_status(in_folder("a.h5"), file, ""); }), 0);
  EXPECT_NE(content(in_folder("a.h5")), "old h5");
}

TEST_F(FieldFileTest, FullDiskForLargeFields) {
  const FieldFile file = sample(1031, 1031, 1, 1, 2);
  put(in_folder("a.h5"), "old h5");
  for (const rlim_t limit : {rlim_t{1} << 20, rlim_t{9} << 20, rlim_t{17} << 20 >> 1}) {
    EXPECT_EQ(run_with_file_limit(
                  limit, [&] { return write_status(in_folder("a.h5"), file, "a.h5: File too large"); }),
              3);
    EXPECT_EQ(content(in_folder("a.h5")), "old h5");
    EXPECT_EQ(count(), 1u);
  }
}

// The XDMF is the larger of the two: it has the file's name, with five letters for each &, and the fields'
// names twice.
TEST_F(FieldFileTest, FullDiskForTheXdmfAlone) {
  FieldFile file;
  file.matrix = MatrixSize{2, 2};
  file.steps.emplace_back();
  for (int i = 0; i < 60; ++i)
    file.steps[0].fields.push_back({std::string(4000, 'u') + std::to_string(i), "", "1", {1, 2}});
  const std::string stem = in_folder(std::string(240, '&'));
  write_field_file(stem + ".h5", file);
  const auto h5 = static_cast<rlim_t>(fs::file_size(stem + ".h5")) + (rlim_t{1} << 17);
  ASSERT_LT(h5, fs::file_size(stem + ".xdmf"));
  put(stem + ".h5", "old h5"), put(stem + ".xdmf", "old xdmf");
  EXPECT_EQ(
      run_with_file_limit(h5, [&] { return write_status(stem + ".h5", file, "&.xdmf: File too large"); }), 3);
  EXPECT_EQ(content(stem + ".h5"), "old h5");
  EXPECT_EQ(content(stem + ".xdmf"), "old xdmf");
  EXPECT_EQ(count(), 2u);
}

// Steps in a file that somebody else opens, as a whole.
hsize_t steps_in(const std::string& path) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, "u", H5P_DEFAULT), space = H5Dget_space(dataset);
  hsize_t shape[5] = {};
  H5Sget_simple_extent_dims(space, shape, nullptr);
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(file);
  return shape[0];
}

TEST_F(FieldFileTest, GrowsByStepsAndIsWholeAfterEach) {
  const std::string path = in_folder("series.h5");
  FieldFile head = sample(5, 4, 3, 2, 3);
  const std::vector<FieldStep> steps = std::exchange(head.steps, {});
  write_text_file(path, "an older file");
  FieldSeries series(path, head);
  EXPECT_EQ(content(path), "an older file");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    series.append(steps[i]);
    EXPECT_EQ(steps_in(path), i + 1);
    EXPECT_EQ(count(), 2u);
    FieldFile so_far = head;
    so_far.steps.assign(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    EXPECT_EQ(content(xdmf_path(path)), xdmf_text(so_far, "series.h5"));
  }
  FieldStep other = steps[0];
  other.fields[0].name = "v";
  EXPECT_THROW(series.append(other), OutputError);
  other = steps[0];
  other.fields[0].values.pop_back();
  EXPECT_THROW(series.append(other), OutputError);
  EXPECT_EQ(steps_in(path), steps.size());
  series.append(steps[1]);
  EXPECT_EQ(steps_in(path), steps.size() + 1);
  EXPECT_THROW(FieldSeries(in_folder("no/folder.h5"), head), OutputError);
}

// What a process that was killed within append() may leave: all of the new step but the size that the file
// says it has. It can be read, and a step that is added takes the room of another one.
TEST_F(FieldFileTest, GoesOnBehindTheStepsThatAreWhole) {
  constexpr std::size_t superblock = 96;
  const std::string path = in_folder("torn.h5"), whole = in_folder("whole.h5");
  FieldFile head = sample(9, 8, 3, 2, 4);
  const std::vector<FieldStep> steps = std::exchange(head.steps, {});
  FieldSeries expected(whole, head);
  for (const FieldStep& step : steps) expected.append(step);
  for (const double until_s : {steps[2].time_s, steps[1].time_s, -1.0}) {
    FieldSeries killed(path, head);
    killed.append(steps[0]);
    killed.append(steps[1]);
    std::string before = content(path).substr(0, superblock);
    killed.append(steps[2]);
    put(path, before + content(path).substr(superblock));
    put(path + ".incomplete", "");

    FieldSeries series(path, head);
    const std::optional<double> last = series.go_on(steps[0], until_s);
    EXPECT_EQ(last.value_or(-1), std::min(until_s, steps[1].time_s));
    for (const FieldStep& step : steps)
      if (step.time_s > last.value_or(-1)) series.append(step);
    for (const char* name : {"time", "u"}) EXPECT_EQ(read_all(path, name), read_all(whole, name));
    EXPECT_EQ(count(), 4u) << "of two files with their XDMF";
  }
}

TEST_F(FieldFileTest, RefusesPathsBeforeAnyWork) {
  put(in_folder("plain"), "x");
  fs::create_directory(in_folder("folder.h5"));
  fs::create_directory(in_folder("taken.xdmf"));
  const auto refused = [&](const std::string& path) { return message([&] { check_field_path(path); }); };
  EXPECT_NE(refused(in_folder("a.hdf5")).find(".h5"), std::string::npos);
  for (const char* name : {"a", "a.h5.txt", ".h5", ""}) EXPECT_NE(refused(in_folder(name)), "") << name;
  EXPECT_NE(refused(""), "");
  EXPECT_NE(refused(in_folder("none/a.h5")).find("No such file or directory"), std::string::npos);
  EXPECT_NE(refused(in_folder("plain/a.h5")).find("not a folder"), std::string::npos);
  EXPECT_NE(refused(in_folder("folder.h5")).find("is a directory"), std::string::npos);
  EXPECT_NE(refused(in_folder("taken.h5")).find("is a directory"), std::string::npos);
  EXPECT_NE(refused(in_folder("a:b.h5")).find("colon"), std::string::npos);
  EXPECT_EQ(refused(in_folder("a.h5")), "");
  EXPECT_EQ(refused("a.h5"), "");
  EXPECT_NE(message([&] { write_field_file(in_folder("plain/a.h5"), sample(2, 2, 1, 1, 1)); }), "");
  EXPECT_EQ(count(), 3u);
}

TEST_F(FieldFileTest, RefusesFoldersWithoutPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  ::chmod(folder_.c_str(), 0500);
  EXPECT_NE(message([&] { check_field_path(in_folder("a.h5")); }).find("Permission denied"),
            std::string::npos);
  ::chmod(folder_.c_str(), 0700);
}

TEST_F(FieldFileTest, RefusesContentThatFitsNoDataset) {
  const auto refused = [&](const std::function<void(FieldFile&)>& spoil) {
    FieldFile file = sample(3, 2, 1, 2, 2);
    spoil(file);
    return message([&] { write_field_file(in_folder("a.h5"), file); });
  };
  EXPECT_EQ(refused([](FieldFile&) {}), "");
  EXPECT_NE(refused([](FieldFile& f) { f.steps.clear(); }), "");
  EXPECT_NE(refused([](FieldFile& f) { f.steps[0].fields.clear(); }), "");
  EXPECT_NE(refused([](FieldFile& f) { f.steps[1].fields.clear(); }), "");
  EXPECT_NE(refused([](FieldFile& f) { f.steps[1].fields[0].name = "v"; }), "");
  EXPECT_NE(refused([](FieldFile& f) { f.steps[1].fields[0].values.pop_back(); }).find("11 values"),
            std::string::npos);
  for (const char* name : {"x", "time", "dof", "options", "a/b", "", "a b"})
    EXPECT_NE(refused([&](FieldFile& f) { f.steps[0].fields[0].name = f.steps[1].fields[0].name = name; }),
              "");
  EXPECT_NE(refused([](FieldFile& f) {
              for (FieldStep& step : f.steps) step.fields.push_back(step.fields[0]);
            }).find("two fields"),
            std::string::npos);
}

TEST_F(FieldFileTest, FollowsALinkToItsTarget) {
  fs::create_directory(in_folder("scratch"));
  put(in_folder("scratch/real.h5"), "old");
  fs::create_symlink(in_folder("scratch/real.h5"), in_folder("a.h5"));
  write_field_file(in_folder("a.h5"), sample(3, 2, 1, 1, 1));
  EXPECT_TRUE(fs::is_symlink(in_folder("a.h5")));
  EXPECT_EQ(read_all(in_folder("scratch/real.h5"), "u").size(), 6u);
}

}  // namespace
}  // namespace quadrille
