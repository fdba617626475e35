// A build without cuSPARSE: no entries, no transposition.
#include "kernels/cusparse/entries.hpp"
#include "kernels/cusparse/transposition.hpp"

namespace quadrille::cusparse {

std::vector<FormatEntry> entries() {
  return {};
}

std::string version() {
  return "not built in";
}

template <class T>
std::unique_ptr<Transposition<T>> make_transposition(const Csr<T, Device>&) {
  throw CudaError("this build has no cuSPARSE, which comes with CUDA 13");
}

template std::unique_ptr<Transposition<float>> make_transposition(const Csr<float, Device>&);
template std::unique_ptr<Transposition<double>> make_transposition(const Csr<double, Device>&);

}  // namespace quadrille::cusparse
