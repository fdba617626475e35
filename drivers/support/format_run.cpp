#include "drivers/support/format_run.hpp"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <limits>
#include <new>
#include <optional>

#include "drivers/support/threads.hpp"
#include "grid/error.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/host_apply.hpp"
#include "kernels/petsc/aij/all_products.hpp"

namespace quadrille {
namespace {

// The peer on the CPU runs beside the formats of any space.
bool wanted(const Options& options, const FormatEntry& entry) {
  const bool here = options.space == "auto" || options.space == to_string(entry.space) ||
                    (entry.peer && entry.space == SpaceKind::cpu);
  const bool offered = options.precision == Precision::fp64 ? bool(entry.make_fp64) : bool(entry.make_fp32);
  return is_named(options, entry) && here && offered &&
         (entry.space == SpaceKind::cpu || cuda::device_count() > 0);
}

// What PETSc's product runs on: its own parallelism is MPI.
int threads_of(bool peer) {
  return peer ? 1 : omp_get_max_threads();
}

}  // namespace

void use_machine(const Options& options, int device) {
  set_threads(options);
  if (options.space == "cuda" || (options.space == "auto" && cuda::device_count() > 0))
    cuda::use_device(device);
}

std::vector<const FormatEntry*> wanted_entries(const Options& options) {
  std::vector<const FormatEntry*> entries;
  for (const FormatEntry& entry : petsc::all_products())
    if (wanted(options, entry)) entries.push_back(&entry);
  return entries;
}

std::vector<const FormatEntry*> bench_entries(const Options& options) {
  std::vector<const FormatEntry*> entries = wanted_entries(options);
  const auto on_gpu = [](const FormatEntry* entry) {
    return !entry->peer && entry->space == SpaceKind::cuda;
  };
  if (options.space == "auto" && std::any_of(entries.begin(), entries.end(), on_gpu))
    std::erase_if(entries,
                  [](const FormatEntry* entry) { return !entry->peer && entry->space == SpaceKind::cpu; });
  const auto place = [&](const FormatEntry* entry) {
    return std::find(options.formats.begin(), options.formats.end(), entry->name);  // all: none is found
  };
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const FormatEntry* a, const FormatEntry* b) { return place(a) < place(b); });
  return entries;
}

template <class T>
FormatRun<T>::FormatRun(const Options& options, Ceilings& ceilings, const Progress& progress,
                        double cpu_enough_s)
    : options_(options), ceilings_(ceilings), progress_(progress), cpu_enough_s_(cpu_enough_s) {
  progress_.say("assembling");
  operator_ = load_operator<T>(options_);
  make_reference();
}

template <class T>
FormatRun<T>::FormatRun(const FormatRun& other, const Options& options)
    : options_(options),
      ceilings_(other.ceilings_),
      progress_(other.progress_),
      cpu_enough_s_(other.cpu_enough_s_),
      operator_(other.operator_) {
  make_reference();
}

template <class T>
void FormatRun<T>::make_reference() {
  const ProductSize size = vector_size(options_.product, operator_.rows, operator_.columns);
  memory::require_host(options_.product.vectors * (size.x + size.y) *
                       static_cast<std::int64_t>(2 * sizeof(T) + 24));
  x_ = input_vectors<T>(options_, size.x, options_.product.vectors);
  progress_.say("PETSc's reference");
  reference_ = std::make_unique<ProductCheck<T>>(options_, operator_, x_);
}

template <class T>
Record FormatRun<T>::record(const FormatEntry& entry) const {
  Record record = record_of(options_, operator_, entry);
  const int threads = threads_of(entry.peer);
  if (entry.space == SpaceKind::cpu)
    record.device += threads == 1 ? ", 1 thread" : ", " + std::to_string(threads) + " threads";
  return record;
}

template <class T>
void FormatRun<T>::guarded(Record& record, const std::function<void()>& work) const {
  try {
    work();
  } catch (const FormatError& error) {
    record.skipped = error.what();
  } catch (const MemoryError& error) {
    record.skipped = record.format + ": " + error.what();
  } catch (const std::bad_alloc&) {
    record.skipped = record.format + ": not enough memory";
  } catch (const CudaError& error) {
    if (options_.space == "cuda") throw;
    record.skipped = record.format + ": " + error.what();
  }
}

template <class T>
Record FormatRun<T>::measure(const FormatEntry& entry, const FormatOptions& format_options) {
  return measure(entry, format_options, [](SpmvOperator<T>&, Record&) {});
}

