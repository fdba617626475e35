#include "kernels/tuning/predict.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/tuning/set_up_time.hpp"

namespace quadrille {
namespace {

constexpr double sector = 32;    // bytes
constexpr double sharpness = 3;  // of the larger of work and chain: the norm that combines them

// Sectors of x past the first-level cache, beyond reading x once.
double gathered(const Sparsity& s) {
  const double read = static_cast<double>(s.nnz) * s.x.of_block * sector;
  return std::max(0.0, read - static_cast<double>(s.columns * s.value_bytes));
}

// Whose A x works as this product does.
const FormatTraits& as_plain(const FormatTraits& format, bool transposed) {
  return transposed ? find_format(format.transposes_like) : format;
}

// The set-up of a prediction whose product is known, and its part of each product.
void add_set_up(const Sparsity& s, const MachineModel& machine, const FormatOptions& options,
                const Product& product, Prediction& p) {
  const FormatTraits& format = find_format(p.format);
  const SetUpWork work =
      set_up_work(format, s, p.traffic, options.products, product.transposed, machine.space);
  p.set_up_ms = set_up_ms(work, machine);
  if (options.products == 0) return;
  if (gathers_segments(format, product.transposed) && machine.space == SpaceKind::cuda && !work.planned)
    p.ms += product.vectors * without_plan_ms(product.transposed ? s.longest_column : s.lengths.longest);
  p.ms += p.set_up_ms / options.products;
}

}  // namespace

ProductWork product_work(const FormatTraits& format, const Sparsity& s, const Product& product,
                         const Traffic& traffic, SpaceKind space) {
  const FormatTraits& plain = as_plain(format, product.transposed);
  ProductWork work;
  const double vectors = static_cast<double>((s.rows + s.columns) * s.value_bytes);
  work.streamed_bytes = static_cast<double>(traffic.compulsory_bytes());
  if (space == SpaceKind::cpu) {
    work.entries = plain.cpu_entries(s);
  } else {
    const GpuWork shape = plain.gpu_work(s, traffic);
    if (shape.instead_of_compulsory > 0) work.streamed_bytes = shape.instead_of_compulsory + vectors;
    work.gathered_bytes = shape.gathers ? gathered(s) : 0;
    work.entries = shape.entries;
    work.steps = shape.steps;
    work.atomics = plain.gpu_adds_atomically ? static_cast<double>(s.nnz) : 0;
  }
  if (product.vectors > 1) {  // one after the other, or some at once
    const double count = product.vectors;
    const int at_once = format.vectors_at_once != nullptr ? format.vectors_at_once(s, space) : 1;
    const double passes = std::ceil(count / at_once);
    work.launches = passes;
    work.streamed_bytes = passes * (work.streamed_bytes - vectors) + count * vectors;
    work.gathered_bytes *= count;
    work.entries *= count;
    work.steps *= passes;
    work.atomics *= count;
  }
  work.working_set_bytes = work.streamed_bytes;
  return work;
}

double product_ms(const ProductWork& work, const FormatConstants& c, const MachineModel& m) {
  // All of a working set of three quarters of the cache stays in it, none of one twice as large as the cache.
  const double cache = static_cast<double>(m.cache_bytes);
  const double outside =
      cache > 0 ? std::clamp((work.working_set_bytes - 0.75 * cache) / (1.25 * cache), 0.0, 1.0) : 1;
  const double ns_per_byte = outside / m.memory_gbps + (1 - outside) / m.cache_gbps;
  const double stream_us = 1e-3 * work.streamed_bytes * ns_per_byte / c.share;
  const double entries_us = 1e-6 * work.entries * c.entry_ps;
  if (m.space == SpaceKind::cpu)
    return 1e-3 * (m.launch_us + c.fixed_us + stream_us + entries_us / m.threads);
  const double work_us = stream_us + entries_us + 1e-3 * c.gather * work.gathered_bytes / m.gather_gbps +
                         1e-3 * c.atomic * work.atomics / m.atomic_per_ns;
  const double chain_us = c.step_us * work.steps;
  return 1e-3 * (m.launch_us + work.launches * c.fixed_us +
                 std::pow(std::pow(work_us, sharpness) + std::pow(chain_us, sharpness), 1 / sharpness));
}

std::vector<Prediction> predict(const Sparsity& s, const MachineModel& machine, const FormatOptions& options,
                                const Product& product) {
  std::vector<Prediction> predictions;
  for (const FormatTraits& format : format_traits()) {
    Prediction p;
    p.format = format.name;
    p.space = machine.space;
    try {
      const FormatBytes bytes = format_bytes(format.name, s, options);
      p.traffic = bytes.traffic;
      p.bytes_exact = bytes.exact;
      p.refused = bytes.refused;
      const std::optional<FormatConstants> constants = constants_for(format, s, machine, product.transposed);
      if (p.refused.empty() && !constants) p.refused = format.name + " has no transposed product";
      if (p.refused.empty() && machine.memory_bytes > 0 && p.traffic.stored_bytes > machine.memory_bytes)
        p.refused = format.name + " takes " + bytes_text(p.traffic.stored_bytes) + ", more than " +
                    machine.name + " has";
      if (p.refused.empty()) {
        p.work = product_work(format, s, product, p.traffic, machine.space);
        p.ms = product_ms(p.work, *constants, machine);
        add_set_up(s, machine, options, product, p);
      }
    } catch (const FormatError& error) {
      p.refused = error.what();
    }
    predictions.push_back(std::move(p));
  }
  return predictions;
}

std::vector<Prediction> ranked(std::vector<Prediction> predictions) {
  std::erase_if(predictions, [](const Prediction& p) {
    return !p.refused.empty() || (!p.bytes_exact && find_format(p.format).follows_values);
  });
  std::stable_sort(predictions.begin(), predictions.end(),
                   [](const Prediction& a, const Prediction& b) { return a.ms < b.ms; });
  return predictions;
}

}  // namespace quadrille
