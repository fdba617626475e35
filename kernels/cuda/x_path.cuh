// How the papers' kernels read x. Internal to kernels/cuda.
#pragma once

#include "kernels/prepared.hpp"

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

// start.operator()<Path>()
template <class Start>
void with_path(CachePath path, const Start& start) {
  switch (path) {
    case CachePath::read_only:
      return start.template operator()<CachePath::read_only>();
    case CachePath::l1:
      return start.template operator()<CachePath::l1>();
    case CachePath::l2:
      return start.template operator()<CachePath::l2>();
  }
}

}  // namespace quadrille::cuda
