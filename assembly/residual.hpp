// A PDE as its residual F(t, u, u_t) = 0 at the nodes of a grid, from one functor: what it comes to, and its
// Jacobian by automatic differentiation (dual.hpp), exact to rounding.
//
// The functor gives the residual of unknown r at a node from what it asks of `u` (residual_node.hpp):
//
//   struct Fisher {                               // u_t - d lap u = u (1 - u)
//     double d;
//     constexpr auto operator()(const auto& u, int r) const {
//       return u.rate(r) - d * u.laplacian(r) - u(r) * (1 - u(r));
//     }
//   };
//
// It is trivially copyable and written for any scalar: u(r), u.rate(r) and the like are numbers or Duals. It
// must give the same scalar on every way out, and mathematical functions are found by `using std::exp;`. It
// may say which unknowns couple, by couples(), and that derivatives are the same at all nodes, by
// has_constants() (stencil_operator.hpp): no derivative is made of what does not couple, but at the first
// Jacobian, which tells whether they are 0. And it may say, of what solvers make use,
//
//   static constexpr bool linear = true;     // in u and u_t, by coefficients that do not change in time
//   static constexpr bool symmetric = true;  // the Jacobian, and positive definite for a shift > 0
//   static constexpr bool uniform = true;    // linear, by the same coefficients at all nodes, whatever faces
//                                            // make of neighbours: one node's are made, and used at all
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "assembly/jacobian_shape.hpp"
#include "assembly/residual_node.hpp"
#include "assembly/uniform_rows.hpp"
#include "formats/block_diagonals.hpp"
#include "formats/few_rows.hpp"

