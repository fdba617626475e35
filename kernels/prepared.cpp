#include "kernels/prepared.hpp"

#include <algorithm>
#include <string>

#include "formats/format.hpp"

namespace quadrille {

int ellr_t_block(const Launch& launch) {
  const int threads = launch.block != 0 ? launch.block : 256;
  if (std::find(ellr_t_blocks.begin(), ellr_t_blocks.end(), threads) == ellr_t_blocks.end())
    throw FormatError("ellr_t: blocks of " + std::to_string(threads) +
                      " threads; a block has 64, 128, 256, 512 or 1024");
  return threads;
}

int cmrs_block(const Launch& launch) {
  constexpr int paper_threads = 256;
  const bool ours = launch.kernel == Kernel::ours;
  const int threads = launch.block > 0 ? launch.block : ours ? segment_threads : paper_threads;
  const bool fits =
      ours ? threads == 64 || threads == 128 || threads == 256 : threads % 32 == 0 && threads <= 1024;
  if (!fits || launch.block < 0)
    throw FormatError(
        "cmrs: blocks of " + std::to_string(launch.block) + " threads; " +
        (ours ? "our kernel has 64, 128 and 256" : "the paper's kernel has multiples of 32 up to 1024"));
  return threads;
}

}  // namespace quadrille
