// How many threads the CPU's kernels run on.
#pragma once

#include "drivers/support/options.hpp"

namespace quadrille {

// The number of --threads, or OpenMP's own; fewer, with a note, where the system does not start as many:
// libgomp would end the process.
void set_threads(const Options& options);

}  // namespace quadrille
