// Sums of products of long vectors in GPU memory, as Krylov methods that keep their vectors ask for them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kernels/queue.hpp"

namespace quadrille {

class VectorSums {
 public:
  virtual ~VectorSums() = default;
  // sums[i] = (x, y[i]), of arrays of `rows` numbers each in GPU memory. Reads x once for every eight of y;
  // adds in an order that depends on `rows` alone. Returns when the sums are there.
  virtual void multiply(Queue queue, std::int64_t rows, const double* x, std::span<const double* const> y,
                        double* sums) = 0;
};

namespace cuda {
// Throws CudaError in a build without CUDA, and MemoryError.
std::unique_ptr<VectorSums> make_vector_sums();
}  // namespace cuda

}  // namespace quadrille