template <class T>
Record FormatRun<T>::measure(const FormatEntry& entry, const FormatOptions& format_options,
                             const Look& look) {
  Record result = record(entry);
  guarded(result, [&] {
    const double uploaded = memory::upload_seconds();
    const auto start = std::chrono::steady_clock::now();
    const auto op = entry.make<T>()(operator_.source, format_options);
    const double ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    result.upload_ms = 1e3 * (memory::upload_seconds() - uploaded);
    result.convert_ms = ms - result.upload_ms;
    check(*op, result);
    report(*op, time(*op), result);
    look(*op, result);
  });
  return result;
}

template <class T>
void FormatRun<T>::check(const SpmvOperator<T>& op, Record& record) {
  const Product& product = options_.product;
  const ProductSize size = vector_size(product, op.rows(), op.columns());
  std::vector<T> y(static_cast<std::size_t>(size.y * product.vectors), std::numeric_limits<T>::quiet_NaN());
  if (product.transposed)
    host_apply_transpose(op, x_, y);
  else if (product.vectors > 1)
    host_apply_multiple(op, x_, y, product.vectors);
  else
    host_apply(op, x_, y);
  const CheckResult check = reference_->compare(y.data(), op.value_error());
  record.checked = true;
  record.rows_checked = reference_->rows_checked();
  const std::optional<double> before = record.error_over_bound;
  if (!before || (!std::isnan(*before) && !(check.error_over_bound <= *before)))
    record.error_over_bound = check.error_over_bound;
  if (!(check.error_over_bound <= 1)) {
    any_failed_ = true;
    progress_.say("");
    std::cerr << "quadrille: " << record.format << " on " << record.space << " is wrong in row "
              << check.worst_row << ": " << check.y << ", but PETSc says " << check.y_ref << "\n";
  } else if (!any_passed_) {
    result_ = std::move(y);
    any_passed_ = true;
  }
}

template <class T>
Repetitions FormatRun<T>::repetitions(SpaceKind space) const {
  Repetitions repetitions{.most = options_.repetitions};
  if (space == SpaceKind::cpu) repetitions.enough_s = cpu_enough_s_;
  return repetitions;
}

template <class T>
Timing FormatRun<T>::time(const SpmvOperator<T>& op) const {
  const std::int64_t outputs =
      options_.product.vectors * vector_size(options_.product, op.rows(), op.columns()).y;
  const ProductVectors<T> vectors(op.space(), x_, outputs);
  return time_products(op, options_.product, vectors.x, vectors.y, repetitions(op.space()));
}

template <class T>
void FormatRun<T>::report(const SpmvOperator<T>& op, const Timing& timing, Record& record) {
  const int vectors = options_.product.vectors;
  const bool peer =
      std::any_of(petsc::all_products().begin(), petsc::all_products().end(), [&](const FormatEntry& entry) {
        return entry.peer && entry.name == record.format && entry.space == op.space();
      });
  const int threads = threads_of(peer);
  const Traffic traffic = traffic_of(op, options_.product);
  record.stored_bytes = traffic.stored_bytes;
  record.compulsory_bytes = traffic.compulsory_bytes();
  record.ms_median = timing.median_ms;
  record.ms_min = timing.min_ms;
  record.ms_max = timing.max_ms;
  record.repetitions = timing.repetitions;
  record.gflops = 2e-6 * vectors * static_cast<double>(record.nnz) / timing.median_ms;
  record.gbps = 1e-6 * static_cast<double>(record.compulsory_bytes) / timing.median_ms;
  record.ceiling_gbps = ceilings_.gbps(op.space(), traffic, threads);
  // Something else had slowed the stream down.
  for (int i = 0; i < 3 && record.gbps > record.ceiling_gbps; ++i)
    record.ceiling_gbps = ceilings_.again(op.space(), traffic, threads);
  record.fraction_of_floor = record.ceiling_gbps > 0 ? record.gbps / record.ceiling_gbps : 0;
  if (op.value_error() > 0) {
    record.extra.push_back(
        extra_field("value_precision", std::string(to_string(options_.format_options.value_precision))));
    record.extra.push_back(extra_field("value_error", op.value_error()));
  }
  record.in_cache = record.compulsory_bytes <= last_cache_bytes(op.space(), options_.device);
}

template class FormatRun<float>;
template class FormatRun<double>;

}  // namespace quadrille
