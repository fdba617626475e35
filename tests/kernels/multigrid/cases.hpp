// Operators, and Krylov methods as short as they can be, for the tests of kernels/multigrid.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "assembly/operators.hpp"
#include "assembly/pde/diffusion.hpp"
#include "assembly/pde/elasticity.hpp"
#include "assembly/pde/laplacian.hpp"
#include "assembly/pde/random_blocks.hpp"
#include "formats/csr.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/multigrid/multigrid.hpp"
#include "kernels/spmv_operator.hpp"

namespace quadrille::multigrid_test {

using Hub = BlockDiagonals<double>;
using Vector = std::vector<double>;

inline Grid grid_of(std::array<std::int64_t, 3> extents, std::array<double, 3> spacing_m = {1, 1, 1},
                    int dof = 1) {
  return {extents[2] > 1 ? 3 : 2, extents, spacing_m, dof};
}

inline Hub poisson(const Grid& grid, const std::string& sides, const char* stencil = "star", int radius = 1) {
  const Stencil points = make_stencil(stencil, grid.dimension, radius);
  return assemble<double>(grid, points, parse_boundary(sides, grid.dimension), laplacian(grid, points)).hub;
}

inline Hub diffusion_of(const Grid& grid, const std::string& sides, Array<double> a) {
  const Stencil star = star_stencil(grid.dimension, 1);
  const Boundary boundary = parse_boundary(sides, grid.dimension);
  const DiffusionCoefficients field = diffusion(grid, star, boundary, std::move(a));
  return assemble<double>(grid, star, boundary, field.functor()).hub;
}

inline Hub jumping(const Grid& grid, const std::string& sides, std::uint64_t seed, double jump = 1e6) {
  return diffusion_of(grid, sides, log_normal_field(grid, seed, 1, jump));
}

inline Hub elastic(const Grid& grid, const std::string& sides) {
  const Stencil box = box_stencil(grid.dimension, 1);
  return assemble<double>(grid, box, parse_boundary(sides, grid.dimension), elasticity(grid, box)).hub;
}

// The couplings times dense blocks that are the same everywhere, symmetric and positive.
struct CoupledLaplacian {
  Laplacian laplacian;
  constexpr double operator()(const StencilNode&, const StencilNeighbour& neighbour, int r, int c) const {
    return laplacian.weight[neighbour.point] * (r == c ? 3.0 + r : r + c == 1 ? -1.0 : 0.5);
  }
};
inline Hub coupled(const Grid& grid, const std::string& sides) {
  const Stencil star = star_stencil(grid.dimension, 1);
  return assemble<double>(grid, star, parse_boundary(sides, grid.dimension),
                          CoupledLaplacian{laplacian(grid, star)})
      .hub;
}

// Kinds that spread by themselves, each with a diffusivity of its own, and become each other at every node at
// rates of its own around `rate`: both ways, or each the next one.
struct Reacting {
  Laplacian laplacian;
  double rate;
  bool both_ways;
  int kinds;
  static constexpr bool couples(bool centre, int r, int c) { return centre || r == c; }
  constexpr double operator()(const StencilNode& node, const StencilNeighbour& neighbour, int r,
                              int c) const {
    const double spreads = r == c ? (1 + 0.5 * r) * laplacian.weight[neighbour.point] : 0;
    if (neighbour.offset != Offset{}) return spreads;
    double reacts = 0;
    for (int other = 0; other < kinds; ++other) {
      if (other == c) continue;
      const double k = both_ways || other == c + 1 ? rate_at(node, c, other) : 0;
      reacts += r == c ? k : r == other ? -k : 0;
    }
    return spreads + reacts;
  }
  constexpr double rate_at(const StencilNode& node, int r, int c) const {
    const std::int64_t low = r < c ? r : c, high = r < c ? c : r;
    return rate * (0.1 + static_cast<double>((node.index * 7919 + 131 * low + 17 * high) % 97) / 50);
  }
};
inline Hub reacting(const Grid& grid, const std::string& sides, double rate, bool both_ways) {
  const Stencil star = star_stencil(grid.dimension, 1);
  return assemble<double>(grid, star, parse_boundary(sides, grid.dimension),
                          Reacting{laplacian(grid, star), rate, both_ways, grid.dof})
      .hub;
}

// -lap u + v . grad u, upwind, with |v| h along each axis as given.
struct Convection {
  std::array<double, 3> v;
  constexpr double operator()(const StencilNode&, const StencilNeighbour& neighbour, int, int) const {
    const Offset& o = neighbour.offset;
    if (o == Offset{}) {
      double sum = 0;
      for (const double each : v) sum += 2 + (each < 0 ? -each : each);
      return sum;
    }
    const double along = v[o.x != 0 ? 0 : o.y != 0 ? 1 : 2] * (o.x + o.y + o.z);
    return -1 - (along < 0 ? -along : 0);
  }
};
inline Hub convection(const Grid& grid, const std::string& sides, const std::array<double, 3>& v) {
  return assemble<double>(grid, star_stencil(grid.dimension, 1), parse_boundary(sides, grid.dimension),
                          Convection{v})
      .hub;
}

// -lap u + v . grad u by central differences, with v h along each axis as given.
struct CentralConvection {
  std::array<double, 3> v;
  int axes;
  constexpr double operator()(const StencilNode&, const StencilNeighbour& neighbour, int, int) const {
    const Offset& o = neighbour.offset;
    if (o == Offset{}) return 2.0 * axes;
    return -1 + v[o.x != 0 ? 0 : o.y != 0 ? 1 : 2] * (o.x + o.y + o.z) / 2;
  }
};
inline Hub central_convection(const Grid& grid, const std::string& sides, const std::array<double, 3>& v) {
  return assemble<double>(grid, star_stencil(grid.dimension, 1), parse_boundary(sides, grid.dimension),
                          CentralConvection{v, grid.dimension})
      .hub;
}

// Kinds that are carried along by v, spread, and each becomes the next one, the last what is not followed.
struct Carried {
  CentralConvection by;
  int kinds;
  static constexpr bool couples(bool centre, int r, int c) { return centre || r == c; }
  constexpr double operator()(const StencilNode& node, const StencilNeighbour& neighbour, int r,
                              int c) const {
    const bool centre = neighbour.offset == Offset{};
    const double reacts = !centre ? 0 : r == c ? 0.5 / (c + 1) : r == c + 1 ? -0.5 / r : 0;
    return (r == c ? by(node, neighbour, r, c) : 0) + reacts;
  }
};
inline Hub carried(const Grid& grid, const std::string& sides, const std::array<double, 3>& v) {
  return assemble<double>(grid, star_stencil(grid.dimension, 1), parse_boundary(sides, grid.dimension),
                          Carried{{v, grid.dimension}, grid.dof})
      .hub;
}

inline double& entry(Hub& a, std::int64_t diagonal, int column, std::int64_t row) {
  return a.values[(diagonal * a.dof + column) * a.rows() + row];
}
inline std::int64_t centre_of(const Hub& a) {
  return std::find(a.offsets.begin(), a.offsets.end(), NodeOffset{}) - a.offsets.begin();
}

// Random dense blocks, each row's diagonal entry `times` the sum of the others.
inline Hub dominant_blocks(const Grid& grid, const char* stencil, const std::string& sides, double times) {
  Hub a = assemble<double>(grid, make_stencil(stencil, grid.dimension, 1),
                           parse_boundary(sides, grid.dimension), random_blocks(5))
              .hub;
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    double& diagonal = entry(a, centre_of(a), static_cast<int>(row % a.dof), row);
    diagonal = 0;
    double sum = 0;
    for (std::int64_t column = 0; column < a.diagonals() * a.dof; ++column)
      sum += std::abs(a.values[column * a.rows() + row]);
    diagonal = times * sum;
  }
  return a;
}

