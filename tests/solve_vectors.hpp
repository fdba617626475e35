// A solve with PETSc of what stands in vectors of the host.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kernels/petsc/base/vector_arrays.hpp"
#include "kernels/petsc/multigrid/null_space.hpp"
#include "kernels/petsc/solve/krylov_solver.hpp"

namespace quadrille {

inline petsc::KrylovResult solve_vectors(const petsc::KrylovProblem& problem, const std::vector<double>& b,
                                         std::vector<double>& x) {
  const Mat matrix = problem.matrix.get();
  Vec columns = nullptr, rows = nullptr;
  QUADRILLE_PETSC(MatCreateVecs(matrix, &columns, &rows));
  const petsc::Handle<Vec> solution(columns), right_side(rows);
  petsc::require_size(rows, static_cast<std::int64_t>(b.size()), "the right side");
  std::copy(b.begin(), b.end(), petsc::WriteArray(rows).data());
  if (problem.constants_are_null)
    QUADRILLE_PETSC(MatNullSpaceRemove(petsc::constants(rows, petsc::block_size_of(matrix)).get(), rows));
  petsc::KrylovSolver solver = petsc::make_solver(problem);
  petsc::KrylovResult result = petsc::solve(problem, solver, rows, columns, false);
  petsc::confirm(problem, rows, columns, result);
  x.resize(b.size());
  std::copy_n(petsc::ReadArray(columns).data(), b.size(), x.begin());
  return result;
}

}  // namespace quadrille
