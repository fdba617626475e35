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
  for (const char* text : {"",
                           "dirichlet",
                           "Drop",
                           "value",
                           "value:",
                           "value:x",
                           "value:1x",
                           "value:+-1",
                           "value:nan",
                           "value:inf",
                           "value:1e999",
                           "drop,drop",
                           "drop,drop,drop",
                           "drop,drop,drop,drop,drop",
                           "periodic,drop,drop,drop",
                           "drop,drop,clamp,periodic",
                           "drop,,drop,drop",
                           "flux",
                           "flux:",
                           "flux:x",
                           "flux:1,2",
                           "robin",
                           "robin:",
                           "robin:1",
                           "robin:1,2",
                           "robin:1,2,",
                           "robin:1,2,3,4",
                           "robin:1,2,x",
                           "robin:1,2,inf",
                           "robin:0,0,1",
                           "robin:1,2,clamp,clamp",
                           "value:1,2,3,4",
                           "/",
                           "clamp/",
                           "clamp/x",
                           "clamp/drop/value:1,clamp/drop,drop,drop",
                           "periodic/drop",
                           "periodic/periodic,clamp,drop,drop"})
    EXPECT_THROW(parse_boundary(text, 2), InputError) << text;
  EXPECT_THROW(parse_boundary("drop,drop,drop,drop", 3), InputError);
  Boundary boundary;
  boundary.faces[1] = {BoundaryKind::value, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(validate(boundary, 2), InputError);
}

TEST(Boundary, FluxAndRobinAndBack) {
  const Boundary boundary = parse_boundary("flux:-2,robin:1,-0.5,+3,outflow, robin: 0,2,1", 2);
  EXPECT_EQ(boundary.faces[0], (FaceBoundary{BoundaryKind::flux, -2}));
  EXPECT_EQ(boundary.faces[1], (FaceBoundary{BoundaryKind::robin, 3, 1, -0.5}));
  EXPECT_EQ(boundary.faces[2].kind, BoundaryKind::outflow);
  EXPECT_EQ(to_string(boundary, 2), "flux:-2,robin:1,-0.5,3,outflow,robin:0,2,1");
  EXPECT_EQ(to_string(parse_boundary("robin:1,2,3", 3), 3), "robin:1,2,3");
  EXPECT_EQ(parse_boundary("robin:1,2,3", 3).faces[5].a, 1);
}

TEST(Boundary, OfEachUnknown) {
  const std::string text = "value:1/flux:2/drop,clamp,robin:1,2,3/value:0/robin:4,5,6,outflow";
  const Boundary boundary = parse_boundary(text, 2);
  ASSERT_EQ(boundary.of_unknown.size(), 3u);
  EXPECT_EQ(boundary.of(1)[0], (FaceBoundary{BoundaryKind::flux, 2}));
  EXPECT_EQ(boundary.of(2)[1].kind, BoundaryKind::clamp);
  EXPECT_EQ(boundary.of(2)[2], (FaceBoundary{BoundaryKind::robin, 6, 4, 5}));
  EXPECT_EQ(to_string(boundary, 2), text);
  EXPECT_EQ(to_string(parse_boundary("clamp/value:1", 3), 3), "clamp/value:1");
  Grid grid = parse_grid("4x4");
  EXPECT_THROW(validate(boundary, grid), InputError);
  grid.dof = 3;
  EXPECT_NO_THROW(validate(boundary, grid));
}

