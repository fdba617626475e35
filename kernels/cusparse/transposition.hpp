// The transposition of CSR in GPU memory, by cusparseCsr2cscEx2: what a transposed product by conversion
// needs. No CUDA header is needed to include this.
#pragma once

#include <memory>

#include "formats/csr.hpp"

namespace quadrille::cusparse {

// Takes the memory for the result and the work at the start and keeps it.
template <class T>
class Transposition {
 public:
  virtual ~Transposition() = default;
  // Fills the result, on the default stream.
  virtual void run() = 0;
  // A^T as CSR.
  virtual const Csr<T, Device>& result() const = 0;
};

// `csr` must outlive it. Throws CudaError with cuSPARSE's own words, and in a build without cuSPARSE.
template <class T>
std::unique_ptr<Transposition<T>> make_transposition(const Csr<T, Device>& csr);

}  // namespace quadrille::cusparse
