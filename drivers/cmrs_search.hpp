// Every height, order and kernel of CMRS on one operator, timed: what `quadrille bench cmrs` searches.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "drivers/support/format_run.hpp"
#include "kernels/tuning/cmrs_rule.hpp"
#include "kernels/tuning/variants.hpp"

namespace quadrille {

inline constexpr int cmrs_heights[] = {1, 2, 4, 8, 16};
inline constexpr int cmrs_blocks[] = {64, 128, 256};
inline constexpr int cmrs_paper_blocks[] = {64, 128, 192, 256, 320, 384, 448, 512};

// What is compared with each other: our kernel and the paper's, on strips of one row, which are CSR (the
// paper's is then its vector kernel), and on strips of 2 rows and more, which are what the paper calls CMRS.
enum class CmrsGroup { rows, strips, paper_rows, paper_strips };
inline constexpr CmrsGroup cmrs_groups[] = {CmrsGroup::rows, CmrsGroup::strips, CmrsGroup::paper_rows,
                                            CmrsGroup::paper_strips};

struct CmrsTrial {
  int height = 1;
  bool reorder = false;
  Launch launch;
  Timing timing;

  double ms() const { return timing.median_ms; }
  bool ours() const { return launch.kernel == Kernel::ours; }
  CmrsGroup group() const {
    if (ours()) return height == 1 ? CmrsGroup::rows : CmrsGroup::strips;
    return height == 1 ? CmrsGroup::paper_rows : CmrsGroup::paper_strips;
  }
};

inline bool same(const Launch& a, const Launch& b) {
  return a.kernel == b.kernel && cmrs_block(a) == cmrs_block(b) &&
         (a.kernel == Kernel::ours || (a.aligned == b.aligned && a.cache == b.cache && a.split == b.split));
}

// What is tried of one conversion. Not tried: orders of height 1, whose rows are sorted in any case; and the
// ways through the caches but for the fastest variant, see CmrsSearch::try_caches().
inline std::vector<Launch> cmrs_launches(SpaceKind space) {
  if (space == SpaceKind::cpu) return {{}};
  std::vector<Launch> all;
  for (const int block : cmrs_blocks) all.push_back({.block = block});
  for (const int block : cmrs_paper_blocks)
    for (const bool aligned : {false, true})
      all.push_back({.kernel = Kernel::paper, .block = block, .aligned = aligned});
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
          for (const Launch& launch : cmrs_launches(space))
            variants_.push_back({height, reorder, launch, {}});
        }
    for (const CmrsTrial& variant : variants_) formats.check(*use(variant), record);
    for (CmrsTrial& variant : variants_) time(variant, first_look);  // the GPU stays at work
  }

  // Longer products of what may be the fastest, and of `chosen`, which may be new.
  void refine(const CmrsChoice& chosen) {
    if (conversions_.find({chosen.height, chosen.reorder}) == conversions_.end())
      conversions_[{chosen.height, chosen.reorder}] =
          cmrs_variants(space_, *csr_of(formats_.loaded().source), chosen.height, chosen.reorder);
    if (find(chosen) == nullptr) add({chosen.height, chosen.reorder, chosen.launch, {}});
    std::map<CmrsGroup, double> limits;
    for (const CmrsGroup group : cmrs_groups)
      if (const CmrsTrial* const best = fastest(group)) limits[group] = contender * best->ms();
    for (CmrsTrial& variant : variants_)
      if (variant.ms() <= limits.at(variant.group()) || &variant == find(chosen)) time(variant, longer());
    if (space_ == SpaceKind::cuda) try_caches();
  }

  // Both once more, in turns, the median of the faster turn: of many variants the fastest was also a lucky
  // one, and a GPU has slow moments. If the first turns out slower than the second, it is the second from now
  // on.
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
  // Of all or of one group; null where that has none.
  const CmrsTrial* fastest(std::optional<CmrsGroup> group = {}) const {
    const CmrsTrial* best = nullptr;
    for (const CmrsTrial& v : variants_)
      if ((!group || *group == v.group()) && (best == nullptr || v.ms() < best->ms())) best = &v;
    return best;
  }
  const CmrsTrial& slowest() const {
    return *std::max_element(variants_.begin(), variants_.end(),
                             [](const CmrsTrial& a, const CmrsTrial& b) { return a.ms() < b.ms(); });
  }
  std::shared_ptr<const SpmvOperator<T>> use(const CmrsTrial& variant) const {
    return conversions_.at({variant.height, variant.reorder})(variant.launch);
  }

 private:
  void add(CmrsTrial variant) {
    formats_.check(*use(variant), record_);
    variants_.push_back(variant);
    time(variants_.back(), first_look);
  }

  void time(CmrsTrial& variant, const Repetitions& repetitions) {
    variant.timing = time_products(*use(variant), here_.product, vectors_.x, vectors_.y, repetitions);
  }

  // The paper's texture cache was always the best, and L1 mostly got the larger part; here they are compared
  // where it matters, on the fastest.
  void try_caches() {
    for (const CachePath cache : {CachePath::l1, CachePath::l2}) {
      CmrsTrial variant = *fastest(CmrsGroup::paper_strips);
      variant.launch.cache = cache;
      add(variant);
      time(variants_.back(), longer());
    }
    for (const MemorySplit split : {MemorySplit::l1, MemorySplit::shared}) {
      CmrsTrial variant = *fastest(CmrsGroup::paper_strips);
      variant.launch.split = split;
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
  std::map<std::pair<int, bool>, Variants<T>> conversions_;
  std::vector<CmrsTrial> variants_;
};

}  // namespace quadrille
