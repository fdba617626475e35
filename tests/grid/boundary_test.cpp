#include "grid/boundary.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "grid/error.hpp"

namespace quadrille {
namespace {

using Kind = Neighbour::Kind;

TEST(Boundary, OneKindForAllFaces) {
  const Boundary boundary = parse_boundary("value:-2.5e-3", 3);
  for (const FaceBoundary& face : boundary.faces)
    EXPECT_EQ(face, (FaceBoundary{BoundaryKind::value, -2.5e-3}));
  EXPECT_EQ(to_string(boundary, 3), "value:-0.0025");
  EXPECT_TRUE(parse_boundary("periodic", 2).periodic(1));
  EXPECT_FALSE(parse_boundary("periodic", 2).periodic(2));
}

TEST(Boundary, OneKindPerFaceAndBack) {
  const std::string text = "periodic,periodic,drop,clamp,value:0.1,value:-1e+300";
  const Boundary boundary = parse_boundary(text, 3);
  EXPECT_EQ(boundary.faces[2].kind, BoundaryKind::drop);
  EXPECT_EQ(boundary.faces[3].kind, BoundaryKind::clamp);
  EXPECT_EQ(boundary.faces[5].value, -1e300);
  EXPECT_EQ(to_string(boundary, 3), text);
  EXPECT_EQ(parse_boundary(to_string(boundary, 3), 3).faces, boundary.faces);
  EXPECT_EQ(to_string(parse_boundary("drop,drop,clamp,clamp", 2), 2), "drop,drop,clamp,clamp");
}

TEST(Boundary, RefusesNonsense) {
  for (const char* text :
       {"", "dirichlet", "Drop", "value", "value:", "value:x", "value:1x", "value:+-1", "value:nan",
        "value:inf", "value:1e999", "drop,drop", "drop,drop,drop", "drop,drop,drop,drop,drop",
        "periodic,drop,drop,drop", "drop,drop,clamp,periodic", "drop,,drop,drop"})
    EXPECT_THROW(parse_boundary(text, 2), InputError) << text;
  EXPECT_THROW(parse_boundary("drop,drop,drop,drop", 3), InputError);
  Boundary boundary;
  boundary.faces[1] = {BoundaryKind::value, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(validate(boundary, 2), InputError);
}

TEST(Boundary, InsideIsTheNodeItself) {
  const Grid grid = parse_grid("4x3x2");
  for (const char* text : {"drop", "periodic", "clamp", "value:7"}) {
    const Neighbour n = resolve_neighbour(grid, parse_boundary(text, 3), {1, 1, 0}, {2, -1, 1});
    EXPECT_EQ(n.kind, Kind::node);
    EXPECT_EQ(n.position, (Position{3, 0, 1}));
  }
}

TEST(Boundary, OffsetsLargerThanTheGrid) {
  const Grid grid = parse_grid("3x1");
  const Boundary periodic = parse_boundary("periodic", 2), clamp = parse_boundary("clamp", 2);
  EXPECT_EQ(resolve_neighbour(grid, periodic, {0, 0, 0}, {-4, 4, 0}).position, (Position{2, 0, 0}));
  EXPECT_EQ(resolve_neighbour(grid, periodic, {2, 0, 0}, {4, -3, 0}).position, (Position{0, 0, 0}));
  EXPECT_EQ(resolve_neighbour(grid, periodic, {0, 0, 0}, {-3, 0, 0}).position, (Position{0, 0, 0}));
  EXPECT_EQ(resolve_neighbour(grid, clamp, {1, 0, 0}, {4, -2, 0}).position, (Position{2, 0, 0}));
  EXPECT_EQ(resolve_neighbour(grid, clamp, {1, 0, 0}, {-4, 2, 0}).position, (Position{0, 0, 0}));
}

TEST(Boundary, CornersFollowTheRule) {
  const Grid grid = parse_grid("3x3x3");
  const Position corner{2, 2, 2};
  const Offset out{1, 1, 1};
  const auto at_corner = [&](const std::string& x, const std::string& y, const std::string& z) {
    return resolve_neighbour(grid, parse_boundary(x + "," + y + "," + z, 3), corner, out);
  };
  const std::string drop = "drop,drop", clamp = "clamp,clamp", periodic = "periodic,periodic";
  const std::string two = "value:0,value:2", three = "value:0,value:3";
  EXPECT_EQ(at_corner(two, clamp, drop).kind, Kind::nothing);
  EXPECT_EQ(at_corner(drop, two, periodic).kind, Kind::nothing);
  EXPECT_EQ(at_corner(clamp, two, three).kind, Kind::constant);
  EXPECT_EQ(at_corner(clamp, two, three).value, 2);
  EXPECT_EQ(at_corner(periodic, clamp, three).value, 3);
  EXPECT_EQ(at_corner(three, periodic, two).value, 3);
  EXPECT_EQ(at_corner(periodic, clamp, periodic).kind, Kind::node);
  EXPECT_EQ(at_corner(periodic, clamp, periodic).position, (Position{0, 2, 0}));
}

TEST(Boundary, FacesOfAnAxisDiffer) {
  const Grid grid = parse_grid("3x3");
  const Boundary boundary = parse_boundary("drop,clamp,value:4,drop", 2);
  EXPECT_EQ(resolve_neighbour(grid, boundary, {0, 1, 0}, {-1, 0, 0}).kind, Kind::nothing);
  EXPECT_EQ(resolve_neighbour(grid, boundary, {2, 1, 0}, {1, 0, 0}).position, (Position{2, 1, 0}));
  EXPECT_EQ(resolve_neighbour(grid, boundary, {1, 0, 0}, {0, -1, 0}).value, 4);
  EXPECT_EQ(resolve_neighbour(grid, boundary, {1, 2, 0}, {0, 1, 0}).kind, Kind::nothing);
}

}  // namespace
}  // namespace quadrille
