#include "kernels/petsc/matrix/grid_values.hpp"

#include <algorithm>

#include "kernels/cuda/few_rows.hpp"
#include "kernels/petsc/base/device_work.hpp"

namespace quadrille::petsc {
namespace {

// Rows of boundary nodes, columns of ghosts; zeros.
Csr<double> ghost_part(const GridStructure& s) {
  const std::vector<std::uint8_t>& couples = s.owned.fill.beside;
  const std::int64_t dof = s.owned.dof, of_block = couples.empty() ? dof * dof : s.packed.before.back(),
                     rows = static_cast<std::int64_t>(s.boundary.size()) * dof,
                     entries = static_cast<std::int64_t>(s.ghost.size()) * of_block;
  to_index32(entries, "couplings to other ranks");
  to_index32(static_cast<std::int64_t>(s.ghosts.size()) * dof, "columns of other ranks");
  Csr<double> ghost{rows, static_cast<std::int64_t>(s.ghosts.size()) * dof, Array<std::int32_t>(rows + 1),
                    Array<std::int32_t>(entries), Array<double>(entries, 0.0)};
  std::int32_t place = ghost.row_ptr[0] = 0;
  for (std::size_t node = 0; node < s.boundary.size(); ++node)
    for (std::int64_t r = 0; r < dof; ++r) {
      for (PetscInt k = s.begin[node]; k < s.begin[node + 1]; ++k)
        for (std::int64_t c = 0; c < dof; ++c)
          if (couples.empty() || couples[static_cast<std::size_t>(r * dof + c)] != 0)
            ghost.column[place++] = static_cast<std::int32_t>(s.ghost[k] * dof + c);
      ghost.row_ptr[static_cast<std::int64_t>(node) * dof + r + 1] = place;
    }
  return ghost;
}

Array<double> zeros_of(const BlockStructure& structure) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(double));
  return Array<double>(value_bytes(structure, size) / size, 0.0);
}

void copy(const Array<double>& from, Array<double, Device>& to) {
  memory::copy_to_device(to.data(), from.data(), from.bytes());
  log_copy(from.bytes(), true);
}

void copy(const Array<double, Device>& from, Array<double>& to) {
  memory::copy_to_host(to.data(), from.data(), from.bytes());
  log_copy(from.bytes(), false);
}

void copy(const Array<double, Device>& from, Array<double, Device>& to) {
  cuda::copy_memory(to.data(), from.data(), from.bytes());
}

}  // namespace

GridValues::GridValues(const GridStructure& structure, bool with_ghosts)
    : GridValues(structure, with_ghosts, zeros_of(structure.owned)) {
  zero_ = true;
}

GridValues::GridValues(const GridStructure& structure, bool with_ghosts, Array<double> values)
    : hub_(std::make_shared<BlockDiagonals<double>>()), zero_(false) {
  static_cast<BlockStructure&>(*hub_) = structure.owned;
  hub_->values = std::move(values);
  if (!with_ghosts) return;
  ghost_ = std::make_shared<Csr<double>>(ghost_part(structure));
  ghost_rows_ = Array<std::int32_t>(ghost_->rows);
  const std::int64_t dof = hub_->dof;
  for (std::int64_t i = 0; i < ghost_->rows; ++i)
    ghost_rows_[i] = static_cast<std::int32_t>(structure.boundary[i / dof] * dof + i % dof);
}

GridValues::GridValues(const GridStructure& structure, bool with_ghosts, Array<double, Device> values)
    : GridValues(structure, with_ghosts, Array<double>(values.size())) {
  gpu_hub_ = std::make_shared<BlockDiagonals<double, Device>>();
  static_cast<BlockStructure&>(*gpu_hub_) = structure.owned;
  gpu_hub_->values = std::move(values);
  make_ghosts_on_gpu();
  if (ghost_) cuda::zero_memory({}, gpu_ghost_->value.data(), gpu_ghost_->value.bytes());
  newest_ = Newest::gpu;
}

