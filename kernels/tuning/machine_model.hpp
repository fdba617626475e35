// What a machine can do, in the few numbers that the prediction of a product's time needs, and how well each
// format's kernel uses it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/spmv_operator.hpp"

namespace quadrille {

// How the product of one format differs from a stream of its bytes. On the GPU the terms add up, as
// predict.cpp says.
struct FormatConstants {
  std::string format;
  double share = 1;     // of the machine's bandwidth that its streamed bytes reach
  double fixed_us = 0;  // beyond the machine's own launch: prologue, reductions, a second kernel
  double entry_ps = 0;  // of computing for each stored entry: on the GPU all of it, on the CPU of one thread
  double gather = 1;    // of the machine's time for reads of x that miss the first-level cache
  double step_us = 0;   // each round trip to memory on the longest chain of one thread
  double atomic = 0;    // of the machine's time for one atomic addition, for each entry
};

struct MachineModel {
  std::string name;   // "NVIDIA H200"
  std::string basis;  // what its numbers rest on, one sentence
  SpaceKind space = SpaceKind::cuda;
  int threads = 1;                // of the CPU
  double launch_us = 0;           // of a kernel that does nothing; of a parallel region
  double memory_gbps = 1;         // of a stream from memory
  double cache_gbps = 1;          // and from the last cache
  std::int64_t cache_bytes = 0;   // of that cache
  std::int64_t memory_bytes = 0;  // 0: not asked
  double gather_gbps = 1;         // 32-byte sectors of x past the first-level cache
  double atomic_per_ns = 1;       // atomic additions to scattered places
  double convert_gbps = 1;        // what the host reads and writes where it makes one format of another
  double copy_gbps = 1;           // from the host to the GPU
  std::vector<FormatConstants> formats, transposed;  // of y = A x, and of y = A^T x where there is a product
};

// The H200 that the constants were fitted on.
MachineModel h200_model();

// GPU `device`: the H200's model where it is one; else that model with this GPU's own stream from memory and
// from its cache, which are measured once in a process (some milliseconds, and some hundred MiB for the
// while). Throws CudaError where there is no such GPU.
MachineModel gpu_model(int device);

// A CPU with so many threads; 0 takes OpenMP's number. Its stream is measured once in a process, the rest
// comes from the core that it was fitted on.
MachineModel cpu_model(int threads = 0);
// The same with a given stream, in GB/s of all threads, and cache.
MachineModel cpu_model(int threads, double memory_gbps, double cache_gbps, std::int64_t cache_bytes);

// The same without measuring anything, which takes about a second: 10 GB/s for each thread, up to 200, and
// twice that from the cache. Enough to rank formats by.
MachineModel usual_cpu_model();

// Null where the model knows no such format or product.
const FormatConstants* find_constants(const MachineModel& machine, const std::string& format,
                                      bool transposed);

}  // namespace quadrille
