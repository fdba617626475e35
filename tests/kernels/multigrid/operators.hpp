// Small operators of every kind and the smoothers that cycles have, for the tests of kernels/multigrid.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cases.hpp"

namespace quadrille::multigrid_test {

struct NamedOperator {
  std::string name;
  Hub a;
};

// Symmetric, of every kind; a few hundred to a few thousand unknowns.
inline std::vector<NamedOperator> symmetric_operators() {
  std::vector<NamedOperator> all;
  const auto add = [&](const char* name, Hub a) { all.push_back({name, std::move(a)}); };
  add("2D", poisson(grid_of({37, 24, 1}), "value:0"));
  add("3D", poisson(grid_of({16, 13, 12}), "value:0"));
  add("2D box, mixed faces", poisson(grid_of({25, 18, 1}), "value:0,clamp,clamp,value:1", "box"));
  add("3D box, periodic along y",
      poisson(grid_of({9, 12, 10}), "clamp,value:0,periodic,periodic,clamp,clamp", "box"));
  add("2D singular", poisson(grid_of({32, 32, 1}), "clamp"));
  add("3D periodic", poisson(grid_of({12, 11, 8}), "periodic"));
  add("a line", poisson(grid_of({1000, 1, 1}), "value:0"));
  add("a sheet", poisson(grid_of({1, 31, 20}), "value:0,value:0,value:0,value:0,clamp,clamp"));
  add("spacings", poisson(grid_of({20, 18, 10}, {1, 1, 0.1}), "value:0"));
  // Jumps of 1e6 leave the cycle in fp32 linear to some thousandths only.
  add("2D jumps", jumping(grid_of({40, 33, 1}), "value:0", 2, 10));
  add("3D jumps, 2 unknowns",
      jumping(grid_of({11, 12, 10}, {1, 1, 1}, 2), "value:0,clamp,periodic,periodic,clamp,clamp", 3, 10));
  add("2D elasticity", elastic(grid_of({22, 19, 1}, {1, 1, 1}, 2), "value:0"));
  add("3D elasticity", elastic(grid_of({9, 8, 10}, {1, 1, 1}, 3), "value:0"));
  add("4 coupled unknowns", coupled(grid_of({17, 20, 1}, {1, 1, 1}, 4), "value:0"));
  add("2D wide", poisson(grid_of({25, 22, 1}), "value:0,value:0,periodic,periodic", "star", 2));
  add("3D wide, 2 unknowns", poisson(grid_of({12, 11, 9}, {1, 1, 1}, 2), "value:0", "star", 4));
  add("5 coupled unknowns", coupled(grid_of({7, 8, 9}, {1, 1, 1}, 5), "value:0"));
  add("2D, 3 kinds that react",
      reacting(grid_of({21, 18, 1}, {1, 1, 1}, 3), "value:0,clamp,clamp,clamp", 1, true));
  add("3D, 5 kinds that react", reacting(grid_of({9, 8, 7}, {1, 1, 1}, 5), "value:0", 20, true));
  add("2D, 6 kinds that react, periodic",
      reacting(grid_of({17, 20, 1}, {1, 1, 1}, 6), "value:0,value:0,periodic,periodic", 0.1, true));
  return all;
}

inline const char* name_of(LevelSmoother smoother) {
  return level_smoothers[static_cast<std::size_t>(smoother)];
}
inline std::vector<std::pair<CyclePrecision, LevelSmoother>> every_precision_and_smoother() {
  std::vector<std::pair<CyclePrecision, LevelSmoother>> all;
  for (const CyclePrecision precision : {CyclePrecision::fp64, CyclePrecision::fp32})
    for (const LevelSmoother smoother :
         {LevelSmoother::chebyshev, LevelSmoother::jacobi, LevelSmoother::sor, LevelSmoother::lines})
      all.emplace_back(precision, smoother);
  return all;
}

}  // namespace quadrille::multigrid_test