// Rows of these nodes become zero but for the diagonal, which becomes `diagonal`; and, for a symmetric
// operator, their columns.
template <class Node>
void cut(Hub& a, double diagonal, bool columns, const Node& taken) {
  const auto node = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    return (z * a.extents[1] + y) * a.extents[0] + x;
  };
  for (std::int64_t z = 0; z < a.extents[2]; ++z)
    for (std::int64_t y = 0; y < a.extents[1]; ++y)
      for (std::int64_t x = 0; x < a.extents[0]; ++x)
        for (std::int64_t d = 0; d < a.diagonals(); ++d) {
          const std::int64_t to = a.neighbour(x, y, z, a.offsets[d]), from = node(x, y, z);
          if (to < 0) continue;
          if (!taken(from) && !(columns && taken(to))) continue;
          for (int c = 0; c < a.dof; ++c)
            for (int r = 0; r < a.dof; ++r)
              entry(a, d, c, from * a.dof + r) = from == to && r == c ? diagonal : 0;
        }
}

class Product {
 public:
  explicit Product(const Hub& a) : csr_(to_csr(a)) {}
  Vector operator()(const Vector& x) const {
    Vector y(x.size());
    for (std::int64_t i = 0; i < csr_.rows; ++i)
      for (std::int64_t k = csr_.row_ptr[i]; k < csr_.row_ptr[i + 1]; ++k)
        y[i] += csr_.value[k] * x[csr_.column[k]];
    return y;
  }

 private:
  Csr<double> csr_;
};

inline double dot(const Vector& x, const Vector& y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}
inline double norm(const Vector& x) {
  return std::sqrt(dot(x, x));
}
// x + factor y
inline Vector sum_of(const Vector& x, double factor, const Vector& y) {
  Vector z(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) z[i] = x[i] + factor * y[i];
  return z;
}
inline double distance(const Vector& x, const Vector& y) {
  return norm(sum_of(x, -1, y)) / norm(y);
}
inline Vector noise(std::int64_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Vector x(static_cast<std::size_t>(size));
  for (double& each : x) each = uniform(random);
  return x;
}
inline void remove_means(Vector& x, int dof) {
  for (int r = 0; r < dof; ++r) {
    double sum = 0;
    for (std::size_t i = r; i < x.size(); i += dof) sum += x[i];
    for (std::size_t i = r; i < x.size(); i += dof) x[i] -= sum * dof / static_cast<double>(x.size());
  }
}