namespace quadrille {

// What a functor does that was not said of it.
struct Misfit {
  static constexpr unsigned of_stencil = 1;  // it asks for a neighbour that the stencil has not
  static constexpr unsigned of_fill = 2;     // unknowns couple that couples() leaves out
  static constexpr unsigned of_places = 4;   // its Jacobian is not the same at all nodes
};

namespace residual_detail {

template <class Residual>
constexpr bool may_couple(const Residual& residual, bool centre, int r, int c) {
  if constexpr (requires { residual.couples(centre, r, c); })
    return (centre && r == c) || residual.couples(centre, r, c);
  else
    return true;
}

// The first column behind c that couples to row r, or `dof`.
template <class Residual>
constexpr int next_column(const Residual& residual, bool centre, int r, int c, int dof) {
  do ++c;
  while (c < dof && !may_couple(residual, centre, r, c));
  return c;
}

// An inner node, by its place in the grid, in the box and in the window.
struct InnerPlace {
  Position at;
  std::int64_t own = 0, place = 0;
};

// Which derivatives a pass over the rows makes: those of what couples by the functor's word, and zeros for
// the rest; or all.
enum class Make { values, all };

// All that a row couples with that is not said of it, weighted so that no two derivatives cancel.
template <class Residual>
struct OtherSeeds {
  const JacobianShape* shape;
  const Residual* residual;
  int r;
  constexpr double weight(int dx, int dy, int dz, int c) const {
    const int place = (dz + 1) * 9 + (dy + 1) * 3 + dx + 1;
    if (shape->of_cube[place] >= 0 && may_couple(*residual, place == 13, r, c)) return 0;
    std::uint32_t hash = static_cast<std::uint32_t>(place * shape->dof + c + 1) * 2654435761u;
    hash = (hash ^ hash >> 15) * 2246822519u;
    return 1 + (hash ^ hash >> 13) * 0x1p-32;
  }
};

// What they are, as Misfit's bits: one derivative tells that there are none.
template <class Residual>
constexpr unsigned misfit_of_row(const ResidualState& state, const Residual& residual, const InnerPlace& node,
                                 int r, double shift, const JacobianShape& shape) {
  {
    const InnerNode<Dual, OtherSeeds<Residual>, 0, says_linear<Residual>()> u(
        state, node.at, node.own, node.place, {&shape, &residual, r}, 0, shift);
    if (Dual(residual(u, r)).slope == 0) return 0;
  }
  unsigned misfit = 0;
  for (int i = 0; i < 27 * shape.dof; ++i) {
    const int place = i / shape.dof, c = i % shape.dof;
    const bool couples = may_couple(residual, place == 13, r, c), there = shape.of_cube[place] >= 0;
    if (couples && there) continue;
    const InnerNode<Dual, AnySeed, 0, says_linear<Residual>()> u(state, node.at, node.own, node.place,
                                                                 AnySeed{place}, c, shift);
    if (Dual(residual(u, r)).slope == 0) continue;
    misfit |= (there ? 0 : Misfit::of_stencil) | (couples ? 0 : Misfit::of_fill);
  }
  return misfit;
}

// A row of a Jacobian at an inner node: the numbers of column c at row[c*rows + place]. `blocks`: those of a
// uniform one, or null. Returns Misfit's bits, of `all`.
template <Make make, class Residual>
constexpr unsigned inner_row(const ResidualState& state, const Residual& residual, const InnerPlace& node,
                             int r, double shift, const JacobianShape& shape, const double* blocks,
                             double* row, std::int64_t rows) {
  unsigned misfit = 0;
  if constexpr (make == Make::values && says_uniform<Residual>()) {
    copy_row(blocks, r, shape, row, rows);
    return misfit;
  }
  const std::int64_t of_diagonal = shape.dof * rows;
  for (int place = 0; place < 27; ++place) {
    const AnySeed by{place};
    const int d = shape.of_cube[place];
    if (d < 0) continue;
    double* to = row + d * of_diagonal;
    for (int c = 0; c < shape.dof; ++c, to += rows) {
      double slope = 0;
      if (may_couple(residual, by.is(0, 0, 0), r, c)) {
        const InnerNode<Dual, AnySeed, 0, says_linear<Residual>()> u(state, node.at, node.own, node.place, by,
                                                                     c, shift);
        slope = Dual(residual(u, r)).slope;
      }
      *to = slope;
      if (make == Make::all && says_uniform<Residual>() && blocks != nullptr &&
          differ(slope, blocks[(d * shape.dof + c) * shape.dof + r]))
        misfit |= Misfit::of_places;
    }
  }
  if (make == Make::all) misfit |= misfit_of_row(state, residual, node, r, shift, shape);
  return misfit;
}

// Of a state that has inner nodes.
inline InnerPlace first_inner(const ResidualState& state) {
  const NodePosition& at = state.inner().first;
  const Position first{at[0], at[1], at[2]};
  return {first, state.own(first), state.window.place(first)};
}
// The blocks of that node; none without one, and of others than uniform Jacobians.
template <class Residual>
std::vector<double> uniform_blocks(const ResidualState& state, const Residual& residual, double shift,
                                   const JacobianShape& shape) {
  if (!says_uniform<Residual>() || state.inner().nodes() == 0) return {};
  std::vector<double> blocks(static_cast<std::size_t>(blocks_size(shape)));
  for (int r = 0; r < shape.dof; ++r)
    inner_row<Make::all>(state, residual, first_inner(state), r, shift, shape, nullptr, blocks.data() + r,
                         shape.dof);
  return blocks;
}

// The same anywhere, for longer: diagonals from `first` on, before `end`. `node`: a ResidualNode of Duals.
template <Make make, class Node, class Residual>
constexpr unsigned any_row(const ResidualState& state, const Residual& residual, Node& node, int r,
                           double shift, const JacobianShape& shape, int first, int end, double* row,
                           std::int64_t rows) {
  unsigned misfit = 0;
  for (int d = first; d < end; ++d) {
    Position to;
    const bool leads = shape.neighbour(node.position(), d, to), centre = shape.offset[d] == NodeOffset{};
    for (int c = 0; c < shape.dof; ++c) {
      const bool couples = may_couple(residual, centre, r, c) ||
                           (centre && shape.centre_has_beside && may_couple(residual, false, r, c));
      double slope = 0;
      if (leads && (couples || make == Make::all)) {
        node.seed(state.window.place(to), c, shift);
        slope = Dual(residual(node, r)).slope;
      }
      row[(d * shape.dof + c) * rows] = slope;
      if (make == Make::all && slope != 0 && !couples) misfit |= Misfit::of_fill;
    }
  }
  return misfit;
}

// inner(first node, how many) for the inner nodes of each line of the box, anywhere(node) for the others.
// Parallel over lines, of more nodes than take as long as to wake a thread.
template <class Inner, class Anywhere>
void for_lines(const ResidualState& state, const Inner& inner, const Anywhere& anywhere) {
  const NodeBox &box = state.box, within = state.inner();
#pragma omp parallel for schedule(static) if (box.nodes() > 1024)
  for (std::int64_t line = 0; line < box.lines(); ++line) {
    const NodePosition first = box.first_of_line(line);
    const auto node = [&](std::int64_t x) { return Position{x, first[1], first[2]}; };
    const std::int64_t end = first[0] + box.size[0];
    const bool has_inner = within.size[0] > 0 && within.contains({within.first[0], first[1], first[2]});
    const std::int64_t from = has_inner ? within.first[0] : end, to = has_inner ? from + within.size[0] : end;
    for (std::int64_t x = first[0]; x < from; ++x) anywhere(node(x));
    if (has_inner) inner(node(from), to - from);
    for (std::int64_t x = to; x < end; ++x) anywhere(node(x));
  }
}

template <class Residual>
constexpr bool says_symmetric() {
  if constexpr (requires { Residual::symmetric; })
    return Residual::symmetric;
  else
    return false;
}

template <class Residual>
constexpr void require_residual() {
  static_assert(std::is_trivially_copyable_v<Residual>,
                "a residual functor holds numbers and raw pointers alone");
}

// What functors ask for is compiled into the loops over the nodes of a line, whose compiler knows the
// dimension: calls would take ten times as long as what they compute.
template <int dimension, class Residual>
[[gnu::flatten]] void inner_line(const ResidualState& of_all, const Residual& of_caller,
                                 const Position& first, std::int64_t count, double* f) {
  const ResidualState state = of_all;  // which no store changes
  const Residual residual = of_caller;
  const InnerPlace node{first, state.own(first), state.window.place(first)};
  const int dof = state.grid.dof;
  for (int r = 0; r < dof; ++r)
    for (std::int64_t i = 0; i < count; ++i)
      f[(node.own + i) * dof + r] =
          residual(InnerNode<double, NoSeed, dimension>(state, {first.x + i, first.y, first.z}, node.own + i,
                                                        node.place + i, {}, 0, 0),
                   r);
}

// The rows of a star's Jacobian, a diagonal's numbers at a time.
template <int dimension, class Residual>
[[gnu::flatten]] void inner_line_of_star(const ResidualState& of_all, const Residual& of_caller,
                                         const Position& first, std::int64_t count, double shift,
                                         const JacobianShape& shape, double* values) {
  const ResidualState state = of_all;
  const Residual residual = of_caller;
  const InnerPlace node{first, state.own(first), state.window.place(first)};
  const int dof = state.grid.dof;
  const std::int64_t rows = state.box.nodes() * dof;
  const auto make = [&](auto by, int r, int c) {
    const int d = shape.of_cube[by.place_in_cube];
    if (d < 0) return;
    double* const to = values + (d * dof + c) * rows + node.own * dof + r;
    const bool couples = may_couple(residual, by.is(0, 0, 0), r, c);
    for (std::int64_t k = 0; k < count && !couples; ++k) to[k * dof] = 0;
    for (std::int64_t k = 0; k < count && couples; ++k) {
      const InnerNode<Dual, decltype(by), dimension, says_linear<Residual>()> u(
          state, {first.x + k, first.y, first.z}, node.own + k, node.place + k, by, c, shift);
      to[k * dof] = Dual(residual(u, r)).slope;
    }
  };
  for (int r = 0; r < dof; ++r)
    for (int c = 0; c < dof; ++c) {
      make(Seed<-1, 0, 0>{}, r, c), make(Seed<0, 0, 0>{}, r, c), make(Seed<1, 0, 0>{}, r, c);
      make(Seed<0, -1, 0>{}, r, c), make(Seed<0, 1, 0>{}, r, c);
      if constexpr (dimension == 3) make(Seed<0, 0, -1>{}, r, c), make(Seed<0, 0, 1>{}, r, c);
    }
}

// The same for the blocks of all neighbours. Returns Misfit's bits, of `all`.
template <Make make, class Residual>
unsigned inner_line_of_box(const ResidualState& state, const Residual& residual, const Position& first,
                           std::int64_t count, double shift, const JacobianShape& shape, const double* blocks,
                           double* values) {
  const int dof = state.grid.dof;
  unsigned misfit = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const Position at{first.x + i, first.y, first.z};
    const InnerPlace node{at, state.own(at), state.window.place(at)};
    for (int r = 0; r < dof; ++r)
      misfit |= inner_row<make>(state, residual, node, r, shift, shape, blocks, values + node.own * dof + r,
                                state.box.nodes() * dof);
  }
  return misfit;
}

// All rows of a node anywhere. What its faces make of its neighbours is found once for all derivatives.
// `blocks`: of a uniform Jacobian, where it has an inner node.
template <Make make, int dimension, class Residual>
[[gnu::flatten]] unsigned any_node(const ResidualState& state, const Residual& residual, const Position& at,
                                   double shift, const JacobianShape& shape, const double* blocks,
                                   double* values) {
  thread_local std::vector<NeighbourTerm> terms;
  const int dof = state.grid.dof;
  terms.assign(static_cast<std::size_t>(27) * dof, {});
  const ResidualNode<NeighbourTerm, Residual, dimension> looks(state, residual, at);
  for (int place = dimension == 2 ? 9 : 0; place < (dimension == 2 ? 18 : 27); ++place) {
    const int dx = place % 3 - 1, dy = place / 3 % 3 - 1, dz = place / 9 - 1;
    if (make == Make::values && shape.star && (dx != 0) + (dy != 0) + (dz != 0) > 1) continue;
    for (int c = 0; c < dof; ++c) terms[place * dof + c] = looks.at(dx, dy, dz, c);
  }
  if (make == Make::values && blocks != nullptr) {
    for (int r = 0; r < dof; ++r)
      uniform_row(
          state, at, r, shape, blocks, [&](int of, int c) { return terms[of * dof + c]; },
          values + state.own(at) * dof + r, state.box.nodes() * dof);
    return 0;
  }
  ResidualNode<Dual, Residual, dimension, true> node(state, residual, at);
  node.tell(terms.data());
  unsigned misfit = 0;
  for (int r = 0; r < dof; ++r)
    misfit |= any_row<make>(state, residual, node, r, shift, shape, 0, shape.diagonals,
                            values + state.own(at) * dof + r, state.box.nodes() * dof);
  return misfit;
}

template <class Residual>
void row_of_any_dimension(const ResidualState& state, const Residual& residual, const Position& at,
                          double shift, const JacobianShape& shape, const double* blocks, double* values) {
  state.grid.dimension == 2 ? any_node<Make::values, 2>(state, residual, at, shift, shape, blocks, values)
                            : any_node<Make::values, 3>(state, residual, at, shift, shape, blocks, values);
}

}  // namespace residual_detail

