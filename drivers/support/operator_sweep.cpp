#include "drivers/support/operator_sweep.hpp"

#include <new>

#include "drivers/support/operator_source.hpp"
#include "drivers/support/options_matrices.hpp"
#include "formats/format.hpp"
#include "grid/error.hpp"
#include "kernels/cuda/device.hpp"

namespace quadrille {

OperatorSweep::OperatorSweep(const Options& options, std::string experiment)
    : options_(options), experiment_(std::move(experiment)), progress_(options), ceilings_(options.device) {}

std::size_t OperatorSweep::operators() const {
  return options_.matrices.size() + options_.problems.size() * options_.dofs.size();
}

std::vector<std::string> OperatorSweep::labels() const {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < operators(); ++i) labels.push_back(matrix_label(point(i, options_.precision)));
  return labels;
}

Options OperatorSweep::point(std::size_t i, Precision precision) const {
  Options here = options_;
  here.precision = precision;
  if (i < options_.matrices.size()) {
    here.matrix = options_.matrices[i];
    here.operator_name.clear();
    here.stencil.clear();
    if (here.format_options.block_size == 0) here.format_options.block_size = usual_block_size(here.matrix);
    return here;
  }
  const std::size_t at = i - options_.matrices.size();
  const Problem& problem = options_.problems[at / options_.dofs.size()];
  here.grid = problem.grid;
  here.grid.dof = options_.dofs[at % options_.dofs.size()];
  here.points = problem.points;
  here.boundary = problem.boundary;
  here.format_options.block_size = here.grid.dof;
  return here;
}

void OperatorSweep::set_place(const Options& here) {
  progress_.set_place(std::to_string(++place_) + "/" +
                      std::to_string(options_.precisions.size() * operators()) + " " + matrix_label(here) +
                      (here.precision == Precision::fp64 ? ", fp64: " : ", fp32: "));
}

std::string OperatorSweep::reason_of_current(const Options& here) {
  try {
    throw;
  } catch (const FormatError& error) {
    return error.what();
  } catch (const MemoryError& error) {
    result_.out_of_memory = true;
    return error.what();
  } catch (const std::bad_alloc&) {
    result_.out_of_memory = true;
    return "not enough memory for the operator";
  } catch (const InputError& error) {
    if (!here.matrix.empty()) result_.bad_input.push_back(error.what());  // a grid may not fit the operator
    return error.what();
  }
}

void OperatorSweep::add(Record record) {
  record.bench = experiment_;
  result_.records.push_back(std::move(record));
}

void OperatorSweep::add_refusal(const Options& here, const std::string& reason) {
  const bool on_gpu = options_.space == "cuda" || (options_.space == "auto" && cuda::device_count() > 0);
  Record record = record_of(here, "all", on_gpu ? SpaceKind::cuda : SpaceKind::cpu);
  record.skipped = reason;
  add(std::move(record));
}

BenchResult OperatorSweep::result() {
  result_.ceilings = ceilings_.all();
  return std::move(result_);
}

}  // namespace quadrille
