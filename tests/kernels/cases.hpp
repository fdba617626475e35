// The operators that every registry entry is tested on, and how to draw more of them.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "assembly/pde/random_blocks.hpp"
#include "assembly/stencil_operator.hpp"
#include "formats/csc.hpp"
#include "kernels/registry.hpp"
#include "tests/matrices.hpp"
#include "tests/planted.hpp"
#include "tests/products.hpp"
#include "tests/sanitized.hpp"

namespace quadrille {

template <class T>
struct Case {
  std::string name;
  FormatInput<T> source;
  FormatOptions options;
  bool ragged = false;  // too long a row for the formats that pad
};

template <class T>
Case<T> matrix_case(const std::string& name, Csr<T> csr) {
  Case<T> result{name, {}, {}, false};
  result.source.csr = std::make_shared<const Csr<T>>(std::move(csr));
  return result;
}

// Random blocks of which the same entries couple everywhere, about a third of them, and the diagonal. One in
// `zeros` of their values is 0, or none.
struct RandomInFill {
  RandomBlocks blocks;
  std::uint64_t seed = 1, zeros = 0;

  constexpr bool couples(bool centre, int r, int c) const {
    return counter_hash(seed, static_cast<std::uint64_t>((centre ? 1 << 12 : 0) + (r << 6) + c)) % 3 == 0;
  }
  constexpr double operator()(const StencilNode& node, const StencilNeighbour& to, int r, int c) const {
    const bool centre = to.offset == Offset{};
    if (!couples(centre, r, c) && !(centre && r == c)) return 0;
    const auto place = RandomBlocks::counter(node.index, to.point, r, c);
    return zeros > 0 && counter_hash(blocks.seed + 1, place) % zeros == 0 ? 0 : blocks(node, to, r, c);
  }
};

template <class T, class Coefficient = RandomBlocks>
Case<T> grid_case(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                  const Coefficient& coefficient) {
  Case<T> result{to_string(grid) + " dof " + std::to_string(grid.dof) + " " + describe(stencil) + " " +
                     to_string(boundary, grid.dimension),
                 {},
                 {},
                 false};
  auto hub = std::make_shared<BlockDiagonals<T>>();
  *hub = std::move(assemble<T>(grid, stencil, boundary, coefficient).hub);
  result.source.csr = std::make_shared<const Csr<T>>(to_csr(*hub));
  result.source.hub = std::move(hub);
  return result;
}

// A random set of offsets within radius 2, one in `one_in` of them, the centre among them or not.
inline Stencil custom_stencil(int dimension, std::mt19937& random, unsigned one_in = 4) {
  Stencil box = box_stencil(dimension, 2);
  std::erase_if(box.offsets, [&](const Offset&) { return random() % one_in != 0; });
  if (box.offsets.empty()) box.offsets.push_back({1, 0, 0});
  box.name = "custom";
  return box;
}

inline Boundary random_boundary(int dimension, std::mt19937& random) {
  Boundary boundary;
  for (int axis = 0; axis < dimension; ++axis) {
    const bool periodic = random() % 3 == 0;
    for (int face = 2 * axis; face < 2 * axis + 2; ++face) {
      const BoundaryKind others[] = {BoundaryKind::drop, BoundaryKind::clamp, BoundaryKind::value};
      boundary.faces[face] = {periodic ? BoundaryKind::periodic : others[random() % 3], 1.5};
    }
  }
  return boundary;
}

// Of the operators, every one, or every third.
inline constexpr int operators_apart = sanitized ? 3 : 1;

// Random stencils, DoF 1..9 and beyond 8, odd extents down to one node, every boundary, 2D and 3D.
template <class T>
std::vector<Case<T>> grid_cases(bool integer) {
  std::mt19937 random(20261121);
  const std::int64_t extents[] = {1, 2, 3, 5, 7, 11, 16, 17, 31, 33};
  std::vector<Case<T>> cases;
  int number = 0;
  const auto add = [&](const Grid& grid, const Stencil& stencil) {
    const Boundary boundary = random_boundary(grid.dimension, random);
    const RandomBlocks coefficient{random(), integer};
    if (number++ % operators_apart != 0) return;
    cases.push_back(grid_case<T>(grid, stencil, boundary, coefficient));
  };
  for (int i = 0; i < 48; ++i) {
    Grid grid;
    grid.dimension = 2 + static_cast<int>(random() % 2);
    grid.dof = 1 + i % 9;
    if (i % 16 == 15) grid.dof = 13;
    for (int axis = 0; axis < grid.dimension; ++axis)
      grid.extents[axis] = extents[random() % (grid.dimension == 2 ? 10 : 6)];
    const int radius = i % 12 == 0 ? 4 : i % 12 == 3 ? 3 : 1 + static_cast<int>(random() % 2);
    add(grid, i % 4 == 0   ? star_stencil(grid.dimension, radius)
              : i % 4 == 1 ? box_stencil(grid.dimension, radius)
                           : custom_stencil(grid.dimension, random));
  }
  // Many unknowns, and more diagonals than one launch takes, on every boundary there is.
  for (const int dof : {10, 12, 15, 17, 22, 31, 32, 33, 40})
    add({.extents = {3, dof % 2 == 0 ? 4 : 3, 5}, .dof = dof}, star_stencil(3, 1));
  for (const int dof : {1, 2, 3}) add({.extents = {9, 8, 7}, .dof = dof}, box_stencil(3, 3));
  // Boxes of one unknown, whose rows CDS takes by two and four on the GPU: lines of the grid that are a
  // multiple of that or not, as long as the box and longer than a warp's rows.
  for (const std::int64_t nx : {4, 5, 6, 8, 31, 136})
    for (const int radius : {1, 2}) add({.extents = {nx, 6, nx % 2 == 0 ? 2 : 4}}, box_stencil(3, radius));
  // What couples within the blocks is said.
  for (const int dof : {1, 2, 3, 5, 8}) {
    Boundary boundary;
    if (dof % 2 == 1) boundary.faces[2].kind = boundary.faces[3].kind = BoundaryKind::periodic;
    const int dimension = dof == 5 ? 2 : 3;
    cases.push_back(
        grid_case<T>({.dimension = dimension, .extents = {7, 5, dimension == 3 ? 4 : 1}, .dof = dof},
                     dof == 2 ? box_stencil(dimension, 1) : star_stencil(dimension, 1), boundary,
                     RandomInFill{{random(), integer}, random()}));
    cases.back().name += " in a fill";
  }
  // Entries that are constant, or mirrors of others.
  for (std::uint64_t seed = 1; seed <= 24; seed += operators_apart) {
    Case<T> planted{"planted " + std::to_string(seed), {}, {}, false};
    auto hub = std::make_shared<BlockDiagonals<T>>(std::move(planted::draw<T>(seed, integer).hub));
    planted.source.csr = std::make_shared<const Csr<T>>(to_csr(*hub));
    planted.source.hub = std::move(hub);
    cases.push_back(std::move(planted));
  }
  for (int i = 0; i < static_cast<int>(cases.size()); ++i) {
    FormatOptions& o = cases[i].options;
    o.ellr_t_threads = i % 7 == 6 ? 0 : 1 << i % 6;
    o.ellr_t_block = i % 11 == 10 ? 0 : 64 << i % 5;
    o.ellr_t_model = static_cast<EllrTModel>(i / 7 % 2);
    o.rg_csr_group = 32 + 16 * (i % 15);
    o.rg_csr_ordering = static_cast<RowOrdering>(i % row_orderings());
    o.rg_csr_graph_order = tested_graph_order();
    o.rg_csr_threads = i % 5 == 4 ? 0 : 1 << i % 5;
    o.cmrs_height = 1 + i % 16;
    o.cmrs_reorder = i % 2 == 1;
  }
  return cases;
}

// Rows of the given lengths at places spread over the columns; values -4..4 without 0, or in (-1, 1).
template <class T>
Csr<T> ragged_matrix(const std::vector<std::int64_t>& lengths, std::int64_t columns, bool integer) {
  std::mt19937 random(14);
  std::int64_t nnz = 0;
  for (const std::int64_t length : lengths) nnz += length;
  const auto rows = static_cast<std::int64_t>(lengths.size());
  Csr<T> csr{rows, columns, Array<std::int32_t>(rows + 1), Array<std::int32_t>(nnz), Array<T>(nnz)};
  std::int64_t k = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    csr.row_ptr[row] = static_cast<std::int32_t>(k);
    for (std::int64_t e = 0; e < lengths[row]; ++e, ++k) {
      const int whole = static_cast<int>(random() % 8);
      csr.column[k] = static_cast<std::int32_t>(e * columns / lengths[row]);
      csr.value[k] = static_cast<T>(integer ? whole - (whole < 4 ? 4 : 3) : whole / 8.0 - 0.45);
    }
  }
  csr.row_ptr[rows] = static_cast<std::int32_t>(k);
  return csr;
}

