// The model of the ELLR-T paper for T and the block size: Vazquez, Fernandez, Garzon, "Automatic tuning of
// the sparse matrix vector product on GPUs based on the ELLR-T approach", 2011, section 3.3. It counts memory
// accesses and knows neither caches nor latency; ellr_t_model.hpp has the one that is used when nothing is
// said.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace quadrille {

struct EllrTChoice {
  int threads = 1;  // T
  int block = 256;

  friend bool operator==(const EllrTChoice&, const EllrTChoice&) = default;
};

// Which model chooses them: ours (ellr_t_model.hpp) or the paper's.
enum class EllrTModel { ours, paper };

// Equation 4: memory accesses of the most loaded of `multiprocessors`, to which blocks go in turn (equation
// 1). A block's are the sum over its warps of 32 threads (equation 2), a warp's the most that a row of its
// first 16 threads takes plus the most of its second 16 (equation 3). A row of length rl takes ceil(rl/T),
// what one of its threads reads, as section 3.2 has it, and each half one more for its row lengths, which
// equation 3 leaves out: with it all choices of Table 1 come out that can be checked, without it gemat12 and
// bcsstk24 get T = 8. With T = 32 both halves belong to one row. row_ptr is that of CSR, rows + 1 numbers. T
// and block are powers of two, T at most 32, block at least 32.
std::int64_t ellr_t_accesses(std::span<const std::int32_t> row_ptr, int threads, int block,
                             int multiprocessors);

// What the paper asks of a GPU, for its equations and for "the mapping restrictions according to the GPU
// resources".
struct PaperGpu {
  int multiprocessors = 30;  // a GeForce GTX 285, the paper's
  int threads_per_multiprocessor = 1024;
  int blocks_per_multiprocessor = 8;
};

// The T of 1..32 and the block with the fewest accesses; of equals the smallest T, then the smallest block.
// Blocks are those of `blocks` that fill a multiprocessor with threads: 64 do not on the paper's GPU, where
// at most 8 blocks are resident. What is not 0 in `wanted` is kept.
EllrTChoice ellr_t_paper_choice(std::span<const std::int32_t> row_ptr, const PaperGpu& gpu,
                                const std::vector<int>& blocks, EllrTChoice wanted = {0, 0});

}  // namespace quadrille
