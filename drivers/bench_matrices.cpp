// `quadrille bench matrices`: every format on a set of operators.
#include "drivers/bench.hpp"
#include "drivers/support/operator_sweep.hpp"

namespace quadrille {

BenchResult bench_matrices(const Options& options) {
  OperatorSweep sweep(options, "matrices");
  sweep([&](auto& formats, const Options& here) { sweep.add_all_formats(formats, here); });
  return sweep.result();
}

}  // namespace quadrille