// Rows that end at a tile of a GPU kernel (896 entries for COO, 1024 for CSR) or beside it, that fill one or
// are one entry longer, with runs of empty rows between; rows far longer than a tile among short ones.
template <class T>
std::vector<Case<T>> tile_cases(bool integer) {
  std::vector<Case<T>> cases;
  const auto add = [&](const char* name, const std::vector<std::int64_t>& lengths, std::int64_t columns) {
    cases.push_back(matrix_case(name, ragged_matrix<T>(lengths, columns, integer)));
    cases.back().options.cmrs_height = 1 + static_cast<int>(cases.size()) * 2;
    cases.back().options.rg_csr_threads = cases.size() % 2 == 0 ? 0 : 1 << cases.size() % 4;
  };
  add("rows that end at a tile of COO", {896, 448, 448, 895, 1, 7, 7, 882, 128, 768, 3}, 1100);
  add("rows cut by a tile of COO", {890, 13, 1000, 0, 0, 1024, 1, 1023, 127, 1025, 897, 5}, 1100);
  add("rows that fill a tile of CSR", {1024, 1, 1024, 0, 1023, 1017, 1025, 2, 1016, 1, 0, 1024}, 1100);
  std::vector<std::int64_t> lengths(700, 0);
  for (std::size_t row = 300; row < lengths.size(); row += 97) lengths[row] = 5;
  add("mostly empty rows", lengths, 20);
  lengths.assign(150, 3);
  for (const auto& [row, length] : {std::pair{2, 250}, {70, 130}, {71, 200}, {149, 240}})
    lengths[row] = length;
  add("a few longer rows", lengths, 300);
  lengths.assign(300, 3);
  for (std::size_t row = 0; row < lengths.size(); row += 4) lengths[row] = 11;
  lengths[2] = 2500;
  lengths[150] = 100000;
  lengths[151] = 0;
  lengths[299] = 9000;
  add("a row of 100000 among short ones", lengths, 100000);
  cases.back().ragged = true;
  lengths.assign(3, 5000);
  add("only long rows", lengths, 6000);
  return cases;
}

