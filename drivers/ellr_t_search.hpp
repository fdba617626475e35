// Every T and block size of ELLR-T on one operator, timed, by our kernel or by the paper's: what `quadrille
// bench ellr-t` searches.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "drivers/ellr_t_tables.hpp"
#include "drivers/support/format_run.hpp"
#include "drivers/support/x_cache_times.hpp"
#include "formats/ellr_t.hpp"
#include "kernels/tuning/ellr_t_model.hpp"
#include "kernels/tuning/variants.hpp"

namespace quadrille {

// One conversion for each T, as ellr_t_threads; the larger ones that pad too much are left out.
template <class T>
using EllrTConversions = std::vector<Variants<T>>;

// Throws FormatError where T = 1 does, and MemoryError.
template <class T>
EllrTConversions<T> ellr_t_conversions(SpaceKind space, const Csr<T>& csr) {
  EllrTConversions<T> conversions;
  for (const int threads : ellr_t_threads) {
    try {
      conversions.push_back(ellr_t_variants(space, csr, threads));
    } catch (const FormatError&) {  // a row is padded to a multiple of T
      if (conversions.empty()) throw;
      break;
    }
  }
  return conversions;
}

template <class T>
class EllrTSearch {
 public:
  // Checks every variant. References must outlive it. The paper's kernel is the GPU's alone.
  EllrTSearch(FormatRun<T>& formats, SpaceKind space, const EllrTConversions<T>& conversions,
              const ProductVectors<T>& vectors, Kernel kernel, Record& record)
      : formats_(formats),
        conversions_(conversions),
        vectors_(vectors),
        product_(formats.options().product),
        kernel_(kernel),
        record_(record),
        space_(space),
        all_(formats.repetitions(space_)) {
    for (std::size_t t = 0; t < conversions.size(); ++t)
      for (const int block : blocks()) trials_.push_back({{ellr_t_threads[t], block}, {}, 0});
    for (const EllrTTrial& trial : trials_) formats_.check(*use(trial), record_);
  }

  // Products of every variant in turns, `rounds` times a third of the repetitions, so that what drifts meets
  // every one of them.
  void run(int rounds) {
    Repetitions part = part_of(all_);
    for (int round = 0; round < rounds; ++round)
      for (EllrTTrial& trial : trials_) {
        time(trial, part);
        part.warm_up_ms = 0;
      }
  }

  // The fastest few, the slowest and `also` once more, three times as often as there are repetitions: their
  // times become these, for of 30 medians the least is too small by chance.
  void compare(const std::vector<EllrTChoice>& also) {
    std::vector<EllrTTrial*> finalists;
    for (EllrTTrial& trial : trials_) finalists.push_back(&trial);
    std::sort(finalists.begin(), finalists.end(), less);
    compared_ = {finalists.back()};
    finalists.resize(std::min<std::size_t>(finalists.size(), fastest_few));
    const auto add = [&](EllrTTrial* trial) {
      if (std::find(compared_.begin(), compared_.end(), trial) == compared_.end()) compared_.push_back(trial);
    };
    for (EllrTTrial* trial : finalists) add(trial);
    for (const EllrTChoice& choice : also) add(&of(choice));
    for (EllrTTrial* trial : compared_) trial->times_ms.clear();
    Repetitions part = part_of(all_);
    part.warm_up_ms = 0;
    for (int round = 0; round < finals * parts; ++round)
      for (EllrTTrial* trial : compared_) time(*trial, part);
  }

  // The fastest by each way to read x, of the paper's kernel, in turns.
  XCacheTimes cache_paths() {
    const EllrTTrial& best = fastest();
    XCacheTimes medians;
    std::map<CachePath, std::vector<double>> times;
    for (int round = 0; round < parts; ++round)
      for (const CachePath path : quadrille::cache_paths) {
        const auto op = use(best, path);
        if (round == 0) formats_.check(*op, record_);
        const std::vector<double> ms = product_times(*op, product_, vectors_.x, vectors_.y, part_of(all_));
        times[path].insert(times[path].end(), ms.begin(), ms.end());
      }
    for (const auto& [path, ms] : times) medians[path] = timing_of(ms).median_ms;
    return medians;
  }

  // On the CPU any block will do; of a T that is left out, the next smaller one.
  EllrTTrial& of(EllrTChoice choice) {
    choice.threads = std::min(choice.threads, trials_.back().choice.threads);
    return *std::find_if(trials_.begin(), trials_.end(), [&](const EllrTTrial& trial) {
      return trial.choice.threads == choice.threads &&
             (space_ == SpaceKind::cpu || trial.choice.block == choice.block);
    });
  }
  // Of those that were compared.
  const EllrTTrial& fastest() const { return **std::min_element(compared_.begin(), compared_.end(), less); }
  const EllrTTrial& slowest() const { return **std::max_element(compared_.begin(), compared_.end(), less); }
  const std::vector<EllrTTrial>& trials() const { return trials_; }
  std::shared_ptr<const SpmvOperator<T>> use(const EllrTTrial& trial,
                                             CachePath path = CachePath::read_only) const {
    const auto at = std::find(ellr_t_threads.begin(), ellr_t_threads.end(), trial.choice.threads);
    return conversions_[static_cast<std::size_t>(at - ellr_t_threads.begin())](
        {.kernel = kernel_, .block = trial.choice.block, .cache = path});
  }

 private:
  static constexpr int parts = 3;   // of the repetitions
  static constexpr int finals = 3;  // times as many products of the variants that are compared in the end
  static constexpr std::size_t fastest_few = 3;  // of these

  std::vector<int> blocks() const {
    if (space_ == SpaceKind::cpu) return {EllrTTrial::blocks_on_cpu};
    return {ellr_t_blocks.begin(), ellr_t_blocks.end()};
  }
  static Repetitions part_of(Repetitions all) {
    all.most = std::max(1, all.most / parts);
    all.least = std::max(1, all.least / parts);
    all.enough_s /= parts;
    return all;
  }
  static bool less(const EllrTTrial* a, const EllrTTrial* b) { return a->ms < b->ms; }

  void time(EllrTTrial& trial, const Repetitions& part) {
    const std::vector<double> ms = product_times(*use(trial), product_, vectors_.x, vectors_.y, part);
    trial.times_ms.insert(trial.times_ms.end(), ms.begin(), ms.end());
    trial.ms = timing_of(trial.times_ms).median_ms;
  }

  FormatRun<T>& formats_;
  const EllrTConversions<T>& conversions_;
  const ProductVectors<T>& vectors_;
  const Product& product_;
  const Kernel kernel_;
  Record& record_;
  const SpaceKind space_;
  const Repetitions all_;
  std::vector<EllrTTrial> trials_;
  std::vector<EllrTTrial*> compared_;  // of trials_
};

}  // namespace quadrille
