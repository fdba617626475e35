// Timing a product and the ceiling it is held against.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "drivers/support/report.hpp"
#include "formats/array.hpp"
#include "kernels/product.hpp"
#include "kernels/spmv_operator.hpp"

namespace quadrille {

// How many products to time: `most`, or fewer, but never below `least`, once they took `enough_s` seconds
// together.
struct Repetitions {
  int most = 30;
  int least = 5;
  double enough_s = std::numeric_limits<double>::infinity();
  double warm_up_ms = 1;  // on the GPU: its clock is low after work of the host
};

struct Timing {
  double median_ms = 0, min_ms = 0, max_ms = 0;
  int repetitions = 0;
};

// x and y of products, where the operator is. The host's x is used as it is and must outlive this.
template <class T>
struct ProductVectors {
  ProductVectors(SpaceKind space, const std::vector<T>& from, std::int64_t outputs);

  Array<T> host_y;
  Array<T, Device> device_x, device_y;
  const T* x = nullptr;
  T* y = nullptr;
};

// Milliseconds of products after two or more that warm up: wall clock on the CPU, CUDA events on the GPU. x
// and y are in the operator's memory.
template <class T>
std::vector<double> product_times(const SpmvOperator<T>& op, const Product& product, const T* x, T* y,
                                  const Repetitions& repetitions);

// Of at least one time.
Timing timing_of(std::vector<double> ms);

// Both in one.
template <class T>
Timing time_products(const SpmvOperator<T>& op, const Product& product, const T* x, T* y,
                     const Repetitions& repetitions);

// Stream ceilings, measured once for each size and mix of reads and writes that a run asks for: sizes within
// a tenth, on the same side of the cache, and mixes within half a read per write share one.
class Ceilings {
 public:
  explicit Ceilings(int device) : device_(device) {}
  // GB/s of a stream with this traffic in this space, on arrays of the same size (at most 1 GiB on the CPU, 4
  // GiB on the GPU) and, on the CPU, so many threads. 0 where the memory for it is not there.
  double gbps(SpaceKind space, const Traffic& traffic, int threads);
  // The same measured once more, for a product that was faster than it: the better of both from now on.
  double again(SpaceKind space, const Traffic& traffic, int threads);
  // name, GB/s of everything measured, for the report; of GPU streams in the cache also the median, which
  // holds the launch as a product's median does.
  std::vector<std::pair<std::string, double>> all() const;

 private:
  struct Stream {
    SpaceKind space;
    int threads;
    std::int64_t reads, writes;  // bytes
    bool in_cache;
    double gbps;
    double median_gbps;  // 0 unless on the GPU and in the cache
  };
  Stream& find(SpaceKind space, const Traffic& traffic, int threads);

  int device_;
  std::vector<Stream> streams_;
};

// Bytes of the last cache before memory: the CPU's highest level, all instances together, or the GPU's second
// level; 0 when unknown.
std::int64_t last_cache_bytes(SpaceKind space, int device);

// "23.1 GiB of host memory, 139.0 GiB of GPU 0"
std::string free_memory();

// What the machine is, for the report: cpu, cores, threads, memory, and the GPU and its driver where it is
// used.
std::vector<std::pair<std::string, std::string>> describe_machine(bool uses_gpu, int device);

}  // namespace quadrille
