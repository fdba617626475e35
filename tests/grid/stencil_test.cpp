#include "grid/stencil.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "grid/error.hpp"

namespace quadrille {
namespace {

// A stencil file that is removed again.
class StencilFile {
 public:
  explicit StencilFile(const std::string& text) {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ =
        std::filesystem::path(::testing::TempDir()) / (std::string("quadrille_") + test->name() + ".stencil");
    std::ofstream(path_) << text;
  }
  ~StencilFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string error_of(const std::string& text, int dimension) {
  const StencilFile file(text);
  try {
    read_stencil(file.path(), dimension);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Stencil, StarOfRadiusOneIn2D) {
  const Stencil stencil = star_stencil(2, 1);
  EXPECT_EQ(stencil.name, "star");
  EXPECT_EQ(stencil.radius, 1);
  EXPECT_EQ(stencil.offsets, (std::vector<Offset>{{0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
}

TEST(Stencil, PointCountsAndOrder) {
  for (int dimension = 2; dimension <= 3; ++dimension)
    for (int radius = 1; radius <= 4; ++radius) {
      const Stencil star = star_stencil(dimension, radius), box = box_stencil(dimension, radius);
      const int width = 2 * radius + 1;
      EXPECT_EQ(star.offsets.size(), std::size_t(2 * dimension * radius + 1));
      EXPECT_EQ(box.offsets.size(), std::size_t(dimension == 2 ? width * width : width * width * width));
      for (const Stencil& stencil : {star, box})
        EXPECT_TRUE(std::is_sorted(stencil.offsets.begin(), stencil.offsets.end(),
                                   [](const Offset& a, const Offset& b) {
                                     return (a.z * 1000 + a.y) * 1000 + a.x < (b.z * 1000 + b.y) * 1000 + b.x;
                                   }));
    }
}

TEST(Stencil, RefusesRadiusAndDimension) {
  for (const int radius : {-1, 0, 5}) {
    EXPECT_THROW(star_stencil(2, radius), InputError);
    EXPECT_THROW(make_stencil("box", 3, radius), InputError);
  }
  EXPECT_THROW(star_stencil(1, 1), InputError);
  EXPECT_THROW(box_stencil(4, 1), InputError);
}

TEST(Stencil, ReadsAFileInAnyOrder) {
  const StencilFile file("# upwind\n 0 0   # centre\n\n+2 1\r\n-1\t0\n0 -4");
  const Stencil stencil = make_stencil(file.path(), 2, 1);
  EXPECT_EQ(stencil.name, file.path());
  EXPECT_EQ(stencil.radius, 4);
  EXPECT_EQ(stencil.offsets, (std::vector<Offset>{{0, -4, 0}, {-1, 0, 0}, {0, 0, 0}, {2, 1, 0}}));
}

TEST(Stencil, Reads3D) {
  const StencilFile file("0 0 1\n3 0 -1\n");
  EXPECT_EQ(read_stencil(file.path(), 3).offsets, (std::vector<Offset>{{3, 0, -1}, {0, 0, 1}}));
}

TEST(Stencil, MalformedFilesNameTheLine) {
  EXPECT_TRUE(mentions(error_of("0 0\n1 x\n", 2), ":2: 'x'")) << error_of("0 0\n1 x\n", 2);
  EXPECT_TRUE(mentions(error_of("0 0\n1.5 0\n", 2), ":2: '1.5'"));
  EXPECT_TRUE(mentions(error_of("0 +-1\n", 2), ":1: '+-1'"));
  EXPECT_TRUE(mentions(error_of("0 +\n", 2), ":1: '+'"));
  EXPECT_TRUE(mentions(error_of("0\n", 2), ":1: 1 numbers"));
  EXPECT_TRUE(mentions(error_of("0 0 0\n", 2), ":1: 3 numbers"));
  EXPECT_TRUE(mentions(error_of("0 0\n", 3), ":1: 2 numbers"));
  EXPECT_TRUE(mentions(error_of("0 0\n\n1 0\n0 0 # again\n", 2), ":4: this offset already stands on line 1"));
  EXPECT_TRUE(mentions(error_of("0 5\n", 2), "component 5 is too large"));
  EXPECT_TRUE(mentions(error_of("0 -99999999999999\n", 2), "component -99999999999999 is too large"));
  EXPECT_TRUE(mentions(error_of("# nothing\n\n", 2), "no offsets"));
  EXPECT_TRUE(mentions(error_of("", 2), "no offsets"));
}

TEST(Stencil, MissingFile) {
  EXPECT_THROW(make_stencil("/no/such/file.stencil", 2, 1), InputError);
  EXPECT_THROW(make_stencil("Star", 2, 1), InputError);
}

}  // namespace
}  // namespace quadrille