// f: [row of the box].
template <class Residual>
void evaluate_residual(const ResidualState& state, const Residual& residual, double* f) {
  residual_detail::require_residual<Residual>();
  const int dof = state.grid.dof;
  residual_detail::for_lines(
      state,
      [&](const Position& first, std::int64_t count) {
        state.grid.dimension == 2 ? residual_detail::inner_line<2>(state, residual, first, count, f)
                                  : residual_detail::inner_line<3>(state, residual, first, count, f);
      },
      [&](const Position& at) {
        const ResidualNode<double, Residual> node(state, residual, at);
        for (int r = 0; r < dof; ++r) f[node.own() * dof + r] = residual(node, r);
      });
}

// dF/du + shift dF/du_t. values: [diagonal][column][row of the box]. `all`: also what does not couple by the
// functor's word. Returns Misfit's bits, of what it has seen.
template <class Residual>
unsigned evaluate_jacobian(const ResidualState& state, const Residual& residual, double shift,
                           const JacobianShape& shape, bool all, double* values) {
  using residual_detail::Make;
  residual_detail::require_residual<Residual>();
  std::atomic<unsigned> misfit{0};
  const auto note = [&](unsigned found) {
    if (found != 0) misfit |= found;
  };
  const std::vector<double> of_node = residual_detail::uniform_blocks(state, residual, shift, shape);
  const double* const blocks = of_node.empty() ? nullptr : of_node.data();
  const auto of_dimension = [&]<Make make, int dimension>() {
    residual_detail::for_lines(
        state,
        [&](const Position& first, std::int64_t count) {
          if constexpr (make == Make::values && residual_detail::says_uniform<Residual>())
            residual_detail::uniform_line(state, first, count, shape, blocks, values);
          else if (make == Make::values && shape.star)
            residual_detail::inner_line_of_star<dimension>(state, residual, first, count, shift, shape,
                                                           values);
          else
            note(residual_detail::inner_line_of_box<make>(state, residual, first, count, shift, shape, blocks,
                                                          values));
        },
        [&](const Position& at) {
          note(residual_detail::any_node<make, dimension>(state, residual, at, shift, shape, blocks, values));
        });
  };
  const bool flat = state.grid.dimension == 2;
  if (all)
    flat ? of_dimension.template operator()<Make::all, 2>()
         : of_dimension.template operator()<Make::all, 3>();
  else
    flat ? of_dimension.template operator()<Make::values, 2>()
         : of_dimension.template operator()<Make::values, 3>();
  return misfit;
}

