// The operators of an experiment, one after the other: the matrices, then every grid with every number of
// unknowns per node, and all of them in each precision. An operator that is refused or too large gets a
// record that says so.
//
//     OperatorSweep sweep(options, "ellr-t");
// FormatRun<double> or FormatRun<float>, and its options.
//     sweep([&](auto& formats, const Options& here) {
//       for (...) sweep.add(formats.measure(entry, parameters));
//     });
//     return sweep.result();
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "drivers/support/bench_result.hpp"
#include "drivers/support/format_run.hpp"
#include "drivers/support/measure.hpp"
#include "drivers/support/options.hpp"
#include "drivers/support/progress.hpp"

namespace quadrille {

class OperatorSweep {
 public:
  // `options` must outlive it. The experiment is what `bench` says in the records.
  OperatorSweep(const Options& options, std::string experiment);

  // Calls visit(formats, here) for each operator that --format names a format for, and refuse(here, reason)
  // where it cannot be loaded, or where visit ends with a FormatError, MemoryError or InputError. Needs a
  // petsc::Session.
  template <class Visit, class Refuse>
  void operator()(const Visit& visit, const Refuse& refuse) {
    for (const Precision precision : options_.precisions)
      for (std::size_t i = 0; i < operators(); ++i) {
        const Options here = point(i, precision);
        if (bench_entries(here).empty()) continue;  // PETSc's alone, in fp32
        const std::string reason =
            precision == Precision::fp64 ? run<double>(here, visit) : run<float>(here, visit);
        if (!reason.empty()) refuse(here, reason);
      }
    progress_.say("");
  }
  // The same with one record, of format "all", for each operator that is refused.
  template <class Visit>
  void operator()(const Visit& visit) {
    (*this)(visit, [this](const Options& here, const std::string& reason) { add_refusal(here, reason); });
  }

  void add(Record record);
  // A record for every format that is named.
  template <class T>
  void add_all_formats(FormatRun<T>& formats, const Options& here) {
    for (const FormatEntry* entry : bench_entries(here)) {
      say(entry->name + " on " + to_string(entry->space));
      add(formats.measure(*entry));
    }
  }
  void add_refusal(const Options& here, const std::string& reason);

  // What is being done with the present operator; "" clears the line, before something is printed.
  void say(const std::string& text) const { progress_.say(text); }

  std::size_t operators() const;            // in one precision
  std::vector<std::string> labels() const;  // of them, as matrix_label()
  const std::vector<Record>& records() const { return result_.records; }
  // Everything added, once the sweep is over.
  BenchResult result();

 private:
  Options point(std::size_t i, Precision precision) const;
  void set_place(const Options& here);
  // Why the exception that is being handled left the operator out; others than those above are thrown again.
  std::string reason_of_current(const Options& here);

  // "" when all went well.
  template <class T, class Visit>
  std::string run(const Options& here, const Visit& visit) {
    set_place(here);
    try {
      FormatRun<T> formats(here, ceilings_, progress_, cpu_enough_s);
      visit(formats, here);
      return "";
    } catch (...) {
      return reason_of_current(here);
    }
  }

  static constexpr double cpu_enough_s = 2;  // for the products of one line on the CPU

  const Options& options_;
  const std::string experiment_;
  Progress progress_;
  Ceilings ceilings_;
  std::size_t place_ = 0;  // operators begun
  BenchResult result_;
};

}  // namespace quadrille
