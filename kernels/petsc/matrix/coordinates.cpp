#include "kernels/petsc/matrix/coordinates.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "kernels/petsc/base/device_work.hpp"
#include "kernels/petsc/base/petsc_error.hpp"

namespace quadrille::petsc {
namespace {

constexpr std::int64_t bytes_of(std::int64_t numbers) {
  return numbers * static_cast<std::int64_t>(sizeof(double));
}

PetscMemType memory_type(bool on_gpu) {
  return on_gpu ? PETSC_MEMTYPE_CUDA : PETSC_MEMTYPE_HOST;
}

Handle<PetscSF> make_pattern(MPI_Comm comm, PetscInt roots, std::vector<PetscSFNode> remote) {
  Handle<PetscSF> pattern =
      make<PetscSF>("PetscSFCreate", [=](PetscSF* s) { return PetscSFCreate(comm, s); });
  QUADRILLE_PETSC(PetscSFSetGraph(pattern.get(), roots, static_cast<PetscInt>(remote.size()), nullptr,
                                  PETSC_COPY_VALUES, remote.data(), PETSC_COPY_VALUES));
  return pattern;
}

// From the leaves to the roots, each of which has one leaf.
std::vector<PetscInt> sent(PetscSF pattern, const std::vector<PetscInt>& leaves, PetscInt roots) {
  std::vector<PetscInt> result(static_cast<std::size_t>(roots));
  QUADRILLE_PETSC(PetscSFReduceBegin(pattern, MPIU_INT, leaves.data(), result.data(), MPI_REPLACE));
  QUADRILLE_PETSC(PetscSFReduceEnd(pattern, MPIU_INT, leaves.data(), result.data(), MPI_REPLACE));
  return result;
}

// The runs of entries for one rank each, in the order of their rows.
struct Run {
  PetscInt rank = 0, count = 0;
};
std::vector<Run> runs_of(Mat layout, const std::vector<PetscInt>& rows) {
  const PetscInt* first_rows = nullptr;
  int ranks = 1;
  QUADRILLE_PETSC(MatGetOwnershipRanges(layout, &first_rows));
  MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(layout)), &ranks);
  std::vector<Run> runs;
  for (auto from = rows.begin(); from != rows.end();) {
    const auto rank = std::upper_bound(first_rows, first_rows + ranks + 1, *from) - first_rows - 1;
    const auto to = std::lower_bound(from, rows.end(), first_rows[rank + 1]);
    runs.push_back({static_cast<PetscInt>(rank), static_cast<PetscInt>(to - from)});
    from = to;
  }
  return runs;
}

}  // namespace

void GatherSumAnywhere::run(const TwoArrays<double>& source, double* target, bool add, bool on_gpu) {
  if (!on_gpu) return cpu::gather_sum(on_host_, source, target, add);
  if (!on_gpu_) {
    on_gpu_ = copy_to<Device>(on_host_);
    log_copy(on_gpu_->begin.bytes() + on_gpu_->entry.bytes(), true);
  }
  cuda::gather_sum({}, *on_gpu_, source, target, add);
}

double* ArrayAnywhere::get(std::int64_t size, bool on_gpu) {
  if (on_gpu) {
    if (on_gpu_.size() < size) on_gpu_ = Array<double, Device>(size);
    return on_gpu_.data();
  }
  if (on_host_.size() < size) on_host_ = Array<double>(size);
  return on_host_.data();
}

const double* ArrayAnywhere::moved(const double* data, std::int64_t size, bool is_on_gpu, bool want_on_gpu) {
  if (is_on_gpu == want_on_gpu || size == 0) return data;
  double* const to = get(size, want_on_gpu);
  if (want_on_gpu)
    memory::copy_to_device(to, data, bytes_of(size));
  else
    memory::copy_to_host(to, data, bytes_of(size));
  log_copy(bytes_of(size), want_on_gpu);
  return to;
}

