#include "kernels/petsc/matrix/entry_list.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/petsc_error.hpp"

namespace quadrille::petsc {

void EntryList::add(PetscInt rows, const PetscInt* row, PetscInt columns, const PetscInt* column,
                    const PetscScalar* values, bool row_oriented, InsertMode mode) {
  if (parts_.empty() || parts_.back().mode != mode) parts_.push_back({entries_.size(), mode});
  const std::int64_t row_step = row_oriented ? columns : 1, column_step = row_oriented ? 1 : rows;
  for (PetscInt i = 0; i < rows; ++i)
    for (PetscInt j = 0; j < columns; ++j) {
      if (row[i] < 0 || column[j] < 0) continue;
      const PetscScalar value = values == nullptr ? 0 : values[i * row_step + j * column_step];
      if (ignore_zeros_ && value == 0 && row[i] != column[j]) continue;
      entries_.push_back({row[i], column[j], value});
    }
}

void EntryList::zero() {
  for (Entry& e : entries_) e.value = 0;
}

void EntryList::exchange_rows(Mat owner, bool drop) {
  PetscInt first = 0, last = 0;
  QUADRILLE_PETSC(MatGetOwnershipRange(owner, &first, &last));
  std::vector<Entry> others;
  InsertMode mode = parts_.empty() ? ADD_VALUES : parts_.back().mode;
  std::size_t kept = 0, part = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    while (part < parts_.size() && parts_[part].begin <= i) parts_[part++].begin = kept;
    if (entries_[i].row >= first && entries_[i].row < last)
      entries_[kept++] = entries_[i];
    else
      others.push_back(entries_[i]);
  }
  while (part < parts_.size()) parts_[part++].begin = kept;
  entries_.resize(kept);
  if (drop) return;
  const std::vector<Entry> received = exchange(owner, std::move(others), mode);
  if (!received.empty()) parts_.push_back({entries_.size(), mode});
  entries_.insert(entries_.end(), received.begin(), received.end());
}

RowList EntryList::take_rows(PetscInt first, PetscInt last) {
  for (const Entry& e : entries_)
    if (e.row < first || e.row >= last)
      throw PetscError("row " + std::to_string(e.row) +
                       " belongs to another rank, and MAT_NO_OFF_PROC_ENTRIES promised that there are none");
  const std::size_t rows = static_cast<std::size_t>(last - first);
  std::vector<InsertMode> mode(entries_.size());
  for (std::size_t p = 0; p < parts_.size(); ++p)
    std::fill(
        mode.begin() + static_cast<std::ptrdiff_t>(parts_[p].begin),
        p + 1 < parts_.size() ? mode.begin() + static_cast<std::ptrdiff_t>(parts_[p + 1].begin) : mode.end(),
        parts_[p].mode);
  // Entries by rows, in the order in which they came.
  std::vector<std::size_t> place(rows + 1, 0), order(entries_.size());
  for (const Entry& e : entries_) ++place[static_cast<std::size_t>(e.row - first) + 1];
  std::partial_sum(place.begin(), place.end(), place.begin());
  std::vector<std::size_t> next(place.begin(), place.end() - 1);
  for (std::size_t i = 0; i < entries_.size(); ++i)
    order[next[static_cast<std::size_t>(entries_[i].row - first)]++] = i;

  RowList list;
  list.begin.push_back(0);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto from = order.begin() + static_cast<std::ptrdiff_t>(place[row]),
               to = order.begin() + static_cast<std::ptrdiff_t>(place[row + 1]);
    std::stable_sort(from, to,
                     [&](std::size_t a, std::size_t b) { return entries_[a].column < entries_[b].column; });
    for (auto i = from; i != to; ++i) {
      const Entry& e = entries_[*i];
      const bool known =
          static_cast<PetscInt>(list.column.size()) > list.begin.back() && list.column.back() == e.column;
      if (!known) {
        list.column.push_back(e.column);
        list.value.push_back(e.value);
      } else {
        list.value.back() = mode[*i] == ADD_VALUES ? list.value.back() + e.value : e.value;
      }
    }
    PetscInt end = 0;
    QUADRILLE_PETSC(PetscIntCast(static_cast<PetscInt64>(list.column.size()), &end));
    list.begin.push_back(end);
  }
  entries_.clear();
  entries_.shrink_to_fit();
  parts_.clear();
  return list;
}

}  // namespace quadrille::petsc
