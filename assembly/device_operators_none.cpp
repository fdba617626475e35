// A build without CUDA assembles on the host only.
#include "assembly/device_operators.hpp"

namespace quadrille {
namespace {

[[noreturn]] void refuse() {
  throw CudaError("this build has no CUDA: install the CUDA toolkit and build again, or use --space cpu");
}

}  // namespace

#define QUADRILLE_REFUSE(Functor)                                                                      \
  Array<double, Device> values_on_device(const Grid&, const Stencil&, const Boundary&, const Functor&, \
                                         const NodeBox&) {                                             \
    refuse();                                                                                          \
  }
QUADRILLE_DEVICE_FUNCTORS(QUADRILLE_REFUSE)
#undef QUADRILLE_REFUSE

template <class T>
BlockDiagonals<T, Device> assemble_operator_on_device(const std::string&, const Grid&, const Stencil&,
                                                      const Boundary&, std::uint64_t) {
  refuse();
}

template <class T>
Dia<T, Device> assemble_dia_operator_on_device(const std::string&, const Grid&, const Stencil&,
                                               const Boundary&, std::uint64_t) {
  refuse();
}

template <class T>
std::int64_t count_non_zeros_on_device(const std::string&, const Grid&, const Stencil&, const Boundary&,
                                       std::uint64_t) {
  refuse();
}

#define QUADRILLE_INSTANTIATE(T)                                                                      \
  template BlockDiagonals<T, Device> assemble_operator_on_device<T>(                                  \
      const std::string&, const Grid&, const Stencil&, const Boundary&, std::uint64_t);               \
  template Dia<T, Device> assemble_dia_operator_on_device<T>(                                         \
      const std::string&, const Grid&, const Stencil&, const Boundary&, std::uint64_t);               \
  template std::int64_t count_non_zeros_on_device<T>(const std::string&, const Grid&, const Stencil&, \
                                                     const Boundary&, std::uint64_t);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
