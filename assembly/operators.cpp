#include "assembly/operators.hpp"

#include <algorithm>

#include "assembly/coefficients.hpp"

namespace quadrille {
namespace {

struct Known {
  const char *name, *title, *units;
  Discretisation discretisation;
};

// Units of A x for an x without units; elasticity's is for lambda and mu in Pa.
constexpr Known known_operators[] = {
    {"laplacian", "minus the Laplacian", "1/m2", laplacian_stencils},
    {"diffusion", "minus div a grad", "1/s", diffusion_stencils},
    {"random", "random blocks", "1", random_stencils},
    {"elasticity", "minus the Navier operator", "Pa/m2", elasticity_stencils}};

const Known& find(const std::string& name) {
  std::string text;
  for (const Known& known : known_operators) {
    if (name == known.name) return known;
    text += (text.empty() ? "" : ", ") + std::string(known.name);
  }
  throw InputError("operator '" + name + "' is not known; choose one of " + text);
}

}  // namespace

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const Known& known : known_operators) names.push_back(known.name);
  return names;
}

const Discretisation& operator_discretisation(const std::string& name) {
  return find(name).discretisation;
}
std::string operator_units(const std::string& name) {
  return find(name).units;
}
std::string operator_title(const std::string& name) {
  return find(name).title;
}

template <class T>
AssembledOperator<T> assemble_operator(const std::string& name, const Grid& grid, const Stencil& stencil,
                                       const Boundary& boundary, std::uint64_t seed) {
  find(name);
  return with_coefficients(name, grid, stencil, boundary, seed, [&](const auto& coefficient) {
    return assemble<T>(grid, stencil, boundary, coefficient);
  });
}

template <class T>
std::vector<Csr<T>> assemble_operator_rows(const std::string& name, const Grid& grid, const Stencil& stencil,
                                           const Boundary& boundary, std::uint64_t seed,
                                           const std::vector<LineRange>& lines) {
  find(name);
  return with_coefficients(name, grid, stencil, boundary, seed, [&](const auto& coefficient) {
    std::vector<Csr<T>> rows;
    for (const LineRange& range : lines)
      rows.push_back(assemble_rows<T>(grid, stencil, boundary, coefficient, range));
    return rows;
  });
}

std::vector<double> operator_rhs(const std::string& name, const Grid& grid, const Stencil& stencil,
                                 const Boundary& boundary, std::uint64_t seed) {
  find(name);
  if (!has_data(boundary, grid.dimension)) return {};
  std::vector<double> rhs = zeros(grid.rows());
  with_coefficients(name, grid, stencil, boundary, seed, [&](const auto& coefficient) {
    subtract_data(grid, stencil, boundary, coefficient, whole_box(grid.extents), rhs);
    return 0;
  });
  return rhs;
}

#define QUADRILLE_INSTANTIATE(T)                                                                       \
  template AssembledOperator<T> assemble_operator(const std::string&, const Grid&, const Stencil&,     \
                                                  const Boundary&, std::uint64_t);                     \
  template std::vector<Csr<T>> assemble_operator_rows(const std::string&, const Grid&, const Stencil&, \
                                                      const Boundary&, std::uint64_t,                  \
                                                      const std::vector<LineRange>&);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
