#include "kernels/tuning/predict.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/tuning/set_up_time.hpp"

namespace quadrille {
namespace {

constexpr double sector = 32;          // bytes
constexpr double sharpness = 3;        // of the larger of work and chain: the norm that combines them
constexpr double in_flight = 8;        // entries that a thread reads at once
constexpr double tile = 1024;          // entries that a block of CSR's and CMRS's kernel reads at once
constexpr double chain_step = 16;      // entries in shared memory that a lane adds up in the time of a step
constexpr double vectors_at_once = 8;  // of CDS's product with several vectors

double steps_of(double entries, double at_once) {
  return std::ceil(entries / at_once);
}

// Sectors of x past the first-level cache, beyond reading x once.
double gathered(const Sparsity& s) {
  const double read = static_cast<double>(s.nnz) * s.x.of_block * sector;
  return std::max(0.0, read - static_cast<double>(s.columns * s.value_bytes));
}

// Bytes of the sectors of ELLR-T's arrays that hold an entry within its row.
double ellr_t_touched(const Sparsity& s, int threads, double stored_entries) {
  const double entry = 4.0 + s.value_bytes;
  if (threads == 1) return static_cast<double>(s.touched_bytes);
  const double half_open = static_cast<double>(s.rows) * 0.5 * std::max(threads, 8);
  return entry * std::min(stored_entries, static_cast<double>(s.nnz) + half_open);
}

struct GpuShape {
  double entries = 0;  // stored, that are computed with
  double steps = 1;
  bool gathers = true;
  double instead_of_compulsory =
      0;  // bytes of the format that are read, where they are not what traffic() counts
};

GpuShape gpu_shape(const std::string& format, const Sparsity& s, const Traffic& traffic) {
  const double nnz = static_cast<double>(s.nnz), rows = static_cast<double>(s.rows);
  const double longest = static_cast<double>(s.lengths.longest);
  const double stored = static_cast<double>(traffic.stored_bytes);
  if (format == "csr") return {nnz, 1 + static_cast<double>(s.csr_chain) / chain_step, true, 0};
  if (format == "csc")
    return {nnz, 2 + steps_of(static_cast<double>(s.longest_column), 8 * in_flight), true, 0};
  if (format == "coo") return {nnz, 2 + steps_of(longest, tile), true, 0};
  if (format == "bcsr")
    return {static_cast<double>(s.blocks) * s.block_size * s.block_size,
            s.block_size == 1 ? 1 + static_cast<double>(s.csr_chain) / chain_step
                              : 1 + steps_of(static_cast<double>(s.longest_block_row), 2),
            true, 0};
  if (format == "ell") return {rows * longest, steps_of(longest, in_flight), true, 0};
  if (format == "ellr_t") {
    const int threads = s.ellr_t_threads;
    const double lengths = 4 * rows, slots = (stored - lengths) / (4.0 + s.value_bytes);
    return {nnz, 1 + steps_of(longest, threads * (threads == 1 ? in_flight : in_flight / 2)), true,
            lengths + ellr_t_touched(s, threads, slots)};
  }
  if (format == "rg_csr") {
    const double slots = static_cast<double>(s.rg_csr_slots) * (4.0 + s.value_bytes);
    return {nnz, 1 + steps_of(longest, in_flight * s.rg_csr_threads), true,
            stored - slots + std::min(slots, static_cast<double>(s.touched_bytes))};
  }
  if (format == "cmrs")
    return {nnz * s.cmrs_height, 1 + static_cast<double>(s.cmrs_chain) / chain_step, true, 0};
  if (format == "hyb")
    return {rows * static_cast<double>(s.hyb_width) + static_cast<double>(s.hyb_beyond),
            steps_of(static_cast<double>(s.hyb_width), in_flight) +
                (s.hyb_beyond > 0 ? 3 + steps_of(longest, tile) : 0),
            true, 0};
  if (format == "dia") {
    const double diagonals = static_cast<double>(s.diagonals);
    return {diagonals * rows, steps_of(diagonals, in_flight / 2), false, 0};
  }
  if (format == "cds" && s.cds) {
    const double diagonals = static_cast<double>(s.cds->diagonals());
    return {diagonals * s.cds->dof * rows, diagonals, false, 0};
  }
  throw FormatError("the time of " + format + " is not known before it is made");
}

// CSR's product is CSC's transposed, and the other way round.
std::string as_plain(const std::string& format, bool transposed) {
  if (!transposed) return format;
  return format == "csr" ? "csc" : format == "csc" ? "csr" : format;
}

// Entries that the CPU's kernel computes with.
double cpu_entries(const std::string& format, const Sparsity& s) {
  const double rows = static_cast<double>(s.rows), nnz = static_cast<double>(s.nnz);
  if (format == "dia") return rows * static_cast<double>(s.diagonals);
  if (format == "cds" && s.cds) return rows * static_cast<double>(s.cds->diagonals()) * s.cds->dof;
  if (format == "bcsr") return static_cast<double>(s.blocks) * s.block_size * s.block_size;
  return nnz;
}

// The constants of bcsr for blocks of this size. On the GPU they were fitted to single entries; of blocks the kernel reaches this
// share of the stream (results/h200_dof_scaling.json). On the CPU they are those of blocks; single entries are CSR.
FormatConstants of_blocks(FormatConstants c, int size, const MachineModel& machine) {
  if (c.format != "bcsr") return c;
  if (machine.space == SpaceKind::cpu) {
    if (size > 1) return c;
    const FormatConstants* const csr = find_constants(machine, "csr", false);
    return csr == nullptr ? c : *csr;
  }
  constexpr std::array<double, 13> shares{0,    0,    0.66, 0.68, 0.87, 0.75, 0.82,
                                          0.75, 0.89, 0.75, 0.75, 0.75, 0.75};
  if (size > 1) c.share = size < static_cast<int>(shares.size()) ? shares[size] : 0.42;
  return c;
}

// The set-up of a prediction whose product is known, and its part of each product.
void add_set_up(const Sparsity& s, const MachineModel& machine, const FormatOptions& options,
                const Product& product, Prediction& p) {
  const SetUpWork work =
      set_up_work(p.format, s, p.traffic, options.products, product.transposed, machine.space);
  p.set_up_ms = set_up_ms(work, machine);
  if (options.products == 0) return;
  const bool by_rows = as_plain(p.format, product.transposed) == "csr";
  if (by_rows && machine.space == SpaceKind::cuda && !work.planned)
    p.ms += product.vectors * without_plan_ms(product.transposed ? s.longest_column : s.lengths.longest);
  p.ms += p.set_up_ms / options.products;
}

}  // namespace

ProductWork product_work(const std::string& format, const Sparsity& s, const Product& product,
                         const Traffic& traffic, SpaceKind space) {
  const std::string plain = as_plain(format, product.transposed);
  ProductWork work;
  const double vectors = static_cast<double>((s.rows + s.columns) * s.value_bytes);
  work.streamed_bytes = static_cast<double>(traffic.compulsory_bytes());
  if (space == SpaceKind::cpu) {
    work.entries = cpu_entries(plain, s);
  } else {
    const GpuShape shape = gpu_shape(plain, s, traffic);
    if (shape.instead_of_compulsory > 0) work.streamed_bytes = shape.instead_of_compulsory + vectors;
    work.gathered_bytes = shape.gathers ? gathered(s) : 0;
    work.entries = shape.entries;
    work.steps = shape.steps;
    work.atomics = plain == "csc" ? static_cast<double>(s.nnz) : 0;
  }
  if (product.vectors > 1) {  // one after the other but for cds, which reads the matrix once for eight
    const double count = product.vectors;
    const double passes =
        format == "cds" && space == SpaceKind::cuda ? std::ceil(count / vectors_at_once) : count;
    work.streamed_bytes = passes * (work.streamed_bytes - vectors) + count * vectors;
    work.gathered_bytes *= count;
    work.entries *= count;
    work.steps *= passes;
    work.atomics *= count;
  }
  work.working_set_bytes = work.streamed_bytes;
  return work;
}

double product_ms(const ProductWork& work, const FormatConstants& c, const MachineModel& m,
                  const Product& product) {
  // All of a working set of three quarters of the cache stays in it, none of one twice as large as the cache.
  const double cache = static_cast<double>(m.cache_bytes);
  const double outside =
      cache > 0 ? std::clamp((work.working_set_bytes - 0.75 * cache) / (1.25 * cache), 0.0, 1.0) : 1;
  const double ns_per_byte = outside / m.memory_gbps + (1 - outside) / m.cache_gbps;
  const double stream_us = 1e-3 * work.streamed_bytes * ns_per_byte / c.share;
  const double entries_us = 1e-6 * work.entries * c.entry_ps;
  if (m.space == SpaceKind::cpu)
    return 1e-3 * (m.launch_us + c.fixed_us + stream_us + entries_us / m.threads);
  const double launches = product.vectors > 1 && c.format != "cds" ? product.vectors : 1;
  const double work_us = stream_us + entries_us + 1e-3 * c.gather * work.gathered_bytes / m.gather_gbps +
                         1e-3 * c.atomic * work.atomics / m.atomic_per_ns;
  const double chain_us = c.step_us * work.steps;
  return 1e-3 * (m.launch_us + launches * c.fixed_us +
                 std::pow(std::pow(work_us, sharpness) + std::pow(chain_us, sharpness), 1 / sharpness));
}

std::vector<Prediction> predict(const Sparsity& s, const MachineModel& machine, const FormatOptions& options,
                                const Product& product) {
  std::vector<Prediction> predictions;
  for (const FormatEntry& entry : registry()) {
    // The formats are the same in both spaces; a machine without a GPU lists those of the CPU.
    if (entry.peer || entry.space != SpaceKind::cpu) continue;
    Prediction p;
    p.format = entry.name;
    p.space = machine.space;
    try {
      const FormatBytes bytes = format_bytes(entry.name, s, options);
      p.traffic = bytes.traffic;
      p.bytes_exact = bytes.exact;
      p.refused = bytes.refused;
      const FormatConstants* const constants = find_constants(machine, entry.name, product.transposed);
      if (p.refused.empty() && constants == nullptr)
        p.refused = entry.name + " has no " + (product.transposed ? "transposed product" : "known time");
      if (p.refused.empty() && machine.memory_bytes > 0 && p.traffic.stored_bytes > machine.memory_bytes)
        p.refused = entry.name + " takes " + bytes_text(p.traffic.stored_bytes) + ", more than " +
                    machine.name + " has";
      if (p.refused.empty()) {
        p.work = product_work(entry.name, s, product, p.traffic, machine.space);
        p.ms = product_ms(p.work, of_blocks(*constants, s.block_size, machine), machine, product);
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
  std::erase_if(predictions, [](const Prediction& p) { return !p.refused.empty(); });
  std::stable_sort(predictions.begin(), predictions.end(),
                   [](const Prediction& a, const Prediction& b) { return a.ms < b.ms; });
  return predictions;
}

}  // namespace quadrille