void GridValues::set(std::shared_ptr<const FewRows> rows, bool on_gpu) {
  changed(on_gpu ? Newest::gpu : Newest::host);
  few_rows_ = std::move(rows);
  wait_ = true;
  if (!wanted_ && gpu_hub_.use_count() == 1) gpu_hub_ = nullptr;
}

void GridValues::bring_few_rows(bool to_gpu) {
  if (to_gpu) {
    make_on_gpu();
    const DefaultQueue order(true);
    cuda::repeat_rows(*few_rows_, gpu_hub_->values.data());
  } else {
    repeat_rows(*few_rows_, hub_->values.data());
  }
  newest_ = to_gpu ? Newest::gpu : Newest::host;
  wait_ = false;
  wanted_ = true;
}

void GridValues::copy_from(GridValues& other) {
  if (other.wait_) return set(other.few_rows_, other.on_gpu());
  if (other.on_gpu()) {
    make_on_gpu();
    const DefaultQueue order(true);
    copy(other.gpu_hub_->values, gpu_hub_->values);
    if (ghost_) copy(other.gpu_ghost_->value, gpu_ghost_->value);
    changed_on_gpu();
  } else {
    std::copy(other.hub_->values.begin(), other.hub_->values.end(), hub_->values.data());
    if (ghost_) std::copy(other.ghost_->value.begin(), other.ghost_->value.end(), ghost_->value.data());
    changed_on_host();
  }
  zero_ = other.zero_;
}

void GridValues::copy_to_host() {
  if (zero_) {
    zero_host();
  } else {
    const DefaultQueue order(true);
    copy(gpu_hub_->values, hub_->values);
    if (ghost_) copy(gpu_ghost_->value, ghost_->value);
  }
  newest_ = Newest::both;
}

void GridValues::make_on_gpu() {
  if (gpu_hub_) return;
  memory::require_device(hub_->values.bytes() + 2 * hub_->rows() * static_cast<std::int64_t>(sizeof(double)));
  auto hub = std::make_shared<BlockDiagonals<double, Device>>();
  static_cast<BlockStructure&>(*hub) = *hub_;
  hub->values = Array<double, Device>(hub_->values.size());
  make_ghosts_on_gpu();
  gpu_hub_ = std::move(hub);
}

void GridValues::make_ghosts_on_gpu() {
  if (!ghost_) return;
  gpu_ghost_ = std::make_shared<Csr<double, Device>>(
      Csr<double, Device>{ghost_->rows, ghost_->columns, copy_to<Device>(ghost_->row_ptr),
                          copy_to<Device>(ghost_->column), Array<double, Device>(ghost_->nnz())});
  gpu_ghost_rows_ = copy_to<Device>(ghost_rows_);
}

void GridValues::bring_to_gpu(bool keep) {
  if (wait_ && keep) return bring_few_rows(true);
  make_on_gpu();
  if (!keep || newest_ != Newest::host) return;
  const DefaultQueue order(true);
  if (zero_) {
    zero_gpu();
  } else {
    copy(hub_->values, gpu_hub_->values);
    if (ghost_) copy(ghost_->value, gpu_ghost_->value);
  }
  newest_ = Newest::both;
}

void GridValues::zero_host() {
  std::fill(hub_->values.data(), hub_->values.data() + hub_->values.size(), 0.0);
  if (ghost_) std::fill(ghost_->value.data(), ghost_->value.data() + ghost_->value.size(), 0.0);
}

void GridValues::zero_gpu() {
  cuda::zero_memory({}, gpu_hub_->values.data(), gpu_hub_->values.bytes());
  if (gpu_ghost_) cuda::zero_memory({}, gpu_ghost_->value.data(), gpu_ghost_->value.bytes());
}

void GridValues::zero() {
  changed(newest_);
  if (gpu_hub_) {
    const DefaultQueue order(true);
    zero_gpu();
    newest_ = Newest::gpu;
  } else {
    zero_host();
    newest_ = Newest::host;
  }
  zero_ = true;
}

}  // namespace quadrille::petsc
