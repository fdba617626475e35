// One level of multigrid, in the memory of a Machine (on_host.hpp, on_device.cuh), with cycles in T. Internal
// to kernels/multigrid.
#pragma once

#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <type_traits>
#include <vector>

#include "kernels/multigrid/by_kind_steps.hpp"
#include "kernels/multigrid/coarsening.hpp"
#include "kernels/multigrid/cycle_steps.hpp"
#include "kernels/multigrid/on_lines.hpp"
#include "kernels/multigrid/rounded_rows.hpp"
#include "kernels/multigrid/setup_steps.hpp"
#include "kernels/multigrid/smoothers.hpp"

namespace quadrille::multigrid {

template <class T, class Machine>
struct Level {
  template <class U>
  using ArrayOf = Array<U, typename Machine::Space>;

  Couplings couplings;
  ArrayOf<T> scaled;                                   // D^-1 A beside the diagonal, as Couplings has it
  ArrayOf<T> of_kind;                                  // or A, of each kind (by_kind_steps.hpp)
  ArrayOf<Bf16> rounded;                               // or A (rounded_rows.hpp)
  ArrayOf<T> diagonal, inverse;                        // D and D^-1, [column][stored row]
  InnerRow<T> inner;                                   // of nodes far from faces, on a GPU
  std::vector<T> weights;                              // of the smoother's sweeps
  InPlace<T, typename Machine::Space> in_place;        // or the smoother without weights
  LevelTransfer<T, typename Machine::Space> transfer;  // from the next coarser level, and to it
  ArrayOf<T> b, g, x,
      y;  // right side (of the finest where it is shared), D^-1 b, and what the sweeps go between