// Both with the functor hidden, and what couples in its Jacobian. What it points to stays the caller's, or is
// `owned`.
struct AnyResidual {
  using Evaluate = std::function<void(const ResidualState&, double* f)>;
  using Differentiate = std::function<unsigned(const ResidualState&, double shift, const JacobianShape&,
                                               bool all, double* values)>;
  // The same with arrays in GPU memory, queued in the default stream. Where `misfit` is not null, `all` is
  // made and the bits are added there.
  using DifferentiateOnDevice = std::function<void(const ResidualState&, double shift, const JacobianShape&,
                                                   unsigned* misfit, double* values)>;

  BlockFill fill;
  Evaluate evaluate;
  Differentiate differentiate;
  // Of a uniform residual, in host memory, else null: the blocks of a node that has all its neighbours, none
  // of a state without one; and the rows of the one node of a state by these.
  std::function<std::vector<double>(const ResidualState&, double shift, const JacobianShape&)> blocks = {};
  std::function<void(const ResidualState&, double shift, const JacobianShape&, const double* blocks,
                     double* values)>
      rows_by_blocks = {};
  Evaluate evaluate_on_device = {};  // null where it is not compiled for a GPU (device_residual.cuh)
  DifferentiateOnDevice differentiate_on_device = {};
  std::shared_ptr<const void> owned = {};
  bool linear = false, symmetric = false, uniform = false;  // by the functor's word
  bool tested = false;  // that it is so: nobody needs to look at its first Jacobian
};

