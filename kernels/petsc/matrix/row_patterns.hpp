// Rows that a program sets as it set others before: most name the same neighbours in the same order, and
// where their values stand follows from the node alone. Internal to kernels/petsc/matrix_type.
//
// What a row names is a pattern: how far each column stands behind the row, by the numbers that are given.
// For a node with neighbours of this rank all around, each of them as far behind in the numbering of nodes as
// the pattern's, value j stands at values[place[j] + row]. What does not fit is found as any other row.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/petsc/matrix/index_runs.hpp"
#include "kernels/petsc/matrix/structure.hpp"

namespace quadrille::petsc {

class RowPatterns {
 public:
  // `values`: of the block diagonals, all of which couple.
  RowPatterns(const GridStructure& structure, double* values)
      : structure_(structure), values_(values), dof_(structure.owned.dof), nodes_(structure.owned.nodes()) {}

  // One row of unknowns; true where it is done. `all`: nodes of all ranks.
  bool put(const Indices& rows, const Indices& columns, const GivenValues& given, PetscInt all) {
    Row row;
    if (!is_of_inner(rows, columns, all, row)) return false;
    const Pattern& pattern = pattern_of(row, columns);
    if (!fits(pattern, row, columns, all)) {
      learn(row, columns, all);
      return false;
    }
    double* const to = values_ + row.local * dof_ + row.unknown;
    for (PetscInt j = 0; j < pattern.count; ++j) {
      double& place = to[pattern.place[j]];
      const double value = given.at(0, j);
      place = given.mode == ADD_VALUES ? place + value : value;
    }
    return true;
  }

 private:
  static constexpr PetscInt longest = 32;
  struct Pattern {
    PetscInt count = 0, unknown = 0;
    std::array<PetscInt, longest> delta{}, nodes{};  // from the row, and from its node, as they are given
    std::array<std::int64_t, longest> distance{}, place{};
  };
  struct Row {
    PetscInt index = 0, number = 0, unknown = 0;
    std::int64_t local = 0;  // its node among those of this rank
  };

  bool is_of_inner(const Indices& rows, const Indices& columns, PetscInt all, Row& row) const {
    const bool of_unknowns = dof_ == 1 || (!rows.nodes && !columns.nodes);
    if (!of_unknowns || structure_.furthest < 0 || rows.count != 1 || rows.index[0] < 0 ||
        columns.count < 1 || columns.count > longest)
      return false;
    row.index = rows.index[0];
    row.number = row.index / dof_;
    row.unknown = row.index - row.number * dof_;
    if (row.number >= known_nodes(rows, all)) return false;
    row.local = own(rows, row.number);
    return row.local >= 0 && row.local < nodes_ && structure_.inner[static_cast<std::size_t>(row.local)];
  }
  std::int64_t own(const Indices& given, PetscInt number) const {
    const PetscInt node = given.node_of != nullptr ? given.node_of[number] : number;
    return std::int64_t{node} - structure_.first_node;
  }
  Pattern& pattern_of(const Row& row, const Indices& columns) {
    const auto key = static_cast<std::uint32_t>((columns.index[0] - row.index) * 64 + columns.count) * 64u +
                     static_cast<std::uint32_t>(row.unknown);
    return patterns_[(key * 0x9E3779B1u) >> 26];
  }
  bool fits(const Pattern& pattern, const Row& row, const Indices& columns, PetscInt all) const {
    if (pattern.count != columns.count || pattern.unknown != row.unknown) return false;
    const PetscInt known = known_nodes(columns, all);
    for (PetscInt j = 0; j < pattern.count; ++j) {
      const PetscInt number = row.number + pattern.nodes[j];
      if (columns.index[j] - row.index != pattern.delta[j] || number < 0 || number >= known) return false;
      const std::int64_t to = own(columns, number);
      if (to < 0 || to >= nodes_ || to - row.local != pattern.distance[j]) return false;
    }
    return true;
  }
  void learn(const Row& row, const Indices& columns, PetscInt all) {
    Pattern& pattern = pattern_of(row, columns);
    pattern.count = 0;
    const PetscInt known = known_nodes(columns, all);
    for (PetscInt j = 0; j < columns.count; ++j) {
      const PetscInt index = columns.index[j], number = index / dof_;
      if (index < 0 || number >= known) return;
      const std::int64_t to = own(columns, number);
      if (to < 0 || to >= nodes_) return;
      const std::int64_t d = structure_.diagonal({row.local, true, {}}, to);
      if (d < 0) return;
      pattern.delta[j] = index - row.index;
      pattern.nodes[j] = number - row.number;
      pattern.distance[j] = to - row.local;
      pattern.place[j] = (d * dof_ + index - number * dof_) * nodes_ * dof_;
    }
    pattern.unknown = row.unknown;
    pattern.count = columns.count;
  }

  const GridStructure& structure_;
  double* const values_;
  const PetscInt dof_;
  const std::int64_t nodes_;
  std::array<Pattern, 64> patterns_;
};

}  // namespace quadrille::petsc
