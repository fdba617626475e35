// A user's program with PETSc: a product of PETSc's own, among all there are.
#include <cstdio>
#include <quadrille/petsc.hpp>
#include <quadrille/products.hpp>
#include <quadrille/quadrille.hpp>
#include <utility>
#include <vector>

#include "grid/error.hpp"

static_assert(users_own_code == 7);

int main(int argc, char** argv) {
  const quadrille::Session session(argc, argv);
  quadrille::Csr<double> matrix{2, 2, {0, 1, 3}, {0, 0, 1}, {2.0, 3.0, 4.0}};  // 2 0; 3 4
  const auto aij =
      quadrille::make_operator("petsc_aij", quadrille::SpaceKind::cpu, quadrille::input_of(std::move(matrix)),
                               {}, quadrille::petsc::all_products());
  std::vector<double> x{1, 10}, y(2);
  aij->apply(x.data(), y.data());
  std::printf("A*(1, 10): %g %g, expected 2 43\n", y[0], y[1]);
  return y[0] == 2 && y[1] == 43 ? 0 : 1;
}
