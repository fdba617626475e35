// Every height, order and kernel of CMRS on one operator, timed: what `quadrille bench cmrs` searches.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "drivers/support/format_run.hpp"
#include "kernels/tuning/cmrs_rule.hpp"
#include "kernels/tuning/cmrs_variants.hpp"

namespace quadrille {

inline constexpr int cmrs_heights[] = {1, 2, 4, 8, 16};
inline constexpr int cmrs_blocks[] = {64, 128, 256};
inline constexpr int cmrs_paper_blocks[] = {64, 128, 256,
                                            512};  // of the paper's eight, 64 to 512 in steps of 64

struct CmrsTrial {
  int height = 1;
  bool reorder = false;
  CmrsLaunch launch;
  Timing timing;

  double ms() const { return timing.median_ms; }
  bool ours() const { return launch.kernel == CmrsKernel::tiles; }
};

inline bool same(const CmrsLaunch& a, const CmrsLaunch& b) {
  return a.kernel == b.kernel && threads_of(a) == threads_of(b) &&
         (a.kernel == CmrsKernel::tiles || (a.aligned == b.aligned && a.cache == b.cache));
}

// What is tried of one conversion. Not tried: orders of height 1, whose rows are sorted in any case; and the cache paths but
// for the fastest variant, see CmrsSearch::try_cache_paths().
inline std::vector<CmrsLaunch> cmrs_launches(SpaceKind space) {
  if (space == SpaceKind::cpu) return {{}};
  std::vector<CmrsLaunch> all;
  for (const int block : cmrs_blocks) all.push_back({.block = block});
  for (const int block : cmrs_paper_blocks)
    for (const bool aligned : {false, true})
      all.push_back({CmrsKernel::paper, block, aligned, CachePath::read_only});
  return all;
}

// All variants of one operator.
template <class T>
class CmrsSearch {
 public:
  // Converts, checks and times them all. Throws FormatError and MemoryError where one of them cannot be.
  CmrsSearch(FormatRun<T>& formats, SpaceKind space, const Options& here, Record& record)
      : formats_(formats),
        space_(space),
        here_(here),
        record_(record),
        vectors_(space, formats.x(), record.rows) {
    const Csr<T>& csr = *csr_of(formats.loaded().source);
    for (const int height : cmrs_heights)
      for (const bool reorder : {false, true})
        if (height > 1 || !reorder) {
          conversions_[{height, reorder}] = cmrs_variants(space, csr, height, reorder);
          for (const CmrsLaunch& launch : cmrs_launches(space))
            variants_.push_back({height, reorder, launch, {}});
        }
    for (const CmrsTrial& variant : variants_) formats.check(use(variant), record);
    for (CmrsTrial& variant : variants_) time(variant, first_look);  // the GPU stays at work
  }

  // Longer products of what may be the fastest, and of `chosen`, which may be new.
  void refine(const CmrsChoice& chosen) {
    if (conversions_.find({chosen.height, chosen.reorder}) == conversions_.end())
      conversions_[{chosen.height, chosen.reorder}] =
          cmrs_variants(space_, *csr_of(formats_.loaded().source), chosen.height, chosen.reorder);
    if (find(chosen) == nullptr) add({chosen.height, chosen.reorder, chosen.launch, {}});
    const double ours = fastest(true)->ms(), paper = space_ == SpaceKind::cuda ? fastest(false)->ms() : 0;
    for (CmrsTrial& variant : variants_)
      if (variant.ms() <= contender * (variant.ours() ? ours : paper) || &variant == find(chosen))
        time(variant, longer());
    if (space_ == SpaceKind::cuda) try_cache_paths();
  }

  // Both once more, in turns, the median of the faster turn: of many variants the fastest was also a lucky one, and a GPU has slow
  // moments. If the first turns out slower than the second, it is the second from now on.
  void compare(CmrsTrial& best, CmrsTrial& other) {
    for (int turn = 0; turn < 3; ++turn)
      for (CmrsTrial* const trial : {&best, &other}) {
        CmrsTrial again = *trial;
        time(again, longer());
        if (turn == 0 || again.ms() < trial->ms()) *trial = again;
      }
    if (other.ms() < best.ms()) best = other;
  }

  const std::vector<CmrsTrial>& variants() const { return variants_; }
  const CmrsTrial* find(const CmrsChoice& choice) const {
    for (const CmrsTrial& v : variants_)
      if (v.height == choice.height && v.reorder == choice.reorder &&
          (space_ == SpaceKind::cpu || same(v.launch, choice.launch)))
        return &v;
    return nullptr;
  }
  // Of our kernel, of the paper's, or of both; null where there is none.
  const CmrsTrial* fastest(std::optional<bool> ours = {}) const {
    const CmrsTrial* best = nullptr;
    for (const CmrsTrial& v : variants_)
      if ((!ours || *ours == v.ours()) && (best == nullptr || v.ms() < best->ms())) best = &v;
    return best;
  }
  const CmrsTrial& slowest() const {
    return *std::max_element(variants_.begin(), variants_.end(),
                             [](const CmrsTrial& a, const CmrsTrial& b) { return a.ms() < b.ms(); });
  }
  const SpmvOperator<T>& use(const CmrsTrial& variant) const {
    const CmrsVariants<T>& conversion = conversions_.at({variant.height, variant.reorder});
    conversion.set_launch(variant.launch);
    return *conversion.op;
  }

 private:
  void add(CmrsTrial variant) {
    formats_.check(use(variant), record_);
    variants_.push_back(variant);
    time(variants_.back(), first_look);
  }

  void time(CmrsTrial& variant, const Repetitions& repetitions) {
    variant.timing = time_products(use(variant), here_.product, vectors_.x, vectors_.y, repetitions);
  }

  // The paper's texture cache was always the best; here the paths are compared where it matters, on the fastest.
  void try_cache_paths() {
    for (const CachePath cache : {CachePath::l1, CachePath::l2}) {
      CmrsTrial variant = *fastest(false);
      variant.launch.cache = cache;
      add(variant);
      time(variants_.back(), longer());
    }
  }

  Repetitions longer() const {
    Repetitions repetitions = formats_.repetitions(space_);
    repetitions.enough_s = std::min(repetitions.enough_s, enough_s);
    return repetitions;
  }

  static constexpr double contender = 1.3;  // times the fastest of its kernel: measured again, longer
  static constexpr double enough_s = 0.1;   // for the products of one variant
  static constexpr Repetitions first_look{.most = 5, .least = 3, .enough_s = 0.01, .warm_up_ms = 0};

  FormatRun<T>& formats_;
  const SpaceKind space_;
  const Options& here_;
  Record& record_;
  ProductVectors<T> vectors_;
  std::map<std::pair<int, bool>, CmrsVariants<T>> conversions_;
  std::vector<CmrsTrial> variants_;
};

}  // namespace quadrille
