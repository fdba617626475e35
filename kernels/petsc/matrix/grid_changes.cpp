#include "kernels/petsc/matrix/grid_changes.hpp"

#include "formats/threads.hpp"
#include "kernels/petsc/base/device_work.hpp"
#include "kernels/petsc/base/vector_arrays.hpp"
#include "kernels/value_changes.hpp"

namespace quadrille::petsc {
namespace {

// The numbers of a vector to be read in the wanted memory, a copy where they are not there. Null of none.
class NumbersIn {
 public:
  NumbersIn(Vec vector, bool on_gpu) : there_(vector, on_gpu ? SpaceKind::cuda : SpaceKind::cpu) {
    if (vector == nullptr || !on_gpu || there_.space() == SpaceKind::cuda) return;
    PetscInt size = 0;
    QUADRILLE_PETSC(VecGetLocalSize(vector, &size));
    copy_ = Array<double, Device>(size);
    memory::copy_to_device(copy_.data(), there_.data(), copy_.bytes());
    log_copy(copy_.bytes(), true);
    copied_ = true;
  }
  const double* data() const { return copied_ ? copy_.data() : there_.data(); }

 private:
  ReadArray there_;
  Array<double, Device> copy_;
  bool copied_ = false;
};

std::int64_t entries_of(const GridValues& v) {
  return most_non_zeros(*v.hub()) + (v.ghost() ? v.ghost()->nnz() : 0);
}

// Runs change(block diagonals, couplings to ghosts or null, their rows) where the newest values are. `flops`
// for -log_view.
template <class Change>
void change_in_place(GridValues& v, std::int64_t flops, const Change& change) {
  const bool on_gpu = v.bring_where_newest();
  if (on_gpu) {
    const GpuTime time(true);
    const DefaultQueue order(true);
    change(*v.gpu_hub(), v.gpu_ghost().get(), v.gpu_ghost_rows());
    v.changed_on_gpu();
  } else {
    const ThreadLimit limit(threads_worth(v.hub()->values.bytes()));
    change(*v.hub(), v.ghost().get(), v.ghost_rows());
    v.changed_on_host();
  }
  log_flops(flops, on_gpu);
}

}  // namespace

void scale(GridValues& values, double factor) {
  change_in_place(values, entries_of(values), [=](auto& hub, auto* ghost, auto&) {
    using cpu::scale, cuda::scale;
    scale(factor, hub.values);
    if (ghost != nullptr) scale(factor, ghost->value);
  });
}

void shift(GridValues& values, double value) {
  change_in_place(values, values.hub()->rows(), [=](auto& hub, auto*, auto&) {
    using cpu::shift, cuda::shift;
    shift(value, hub);
  });
}

void add(GridValues& values, double factor, GridValues& from) {
  if (values.on_gpu())
    from.bring_to_gpu();
  else
    from.bring_to_host();
  change_in_place(values, 2 * entries_of(values), [&](auto& hub, auto* ghost, auto&) {
    using cpu::add, cuda::add;
    if constexpr (std::is_same_v<decltype(hub), BlockDiagonals<double>&>) {
      add(factor, from.hub()->values, hub.values);
      if (ghost != nullptr) add(factor, from.ghost()->value, ghost->value);
    } else {
      add(factor, from.gpu_hub()->values, hub.values);
      if (ghost != nullptr) add(factor, from.gpu_ghost()->value, ghost->value);
    }
  });
}

void set_diagonal(GridValues& values, Vec diagonal, InsertMode mode) {
  require_size(diagonal, values.hub()->rows(), "the vector of the diagonal");
  const NumbersIn numbers(diagonal, values.on_gpu());
  const bool add = mode == ADD_VALUES;
  change_in_place(values, add ? values.hub()->rows() : 0, [&](auto& hub, auto*, auto&) {
    using cpu::set_diagonal, cuda::set_diagonal;
    set_diagonal(numbers.data(), add, hub);
  });
}

void get_diagonal(GridValues& values, Vec diagonal) {
  const std::int64_t rows = values.hub()->rows();
  require_size(diagonal, rows, "the vector of the diagonal");
  const bool on_gpu = values.bring_where_newest();
  const WriteArray to(diagonal, on_gpu ? SpaceKind::cuda : SpaceKind::cpu);
  if (!on_gpu) return cpu::get_diagonal(*values.hub(), to.data());
  Array<double, Device> there;
  if (to.space() == SpaceKind::cpu) there = Array<double, Device>(rows);
  const DefaultQueue order(true);
  cuda::get_diagonal(*values.gpu_hub(), to.space() == SpaceKind::cpu ? there.data() : to.data());
  if (to.space() == SpaceKind::cuda) return;
  memory::copy_to_host(to.data(), there.data(), there.bytes());
  log_copy(there.bytes(), false);
}

void scale_rows_and_columns(GridValues& values, Vec left, Vec right, Vec right_of_ghosts) {
  const std::int64_t rows = values.hub()->rows();
  if (left != nullptr) require_size(left, rows, "the left vector of the scaling");
  if (right != nullptr) require_size(right, rows, "the right vector of the scaling");
  const bool on_gpu = values.on_gpu();
  const NumbersIn by_left(left, on_gpu), by_right(right, on_gpu), by_ghosts(right_of_ghosts, on_gpu);
  const std::int64_t times = (left != nullptr) + (right != nullptr);
  change_in_place(values, times * entries_of(values), [&](auto& hub, auto* ghost, auto& ghost_rows) {
    using cpu::scale_rows_and_columns, cuda::scale_rows_and_columns;
    scale_rows_and_columns({by_left.data(), by_right.data()}, hub);
    if (ghost != nullptr) scale_rows_and_columns({by_left.data(), by_ghosts.data()}, ghost_rows, *ghost);
  });
}

}  // namespace quadrille::petsc
