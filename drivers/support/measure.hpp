// Timing a product and the ceiling it is held against.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "drivers/support/report.hpp"
#include "kernels/spmv_operator.hpp"

namespace quadrille {

struct Timing {
  double median_ms = 0, min_ms = 0, max_ms = 0;
};

// Times `repetitions` products after two that warm up: wall clock on the CPU, CUDA events on the GPU. x and y
// are in the operator's memory.
template <class T>
Timing time_products(const SpmvOperator<T>& op, const T* x, T* y, int repetitions);

// Stream ceilings, measured once for each size and mix of reads and writes that a run asks for: sizes within
// a factor of two and mixes within half a read per write share one.
class Ceilings {
 public:
  // GB/s of a stream with this traffic in this space, on arrays of about the same size, but not above 1 GiB
  // on the CPU. 0 where the memory for it is not there.
  double gbps(SpaceKind space, const Traffic& traffic);
  // name, GB/s of everything measured, for the report.
  const std::vector<std::pair<std::string, double>>& all() const { return measured_; }

 private:
  std::vector<std::pair<std::string, double>> measured_;
};

// Bytes of the last cache before memory: the CPU's third level or the GPU's second; 0 when unknown.
std::int64_t last_cache_bytes(SpaceKind space, int device);

// What the machine is, for the report: cpu, threads, memory, and the GPU where it is used.
std::vector<std::pair<std::string, std::string>> describe_machine(bool uses_gpu, int device);

}  // namespace quadrille
