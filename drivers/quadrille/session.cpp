#include "quadrille/session.hpp"

#include <string>
#include <vector>

#include "kernels/cuda/device.hpp"
#include "kernels/petsc/base/ranks.hpp"
#include "kernels/petsc/plugin/register.hpp"

namespace quadrille {

Session::Session(int argc, char** argv)
    : session_(argc > 1 ? std::vector<std::string>(argv + 1, argv + argc) : std::vector<std::string>{}) {
  if (cuda::device_count() > 0) cuda::use_device(petsc::gpu_of_rank(0));
  petsc::register_matrix_type();
}

int Session::rank() {
  return petsc::rank();
}

int Session::ranks() {
  return petsc::ranks();
}

}  // namespace quadrille
