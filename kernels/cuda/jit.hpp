// Kernels whose source is written when their operator is known, compiled by NVRTC. No CUDA header is needed
// to include this.
#pragma once

#include <string>

namespace quadrille::cuda {

// The kernel of that name in `source`, for the current GPU; null where NVRTC cannot be loaded, or refuses:
// then `why_not_compiled()` has a sentence. Compiled once for a source and kind of GPU: what was, is kept in
// this process and in $QUADRILLE_CACHE/kernels (~/.cache/quadrille/kernels), for the next ones. May be called
// by any thread. To be launched by cudaLaunchKernel().
const void* compiled_kernel(const std::string& source, const char* name);
std::string why_not_compiled();

}  // namespace quadrille::cuda
