// Operators and parameters of formats at random, all from one generator.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "cases.hpp"
#include "formats/build_csr.hpp"

namespace quadrille {

inline int draw(std::mt19937& random, int least, int most) {
  return least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
}

// 1..most, every order of magnitude as likely.
inline std::int64_t draw_size(std::mt19937& random, std::int64_t most) {
  const double exponent = std::uniform_real_distribution<double>(0, 1)(random);
  return std::clamp<std::int64_t>(std::llround(std::pow(static_cast<double>(most), exponent)), 1, most);
}

inline FormatOptions draw_options(std::mt19937& random, bool of_graph_too) {
  FormatOptions options;
  options.ellr_t_threads = 1 << draw(random, 0, 5);
  options.ellr_t_block = 64 << draw(random, 0, 4);
  options.rg_csr_group = draw(random, 32, 256);
  options.rg_csr_threads = draw(random, 0, 1) == 0 ? 0 : 1 << draw(random, 0, 5);
  options.rg_csr_ordering = static_cast<RowOrdering>(draw(random, 0, of_graph_too ? row_orderings() - 1 : 1));
  options.rg_csr_graph_order = tested_graph_order();
  options.cmrs_height = draw(random, 1, 16);
  options.cmrs_reorder = draw(random, 0, 1) == 1;
  options.kernel = static_cast<Kernel>(draw(random, 0, 1));
  options.x_cache = static_cast<CachePath>(draw(random, 0, 2));
  options.cmrs_block = options.kernel == Kernel::ours ? 64 << draw(random, 0, 2) : 32 * draw(random, 0, 32);
  options.cmrs_aligned = draw(random, 0, 1) == 1;
  options.cmrs_split = static_cast<MemorySplit>(draw(random, 0, 2));
  options.csr_lanes = draw(random, 0, 2) == 0 ? 1 << draw(random, 0, 5) : 0;
  options.products = draw(random, 0, 1);
  options.of_transpose = draw(random, 0, 1) == 1;
  return options;
}

// A few ten thousand rows at most; one case in 64 has up to a million.
struct Limits {
  std::int64_t rows, entries;

  explicit Limits(std::mt19937& random) {
    const bool large = draw(random, 1, 64) == 1;
    rows = large ? 1 << 20 : 40000;
    entries = large ? 16 << 20 : 2 << 20;
  }
};

inline Stencil draw_stencil(int dimension, std::mt19937& random) {
  switch (draw(random, 0, 2)) {
    case 0:
      return star_stencil(dimension, draw(random, 1, 4));
    case 1:
      return box_stencil(dimension, draw(random, 1, dimension == 2 ? 4 : 2));
    default:
      return custom_stencil(dimension, random, static_cast<unsigned>(draw(random, 1, 16)));
  }
}

// Every extent from 1 on, so that axes of one node and long thin grids are frequent.
template <class T>
Case<T> draw_grid_case(std::mt19937& random, bool integer) {
  const Limits limits(random);
  Grid grid;
  grid.dimension = draw(random, 2, 3);
  grid.dof = draw(random, 1, 4) == 1 ? draw(random, 9, 32) : draw(random, 1, 8);
  const Stencil stencil = draw_stencil(grid.dimension, random);
  const std::int64_t per_node = static_cast<std::int64_t>(stencil.offsets.size()) * grid.dof * grid.dof;
  std::int64_t nodes = std::max<std::int64_t>(1, std::min(limits.rows / grid.dof, limits.entries / per_node));
  const int first = draw(random, 0, grid.dimension - 1);
  for (int i = 0; i < grid.dimension; ++i) {
    std::int64_t& extent = grid.extents[(first + i) % grid.dimension];
    extent = draw_size(random, nodes);
    nodes /= extent;
  }
  Case<T> result = grid_case<T>(grid, stencil, random_boundary(grid.dimension, random), {random(), integer});
  result.options = draw_options(random, true);
  result.options.block_size = grid.dof;
  return result;
}

// Any matrix: square or not, with empty rows, with a dense row, with nothing in it; one in two is made of
// whole blocks.
template <class T>
Case<T> draw_matrix_case(std::mt19937& random, bool integer) {
  const Limits limits(random);
  const int block_size = draw(random, 0, 2) == 0 ? 1 : draw(random, 2, 9);
  const std::int64_t multiple = draw(random, 0, 1) == 0 ? block_size : 1;
  const std::int64_t rows = round_up(draw_size(random, limits.rows), multiple);
  const std::int64_t columns =
      draw(random, 0, 2) == 0 ? round_up(draw_size(random, limits.rows), multiple) : rows;
  const int longest = draw(random, 0, 40), empty_percent = draw(random, 0, 3) == 0 ? draw(random, 0, 100) : 0;
  const std::int64_t dense_row = draw(random, 0, 3) == 0 ? static_cast<std::int64_t>(random()) % rows : -1;
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<std::int32_t> row_ptr{0}, column;
  std::vector<T> value;
  std::set<std::int32_t> chosen;
  for (std::int64_t i = 0; i < rows; ++i) {
    chosen.clear();
    if (i == dense_row) {
      for (std::int64_t j = 0; j < columns; ++j) chosen.insert(chosen.end(), static_cast<std::int32_t>(j));
    } else if (draw(random, 1, 100) > empty_percent &&
               static_cast<std::int64_t>(column.size()) < limits.entries) {
      for (int k = draw(random, 0, longest); k > 0; --k)
        chosen.insert(static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(columns)));
    }
    for (const std::int32_t j : chosen) {
      const int whole = draw(random, 1, 4) * (draw(random, 0, 1) == 0 ? 1 : -1);
      column.push_back(j);
      value.push_back(static_cast<T>(integer ? whole : uniform(random)));
    }
    row_ptr.push_back(static_cast<std::int32_t>(column.size()));
  }
  const std::string name = "matrix " + std::to_string(rows) + " x " + std::to_string(columns) + ", " +
                           std::to_string(column.size()) + " entries, " + std::to_string(empty_percent) +
                           "% empty rows, dense row " + std::to_string(dense_row);
  Case<T> result = matrix_case(name, csr_from(rows, columns, row_ptr, column, value));
  // PETSc's reverse Cuthill-McKee sorts the neighbours of a row by insertion: quadratic in a dense one.
  result.options = draw_options(random, rows == columns && (dense_row < 0 || columns < 4000));
  result.options.block_size = block_size;
  return result;
}

inline std::string describe(const FormatOptions& o) {
  return "block size " + std::to_string(o.block_size) + ", T " + std::to_string(o.ellr_t_threads) +
         " in blocks of " + std::to_string(o.ellr_t_block) + ", group " + std::to_string(o.rg_csr_group) +
         " with " + std::to_string(o.rg_csr_threads) + " threads, ordering " +
         std::to_string(static_cast<int>(o.rg_csr_ordering)) + ", height " + std::to_string(o.cmrs_height) +
         (o.cmrs_reorder ? ", reordered" : "") + (o.cmrs_aligned ? ", aligned" : "") + ", blocks of " +
         std::to_string(o.cmrs_block) + " split " + std::to_string(static_cast<int>(o.cmrs_split)) +
         ", csr lanes " + std::to_string(o.csr_lanes) + ", kernel " +
         (o.kernel == Kernel::ours ? "ours" : "of the paper") + ", x by " +
         std::to_string(static_cast<int>(o.x_cache)) + ", products " + std::to_string(o.products) +
         (o.of_transpose ? " transposed" : "");
}

}  // namespace quadrille
