// The subcommands. Each returns the exit code, 0 or 1 (a result failed its check), and throws for everything
// else.
#pragma once

#include "drivers/support/options.hpp"

namespace quadrille {

int run_spmv(const Options& options);
int run_bench(const Options& options);
int run_solve(const Options& options);
int solve_residual(const Options& options);  // of it: a PDE that is nonlinear or changes in time
int run_inspect(const Options& options);
int run_plot(const Options& options);
int run_info(const Options& options);

}  // namespace quadrille
