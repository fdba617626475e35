// What CUDA's products are given beside their format and vectors. No CUDA header is needed to include this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "formats/array.hpp"
#include "kernels/prepared.hpp"
#include "kernels/queue.hpp"

namespace quadrille::cuda {

// Memory for sums that several blocks of threads make together. One operator's: the products of a queue share
// it, for they run one after the other, and every queue has its own.
class Scratch {
 public:
  struct Part {
    Array<std::int32_t, Device> counters;  // 0 between products
    Array<std::byte, Device> sums;
  };

  // At least so many counters and bytes of sums. Taken at the first product of a queue and kept.
  Part& of(Queue queue, std::int64_t counters, std::int64_t bytes);

 private:
  std::mutex mutex_;
  std::map<unsigned long long, Part> parts_;  // by CUDA's number of the stream, which it never uses twice
};

// How a product is to run.
struct Execution {
  Queue queue;
  Scratch& scratch;
  const Prepared& prepared;
};

}  // namespace quadrille::cuda
