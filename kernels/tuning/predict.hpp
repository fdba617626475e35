// The predicted time of each format's product on a machine. A pure function of the operator's statistics: no
// GPU, no matrix.
//
//   us = launch + fixed + (work^3 + chain^3)^(1/3)
//   work = streamed / (share * bandwidth) + gather * gathered / gather bandwidth + entry * entries + atomic *
//        entries / atomics
//   chain = step * steps
//
// on the GPU, where
//   launch      of a kernel that does nothing
//   streamed    bytes of the format that the kernel really reads (padding where it does, whole 32-byte
//               sectors), x and y once
//   bandwidth   of memory, of the cache where the working set fits it, and a mixture between
//   gathered    bytes of the sectors of x that blocks of 256 rows read, beyond the one time that is streamed
//   entries     stored entries that the kernel computes with
//   steps       of the thread with the most to do, one after the other: round trips to memory, diagonals, 16
//               entries in shared memory
// On the CPU it is launch + streamed / bandwidth + entry * entries / threads. The constants are the formats'
// (format_traits.hpp).
//
// Of FormatOptions::products products, where these are not many, each takes its part of what comes before the
// first one as well (set_up_time.hpp).
#pragma once

#include <string>
#include <vector>

#include "kernels/product.hpp"
#include "kernels/registry.hpp"
#include "kernels/tuning/format_bytes.hpp"
#include "kernels/tuning/machine_model.hpp"
#include "kernels/tuning/sparsity.hpp"

namespace quadrille {

// What the product of a format does, in the terms above.
struct ProductWork {
  double streamed_bytes = 0, working_set_bytes = 0, gathered_bytes = 0, entries = 0, steps = 0, atomics = 0;
  double launches = 1;  // of the kernel, on the GPU
};

struct Prediction {
  std::string format;
  SpaceKind space = SpaceKind::cpu;
  Traffic traffic;  // as the format's own traffic(), of y = A x
  bool bytes_exact = true;
  ProductWork work;
  double set_up_ms = 0;  // before the first product
  double ms = 0;         // of a product, with its part of that
  std::string
      refused;  // a sentence where the format cannot hold the operator or has no such product; then ms is 0
};

// One for each of format_traits(), in that order, refused ones included. Monotonous: more bytes, entries,
// steps or a slower machine never give a shorter time, nor do fewer products.
std::vector<Prediction> predict(const Sparsity& sparsity, const MachineModel& machine,
                                const FormatOptions& options, const Product& product = {});

// Those that are not refused, the fastest first.
std::vector<Prediction> ranked(std::vector<Prediction> predictions);

// What one product of a format does on a machine of this kind.
ProductWork product_work(const FormatTraits& format, const Sparsity& sparsity, const Product& product,
                         const Traffic& traffic, SpaceKind space);
// The time of that, in ms.
double product_ms(const ProductWork& work, const FormatConstants& constants, const MachineModel& machine);

}  // namespace quadrille