// `dof`: unknowns of a node.
template <class Residual>
AnyResidual any_residual(const Residual& residual, int dof) {
  AnyResidual any;
  any.fill = fill_of(residual, dof);
  any.linear = says_linear<Residual>();
  any.symmetric = residual_detail::says_symmetric<Residual>();
  any.uniform = residual_detail::says_uniform<Residual>();
  if constexpr (residual_detail::says_uniform<Residual>()) {
    any.blocks = [residual](const ResidualState& at, double shift, const JacobianShape& shape) {
      return residual_detail::uniform_blocks(at, residual, shift, shape);
    };
    any.rows_by_blocks = [residual](const ResidualState& at, double shift, const JacobianShape& shape,
                                    const double* blocks, double* values) {
      const NodePosition& p = at.box.first;
      residual_detail::row_of_any_dimension(at, residual, {p[0], p[1], p[2]}, shift, shape, blocks, values);
    };
  }
  any.evaluate = [residual](const ResidualState& at, double* f) { evaluate_residual(at, residual, f); };
  any.differentiate = [residual](const ResidualState& at, double shift, const JacobianShape& shape, bool all,
                                 double* values) {
    return evaluate_jacobian(at, residual, shift, shape, all, values);
  };
  return any;
}

// The values of `rows`, whose structure is the Jacobian's: the rows of a uniform one that are all of it, in
// parallel. Not where every node is stored.
void fill_few_rows(const AnyResidual& residual, const Grid& grid, const ResidualFaces& faces, double t_s,
                   double shift, const JacobianShape& shape, FewRows& rows);

}  // namespace quadrille
