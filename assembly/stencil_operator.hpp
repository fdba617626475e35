// From a grid, a stencil, a boundary and a coefficient functor to the hub and a right-hand side.
//
// Row (node, r) of the operator is the sum over stencil points p and unknowns c of
//
//   coefficient(node, neighbour p of node, r, c) * x[neighbour p, c]
//
// where what stands beyond a face is a constant, or a multiple of a node's x and a constant
// (assembly/neighbour.hpp).
//
// A coefficient functor is trivially copyable, has no owning members (only numbers, std::array and raw
// pointers) and has
//
//   constexpr double operator()(const StencilNode& node, const StencilNeighbour& neighbour, int r, int c)
//             const;
//
// It is asked for points that resolve to a node or to a constant, never for dropped ones, and more than once
// at will. `neighbour` is what the point is to unknown c. With faces of flux and robin, a functor whose flux
// is not du/dn says its conductivity (assembly/neighbour.hpp).
//
// It may say which unknowns couple at all, at the node itself (`centre`, where an unknown always couples to
// itself) and towards its neighbours,
//
//   constexpr bool couples(bool centre, int r, int c) const;    // or static
//
// as DMDASetBlockFills() has it: formats without dense blocks then store these entries alone, in the same
// places whatever their values are. A coefficient other than 0 elsewhere is refused. And it may say that
// coefficients are the same at all nodes, perhaps not all of them and not near faces,
//
//   constexpr bool has_constants() const;
//
// and that the operator is its own transpose,
//
//   static constexpr bool symmetric = true;
//
// for products that look, where they would else go by what couples alone: the values decide.
//
// In place of it a PDE that is linear may be given by its residual (assembly/linear_residual.hpp), of which
// its coefficients are the derivatives.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "assembly/linear_residual.hpp"
#include "assembly/neighbour.hpp"
#include "assembly/zeros.hpp"
#include "formats/block_diagonals.hpp"
#include "formats/csr.hpp"
#include "formats/few_rows.hpp"
#include "grid/boundary.hpp"
#include "grid/grid.hpp"
#include "grid/partition.hpp"
#include "grid/stencil.hpp"

namespace quadrille {

// Consecutive lines of nodes along x: those with y + z*ny in [first, first + count).
struct LineRange {
  std::int64_t first = 0, count = 0;
};
// The same as boxes one after the other: at most what is left of a plane, whole planes, and a part of one.
std::vector<NodeBox> boxes_of(const Grid& grid, const LineRange& lines);

template <class T>
struct AssembledOperator {
  BlockDiagonals<T> hub;
  std::vector<double> rhs;  // [row], what the data of faces move to the right side of A x = rhs
  std::string stencil;      // for people and records: "star radius 1", "box radius 2", or the file
};

// "star radius 1", or the file a custom stencil came from.
std::string describe(const Stencil& stencil);

// Throws InputError unless the stencil has distinct points within the largest radius, and none along z in 2D.
void validate(const Stencil& stencil, const Grid& grid);

// The block diagonals that stencil and boundary need, ascending by (z, y, x). Along periodic axes of n nodes
// offsets are reduced to (-n/2, n/2], so that aliases merge; along the others offsets that leave every node
// are left out; where a face continues the last node (clamp, flux, ...), the offsets to it are included.
// Every diagonal couples at least one pair of nodes, of some unknown. Where a neighbour can be the node
// itself (clamp, flux, ..., or around an axis of one node), what couples beside the centre of the `fill`
// couples in it, too. Throws InputError (grid, stencil, boundary) and FormatError (fill).
BlockStructure block_structure(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                               BlockFill fill = {});

namespace stencil_detail {

// Throws InputError with what stands at values[place], [diagonal][column][row of the box], and where.
[[noreturn]] void throw_outside_fill(const BlockStructure& structure, const NodeBox& box, std::int64_t rows,
                                     std::int64_t place, double value);

// A step -n < d < n along a periodic axis of n nodes, the shorter way round: to (-n/2, n/2].
constexpr std::int64_t reduced(std::int64_t d, std::int64_t n) {
  if (2 * d > n) return d - n;
  if (2 * d <= -n) return d + n;
  return d;
}

// For every diagonal of `structure` the stencil points that land on it at some node, ascending.
std::vector<std::vector<int>> points_of_diagonals(const Grid& grid, const Stencil& stencil,
                                                  const Boundary& boundary, const BlockStructure& structure);

// Where each stencil point of one node lands, for one unknown. Points of one diagonal form a list in stencil
// order.
struct Landing {
  std::vector<StencilNeighbour> neighbour;  // [point]
  std::vector<int> next;                    // [point] the next point of the same list, or -1
  std::vector<int> first;                   // [diagonal] the first point that lands there, or -1
  std::vector<int> with_data;               // the points where the data of a face matter
};

// Of every unknown, or one for all of them.
using Landings = std::vector<Landing>;
inline const Landing& landing_of(const Landings& landings, int unknown) {
  return landings[landings.size() == 1 ? 0 : unknown];
}

// Resolves stencil points to diagonals through a dense table of offsets.
class Resolver {
 public:
  Resolver(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
           const BlockStructure& structure);
  Landings make_landings() const;
  void resolve(const StencilNode& node, Landings& landings) const;
  const Grid& grid() const { return grid_; }
  const Boundary& boundary() const { return boundary_; }
  // Nodes x_begin() <= x < x_end() of a line have all their points inside the grid along x.
  std::int64_t x_begin() const { return x_begin_; }
  std::int64_t x_end() const { return x_end_; }

