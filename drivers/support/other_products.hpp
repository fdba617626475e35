// The products that an experiment on one format measures beside its own.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "drivers/support/operator_sweep.hpp"

namespace quadrille {

// csr on the GPU by the plain kernel with a thread a row, and by ours with so many lanes a row, have records
// that are called csr_scalar and csr_vector.
struct OtherProduct {
  const char* name;
  const char* format;
  int csr_lanes = 0;
  Kernel kernel = Kernel::ours;
};

// Names and milliseconds.
using Others = std::vector<std::pair<std::string, double>>;

// A record for each of them that there is in this space and precision, and the times of those that were not
// refused. petsc_aij, one thread of the CPU, is measured beside either space.
template <class T>
Others measure_others(FormatRun<T>& formats, OperatorSweep& sweep, const Options& here, SpaceKind space,
                      std::span<const OtherProduct> wanted);

}  // namespace quadrille
