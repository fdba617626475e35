// Kernels of the GPU that are compiled for one operator (kernels/cuda/specialise.hpp), as a prepared product
// has them. No CUDA header is needed to include this.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace quadrille {

// What such a kernel is told of its grid, whose last axis of several nodes is z, in C++ for both sides. Of a
// block are the threads along x and y, and the planes that it goes through. A thread whose first node is not
// before `first` or at `beyond` has its neighbours where lines and planes say, or beyond a face that does not
// wrap.
// clang-format off
#define QUADRILLE_KERNEL_SIZES                               \
  struct KernelSizes {                                       \
    long long nodes, rows;                                   \
    int nx, ny, nz, plane; /* nx * ny */                     \
    int wraps_x, wraps_y, wraps_z;                           \
    int tile_x, tile_y, planes;                              \
    int first, beyond, first_x, beyond_x, first_y, beyond_y; \
  };
// clang-format on
QUADRILLE_KERNEL_SIZES

// With which a kernel is launched.
struct KernelLaunch {
  std::array<unsigned, 3> blocks{};  // of tile_threads (kernels/cuda/tiling.hpp)
  int alignment = 16;                // bytes, of x, to and from
  KernelSizes sizes{};
  std::shared_ptr<const std::vector<std::byte>> constants;  // numbers of the vectors' type

  std::int64_t all_blocks() const { return std::int64_t{blocks[0]} * blocks[1] * blocks[2]; }
};

// One of them, or none.
struct Specialised {
  const void* kernel = nullptr;
  KernelLaunch launch{};
  bool built = false;          // with the library, for any grid
  bool any_constants = false;  // compiled for any
};

// Compiling takes as long as thousands of products of an operator with fewer rows.
inline constexpr std::int64_t rows_worth_compiling = std::int64_t{1} << 17;

// Unknowns a node up to which the GPU's product of compact for all operators has a thread own nodes. With
// more it owns a row, which takes three times as long.
inline constexpr int most_by_nodes = 8;

// Vectors that one kernel multiplies with `entries` of each node of grid lines of nx nodes: 8, or as many as
// a thread has registers for the sums of (8 of four unknowns took 1.4 times twice 4, on an H100), and as do
// not make a text that takes long to compile; 1 where there is no kernel for several.
constexpr int vectors_at_once(int dof, std::int64_t nx, std::int64_t entries, int number_bytes) {
  constexpr std::int64_t most_bytes_of_sums = 128, most_products = 512;
  const int word = 16 / number_bytes;
  const std::int64_t nodes = dof == 1 && nx % word == 0 ? word : 1;  // of a thread
  int vectors = 8;
  while (vectors > 1 && (nodes * dof * vectors * number_bytes > most_bytes_of_sums ||
                         nodes * entries * vectors > most_products))
    vectors /= 2;
  return vectors;
}

// Those for several vectors at once, each compiled when a product first asks for its number of vectors. May
// be asked by any thread.
class SpecialisedForVectors {
 public:
  SpecialisedForVectors() = default;
  SpecialisedForVectors(int most, std::function<Specialised(int vectors)> compile)
      : most_(most), kernels_(std::make_shared<Kernels>()) {
    kernels_->compile = std::move(compile);
  }

  int most() const { return most_; }  // vectors; 1 where there are no such kernels
  Specialised of(int vectors) const {
    const std::lock_guard lock(kernels_->mutex);
    const auto [place, fresh] = kernels_->known.try_emplace(vectors);
    if (fresh) place->second = kernels_->compile(vectors);
    return place->second;
  }

 private:
  struct Kernels {
    std::mutex mutex;
    std::map<int, Specialised> known;
    std::function<Specialised(int)> compile;
  };
  int most_ = 1;
  std::shared_ptr<Kernels> kernels_;
};

}  // namespace quadrille
