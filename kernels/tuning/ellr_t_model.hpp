// A model of the time of ELLR-T's product on a GPU of today, over T and the block size. The paper's counts
// what the most loaded multiprocessor reads (ellr_t_paper_model.hpp); here bandwidths, latency, instructions
// and launch each bound the time, for a GPU whose caches hold most small matrices is seldom bound by the
// number of accesses.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/csr.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/tuning/ellr_t_paper_model.hpp"

namespace quadrille {

// All that the model knows of a matrix, from one pass over the row lengths.
struct RowGroups {
  static constexpr int sizes = 11;    // groups of 1, 2, 4, ..., 1024 consecutive rows
  static constexpr int divisors = 8;  // 1, 2, 4, ..., 128

  std::int64_t rows = 0, columns = 0, nnz = 0;
  std::int64_t longest = 0;
  // [log2 of the size][log2 of the divisor]: the sum over the groups of ceil(longest row of the group /
  // divisor)
  std::array<std::array<std::int64_t, divisors>, sizes> sum{};
};

// row_ptr is that of CSR: rows + 1 numbers.
RowGroups row_groups(std::span<const std::int32_t> row_ptr, std::int64_t columns);

// Of a square matrix whose rows all have `length` entries.
RowGroups equal_rows(std::int64_t rows, std::int64_t length);

// What the model knows of every GPU besides its GpuProperties; fitted to exhaustive searches on an H200
// (results/README.md). A round is a load of a column and the load of its x that waits for it.
struct EllrTConstants {
  double launch_us = 6.0;           // of an empty kernel, as events time it
  double start_us = 0.85;           // to read a row's length before, and to write y after
  double cache_round_us = 0.36;     // with the matrix in the L2 cache
  double memory_round_us = 0.66;    // with the matrix in memory
  double ahead_rounds = 2.4;        // T = 1: rounds of 8 entries, which the compiler loads a few at a time
  double memory_efficiency = 0.94;  // of GpuProperties::memory_gbps
  double cache_gbps = 5000;         // of the L2 cache
  double dispatch_us = 6e-4;        // of the GPU, to hand out a block
  double warp_us = 0.0025;          // of a multiprocessor, to start and end a warp
  double step_us = 0.0012;          // of a multiprocessor, for one step of a warp: 32 entries or fewer
  double straggle = 0.023;          // more time of a block than of one of half its size: its slowest warp
  double sharpness = 2;             // of the largest bound: the norm that combines them
};

// Milliseconds of one product with values of `value_bytes`. A pure function.
double ellr_t_ms(const RowGroups& rows, EllrTChoice choice, int value_bytes, const cuda::GpuProperties& gpu,
                 const EllrTConstants& constants = {});

// The choice with the least ellr_t_ms() among those that agree with `wanted`, where 0 stands for any.
EllrTChoice ellr_t_choice(const RowGroups& rows, int value_bytes, const cuda::GpuProperties& gpu,
                          EllrTChoice wanted = {0, 0}, const EllrTConstants& constants = {});

// The same for a matrix and the current GPU; without one, for a large one. A `wanted` without zeros is
// returned as it is. Of the paper's model T is the largest up to its choice that the format does not refuse.
template <class T>
EllrTChoice ellr_t_choice(const Csr<T>& csr, EllrTChoice wanted, EllrTModel model = EllrTModel::ours);

}  // namespace quadrille