RemoteEntries::RemoteEntries(Mat layout, const Coordinates& all, std::vector<PetscInt> entries)
    : leaving_(static_cast<std::int64_t>(entries.size())) {
  std::stable_sort(entries.begin(), entries.end(),
                   [&](PetscInt a, PetscInt b) { return all.row[a] < all.row[b]; });
  std::vector<PetscInt> rows, columns;
  for (const PetscInt i : entries) {
    rows.push_back(all.row[i]);
    columns.push_back(all.column[i]);
  }
  const std::vector<Run> runs = runs_of(layout, rows);

  // Each rank counts up what it will receive, and says where every run begins.
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(layout));
  std::vector<PetscSFNode> remote;
  std::vector<PetscInt> counts, begins(runs.size());
  for (const Run& run : runs) {
    remote.push_back({run.rank, 0});
    counts.push_back(run.count);
  }
  PetscInt coming = 0;
  const Handle<PetscSF> counter = make_pattern(comm, 1, remote);
  QUADRILLE_PETSC(
      PetscSFFetchAndOpBegin(counter.get(), MPIU_INT, &coming, counts.data(), begins.data(), MPI_SUM));
  QUADRILLE_PETSC(
      PetscSFFetchAndOpEnd(counter.get(), MPIU_INT, &coming, counts.data(), begins.data(), MPI_SUM));
  if (coming < 0 || coming > std::numeric_limits<std::int32_t>::max())
    throw FormatError("a rank is sent more entries by coordinates than 32 bits count");
  remote.clear();
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (PetscInt k = 0; k < runs[i].count; ++k) remote.push_back({runs[i].rank, begins[i] + k});
  pattern_ = make_pattern(comm, coming, remote);
  rows_ = sent(pattern_.get(), rows, coming);
  columns_ = sent(pattern_.get(), columns, coming);

  GatherSum<> pack{1, leaving_, {}, Array<std::int32_t>(leaving_)};
  std::copy(entries.begin(), entries.end(), pack.entry.data());
  pack_.plan(std::move(pack));
}

const double* RemoteEntries::exchange(const double* values, bool on_gpu) {
  const auto coming = static_cast<std::int64_t>(rows_.size());
  double* const from = sent_.get(leaving_, on_gpu);
  double* const to = received_.get(coming, on_gpu);
  pack_.run({values, std::numeric_limits<std::int64_t>::max(), nullptr}, from, false, on_gpu);
  // PETSc sends and receives in a stream of its own.
  if (on_gpu) cuda::synchronize();
  const PetscMemType type = memory_type(on_gpu);
  QUADRILLE_PETSC(
      PetscSFReduceWithMemTypeBegin(pattern_.get(), MPIU_SCALAR, type, from, type, to, MPI_REPLACE));
  QUADRILLE_PETSC(PetscSFReduceEnd(pattern_.get(), MPIU_SCALAR, from, to, MPI_REPLACE));
  if (on_gpu) cuda::synchronize();
  return to;
}