 private:
  static constexpr int width = 2 * max_stencil_radius + 1;
  static int slot(std::int64_t x, std::int64_t y, std::int64_t z) {
    return static_cast<int>(((z + max_stencil_radius) * width + y + max_stencil_radius) * width + x +
                            max_stencil_radius);
  }
  int diagonal(const Position& from, const Position& to) const;
  void resolve(const StencilNode& node, int unknown, Landing& landing) const;
  bool has_data(const Neighbour& resolved, int unknown) const;

  Grid grid_;
  Boundary boundary_;
  std::vector<Offset> points_;
  std::array<bool, 3> periodic_{};
  std::array<int, width * width * width> diagonal_of_{};
  int diagonals_ = 0;
  std::int64_t x_begin_ = 0, x_end_ = 0;
};

constexpr StencilNode moved(StencilNode node, std::int64_t nodes_along_x) {
  node.index += nodes_along_x;
  node.position.x += nodes_along_x;
  return node;
}

// Of a neighbour that is a node.
constexpr StencilNeighbour moved(StencilNeighbour neighbour, std::int64_t nodes_along_x) {
  neighbour.index += nodes_along_x;
  neighbour.resolved.position.x += nodes_along_x;
  return neighbour;
}

inline void lower(std::atomic<std::int64_t>& number, std::int64_t to) {
  std::int64_t known = number;
  while (to < known && !number.compare_exchange_weak(known, to)) {
  }
}

// body(node, place, count, landings) for every run of `count` nodes of the box along x, from `node` on, the
// box's node `place`, whose points all land alike: the inner nodes of a line, or one node near a face.
// Parallel over lines; each thread has its own copy of `body`.
template <class Body>
void for_each_segment(const Grid& grid, const Resolver& resolver, const NodeBox& box, const Body& body) {
#pragma omp parallel
  {
    Landings landings = resolver.make_landings();
    const Body local = body;
#pragma omp for schedule(static)
    for (std::int64_t line = 0; line < box.lines(); ++line) {
      const NodePosition first = box.first_of_line(line);
      std::int64_t count = 0;
      for (std::int64_t i = 0; i < box.size[0]; i += count) {
        const Position at{first[0] + i, first[1], first[2]};
        const bool inner = at.x >= resolver.x_begin() && at.x < resolver.x_end();
        count = inner ? std::min(resolver.x_end() - at.x, box.size[0] - i) : 1;
        const StencilNode node{node_index(grid, at), at};
        resolver.resolve(node, landings);
        local(node, line * box.size[0] + i, count, landings);
      }
    }
  }
}

// out[i*dof + r], i < count: column c of the blocks of `count` nodes along x, for the points of one list.
template <class T, class Coefficient>
void write_column(const StencilNode& node, std::int64_t count, const Landing& landing, int first, int c,
                  const Resolver& resolver, const Coefficient& coefficient, T* out) {
  const Grid& grid = resolver.grid();
  const int dof = grid.dof;
  if (first < 0) {
    std::fill(out, out + count * dof, T(0));
  } else if (landing.next[first] < 0 && !landing.neighbour[first].resolved.is_beyond()) {
    const StencilNeighbour neighbour = landing.neighbour[first];
    for (std::int64_t i = 0; i < count; ++i) {
      const StencilNode at = moved(node, i);
      const StencilNeighbour to = moved(neighbour, i);
      for (int r = 0; r < dof; ++r) out[i * dof + r] = static_cast<T>(0.0 + coefficient(at, to, r, c));
    }
  } else {
    const Faces& faces = resolver.boundary().of(c);
    for (std::int64_t i = 0; i < count; ++i)
      for (int r = 0; r < dof; ++r) {
        const StencilNode at = moved(node, i);
        double sum = 0;
        for (int p = first; p >= 0; p = landing.next[p]) {
          const StencilNeighbour to = moved(landing.neighbour[p], i);
          const double entry = coefficient(at, to, r, c);
          sum += to.resolved.is_beyond() ? entry * ghost::weight(coefficient, at, to, grid, faces, c) : entry;
        }
        out[i * dof + r] = static_cast<T>(sum);
      }
  }
}

// rhs[i*dof + r] -= coefficient * what the data of faces add there, for `count` nodes along x.
template <class Coefficient>
void subtract_data(const StencilNode& node, std::int64_t count, const Landings& landings,
                   const Resolver& resolver, const Coefficient& coefficient, double* rhs) {
  const int dof = resolver.grid().dof;
  for (int c = 0; c < dof; ++c)
    for (const int p : landing_of(landings, c).with_data)
      for (std::int64_t i = 0; i < count; ++i) {
        const StencilNode at = moved(node, i);
        const StencilNeighbour& first = landing_of(landings, c).neighbour[p];
        const StencilNeighbour to = first.index < 0 ? first : moved(first, i);
        const double constant = ghost::constant(coefficient, at, to, resolver.grid(), resolver.boundary(), c);
        for (int r = 0; r < dof; ++r) rhs[i * dof + r] -= coefficient(at, to, r, c) * constant;
      }
}

// The first value other than 0 of `count` nodes of column c that `couples`, [row][column] of the block, does
// not have; -1 where there is none.
template <class T>
std::int64_t outside_fill(const T* column, std::int64_t count, const std::uint8_t* couples, int c, int dof) {
  if (couples == nullptr) return -1;
  for (std::int64_t i = 0; i < count; ++i)
    for (int r = 0; r < dof; ++r)
      if (couples[r * dof + c] == 0 && column[i * dof + r] != T(0)) return i * dof + r;
  return -1;
}

// The values of a box, [diagonal][column] with `rows` between two columns, [row of the box], 0 where nothing
// couples, and what data of faces subtract from its rhs where there is one. Coefficients that land in one
// block are added in double, in stencil order, and rounded to T once: the result does not depend on threads.
// Parallel over grid lines. Throws InputError where a value stands outside the fill of the structure.
template <class T, class Coefficient>
void fill_box(T* values, std::int64_t rows, const NodeBox& box, const Resolver& resolver,
              const BlockStructure& structure, const Coefficient& coefficient, std::span<double> rhs) {
  const int dof = resolver.grid().dof;
  constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();
  std::atomic<std::int64_t> refused{nowhere};  // the first place among the values
  for_each_segment(
      resolver.grid(), resolver, box,
      [=, &resolver, &structure, &refused](const StencilNode& node, std::int64_t place, std::int64_t count,
                                           const Landings& landings) {
        for (std::int64_t d = 0; d < structure.diagonals(); ++d)
          for (int c = 0; c < dof; ++c) {
            const Landing& landing = landing_of(landings, c);
            const std::int64_t first = (d * dof + c) * rows + place * dof;
            write_column(node, count, landing, landing.first[d], c, resolver, coefficient, values + first);
            const std::int64_t outside = outside_fill(values + first, count, structure.fill_of(d), c, dof);
            if (outside >= 0) lower(refused, first + outside);
          }
        if (!rhs.empty())
          subtract_data(node, count, landings, resolver, coefficient, rhs.data() + place * dof);
      });
  if (refused != nowhere)
    throw_outside_fill(structure, box, rows, refused, static_cast<double>(values[refused]));
}

}  // namespace stencil_detail

// Subtracts from `rhs`, [row of the box], what the data of faces contribute: of another time, say, when
// the operator stays.
template <class Model>
void subtract_data(const Grid& grid, const Stencil& stencil, const Boundary& boundary, const Model& model,
                   const NodeBox& box, std::span<double> rhs) {
  const auto& coefficient = coefficients_of(model, grid, boundary, box);
  const BlockStructure structure = block_structure(grid, stencil, boundary);
  const stencil_detail::Resolver resolver(grid, stencil, boundary, structure);
  stencil_detail::for_each_segment(
      grid, resolver, box,
      [=, &resolver](const StencilNode& node, std::int64_t place, std::int64_t count,
                     const stencil_detail::Landings& landings) {
        stencil_detail::subtract_data(node, count, landings, resolver, coefficient,
                                      rhs.data() + place * resolver.grid().dof);
      });
}

// The rows of a box of nodes.
template <class T>
struct AssembledBox {
  BlockStructure structure;         // of the whole operator
  Array<T> values;                  // [diagonal][column][row of the box]
  Array<T, Device> device_values;   // in place of them, where they were made in GPU memory
  std::optional<FewRows> few_rows;  // in place of both, of a whole grid: these are all
  std::vector<double> rhs;          // [row of the box], as AssembledOperator has it
};

// The same values into memory that is there, `structure` being that of the whole operator. What data of faces
// move is subtracted from `rhs`, [row of the box], where there is one. Throws InputError where a coefficient
// is outside the fill of the structure; the values are then there as they came.
template <class T, class Model>
void refill_box(const Grid& grid, const Stencil& stencil, const Boundary& boundary, const Model& model,
                const NodeBox& box, const BlockStructure& structure, T* values, std::span<double> rhs) {
  const auto& coefficient = coefficients_of(model, grid, boundary, box);
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "the values of an operator are float or double");
  const stencil_detail::Resolver resolver(grid, stencil, boundary, structure);
  stencil_detail::fill_box(values, box.nodes() * grid.dof, box, resolver, structure, coefficient, rhs);
}

