#include "kernels/tuning/rg_csr_rule.hpp"

#include <algorithm>

namespace quadrille {

int most_rg_csr_threads(int group) {
  int most = 1;
  while (most < 32 && 2 * most * group <= 1024) most *= 2;
  return most;
}

// A thread has 8 entries in flight, so a row of 8 S entries costs S threads one wait for the memory; more
// threads than some hundred thousand only add sums. A row that is far longer than the others is summed by its
// block: 256 threads at least.
int rg_csr_threads(int group, std::int64_t rows, std::int64_t slots, std::int64_t longest) {
  constexpr std::int64_t together = 8, enough_threads = 1 << 18, long_row = 1024, least_block = 256;
  const int most = most_rg_csr_threads(group);
  int threads = 1;
  while (threads < most && slots > together * threads * rows && 2 * threads * rows <= enough_threads)
    threads *= 2;
  while (threads < most && longest > long_row && (threads < 2 || threads * group < least_block)) threads *= 2;
  return threads;
}

template <class T>
int rg_csr_threads(const RgCsr<T>& rg) {
  std::int32_t longest = 0;
  for (const std::int32_t length : rg.row_length) longest = std::max(longest, length);
  return rg_csr_threads(rg.group, rg.rows, rg.value.size(), longest);
}

template int rg_csr_threads(const RgCsr<float>&);
template int rg_csr_threads(const RgCsr<double>&);

}  // namespace quadrille