  // Of a level that ranks share: how the layers of others' nodes get their values, and how many layers of x
  // have the right ones.
  std::unique_ptr<SharedLevel> shared;
  std::int64_t right_layers = 0;
};

// Of an operator with these couplings and values: D^-1 A beside the diagonal, D and D^-1, as a level has
// them, and a bound of D^-1 A's eigenvalues by its rows. Smoothers in place have no rows by kind.
template <class T, class Space>
struct LevelRows {
  Array<T, Space> scaled, of_kind, diagonal, inverse;
  Array<Bf16, Space> rounded;
  double bound = 0;
  std::optional<double> largest{};  // eigenvalue, where that is known without a power method
  InnerRow<T> inner;
  bool singular_blocks = false;                // of nodes that take part, where that was asked for
  std::vector<LineFactors<T, Space>> lines{};  // where the smoother wants them
};
template <class T, class Machine>
LevelRows<T, typename Machine::Space> level_rows(Machine& machine, const Couplings& s, const double* values,
                                                 bool looks_for_singular_blocks, bool by_kind) {
  using Values = Array<T, typename Machine::Space>;
  const std::int64_t blocks = s.stored_rows * s.dof;
  const double* const diagonal = values + s.centre * blocks;
  Array<double, typename Machine::Space> inverse(blocks);
  machine.invert_blocks(s.stored_nodes(), InvertBlocks{s.dof, s.stored_rows, diagonal, inverse.data()});
  LevelRows<T, typename Machine::Space> rows;
  rows.diagonal = Values(blocks);
  rows.inverse = Values(blocks);
  if (looks_for_singular_blocks)
    rows.singular_blocks = machine.largest(SingularBlock{s, values, inverse.data()}) > 0;
  machine.for_each(blocks, Convert<double, T>{diagonal, rows.diagonal.data()});
  machine.for_each(blocks, Convert<double, T>{inverse.data(), rows.inverse.data()});
  if (by_kind && s.by_kind) {
    rows.of_kind = Values(s.count * s.stored_rows);
    machine.for_each(s.stored_rows, TakeOfKind<T>{s, values, rows.of_kind.data()});
    rows.bound = machine.largest(BoundOfKinds<T>{s, rows.of_kind.data(), rows.inverse.data()});
  } else {
    rows.scaled = Values(s.count * blocks);
    machine.for_each(s.stored_rows, ScaleRows<T>{s, values, inverse.data(), rows.scaled.data()});
    rows.bound = machine.largest(RowBound<T>{s, rows.scaled.data()});
  }
  return rows;
}

// Whether the constants of each unknown are in the operator's null space.
template <class Machine>
bool is_singular(Machine& machine, const Couplings& s, const double* values) {
  return machine.largest(RowSum{s, values}) < 1e-8;
}

// The same with A in bf16, where that suits: rows.rounded is empty else.
template <class T, class Machine>
LevelRows<T, typename Machine::Space> rounded_level_rows(Machine& machine, const Couplings& s,
                                                         const double* values) {
  using Space = typename Machine::Space;
  LevelRows<T, Space> rows;
  if constexpr (may_be_rounded<T, Machine>) {
    if (!suits_rounding(s)) return rows;
    rows.diagonal = Array<T, Space>(s.rows);
    rows.inverse = Array<T, Space>(s.rows);
    Array<Bf16, Space> rounded(s.count * s.rows);
    rows.bound =
        machine.largest(RoundRows{s, values, rounded.data(), rows.diagonal.data(), rows.inverse.data()});
    if (rows.bound < RoundRows::unfit) rows.rounded = std::move(rounded);
  }
  return rows;
}

// The roots of Chebyshev's polynomial, by their number from the largest one on, in an order in which the
// sweeps of one half hold back what those of the other make large: each root before its mirror image, and so
// the pairs among themselves (V. Lebedev and S. Finogenov). By size, n sweeps would let rounding grow by
// 1.3^n; so by less than twice, whether they are done from the front or, after the coarser grids, from
// behind.
inline std::vector<int> stable_order(int count) {
  if (count <= 1) return std::vector<int>(static_cast<std::size_t>(count), 0);
  std::vector<int> order;
  for (const int i : stable_order((count + 1) / 2)) {
    order.push_back(i);
    if (const int mirrored = count - 1 - i; mirrored != i) order.push_back(mirrored);
  }
  return order;
}

// The weights of Chebyshev's polynomial for so many sweeps, that is smallest from `share` of the largest
// eigenvalue on.
template <class T>
std::vector<T> chebyshev_weights(double largest, double share, int sweeps) {
  std::vector<T> weights;
  for (const int i : stable_order(sweeps))
    weights.push_back(static_cast<T>(
        2 /
        (largest * ((1 + share) + (1 - share) * std::cos(std::numbers::pi * (2 * i + 1) / (2 * sweeps))))));
  return weights;
}

// Equal weights that make as little as can be of the same part: damped Jacobi.
template <class T>
std::vector<T> jacobi_weights(double largest, double share, int sweeps) {
  return std::vector<T>(static_cast<std::size_t>(sweeps), static_cast<T>(2 / (largest * (1 + share))));
}

// body(StencilRows): with the numbers of couplings that there are instances for, and several rows together
// where they are whole.
template <bool All, class T, class Machine, class Body>
void with_scaled_stencil(const Level<T, Machine>& level, const Body& body) {
  constexpr int together = Machine::on_gpu ? rows_together<T> : 1;  // a CPU has lines
  const Couplings& s = level.couplings;
  const bool lines = s.in_words_of(together), star = lines && s.whole_star, box = lines && s.whole_box;
  const auto with = [&]<int rows, int dof, int count>() {
    body(StencilRows<T, rows, dof, count, All>{s, level.scaled.data()});
  };
  const auto of_one = [&]<int count>(bool words) {
    words ? with.template operator()<together, 1, count>() : with.template operator()<1, 1, count>();
  };
  if (s.dof == 1 && s.count == 6) return of_one.template operator()<6>(star);
  if (s.dof == 1 && s.count == 26) return of_one.template operator()<26>(box);
  if (s.dof == 1 && s.count == 4) return of_one.template operator()<4>(star);
  if (s.dof == 1 && s.count == 8) return of_one.template operator()<8>(box);
  if (s.dof == 1) return with.template operator()<1, 1, 0>();
  if (s.dof == 2) return with.template operator()<1, 2, 0>();
  if (s.dof == 3) return with.template operator()<1, 3, 0>();
  if (s.dof == 4) return with.template operator()<1, 4, 0>();
  with.template operator()<1, 0, 0>();
}
template <class T, class Machine, class Body>
void with_stencil(const Level<T, Machine>& level, const Body& body) {
  if constexpr (may_be_rounded<T, Machine>)
    if (level.rounded.size() > 0)
      return body(StencilRows<T, rows_together<T>, 1, 26, true, Bf16>{level.couplings, level.rounded.data(),
                                                                      level.inverse.data()});
  if (level.of_kind.size() > 0)
    return body(RowsByKind<T>{level.couplings, level.of_kind.data(), level.inverse.data()});
  level.couplings.stored.all ? with_scaled_stencil<true>(level, body)
                             : with_scaled_stencil<false>(level, body);
}

// Where its rows stand in the whole grid.
template <class T, class Machine>
BoxRows box_rows(const Level<T, Machine>& level) {
  const Couplings& s = level.couplings;
  if (level.shared) return {level.shared->box, level.shared->partition.extents, s.dof};
  RankBox whole;
  for (int axis = 0; axis < 3; ++axis) whole.size[axis] = whole.own_size[axis] = s.n[axis];
  return {whole, whole.size, s.dof};
}

// What a step on x needs: so many layers around a rank's own nodes with the right values.
template <class T, class Machine>
void need_layers(Machine& machine, Level<T, Machine>& level, std::int64_t layers) {
  if (!level.shared || level.right_layers >= layers) return;
  level.shared->layers->run(level.x.data(), level.x.data(), machine.stream());
  level.right_layers = layers_of_others;
}

// A step that made x of its own neighbours: one layer less is right.
template <class T, class Machine>
void lost_layer(Level<T, Machine>& level) {
  if (level.shared) --level.right_layers;
}

template <class T, class Machine, class In>
void multiply_blocks(Machine& machine, const Couplings& s, const Array<T, typename Machine::Space>& blocks,
                     const In* x, T* y, bool of_user = false) {
  if constexpr (!Machine::on_gpu)
    if (has_long_lines(s)) return multiply_blocks_on_lines(s, blocks.data(), x, of_user ? s.n[0] : s.line, y);
  if (s.dof > 1) return machine.for_each(s.rows, MultiplyBlocks<T, In>{s, blocks.data(), x, y});
  const auto run = [&](auto rows, auto all) {
    machine.for_each(s.rows / rows(),
                     MultiplyDiagonal<T, In, rows(), all()>{s, blocks.data(), x, y, of_user && s.padded()});
  };
  using One = std::integral_constant<int, 1>;
  using Several = std::integral_constant<int, rows_together<T>>;
  const bool lines = s.in_words_of(Several());
  if (s.stored.all)
    lines ? run(Several(), std::true_type()) : run(One(), std::true_type());
  else
    lines ? run(Several(), std::false_type()) : run(One(), std::false_type());
}

// y of level.x. `of_user`: without nodes behind lines.
template <class T, class Machine, class Out>
void sweep_to(Machine& machine, Level<T, Machine>& level, Out* y, T weight, bool of_user = false) {
  const Couplings& s = level.couplings;
  need_layers(machine, level, 1);
  with_stencil(level, [&]<class Stencil>(const Stencil& stencil) {
    machine.for_rows(level.inner, Sweep<Stencil, Out>{stencil, level.g.data(), level.x.data(), y, weight,
                                                      of_user && s.padded()});
  });
}
template <class T, class Machine>
void sweep(Machine& machine, Level<T, Machine>& level, T weight) {
  sweep_to(machine, level, level.y.data(), weight);
  std::swap(level.x, level.y);
  lost_layer(level);
}

// x = 0 and the first sweeps, or more of them.
template <class T, class Machine>
void smooth_before(Machine& machine, Level<T, Machine>& level, bool from_zero) {
  const Couplings& s = level.couplings;
  const auto& w = level.weights;
  std::size_t done = 0;
  if (from_zero) level.right_layers = layers_of_others;  // as g's
  if (level.in_place.there()) {
    if (from_zero) machine.for_each(s.rows, Zero<T>{level.x.data()});
    return smooth_in_place(machine, level, true);
  }
  if (from_zero && w.size() > 1) {
    with_stencil(level, [&]<class Stencil>(const Stencil& stencil) {
      machine.for_rows(level.inner,
                       FirstTwoSweeps<Stencil>{stencil, level.g.data(), level.x.data(), w[0], w[1]});
    });
    lost_layer(level);
    done = 2;
  } else if (from_zero) {
    machine.for_each(s.rows, FirstSweep<T>{level.g.data(), level.x.data(), w[0]});
    done = 1;
  }
  for (; done < w.size(); ++done) sweep(machine, level, w[done]);
}

// All of them but the last `left` of those with weights.
template <class T, class Machine>
void smooth_after(Machine& machine, Level<T, Machine>& level, std::size_t left) {
  if (level.in_place.there()) return smooth_in_place(machine, level, false);
  for (std::size_t i = level.weights.size(); i-- > left;) sweep(machine, level, level.weights[i]);
}

// Into y: the residual of one unknown a node, D^-1 times that of several.
template <class T, class Machine>
void residual(Machine& machine, Level<T, Machine>& level) {
  const Couplings& s = level.couplings;
  need_layers(machine, level, layers_of_others);  // the restriction reads one layer of it
  with_stencil(level, [&]<class Stencil>(const Stencil& stencil) {
    machine.for_rows(level.inner,
                     Residual<Stencil>{stencil, level.g.data(), level.x.data(),
                                       s.dof == 1 ? level.diagonal.data() : nullptr, level.y.data()});
  });
}

// A rank's own rows into its box, and out of it.
template <class T, class Machine>
void put_own(Machine& machine, const BoxRows& box, const double* from, T* to) {
  if constexpr (Machine::on_gpu)
    machine.for_each(box.own_rows(), PutOwn<double, T>{box, from, to});
  else
    for_own_lines(box, [&](std::int64_t own, std::int64_t place, int rows) {
      for (int i = 0; i < rows; ++i) to[place + i] = static_cast<T>(from[own + i]);
    });
}
template <class T, class Machine>
void take_own(Machine& machine, const BoxRows& box, const T* from, double* to) {
  if constexpr (Machine::on_gpu)
    machine.for_each(box.own_rows(), TakeOwn<T, double>{box, from, to});
  else
    for_own_lines(box, [&](std::int64_t own, std::int64_t place, int rows) {
      for (int i = 0; i < rows; ++i) to[own + i] = static_cast<double>(from[place + i]);
    });
}

// level.x += P coarse
template <class T, class Machine>
void interpolate_add(Machine& machine, Level<T, Machine>& level, const T* coarse) {
  const Transfer<T> p = level.transfer.tables();
  const std::int64_t rows = level.couplings.rows;
  constexpr int together = rows_together<T>;
  const bool several = p.dof == 1 && p.fine_n[0] % together == 0;
  if constexpr (!Machine::on_gpu)
    if (has_long_lines(level.couplings)) return interpolate_add_on_lines(p, coarse, level.x.data());
  if (p.in_words) return machine.for_each(rows / 4, InterpolateAddInWords<T>{p, coarse, level.x.data()});
  const auto run = [&](auto count, auto stored) {
    machine.for_each(rows / count(), InterpolateAdd<T, count(), stored()>{p, coarse, level.x.data()});
  };
  using One = std::integral_constant<int, 1>;
  using Several = std::integral_constant<int, together>;
  if (p.weights != nullptr)
    several ? run(Several(), std::true_type()) : run(One(), std::true_type());
  else
    several ? run(Several(), std::false_type()) : run(One(), std::false_type());
}

// Whether the restriction from this level can multiply by the inverse diagonal of the next one.
template <class T, class Machine>
bool restricts_in_words(const Level<T, Machine>& level) {
  return level.transfer.tables().in_words;
}

// coarse = P^T fine, or D^-1 times that with the D of `scaled_by`.
template <class T, class Machine>
void restrict_to(Machine& machine, const Level<T, Machine>& level, const T* fine, T* coarse,
                 const Level<T, Machine>* scaled_by = nullptr) {
  const Transfer<T> p = level.transfer.tables();
  const std::int64_t rows = std::int64_t{p.coarse_n[0]} * p.coarse_n[1] * p.coarse_n[2] * p.dof;
  if constexpr (!Machine::on_gpu) {
    InverseOfCoarse<T> scale;
    if (scaled_by != nullptr) scale = {&scaled_by->couplings, scaled_by->inverse.data()};
    if (has_long_lines(level.couplings)) return restrict_on_lines(p, fine, coarse, scale);
  }
  if (restricts_in_words(level)) {
    RestrictInWords<T> step{p, fine, {}, nullptr, coarse};
    if (scaled_by != nullptr) {
      step.of_coarse = scaled_by->couplings;
      step.inverse = scaled_by->inverse.data();
    }
    return machine.for_each(rows / 2, step);
  }
  const auto run = [&](auto dof, auto stored) {
    machine.for_each(rows, Restrict<T, dof(), stored()>{p, fine, coarse});
  };
  using One = std::integral_constant<int, 1>;
  using Any = std::integral_constant<int, 0>;
  if (p.weights != nullptr)
    p.dof == 1 ? run(One(), std::true_type()) : run(Any(), std::true_type());
  else
    p.dof == 1 ? run(One(), std::false_type()) : run(Any(), std::false_type());
}

// The bound by its rows of a star's largest eigenvalue of D^-1 A is what that comes near, if it is no more.
inline constexpr double of_dominant_rows = 2 + 1e-6;
inline bool comes_near_bound(const Couplings& s, double bound) {
  return s.count <= 6 && bound <= of_dominant_rows;
}

// The power method comes near that eigenvalue from below. It is queued here, for machine.queued_sums() to
// have what largest_eigenvalue() takes, where the bound by rows, of all ranks, is not what it comes near;
// false where it is.
template <class T, class Machine>
bool queue_power_method(Machine& machine, Level<T, Machine>& level, double bound) {
  const Couplings& s = level.couplings;
  if (comes_near_bound(s, bound)) return false;
  constexpr int steps = 12;
  machine.for_each(s.rows, Noise<T>{level.x.data(), s, box_rows(level)});
  level.right_layers = layers_of_others;
  for (int i = 0; i < steps; ++i) {
    need_layers(machine, level, 1);
    with_stencil(level, [&]<class Stencil>(const Stencil& stencil) {
      machine.for_rows(level.inner, PowerStep<Stencil>{stencil, level.x.data(), level.y.data(),
                                                       static_cast<T>(1 / bound)});
    });
    std::swap(level.x, level.y);
    lost_layer(level);
  }
  machine.queue_sums(Squares<T>{s, level.x.data(), level.y.data()});
  return true;
}
// Where eigenvalues are complex, as may be far from symmetry, what is found of the largest one may be half of
// what is true, with which sweeps diverge: there it is not less than a Laplacian's, 2.
inline double held(double found, double bound, bool far_from_symmetric) {
  constexpr double of_laplacian = 2;
  return std::min(bound, far_from_symmetric ? std::max(found, of_laplacian) : found);
}
// Of the squares of all ranks after the last step and before it.
inline double largest_eigenvalue(double bound, const std::vector<double>& squares, bool far_from_symmetric) {
  constexpr double safety = 1.1;
  const double last = squares[0], before = squares[1];
  if (!(before > 0 && last > 0)) return bound;
  return held(safety * bound * std::sqrt(last / before), bound, far_from_symmetric);
}

}  // namespace quadrille::multigrid