// Bit by bit those of the whole operator. Throws as assemble().
template <class T, class Model>
AssembledBox<T> assemble_box(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                             const Model& model, const NodeBox& box) {
  const auto& coefficient = coefficients_of(model, grid, boundary, box);
  require_kept(coefficient, stencil);
  AssembledBox<T> result;
  result.structure = block_structure(grid, stencil, boundary, fill_of(coefficient, grid.dof));
  BlockStructure part = result.structure;
  part.extents = box.size;
  result.values = Array<T>(value_bytes(part, sizeof(T)) / static_cast<std::int64_t>(sizeof(T)));
  result.rhs = zeros(part.rows());
  refill_box(grid, stencil, boundary, coefficient, box, result.structure, result.values.data(),
             std::span<double>(result.rhs));
  return result;
}

// The rows of some lines of nodes, over all columns, bit by bit those of the whole operator: row i is row
// lines.first*nx*dof + i of it. For operators too large to be assembled as a whole. Throws FormatError past
// 2^31 columns or non-zeros, MemoryError, InputError as block_structure().
template <class T, class Model>
Csr<T> assemble_rows(const Grid& grid, const Stencil& stencil, const Boundary& boundary, const Model& model,
                     const LineRange& lines) {
  const auto& coefficient = coefficients_of(model, grid, boundary, whole_box(grid.extents));
  const BlockStructure structure = block_structure(grid, stencil, boundary, fill_of(coefficient, grid.dof));
  const stencil_detail::Resolver resolver(grid, stencil, boundary, structure);
  const std::int64_t nodes = lines.count * grid.extents[0];
  Array<T> values(checked_product(structure.diagonals() * grid.dof * grid.dof, nodes, "values of a slab"));
  T* first = values.data();
  for (const NodeBox& box : boxes_of(grid, lines)) {
    stencil_detail::fill_box(first, nodes * grid.dof, box, resolver, structure, coefficient, {});
    first += box.nodes() * grid.dof;
  }
  return to_csr_rows(structure, values, lines.first * grid.extents[0], nodes);
}

// Structure, memory and values. Throws InputError, FormatError (overflow) and MemoryError.
template <class T, class Model>
AssembledOperator<T> assemble(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                              const Model& model) {
  AssembledBox<T> all = assemble_box<T>(grid, stencil, boundary, model, whole_box(grid.extents));
  AssembledOperator<T> result;
  static_cast<BlockStructure&>(result.hub) = std::move(all.structure);
  result.hub.values = std::move(all.values);
  result.rhs = std::move(all.rhs);
  result.stencil = describe(stencil);
  return result;
}

}  // namespace quadrille
