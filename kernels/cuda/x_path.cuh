// How the papers' kernels read x. Internal to kernels/cuda.
#pragma once

#include "formats/gpu_kernel.hpp"

namespace quadrille::cuda {

// The paths have been one memory since 2017; the third passes L1 by.
template <CachePath Path, class T>
__device__ T load_x(const T* p) {
  if constexpr (Path == CachePath::read_only)
    return __ldg(p);
  else if constexpr (Path == CachePath::l1)
    return __ldca(p);
  else
    return __ldcg(p);
}

// launch.operator()<Path>()
template <class Launch>
void with_path(CachePath path, const Launch& launch) {
  switch (path) {
    case CachePath::read_only:
      return launch.template operator()<CachePath::read_only>();
    case CachePath::l1:
      return launch.template operator()<CachePath::l1>();
    case CachePath::l2:
      return launch.template operator()<CachePath::l2>();
  }
}

}  // namespace quadrille::cuda
