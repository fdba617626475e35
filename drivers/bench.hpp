// The experiments of `quadrille bench`. One file per group of experiments.
#pragma once

#include "drivers/support/bench_result.hpp"
#include "drivers/support/options.hpp"

namespace quadrille {

// Each runs with PETSc started, prints its tables unless --quiet, and goes on where one operator or format is
// refused.

// drivers/bench_dofs.cpp
BenchResult bench_dof_scaling(const Options& options);
BenchResult bench_bandwidth(const Options& options);

// drivers/bench_ellr_t.cpp
BenchResult bench_ellr_t(const Options& options);

// drivers/bench_matrices.cpp
BenchResult bench_matrices(const Options& options);

// drivers/bench_cmrs.cpp
BenchResult bench_cmrs(const Options& options);

// drivers/bench_auto.cpp
BenchResult bench_auto(const Options& options);

// drivers/bench_rgcsr.cpp
BenchResult bench_rgcsr(const Options& options);

// drivers/bench_transpose.cpp
BenchResult bench_transpose(const Options& options);

}  // namespace quadrille
