// How many threads of the GPU take a row of RgCSR in our kernel; the paper's has one.
#pragma once

#include <cstdint>

#include "formats/rg_csr.hpp"

namespace quadrille {

// A power of two up to 32 whose block of threads, group times it, has at most 1024; 1 where rows are
// many or short. `slots` are the entries with padding, `longest` those of the longest row.
int rg_csr_threads(int group, std::int64_t rows, std::int64_t slots, std::int64_t longest);

// The same for a matrix in this format, and what it may be at most.
template <class T>
int rg_csr_threads(const RgCsr<T>& rg);
int most_rg_csr_threads(int group);

}  // namespace quadrille
