// The instances of device_fill.cuh for the operators that have a name.
#include "assembly/device_operators.hpp"

#include "assembly/coefficients.hpp"
#include "assembly/device_fill.cuh"

namespace quadrille {
namespace {

// Calls visit with a functor that points to device memory.
template <class Coefficient, class Visit>
auto on_device(const Coefficient& coefficient, const Grid&, const Visit& visit) {
  return visit(coefficient);
}

Array<double, Device> copied(const double* numbers, std::int64_t size) {
  Array<double, Device> there(size);
  memory::copy_to_device(there.data(), numbers, there.bytes());
  return there;
}

template <class Visit>
auto on_device(const Diffusion& diffusion, const Grid&, const Visit& visit) {
  const std::int64_t places = diffusion.flow.window.nodes();
  const Array<double, Device> a = copied(diffusion.flow.a, places),
                              held = copied(diffusion.held, diffusion.held == nullptr ? 0 : places);
  Diffusion there = diffusion;
  there.flow.a = a.data();
  if (diffusion.held != nullptr) there.held = held.data();
  return visit(there);
}

template <class Visit>
auto on_device(const TensorDiffusion& diffusion, const Grid& grid, const Visit& visit) {
  const Array<double, Device> k = copied(diffusion.k, diffusion.places * tensor_numbers(grid.dimension));
  const auto ends = device_fill::upload(std::vector(diffusion.ends, diffusion.ends + diffusion.profiles));
  TensorDiffusion there = diffusion;
  there.k = k.data();
  there.ends = ends.data();
  return visit(there);
}

template <class Visit>
auto on_device(const ElasticForcesThroughFields& forces, const Grid&, const Visit& visit) {
  const Array<double, Device> lambda_pa = copied(forces.lambda_pa, forces.window.nodes()),
                              mu_pa = copied(forces.mu_pa, forces.window.nodes());
  ElasticForcesThroughFields there = forces;
  there.lambda_pa = lambda_pa.data(), there.mu_pa = mu_pa.data();
  return visit(there);
}

template <class Visit>
auto on_device(const ElasticForcesWithFreeFaces& forces, const Grid&, const Visit& visit) {
  const std::int64_t places = forces.lambda_pa.field == nullptr ? 0 : forces.window.nodes();
  const Array<double, Device> lambda_pa = copied(forces.lambda_pa.field, places),
                              mu_pa = copied(forces.mu_pa.field, places);
  ElasticForcesWithFreeFaces there = forces;
  if (places > 0) there.lambda_pa.field = lambda_pa.data(), there.mu_pa.field = mu_pa.data();
  return visit(there);
}

}  // namespace

#define QUADRILLE_DEFINE(Functor)                                                                            \
  Array<double, Device> values_on_device(const Grid& grid, const Stencil& stencil, const Boundary& boundary, \
                                         const Functor& coefficient, const NodeBox& box) {                   \
    return on_device(coefficient, grid, [&](const auto& of_device) {                                         \
      return assemble_box_on_device<double>(grid, stencil, boundary, of_device, box);                        \
    });                                                                                                      \
  }
QUADRILLE_DEVICE_FUNCTORS(QUADRILLE_DEFINE)
#undef QUADRILLE_DEFINE

template <class T>
BlockDiagonals<T, Device> assemble_operator_on_device(const std::string& name, const Grid& grid,
                                                      const Stencil& stencil, const Boundary& boundary,
                                                      std::uint64_t seed) {
  return with_coefficients(name, grid, stencil, boundary, seed, [&](const auto& host) {
    return on_device(host, grid, [&](const auto& coefficient) {
      return assemble_on_device<T>(grid, stencil, boundary, coefficient);
    });
  });
}

template <class T>
Dia<T, Device> assemble_dia_operator_on_device(const std::string& name, const Grid& grid,
                                               const Stencil& stencil, const Boundary& boundary,
                                               std::uint64_t seed) {
  return with_coefficients(name, grid, stencil, boundary, seed, [&](const auto& host) {
    return on_device(host, grid, [&](const auto& coefficient) {
      return assemble_dia_on_device<T>(grid, stencil, boundary, coefficient);
    });
  });
}

template <class T>
std::int64_t count_non_zeros_on_device(const std::string& name, const Grid& grid, const Stencil& stencil,
                                       const Boundary& boundary, std::uint64_t seed) {
  return with_coefficients(name, grid, stencil, boundary, seed, [&](const auto& host) {
    return on_device(host, grid, [&](const auto& coefficient) {
      return count_on_device<T>(grid, stencil, boundary, coefficient);
    });
  });
}

#define QUADRILLE_INSTANTIATE(T)                                                                      \
  template BlockDiagonals<T, Device> assemble_operator_on_device<T>(                                  \
      const std::string&, const Grid&, const Stencil&, const Boundary&, std::uint64_t);               \
  template Dia<T, Device> assemble_dia_operator_on_device<T>(                                         \
      const std::string&, const Grid&, const Stencil&, const Boundary&, std::uint64_t);               \
  template std::int64_t count_non_zeros_on_device<T>(const std::string&, const Grid&, const Stencil&, \
                                                     const Boundary&, std::uint64_t);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