// Empty rows, a dense row, rectangles, a single entry, nothing at all; sizes around warps and pitches.
template <class T>
std::vector<Case<T>> matrix_cases(bool integer) {
  std::vector<Case<T>> cases;
  cases.push_back(matrix_case("the paper's 5x5", paper_matrix<T>()));
  for (const int b : {2, 3, 8, 9}) {  // blocks that stick out of the matrix
    cases.push_back(
        matrix_case("blocks of " + std::to_string(b), random_matrix<T>(43, 43, 6, -1, integer, 12)));
    cases.back().options.block_size = b;
  }
  for (const int b : {2, 3}) {  // blocks that divide it
    cases.push_back(
        matrix_case("divided by " + std::to_string(b), random_matrix<T>(42, 42, 6, -1, integer, 13)));
    cases.back().options.block_size = b;
  }
  cases.push_back(matrix_case("no rows", csr_of<T>(0, 0, {})));
  cases.push_back(matrix_case("one entry", csr_of<T>(1, 1, {3})));
  cases.push_back(matrix_case("no entries", csr_of<T>(3, 3, std::vector<T>(9, T(0)))));
  cases.push_back(matrix_case("one full row", csr_of<T>(1, 7, {1, 2, 3, 4, 5, 6, 7})));
  cases.push_back(matrix_case("one full column", csr_of<T>(7, 1, {1, 2, 3, 4, 5, 6, 7})));
  for (const std::int64_t n : {31, 32, 33, 63, 64, 65, 129, 161})
    cases.push_back(
        matrix_case(std::to_string(n) + " rows, some empty", random_matrix<T>(n, n, 5, -1, integer, 7)));
  cases.push_back(matrix_case("a dense row", random_matrix<T>(200, 200, 4, 150, integer, 8)));
  cases.push_back(matrix_case("wide", random_matrix<T>(40, 95, 6, -1, integer, 9)));
  cases.push_back(matrix_case("tall", random_matrix<T>(95, 40, 6, -1, integer, 10)));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i].options.cmrs_height = 1 + static_cast<int>(i) % 16;
    cases[i].options.cmrs_reorder = i % 2 == 0;
    cases[i].options.ellr_t_threads = 1 << i % 6;
    cases[i].options.ellr_t_block = 64 << i % 5;
    cases[i].options.rg_csr_threads = i % 3 == 0 ? 0 : 1 << i % 6;
    cases[i].options.rg_csr_ordering = i % 2 == 0 ? RowOrdering::descending : RowOrdering::none;
  }
  for (Case<T>& c : tile_cases<T>(integer)) cases.push_back(std::move(c));
  return cases;
}

// All of these, drawn once in a process: that takes longer than most tests of them.
template <class T>
const std::vector<Case<T>>& all_cases(bool integer) {
  static std::vector<Case<T>> drawn[2];
  std::vector<Case<T>>& cases = drawn[integer ? 1 : 0];
  if (cases.empty()) {
    cases = grid_cases<T>(integer);
    for (Case<T>& c : matrix_cases<T>(integer)) cases.push_back(std::move(c));
  }
  return cases;
}

// CDS needs a square matrix that its blocks divide; cuSPARSE's BSR whole blocks, larger than 1 x 1; what pads
// rows or diagonals refuses one very long row.
template <class T>
bool refuses(const FormatEntry& entry, const Case<T>& c) {
  const Csr<T>& csr = *c.source.csr;
  const int b = c.source.hub ? c.source.hub->dof : c.options.block_size;
  const bool pads = entry.name == "ell" || entry.name == "ellr_t" || entry.name == "rg_csr" ||
                    entry.name == "dia" || entry.name == "cusparse_sell";
  if (c.ragged && pads) return true;
  if (entry.name == "cusparse_bsr") return b == 1 || csr.rows % b != 0 || csr.columns % b != 0;
  const bool blocks = entry.name == "cds" || entry.name == "compact" || entry.name == "stencil_table";
  return blocks && !c.source.hub && (csr.rows != csr.columns || csr.rows % b != 0);
}

template <class T>
std::vector<T> test_vector(std::int64_t size, bool integer, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<T> x(static_cast<std::size_t>(size));
  for (T& value : x)
    value = static_cast<T>(integer ? static_cast<double>(random() % 17) - 8 : uniform(random));
  return x;
}

}  // namespace quadrille
