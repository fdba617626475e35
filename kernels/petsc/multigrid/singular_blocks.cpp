#include "kernels/petsc/multigrid/singular_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace quadrille::petsc {
namespace {

// One thread's look at the nodes.
class Look {
 public:
  explicit Look(const BlockDiagonals<double>& a) : a_(a), all_(static_cast<std::size_t>(a.dof)) {
    const auto centre = std::find(a.offsets.begin(), a.offsets.end(), NodeOffset{});
    centre_ = centre == a.offsets.end() ? -1 : centre - a.offsets.begin();
    std::iota(all_.begin(), all_.end(), 0);
  }

  bool is_singular_at(std::int64_t node) {
    if (!is_singular(node, all_)) return false;
    there_.clear();
    for (const int r : all_)
      if (takes_part(node, r)) there_.push_back(r);
    return is_singular(node, there_);
  }

 private:
  double value(std::int64_t node, std::int64_t d, int r, int c) const {
    return d < 0 ? 0.0 : a_.values[(d * a_.dof + c) * a_.rows() + node * a_.dof + r];
  }
  bool takes_part(std::int64_t node, int r) const {
    for (std::int64_t d = 0; d < a_.diagonals(); ++d)
      for (int c = 0; c < a_.dof; ++c)
        if (value(node, d, r, c) != 0) return true;
    return false;
  }
  // Of these of the node's unknowns: by elimination, whether no pivot is left.
  bool is_singular(std::int64_t node, const std::vector<int>& unknowns) {
    const std::size_t n = unknowns.size();
    block_.clear();
    for (const int r : unknowns)
      for (const int c : unknowns) block_.push_back(value(node, centre_, r, c));
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t pivot = k;
      for (std::size_t r = k + 1; r < n; ++r)
        if (std::abs(block_[r * n + k]) > std::abs(block_[pivot * n + k])) pivot = r;
      if (block_[pivot * n + k] == 0) return true;
      for (std::size_t c = 0; c < n && pivot != k; ++c) std::swap(block_[k * n + c], block_[pivot * n + c]);
      for (std::size_t r = k + 1; r < n; ++r) {
        const double factor = block_[r * n + k] / block_[k * n + k];
        for (std::size_t c = k; c < n; ++c) block_[r * n + c] -= factor * block_[k * n + c];
      }
    }
    return false;
  }

  const BlockDiagonals<double>& a_;
  std::int64_t centre_ = -1;
  std::vector<int> all_, there_;
  std::vector<double> block_;  // [row][column]
};

}  // namespace

bool has_singular_blocks(const BlockDiagonals<double>& a) {
  int any = 0;
#pragma omp parallel reduction(max : any)
  {
    Look look(a);
#pragma omp for schedule(static)
    for (std::int64_t node = 0; node < a.rows() / a.dof; ++node)
      if (look.is_singular_at(node)) any = 1;
  }
  return any != 0;
}

}  // namespace quadrille::petsc
