// Whether anybody used what this library brings. Internal to kernels/petsc.
#pragma once

#include <cstdint>

namespace quadrille::petsc {

// How many matrices and preconditioners of our types were made in this process.
inline std::int64_t& uses() {
  static std::int64_t count = 0;
  return count;
}

}  // namespace quadrille::petsc
