// What a product on the GPU needs beside its format's arrays: which kernel, in which shape, and a plan of the
// segments. The format knows nothing of it, so that one matrix is multiplied in several ways without another
// conversion.
#pragma once

#include <array>

#include "kernels/segment_plan.hpp"
#include "kernels/specialised.hpp"

namespace quadrille {

// Ours, or the one that the format's paper describes, to measure the paper's claims with: csr and csc
// (Steinberger et al. 2016), cds (Godwin et al. 2012), ellr_t (Vazquez et al. 2011), rg_csr (Oberhuber et al.
// 2010), cmrs (Koza et al. 2012). The other formats have one kernel.
enum class Kernel { ours, paper };

// How the papers' kernels read x: through the read-only path, which was the texture cache of their GPUs and
// is a part of L1 today; through L1 like other data; or past it, from L2.
enum class CachePath { read_only, l1, l2 };

// How a multiprocessor's memory is split between L1 and shared memory: as the driver finds best, or as much
// as possible for one.
enum class MemorySplit { driver, l1, shared };

// What may be chosen of a kernel; each reads what it has. The CPU has one kernel of every format.
struct Launch {
  Kernel kernel = Kernel::ours;
  // Our kernel: threads of each row. CSR: 1 (the scalar kernel) to 32 (the vector kernel), or 0, which
  // follows the plan; RgCSR: up to 1024 / group, 0 as 1.
  int lanes = 0;
  int block = 0;  // ELLR-T and CMRS: threads of a block; 0 takes the kernel's default
  CachePath cache = CachePath::read_only;  // the papers' kernels
  bool aligned = true;  // CMRS's paper: a long strip's reads begin on a whole line of 128 bytes
  MemorySplit split = MemorySplit::driver;  // CMRS's paper
};

// Threads of a block. Throw FormatError unless ELLR-T's are one of these, CMRS's 64, 128 or 256 (our kernel)
// or a multiple of 32 up to 1024 (the paper's).
inline constexpr std::array<int, 5> ellr_t_blocks{64, 128, 256, 512, 1024};
int ellr_t_block(const Launch& launch);
int cmrs_block(const Launch& launch);

// Made once for an operator in GPU memory (prepare() in kernels/format_table.hpp).
struct Prepared : Launch {
  // Of CMRS; of CSR, CSC and BCSR of single entries, which go without one, too, more slowly.
  SegmentPlan<Device> segments{};
  Specialised product{}, transposed{};  // of compact and stencil_table, where they pay
  SpecialisedForVectors several{};      // of A X, beside `product`
  bool by_kind = false;                 // of compact: the product is by the kernel for constants of kinds
  Specialised with_dot{};               // of compact, once it was asked for
  bool dot_by_any = false;              // and then, without one, by the kernel for all operators
};

}  // namespace quadrille
