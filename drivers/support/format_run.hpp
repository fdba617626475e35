// One operator and every format of it: load, reference, convert, check, time.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "drivers/support/measure.hpp"
#include "drivers/support/operator_source.hpp"
#include "drivers/support/options.hpp"
#include "drivers/support/product_check.hpp"
#include "drivers/support/progress.hpp"
#include "drivers/support/report.hpp"
#include "kernels/registry.hpp"

namespace quadrille {

// Makes the GPU of the options the current one, where a run with them can use one, and sets the number of CPU
// threads. Throws CudaError when --space cuda asks for a GPU that is not there. Of several ranks each may
// have a `device` of its own.
void use_machine(const Options& options, int device);
inline void use_machine(const Options& options) {
  use_machine(options, options.device);
}

// The entries of registry() that the options name and that can run here.
std::vector<const FormatEntry*> wanted_entries(const Options& options);
// The same for experiments: with --space auto the GPU's formats where there is a GPU, else the CPU's, and the
// peers; in the order of --format.
std::vector<const FormatEntry*> bench_entries(const Options& options);

// The results of the formats of one operator. `options`, `ceilings` and `progress` must outlive it; several
// operators of one run share the ceilings. Needs a petsc::Session. T is float or double.
template <class T>
class FormatRun {
 public:
  // Loads the operator, makes x, and y = A x by PETSc. Throws as load_operator does. Lines of the CPU may
  // stop before --repetitions, once `cpu_enough_s` seconds are spent.
  FormatRun(const Options& options, Ceilings& ceilings, const Progress& progress,
            double cpu_enough_s = std::numeric_limits<double>::infinity());

  // Another product of the operator that `other` loaded. `options` must outlive it as well.
  FormatRun(const FormatRun& other, const Options& options);

  const Options& options() const { return options_; }
  const OperatorSource<T>& loaded() const { return operator_; }
  const ProductCheck<T>& reference() const { return *reference_; }
  const std::vector<T>& x() const { return x_; }

  // Converts, checks and times one format, with the parameters of the options or with others. What the format
  // cannot do is a sentence in its record; only a CudaError under --space cuda is thrown. A wrong product is
  // said on standard error.
  Record measure(const FormatEntry& entry) { return measure(entry, options_.format_options); }
  Record measure(const FormatEntry& entry, const FormatOptions& format_options);
  // The same, and then look(operator, record) for what is to be measured besides; not where the format
  // refused.
  using Look = std::function<void(SpmvOperator<T>&, Record&)>;
  Record measure(const FormatEntry& entry, const FormatOptions& format_options, const Look& look);

  // The steps of measure(), for experiments that make their operators themselves.
  // What the records of an entry have in common, without results.
  Record record(const FormatEntry& entry) const;
  // Runs `work`, and puts what it cannot do into the record, as measure() does.
  void guarded(Record& record, const std::function<void()>& work) const;
  // Checks a product. Of several operators the record keeps the largest error.
  void check(const SpmvOperator<T>& op, Record& record);
  // How often products are timed.
  Repetitions repetitions(SpaceKind space) const;
  // Puts a timing of this operator into the record, with all that follows from it.
  void report(const SpmvOperator<T>& op, const Timing& timing, Record& record);

  // y of the first format that passed its check; empty when none has so far.
  const std::vector<T>& result() const { return result_; }
  bool any_passed() const { return any_passed_; }
  bool any_failed() const { return any_failed_; }

 private:
  void make_reference();
  Timing time(const SpmvOperator<T>& op) const;

  const Options& options_;
  Ceilings& ceilings_;
  const Progress& progress_;
  double cpu_enough_s_;
  OperatorSource<T> operator_;
  std::vector<T> x_, result_;
  std::unique_ptr<ProductCheck<T>> reference_;
  bool any_passed_ = false, any_failed_ = false;
};

}  // namespace quadrille
