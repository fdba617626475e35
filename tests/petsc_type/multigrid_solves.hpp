// Solves with quadrille_mg in the tests of the matrix type.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "solves.hpp"

namespace quadrille::type_test {

inline constexpr const char* multigrid = "quadrille_mg";

using NamesAndValues = std::vector<std::pair<std::string, std::string>>;

// Options of PETSc's for as long as this lives.
class WithOptions {
 public:
  explicit WithOptions(NamesAndValues options) : options_(std::move(options)) {
    for (const auto& [name, value] : options_)
      CALL(PetscOptionsSetValue(nullptr, name.c_str(), value.c_str()));
  }
  WithOptions(const WithOptions&) = delete;
  WithOptions& operator=(const WithOptions&) = delete;
  ~WithOptions() {
    for (const auto& each : options_) (void)PetscOptionsClearValue(nullptr, each.first.c_str());
  }

 private:
  NamesAndValues options_;
};

inline Handle<KSP> solver(Mat matrix, KSPType method = KSPGMRES, PCType preconditioner = multigrid,
                          MPI_Comm comm = PETSC_COMM_WORLD) {
  return make_ksp(matrix, method, preconditioner, 1e-12, 60, comm);
}

inline int solve(KSP ksp, Vec b, Vec x) {
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscInt iterations = 0;
  CALL(KSPSolve(ksp, b, x));
  CALL(KSPGetConvergedReason(ksp, &reason));
  CALL(KSPGetIterationNumber(ksp, &iterations));
  EXPECT_GT(reason, 0);
  return static_cast<int>(iterations);
}

// |b - A x| / |b| of the solution; r is for it.
inline double true_residual(KSP ksp, Mat a, Vec b, Vec x, Vec r) {
  PetscReal of_b = 0, of_r = 0;
  solve(ksp, b, x);
  CALL(MatMult(a, x, r));
  CALL(VecAXPY(r, -1, b));
  CALL(VecNorm(r, NORM_2, &of_r));
  CALL(VecNorm(b, NORM_2, &of_b));
  return of_r / of_b;
}

template <class Body>
void for_own_nodes(DM grid, const Body& body) {
  PetscInt start[3], size[3];
  CALL(DMDAGetCorners(grid, start, start + 1, start + 2, size, size + 1, size + 2));
  for (PetscInt k = start[2]; k < start[2] + size[2]; ++k)
    for (PetscInt j = start[1]; j < start[1] + size[1]; ++j)
      for (PetscInt i = start[0]; i < start[0] + size[0]; ++i) body(i, j, k);
}

}  // namespace quadrille::type_test