TEST(Boundary, SaysWhatDoesNotFit) {
  const auto said = [](const Boundary& boundary, const Grid& grid) -> std::string {
    try {
      validate(boundary, grid);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  Grid grid = parse_grid("4x4");
  grid.spacing_m = {0.5, 0.125, 1};
  EXPECT_EQ(said(parse_boundary("clamp,clamp,robin:-8,1,0,clamp", 2), grid), "");
  EXPECT_NE(said(parse_boundary("robin:-8,1,0,clamp,clamp,clamp", 2), grid).find("must be less than 2 |B/A|"),
            std::string::npos);
  EXPECT_EQ(said(parse_boundary("robin:8,1,0", 2), grid), "");
  EXPECT_EQ(said(parse_boundary("robin:-8,-1,0", 2), grid), "");
  EXPECT_EQ(said(parse_boundary("robin:-1,0,0", 2), grid), "");
  Boundary clamped = parse_boundary("clamp", 2);
  clamped.data[1] = [](const Position&, int) { return 0.0; };
  EXPECT_NE(said(clamped, grid).find("only value, flux and robin take one"), std::string::npos);
  clamped.faces[1] = {BoundaryKind::flux};
  EXPECT_EQ(said(clamped, grid), "");
  EXPECT_EQ(to_string(clamped, 2), "clamp,flux:function,clamp,clamp");
  clamped.data[1].written = {"{x*y}"};
  EXPECT_EQ(to_string(clamped, 2), "clamp,flux:{x*y},clamp,clamp");
  clamped.faces[5] = {BoundaryKind::value, 1};
  EXPECT_NE(said(clamped, grid).find("a face along z is given for a grid in 2D"), std::string::npos);
  clamped.faces[4] = clamped.faces[5];
  EXPECT_EQ(said(clamped, grid), "") << "one kind for all faces";
}

TEST(Boundary, SaysHowFarBeyondAFaceOfFlux) {
  const Grid grid = parse_grid("3x3x3");
  const Faces faces = parse_boundary("flux:1,clamp,robin:1,1,1,outflow,flux:0,value:0", 3).faces;
  const Neighbour corner = resolve_neighbour(grid, faces, {0, 1, 1}, {-2, -3, 0});
  EXPECT_EQ(corner.kind, Kind::node);
  EXPECT_EQ(corner.position, (Position{0, 0, 1}));
  EXPECT_EQ(corner.beyond, (std::array<std::int8_t, 3>{-2, -2, 0}));
  EXPECT_FALSE(resolve_neighbour(grid, faces, {2, 2, 1}, {1, 1, 0}).is_beyond());
  EXPECT_EQ(resolve_neighbour(grid, faces, {0, 0, 2}, {-1, -1, 1}).face, 5);
}

TEST(Boundary, InsideIsTheNodeItself) {
  const Grid grid = parse_grid("4x3x2");
  for (const char* text : {"drop", "periodic", "clamp", "value:7"}) {
    const Neighbour n = resolve_neighbour(grid, parse_boundary(text, 3).faces, {1, 1, 0}, {2, -1, 1});
    EXPECT_EQ(n.kind, Kind::node);
    EXPECT_EQ(n.position, (Position{3, 0, 1}));
  }
}

TEST(Boundary, OffsetsLargerThanTheGrid) {
  const Grid grid = parse_grid("3x1");
  const Boundary periodic = parse_boundary("periodic", 2), clamp = parse_boundary("clamp", 2);
  EXPECT_EQ(resolve_neighbour(grid, periodic.faces, {0, 0, 0}, {-4, 4, 0}).position, (Position{2, 0, 0}));
  EXPECT_EQ(resolve_neighbour(grid, periodic.faces, {2, 0, 0}, {4, -3, 0}).position, (Position{0, 0, 0}));
  EXPECT_EQ(resolve_neighbour(grid, periodic.faces, {0, 0, 0}, {-3, 0, 0}).position, (Position{0, 0, 0}));
  EXPECT_EQ(resolve_neighbour(grid, clamp.faces, {1, 0, 0}, {4, -2, 0}).position, (Position{2, 0, 0}));
  EXPECT_EQ(resolve_neighbour(grid, clamp.faces, {1, 0, 0}, {-4, 2, 0}).position, (Position{0, 0, 0}));
}

TEST(Boundary, CornersFollowTheRule) {
  const Grid grid = parse_grid("3x3x3");
  const Position corner{2, 2, 2};
  const Offset out{1, 1, 1};
  const auto at_corner = [&](const std::string& x, const std::string& y, const std::string& z) {
    return resolve_neighbour(grid, parse_boundary(x + "," + y + "," + z, 3).faces, corner, out);
  };
  const std::string drop = "drop,drop", clamp = "clamp,clamp", periodic = "periodic,periodic";
  const std::string two = "value:0,value:2", three = "value:0,value:3";
  EXPECT_EQ(at_corner(two, clamp, drop).kind, Kind::nothing);
  EXPECT_EQ(at_corner(drop, two, periodic).kind, Kind::nothing);
  EXPECT_EQ(at_corner(clamp, two, three).kind, Kind::constant);
  EXPECT_EQ(at_corner(clamp, two, three).face, 3);
  EXPECT_EQ(at_corner(periodic, clamp, three).face, 5);
  EXPECT_EQ(at_corner(three, periodic, two).face, 1);
  EXPECT_EQ(at_corner(periodic, clamp, periodic).kind, Kind::node);
  EXPECT_EQ(at_corner(periodic, clamp, periodic).position, (Position{0, 2, 0}));
}

TEST(Boundary, DataMayDependOnTime) {
  const FaceData of_place = [](const Position& p, int r) { return 10.0 * static_cast<double>(p.y) + r; };
  EXPECT_EQ(of_place({-1, 4, 0}, 2), 42);
  EXPECT_EQ(of_place({-1, 4, 0}, 2, 7), 42);
  const FaceData in_time = [](const Position&, int r, double t_s) { return r + t_s; };
  EXPECT_EQ(in_time({-1, 4, 0}, 2, 0.5), 2.5);
  EXPECT_EQ(in_time({-1, 4, 0}, 2), 2);
  EXPECT_FALSE(FaceData());
  Boundary two = parse_boundary("value:1/flux:2,clamp,clamp,value:0", 2);
  two.data[0] = in_time;
  two.data[0].written = {"", "{t}"};  // of the second unknown
  EXPECT_EQ(to_string(two, 2), "value:1/flux:{t},clamp,clamp,value:0");
}

TEST(Boundary, FacesOfAnAxisDiffer) {
  const Grid grid = parse_grid("3x3");
  const Boundary boundary = parse_boundary("drop,clamp,value:4,drop", 2);
  EXPECT_EQ(resolve_neighbour(grid, boundary.faces, {0, 1, 0}, {-1, 0, 0}).kind, Kind::nothing);
  EXPECT_EQ(resolve_neighbour(grid, boundary.faces, {2, 1, 0}, {1, 0, 0}).position, (Position{2, 1, 0}));
  EXPECT_EQ(resolve_neighbour(grid, boundary.faces, {1, 0, 0}, {0, -1, 0}).face, 2);
  EXPECT_EQ(resolve_neighbour(grid, boundary.faces, {1, 2, 0}, {0, 1, 0}).kind, Kind::nothing);
}

}  // namespace
}  // namespace quadrille
