// The format for an operator: predicted, measured among the best few, or remembered from an earlier
// measurement.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/registry.hpp"
#include "kernels/tuning/choice_cache.hpp"
#include "kernels/tuning/machine_model.hpp"
#include "kernels/tuning/predict.hpp"

namespace quadrille {

struct ChoiceWishes {
  FormatOptions format_options;
  Product product;
  std::optional<SpaceKind>
      space;       // nothing: the GPU where there is one and a format holds the operator there
  int device = 0;  // the GPU, which is the current one
  // This CPU, where its stream is not worth measuring.
  std::optional<MachineModel> cpu = {};
  bool measure =
      false;  // the best few, each checked, unless an earlier measurement of this structure is remembered
  bool values_change = false;  // so that no format is taken that follows them
  bool again = false;          // measure, and forget what is remembered
  int most_measured = 4;
  double within = 1.6;                                       // of the best prediction: what is measured
  std::string cache_folder = ChoiceCache::default_folder();  // "" remembers nothing
  std::string version = library_version();                   // results of other versions do not count

  static std::string library_version();
};

struct MeasuredFormat {
  std::string format;
  double set_up_ms = 0;  // conversion, plan and copy, once
  // Of a product among others that are queued, as in a solver: the median over the rounds. Of a number of
  // products (FormatOptions::products) with its part of the set-up.
  double ms = 0;
  std::string refused;  // why there is no time: a sentence
};

enum class ChoiceBasis { predicted, measured, remembered };

struct FormatChoice {
  // Never empty; the best first. Those behind it are for where making it fails for want of memory.
  std::vector<const FormatEntry*> entries;
  ChoiceBasis basis = ChoiceBasis::predicted;
  double ms = 0;     // of the first, as the basis says, with its part of the set-up
  int products = 0;  // that it is for; 0: many
  Sparsity sparsity;
  MachineModel machine;                  // that the first runs on
  std::vector<Prediction> predictions;   // for that machine, the fastest first
  std::vector<MeasuredFormat> measured;  // the fastest first, then those without a time
  std::int64_t remembered_when_s = 0;    // seconds since 1970
  std::vector<std::string> notes;        // for people: what is wrong with the cache, ...

  const FormatEntry& best() const { return *entries.front(); }
};

// What is wrong with y = the product of the x of choice_input(), over its bound: <= 1 passes. One vector
// after the other.
template <class T>
using ProductCheckFunction = std::function<double(const T* y)>;

// Measured products are compared, row by row, with CSR's in double (with 4096 rows of the hub's where there
// is no CSR), by the bound of petsc::Reference, or by `check` where it is given; where neither is possible
// nothing is measured, and a note says so. `structure` is that of an operator that is assembled in GPU memory
// alone. Throws FormatError where no format holds the operator. With FormatOptions::products the times are
// those of a product and its part of what comes before the first one. T is float or double.
template <class T>
FormatChoice choose_format(const FormatInput<T>& source, const ChoiceWishes& wishes,
                           const BlockStructure* structure = nullptr, const std::vector<T>* x = nullptr,
                           const ProductCheckFunction<T>& check = {});

// Whether every format of the choice, which had no CSR to be made from, takes more bytes than CSR would.
bool csr_is_smaller(const FormatChoice& choice);
std::int64_t csr_bytes_of(const FormatChoice& choice);

// One line: "auto: cds on cuda, predicted 0.27 ms on NVIDIA H200, next dia 0.29 ms", or "auto: csr on cuda
// for 3 products, ...".
std::string explain(const FormatChoice& choice);

}  // namespace quadrille
