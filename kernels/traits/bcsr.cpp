#include "formats/bcsr.hpp"
#include "kernels/traits/all.hpp"
#include "kernels/traits/parts.hpp"

namespace quadrille {
namespace {

FormatBytes bytes(const Sparsity& s, const FormatOptions&) {
  const std::int64_t b = s.block_size;
  return padded("bcsr", s, bcsr_traffic(s.rows, s.columns, b, s.blocks, s.value_bytes),
                s.blocks * (b * b * s.value_bytes + 4));
}

double entries(const Sparsity& s) {
  return static_cast<double>(s.blocks) * s.block_size * s.block_size;
}

GpuWork gpu_work(const Sparsity& s, const Traffic& traffic) {
  GpuWork work = work_by_rows(s, traffic);
  work.entries = entries(s);
  if (s.block_size > 1) work.steps = 1 + steps_of(static_cast<double>(s.longest_block_row), 2);
  return work;
}

// On the GPU they were fitted to single entries; of blocks the kernel reaches this share of the stream
// (results/h200_dof_scaling.json). On the CPU they are those of blocks; single entries are CSR.
FormatConstants constants_of(FormatConstants c, const Sparsity& s, const MachineModel& machine) {
  if (machine.space == SpaceKind::cpu) return s.block_size > 1 ? c : find_format("csr").cpu;
  constexpr std::array<double, 13> shares{0,    0,    0.66, 0.68, 0.87, 0.75, 0.82,
                                          0.75, 0.89, 0.75, 0.75, 0.75, 0.75};
  const auto size = static_cast<std::size_t>(s.block_size);
  if (size > 1) c.share = size < shares.size() ? shares[size] : 0.42;
  return c;
}

}  // namespace

FormatTraits bcsr_traits() {
  return {.name = "bcsr",
          .summary = "block CSR (Im and Yelick 2001)",
          .options = {"block-size"},
          .bytes = bytes,
          .gpu_work = gpu_work,
          .cpu_entries = entries,
          .planned_segments =
              [](const Sparsity& s) { return s.block_size == 1 ? static_cast<double>(s.rows) : 0; },
          .gpu = {1.053, 0.73, 0.000, 1.59, 0.097, 0},
          .cpu = {.entry_ps = 200},
          .constants_of = constants_of};
}

}  // namespace quadrille
