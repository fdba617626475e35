#include "kernels/petsc/matrix/grid_unknowns.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "formats/threads.hpp"
#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/device_work.hpp"
#include "kernels/value_changes.hpp"

namespace quadrille::petsc {
namespace {

// Where the couplings to ghosts stand among those of all unknowns. Columns of a row ascend.
GatherSum<Host> places_of(const UnknownsOfBlocks& unknowns, const Csr<double>& all, std::int64_t of_all,
                          const Csr<double>& some) {
  const std::int64_t of_some = unknowns.dof();
  const auto in_all = [&](std::int64_t i, const std::vector<int>& of_block) {
    return i / of_some * of_all + of_block[static_cast<std::size_t>(i % of_some)];
  };
  GatherSum<Host> places{1, some.nnz(), {}, Array<std::int32_t>(some.nnz())};
  for (std::int64_t i = 0; i < some.rows; ++i) {
    if (some.row_ptr[i] == some.row_ptr[i + 1]) continue;
    const std::int64_t row = in_all(i, unknowns.rows);
    const std::int32_t *const columns = all.column.data(), *const first = columns + all.row_ptr[row],
                              *const end = columns + all.row_ptr[row + 1];
    for (std::int32_t k = some.row_ptr[i]; k < some.row_ptr[i + 1]; ++k) {
      const std::int64_t column = in_all(some.column[k], unknowns.columns);
      places.entry[k] = static_cast<std::int32_t>(std::lower_bound(first, end, column) - columns);
    }
  }
  return places;
}

}  // namespace

std::optional<std::vector<int>> unknowns_in(IS rows, PetscInt first_row, PetscInt nodes, PetscInt dof) {
  PetscInt size = 0, first = 0, step = 0;
  PetscBool is_stride = PETSC_FALSE;
  QUADRILLE_PETSC(ISGetLocalSize(rows, &size));
  if (nodes == 0 && size == 0) return std::vector<int>{};
  const PetscInt count = nodes > 0 ? size / nodes : 0;
  if (count < 1 || count > std::min<PetscInt>(dof, most_taken) || count * nodes != size) return {};
  QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(rows), ISSTRIDE, &is_stride));
  std::vector<PetscInt> of_node;
  bool fit = true;
  if (is_stride) {
    QUADRILLE_PETSC(ISStrideGetInfo(rows, &first, &step));
    for (PetscInt i = 0; i < count; ++i) of_node.push_back(first + i * step - first_row);
    fit = nodes == 1 || step * count == dof;
  } else {
    const PetscInt* index = nullptr;
    QUADRILLE_PETSC(ISGetIndices(rows, &index));
    for (PetscInt i = 0; i < count; ++i) of_node.push_back(index[i] - first_row);
#pragma omp parallel for schedule(static) reduction(&& : fit) if (size > worth_threads)
    for (PetscInt node = 0; node < nodes; ++node)
      for (PetscInt i = 0; i < count; ++i)
        fit = fit && index[node * count + i] - first_row - node * dof == of_node[i];
    QUADRILLE_PETSC(ISRestoreIndices(rows, &index));
  }
  const bool inside =
                 std::all_of(of_node.begin(), of_node.end(), [=](PetscInt u) { return u >= 0 && u < dof; }),
             distinct = std::set<PetscInt>(of_node.begin(), of_node.end()).size() == of_node.size();
  if (!fit || !inside || !distinct) return {};
  return std::vector<int>(of_node.begin(), of_node.end());
}

TakenUnknowns::TakenUnknowns(UnknownsOfBlocks unknowns, const GridValues& all, const GridValues& some)
    : unknowns_(std::move(unknowns)) {
  if (all.ghost()) of_ghosts_ = places_of(unknowns_, *all.ghost(), all.hub()->dof, *some.ghost());
}

namespace {
// Those of which few rows are all.
FewRows take_few(const FewRows& all, const UnknownsOfBlocks& unknowns, const BlockStructure& structure) {
  const auto stored_nodes = [&](BlockStructure s) {  // as a grid of their own
    s.extents = {all.stored_nodes(), 1, 1};
    return s;
  };
  const BlockDiagonals<double> from{stored_nodes(all.a), copy_of(all.a.values)};
  BlockDiagonals<double> to{stored_nodes(structure), {}};
  to.values = Array<double>(to.diagonals() * to.dof * to.rows());
  cpu::take_unknowns(from, unknowns, to);
  return {{structure, std::move(to.values)}, all.stored};
}
}  // namespace

void TakenUnknowns::take(GridValues& all, GridValues& some) {
  if (all.few_rows()) {
    auto few = std::make_shared<const FewRows>(take_few(*all.few_rows(), unknowns_, *some.hub()));
    return some.set(std::move(few), all.on_gpu());
  }
  const auto ghosts_of = [](const auto& ghost) {
    return TwoArrays<double>{ghost->value.data(), ghost->value.size()};
  };
  if (all.bring_where_newest()) {
    some.bring_to_gpu(false);
    const DefaultQueue order(true);
    cuda::take_unknowns(*all.gpu_hub(), unknowns_, *some.gpu_hub());
    if (all.ghost()) {
      if (of_ghosts_on_gpu_.entry.size() != of_ghosts_.entry.size())
        of_ghosts_on_gpu_ = copy_to<Device>(of_ghosts_);
      cuda::gather_sum({}, of_ghosts_on_gpu_, ghosts_of(all.gpu_ghost()), some.gpu_ghost()->value.data(),
                       false);
    }
    some.changed_on_gpu();
  } else {
    cpu::take_unknowns(*all.hub(), unknowns_, *some.hub());
    if (all.ghost()) cpu::gather_sum(of_ghosts_, ghosts_of(all.ghost()), some.ghost()->value.data(), false);
    some.changed_on_host();
  }
}

}  // namespace quadrille::petsc
