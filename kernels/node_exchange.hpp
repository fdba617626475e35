// Values of nodes from the ranks that have them.
#pragma once

#include <functional>
#include <vector>

#include "grid/partition.hpp"

namespace quadrille {

// All that a rank gets. Every rank knows it of every other.
using TransfersTo = std::function<std::vector<BoxTransfer>(int rank)>;

// Brings the values of nodes from where they are. `from` may be `to`. Collective; on the GPU queued on
// `stream`, and where it can be recorded in a CUDA graph, nothing waits on the host.
class NodeExchange {
 public:
  virtual ~NodeExchange() = default;
  virtual bool can_be_recorded() const = 0;
  virtual void run(const double* from, double* to, void* stream) = 0;
  virtual void run(const float* from, float* to, void* stream) = 0;
};

}  // namespace quadrille