CoordinateAssembly::CoordinateAssembly(Mat layout, const GridValues& values, const Coordinates& all,
                                       bool sends, const PlaceOf& place_of)
    : count_(all.count) {
  to_index32(all.count, "entries by coordinates of one rank");
  PetscInt first = 0, last = 0;
  QUADRILLE_PETSC(MatGetOwnershipRange(layout, &first, &last));
  constexpr std::int64_t left_out = -1, outside = -2;
  std::vector<std::int64_t> place(static_cast<std::size_t>(all.count));
  const auto placed = [&](PetscInt row, PetscInt column) {
    const std::int64_t p = place_of(row, column);
    return p < 0 ? outside : p;
  };
  std::vector<PetscInt> of_others;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < all.count; ++i)
    place[i] = all.row[i] < first || all.row[i] >= last || all.column[i] < 0
                   ? left_out
                   : placed(all.row[i], all.column[i]);
  for (std::int64_t i = 0; i < all.count && sends; ++i)
    if (all.row[i] >= 0 && all.column[i] >= 0 && (all.row[i] < first || all.row[i] >= last))
      of_others.push_back(static_cast<PetscInt>(i));
  int leave = !of_others.empty(), leave_anywhere = 0;
  if (sends)
    MPI_Allreduce(&leave, &leave_anywhere, 1, MPI_INT, MPI_LOR,
                  PetscObjectComm(reinterpret_cast<PetscObject>(layout)));
  if (leave_anywhere) {
    remote_.emplace(layout, all, std::move(of_others));
    for (std::size_t i = 0; i < remote_->rows().size(); ++i)
      place.push_back(placed(remote_->rows()[i], remote_->columns()[i]));
  }

  const std::int64_t hub_size = values.hub()->values.size(), own_rows = values.hub()->rows();
  hub_.plan(plan_gather_sum(own_rows == 0 ? 0 : hub_size / own_rows, own_rows, place));
  if (values.ghost()) ghost_.plan(plan_gather_sum(1, values.ghost()->nnz(), place, hub_size));
  std::vector<std::int32_t> without_place;
  for (std::size_t i = 0; i < place.size(); ++i) {
    if (place[i] != outside) continue;
    const auto own = static_cast<std::size_t>(all.count);
    without_place.push_back(static_cast<std::int32_t>(i));
    outside_.rows.push_back(i < own ? all.row[i] : remote_->rows()[i - own]);
    outside_.columns.push_back(i < own ? all.column[i] : remote_->columns()[i - own]);
  }
  GatherSum<> pick{1,
                   static_cast<std::int64_t>(without_place.size()),
                   {},
                   Array<std::int32_t>(static_cast<std::int64_t>(without_place.size()))};
  std::copy(without_place.begin(), without_place.end(), pick.entry.data());
  outside_.pick.plan(std::move(pick));
}

void CoordinateAssembly::check_outside(const TwoArrays<double>& source, bool on_gpu, const Refuse& refuse) {
  const auto size = static_cast<std::int64_t>(outside_.rows.size());
  if (size == 0) return;
  double* const picked = outside_.values.get(size, on_gpu);
  outside_.pick.run(source, picked, false, on_gpu);
  const double* const value = outside_.values.moved(picked, size, on_gpu, false);
  for (std::size_t i = 0; i < outside_.rows.size(); ++i)
    refuse(outside_.rows[i], outside_.columns[i], value[i]);
}

void CoordinateAssembly::set(GridValues& to, const double* values, bool add, bool on_gpu,
                             const Refuse& refuse) {
  PetscMemType type = PETSC_MEMTYPE_HOST;
  if (values != nullptr) QUADRILLE_PETSC(PetscGetMemType(values, &type));
  const bool from_gpu = PetscMemTypeDevice(type);
  if (values == nullptr) {
    double* const zeros = values_.get(count_, false);
    std::fill(zeros, zeros + count_, 0.0);
    values = zeros;
  }
  const DefaultQueue order(on_gpu || from_gpu);
  TwoArrays<double> source{values, count_, remote_ ? remote_->exchange(values, from_gpu) : nullptr};
  check_outside(source, from_gpu, refuse);
  const auto received = static_cast<std::int64_t>(remote_ ? remote_->rows().size() : 0);
  source.first = values_.moved(source.first, count_, from_gpu, on_gpu);
  source.second = received_.moved(source.second, received, from_gpu, on_gpu);
  if (on_gpu)
    to.bring_to_gpu(add);
  else if (add)
    to.bring_to_host();
  hub_.run(source, on_gpu ? to.gpu_hub()->values.data() : to.hub()->values.data(), add, on_gpu);
  if (to.ghost())
    ghost_.run(source, on_gpu ? to.gpu_ghost()->value.data() : to.ghost()->value.data(), add, on_gpu);
  if (on_gpu)
    to.changed_on_gpu();
  else
    to.changed_on_host();
}

}  // namespace quadrille::petsc