inline GridMultigridOptions in(CyclePrecision precision) {
  GridMultigridOptions options;
  options.precision = precision;
  return options;
}
// With so few unknowns solved directly that small grids have levels.
inline GridMultigridOptions down_to(int coarsest, CyclePrecision precision = CyclePrecision::fp64) {
  GridMultigridOptions options = in(precision);
  options.coarsest = coarsest;
  return options;
}

// M of an operator, with vectors in host memory wherever it runs.
class Cycle {
 public:
  Cycle(const Hub& a, const GridMultigridOptions& options, SpaceKind space = SpaceKind::cpu) {
    if (space == SpaceKind::cuda) {
      on_device_ = copy_to<Device>(a);
      b_ = Array<double, Device>(a.rows());
      x_ = Array<double, Device>(a.rows());
      made_ = make_grid_multigrid(on_device_, options);
    } else {
      made_ = make_grid_multigrid(a, options);
    }
  }
  Vector operator()(const Vector& b) {
    Vector x(b.size(), std::nan(""));
    if (b_.size() == 0) {
      made_->apply(b.data(), x.data());
      return x;
    }
    memory::copy_to_device(b_.data(), b.data(), b_.bytes());
    memory::copy_to_device(x_.data(), x.data(), x_.bytes());
    made_->apply(b_.data(), x_.data());
    memory::copy_to_host(x.data(), x_.data(), x_.bytes());
    return x;
  }
  // Another operator takes its place, in its memory.
  void set_up_again(const Hub& a, const GridMultigridOptions& options) {
    if (on_device_.values.size() > 0) {
      on_device_ = copy_to<Device>(a);
      made_ = make_grid_multigrid(on_device_, options, std::move(made_));
    } else {
      made_ = make_grid_multigrid(a, options, std::move(made_));
    }
  }
  const GridMultigridInfo& info() const { return made_->info(); }
  GridMultigrid& made() { return *made_; }

 private:
  BlockDiagonals<double, Device> on_device_;
  Array<double, Device> b_, x_;
  std::unique_ptr<GridMultigrid> made_;
};

// What a cycle leaves of an error, after a few: e - M A e.
inline double error_factor(const Hub& a, Cycle& m) {
  constexpr int first = 6, last = 12;
  const Product product(a);
  Vector e = noise(a.rows(), 3);
  double factor = 1;
  for (int i = 0; i < last; ++i) {
    if (m.info().singular) remove_means(e, a.dof);
    const double before = norm(e);
    if (before == 0) return 0;
    for (double& each : e) each /= before;
    e = sum_of(e, -1, m(product(e)));
    if (m.info().singular) remove_means(e, a.dof);
    if (i >= first) factor *= norm(e);
  }
  return std::pow(factor, 1.0 / (last - first));
}
inline double error_factor(const Hub& a, const GridMultigridOptions& options) {
  Cycle m(a, options);
  return error_factor(a, m);
}

// Iterations of CG with M to a residual of 1e-8; 200 where that is not reached. The right side is a product,
// so that there is a solution.
inline int cg_iterations(const Hub& a, Cycle& m) {
  const Product product(a);
  Vector r = product(noise(a.rows(), 4)), z = m(r), p = z;
  const double wanted = 1e-8 * norm(r);
  double rz = dot(r, z);
  for (int i = 1; i < 200; ++i) {
    const Vector ap = product(p);
    const double alpha = rz / dot(p, ap);
    r = sum_of(r, -alpha, ap);
    if (norm(r) <= wanted) return i;
    z = m(r);
    const double next = dot(r, z);
    p = sum_of(z, next / rz, p);
    rz = next;
  }
  return 200;
}
inline int cg_iterations(const Hub& a, const GridMultigridOptions& options) {
  Cycle m(a, options);
  return cg_iterations(a, m);
}

// Of BiCGStab, two products and cycles each.
inline int bicgstab_iterations(const Hub& a, const GridMultigridOptions& options) {
  const Product product(a);
  Cycle m(a, options);
  Vector r = product(noise(a.rows(), 4)), p = r;
  const Vector shadow = r;
  const double wanted = 1e-8 * norm(r);
  double rho = dot(shadow, r);
  for (int i = 1; i < 200; ++i) {
    const Vector v = product(m(p));
    const double alpha = rho / dot(shadow, v);
    const Vector s = sum_of(r, -alpha, v), t = product(m(s));
    const double omega = dot(t, s) / dot(t, t);
    r = sum_of(s, -omega, t);
    if (norm(r) <= wanted) return i;
    const double next = dot(shadow, r), beta = next / rho * alpha / omega;
    p = sum_of(r, beta, sum_of(p, -omega, v));
    rho = next;
  }
  return 200;
}

}  // namespace quadrille::multigrid_test
