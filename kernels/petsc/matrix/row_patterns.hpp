// Rows, of unknowns or of nodes, that a program sets as it set others before: most name the same neighbours
// in the same order, and where their values stand follows from the node alone. Internal to
// kernels/petsc/matrix_type.
//
// What a row names is a pattern: how far each column stands behind the row, by the numbers that are given.
// For a node as near to the same sides of the box, whose neighbours are this rank's and as far behind in the
// numbering of nodes as the pattern's, value j stands at values[place[j] + row]; of rows of nodes, the first
// value of block j. What does not fit is found as any other row.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/petsc/matrix/grid_blocks.hpp"
#include "kernels/petsc/matrix/index_runs.hpp"
#include "kernels/petsc/matrix/structure.hpp"

namespace quadrille::petsc {

class RowPatterns {
 public:
  // `values`: of the block diagonals, all of which couple.
  RowPatterns(const GridStructure& structure, double* values)
      : structure_(structure), values_(values), dof_(structure.owned.dof), nodes_(structure.owned.nodes()) {}

  // One row, of an unknown or of a node; true where it is done. `all`: nodes of all ranks.
  bool put(const Indices& rows, const Indices& columns, const GivenValues& given, PetscInt all) {
    Row row;
    if (!is_of_known(rows, columns, all, row)) return false;
    const Pattern& pattern = pattern_of(row, columns);
    if (!fits(pattern, row, columns, all)) {
      learn(row, columns, all);
      return false;
    }
    double* const to = values_ + row.local * dof_ + row.unknown;
    if (row.unit < dof_) return put_blocks(pattern, to, given);
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
    PetscInt count = 0, unit = 0, unknown = 0, side = 0;
    std::array<PetscInt, longest> delta{}, nodes{};  // from the row, and from its node, as they are given
    std::array<std::int64_t, longest> distance{}, place{};
  };
  struct Row {
    PetscInt index = 0, number = 0, unknown = 0;
    PetscInt side = 0;       // of its node
    PetscInt unit = 1;       // indices of a node: its unknowns, or 1 where they are of nodes
    std::int64_t local = 0;  // its node among those of this rank
  };

  // All of a node's rows of each block.
  bool put_blocks(const Pattern& pattern, double* to, GivenValues given) const {
    const PutColumns run = put_columns_of(dof_, given.mode);
    for (PetscInt j = 0; j < pattern.count; ++j, given.first += dof_ * given.column_step)
      run(to + pattern.place[j], nodes_ * dof_, dof_, dof_, given);
    return true;
  }

  bool is_of_known(const Indices& rows, const Indices& columns, PetscInt all, Row& row) {
    if ((dof_ > 1 && rows.nodes != columns.nodes) || structure_.furthest < 0 || rows.count != 1 ||
        rows.index[0] < 0 || columns.count < 1 || columns.count > longest)
      return false;
    row.index = rows.index[0];
    row.unit = rows.nodes ? 1 : dof_;
    row.number = rows.nodes ? row.index : row.index / dof_;
    row.unknown = row.index - row.number * row.unit;
    if (row.number >= known_nodes(rows, all)) return false;
    row.local = own(rows, row.number);
    if (row.local < 0 || row.local >= nodes_) return false;
    if (side_.empty()) side_ = sides_of_nodes(structure_);
    row.side = side_[static_cast<std::size_t>(row.local)];
    return row.side != some_side;
  }
  std::int64_t own(const Indices& given, PetscInt number) const {
    const PetscInt node = given.node_of != nullptr ? given.node_of[number] : number;
    return std::int64_t{node} - structure_.first_node;
  }
  Pattern& pattern_of(const Row& row, const Indices& columns) {
    const auto key = static_cast<std::uint32_t>((columns.index[0] - row.index) * 64 + columns.count) * 64u +
                     static_cast<std::uint32_t>(row.unit == 1 ? 63 : row.unknown);
    return patterns_[((key + static_cast<std::uint32_t>(row.side) * 0x85EBCA6Bu) * 0x9E3779B1u) >> 24];
  }
  bool fits(const Pattern& pattern, const Row& row, const Indices& columns, PetscInt all) const {
    if (pattern.count != columns.count || pattern.unknown != row.unknown || pattern.unit != row.unit ||
        pattern.side != row.side)
      return false;
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
      const PetscInt index = columns.index[j], number = index / row.unit;
      if (index < 0 || number >= known) return;
      const std::int64_t to = own(columns, number);
      if (to < 0 || to >= nodes_) return;
      const std::int64_t d = structure_.diagonal(structure_.own_node(row.local), to);
      if (d < 0) return;
      pattern.delta[j] = index - row.index;
      pattern.nodes[j] = number - row.number;
      pattern.distance[j] = to - row.local;
      pattern.place[j] = (d * dof_ + index - number * row.unit) * nodes_ * dof_;
    }
    pattern.unit = row.unit;
    pattern.side = row.side;
    pattern.unknown = row.unknown;
    pattern.count = columns.count;
  }

  const GridStructure& structure_;
  double* const values_;
  const PetscInt dof_;
  const std::int64_t nodes_;
  std::vector<std::uint8_t> side_;  // of each node, once rows are set
  std::array<Pattern, 256> patterns_;
};

}  // namespace quadrille::petsc
