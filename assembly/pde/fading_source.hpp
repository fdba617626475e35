// A source for a manufactured solution that fades by e^-t, of a PDE whose terms are products of one or of
// three unknowns, or constant:
//
//   F(t, u, u_t) = f,   f = f_0 + f_1 e^-t + f_3 e^-3t
//
// F with it is a functor of its own, so that F alone has neither a source nor a branch around one.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <memory>

#include "assembly/pde/problem.hpp"
#include "assembly/pde/residual_of.hpp"

namespace quadrille {
namespace {

template <class Residual>
struct WithFadingSource {
  Residual residual;
  const double* source = nullptr;  // [row of the box][f_0, f_1, f_3]
  int dof = 1;

  constexpr bool couples(bool centre, int r, int c) const {
    return residual_detail::may_couple(residual, centre, r, c);
  }
  constexpr bool has_constants() const requires requires(const Residual& r) { r.has_constants(); }
  { return residual.has_constants(); }
  constexpr auto operator()(const auto& u, int r) const {
    const double* const f = source + 3 * (u.own() * dof + r);
    const double fading = std::exp(-u.time_s());
    return residual(u, r) - (f[0] + fading * (f[1] + fading * fading * f[2]));
  }
};

// With source(position, r) = {f_0, f_1, f_3} at the nodes of a box.
template <class Residual, class Source>
AnyResidual residual_with_source(const Residual& residual, const Grid& grid, const NodeBox& box,
                                 const Source& source) {
  Grid of_source = grid;
  of_source.dof = 3 * grid.dof;
  std::vector<double> numbers;
  add_source(of_source, box, numbers, [&](const Position& p, int i) {
    const std::array<double, 3> f = source(p, i / 3);
    return f[static_cast<std::size_t>(i % 3)];
  });
  const auto on_both = std::make_shared<NumbersOnBoth>(std::move(numbers));
  const WithFadingSource<Residual> with{residual, on_both->on_host(), grid.dof};
  return residual_of(with, grid.dof, std::function([with, on_both] {
                       WithFadingSource<Residual> there = with;
                       there.source = on_both->on_device();
                       return there;
                     }));
}

}  // namespace
}  // namespace quadrille
