// What crosses the bus between host and GPU, as PETSc counts it and as we do.
#pragma once

#include <petscksp.h>

#include <string>

#include "formats/copies.hpp"

namespace quadrille {

// Up to now, or between two moments. PETSc's are without single numbers such as norms, which it counts apart,
// and with those of ours that -log_view shows; ours are all.
struct BusCopies {
  memory::Copies petsc_to_gpu, petsc_to_host, ours_to_gpu, ours_to_host;
};

inline BusCopies bus_copies() {
  BusCopies now{{}, {}, memory::copies_to_device(), memory::copies_to_host()};
#if defined(PETSC_HAVE_DEVICE)
  const auto whole = [](PetscLogDouble x) { return static_cast<std::int64_t>(x); };
  now.petsc_to_gpu = {whole(petsc_ctog_ct), whole(petsc_ctog_sz)};
  now.petsc_to_host = {whole(petsc_gtoc_ct), whole(petsc_gtoc_sz)};
#endif
  return now;
}

inline memory::Copies operator-(const memory::Copies& a, const memory::Copies& b) {
  return {a.count - b.count, a.bytes - b.bytes};
}

inline BusCopies since(const BusCopies& before) {
  const BusCopies now = bus_copies();
  return {now.petsc_to_gpu - before.petsc_to_gpu, now.petsc_to_host - before.petsc_to_host,
          now.ours_to_gpu - before.ours_to_gpu, now.ours_to_host - before.ours_to_host};
}

inline std::int64_t bytes_of_ours(const BusCopies& c) {
  return c.ours_to_gpu.bytes + c.ours_to_host.bytes;
}

// Whether it was no more than sums and factors of some iterations, or the like: PETSc has those of VecMAXPY on
// the GPU.
inline bool only_numbers(std::int64_t bytes) {
  constexpr std::int64_t most = 32768;
  return bytes <= most;
}
inline bool only_numbers(const BusCopies& c) {
  return only_numbers(bytes_of_ours(c) + c.petsc_to_gpu.bytes + c.petsc_to_host.bytes);
}

inline std::string to_string(const BusCopies& c) {
  const auto text = [](const char* what, const memory::Copies& copies) {
    return std::to_string(copies.count) + " copies of " + std::to_string(copies.bytes) + " bytes " + what;
  };
  return "PETSc: " + text("to the GPU, ", c.petsc_to_gpu) + text("to the host; ", c.petsc_to_host) +
         "ours: " + text("to the GPU, ", c.ours_to_gpu) + text("to the host", c.ours_to_host);
}

}  // namespace quadrille
