// One level of multigrid, in the memory of a Machine (on_host.hpp, on_device.cuh), with cycles in T. Internal
// to kernels/multigrid.
#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include "kernels/multigrid/cycle_steps.hpp"
#include "kernels/multigrid/entry_rows.hpp"
#include "kernels/multigrid/on_lines.hpp"
#include "kernels/multigrid/rounded_rows.hpp"
#include "kernels/multigrid/shared_level.hpp"
#include "kernels/multigrid/smoothers.hpp"
#include "kernels/multigrid/transfer_tables.hpp"

namespace quadrille::multigrid {

template <class T, class Machine>
struct Level {
  template <class U>
  using ArrayOf = Array<U, typename Machine::Space>;

  Couplings couplings;
  ArrayOf<T> scaled;                                   // D^-1 A beside the diagonal, as Couplings has it
  ArrayOf<T> of_kind;                                  // or A, of each kind (by_kind_steps.hpp)
  EntryRows<T, typename Machine::Space> entries;       // or A, without zeros (entry_rows.hpp)
  ArrayOf<Bf16> rounded;                               // or A (rounded_rows.hpp)
  ArrayOf<T> diagonal, inverse;                        // D and D^-1, [column][stored row]
  InnerRows<T> inner;                                  // of nodes far from faces, on a GPU
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

// Whether sums over neighbours are of A, and multiplied by D^-1 after that.
template <class T, class Machine>
bool keeps_blocks(const Level<T, Machine>& level) {
  return level.of_kind.size() > 0 || level.entries.there();
}

// Of these steps kernels are compiled for levels that store few rows and for those that store all, or rows by
// kind (parts.hpp).
template <class T, class Machine>
bool has_few_rows(const Level<T, Machine>& level) {
  return !level.couplings.stored.all && level.of_kind.size() == 0;
}

// body(StencilRows): with the numbers of couplings that there are instances for, and several rows together
// where they are whole.
template <bool Few, class T, class Machine, class Body>
void with_scaled_stencil(const Level<T, Machine>& level, const Body& body) {
  constexpr int together = Machine::on_gpu ? rows_together<T> : 1;  // a CPU has lines
  const Couplings& s = level.couplings;
  const bool lines = s.in_words_of(together), star = lines && s.whole_star, box = lines && s.whole_box;
  const auto with = [&]<int rows, int dof, int count>() {
    body(StencilRows<T, rows, dof, count, !Few>{s, level.scaled.data()});
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
// body(kinds of a node that are done together): those of lines are, on the CPU.
template <class Machine, class Body>
void with_kinds(int dof, const Body& body) {
  if constexpr (Machine::on_gpu)
    with_kinds_together(dof, body);
  else
    body(std::integral_constant<int, 1>());
}
// Of all unknowns of a node together on a GPU, one by one on the lines of a CPU.
template <class T, class Machine, class Body>
void with_entries(const Level<T, Machine>& level, const Body& body) {
  static_assert(EntryTable<T>::most_unknowns == 4);
  const auto with = [&]<int kinds>() {
    body(RowsByEntries<T, kinds>{{level.couplings, nullptr, level.inverse.data()}, level.entries.table});
  };
  if constexpr (!Machine::on_gpu)
    with.template operator()<1>();
  else if (level.couplings.dof == 2)
    with.template operator()<2>();
  else if (level.couplings.dof == 3)
    with.template operator()<3>();
  else
    with.template operator()<4>();
}
template <bool Few, class T, class Machine, class Body>
void with_stencil(const Level<T, Machine>& level, const Body& body) {
  if constexpr (!Few && may_be_rounded<T, Machine>)
    if (level.rounded.size() > 0)
      return body(StencilRows<T, rows_together<T>, 1, 26, true, Bf16>{level.couplings, level.rounded.data(),
                                                                      level.inverse.data()});
  if constexpr (!Few)
    if (level.of_kind.size() > 0)
      return with_kinds<Machine>(level.couplings.dof, [&](auto kinds) {
        body(RowsByKind<T, kinds()>{level.couplings, level.of_kind.data(), level.inverse.data()});
      });
  if constexpr (!Few)
    if (level.entries.there()) return with_entries(level, body);
  with_scaled_stencil<Few>(level, body);
}

// y = x + weight (g - D^-1 A x)
template <bool Few, class T, class Machine>
void sweep_rows(Machine& machine, const Level<T, Machine>& level, T* y, T weight) {
  with_stencil<Few>(level, [&]<class Stencil>(const Stencil& stencil) {
    machine.for_rows(level.inner,
                     Sweep<Stencil, T>{stencil, level.g.data(), level.x.data(), y, weight, false});
  });
}
// The same; y is a user's, without nodes behind lines.
template <bool Few, class T, class Machine>
void sweep_rows_to_user(Machine& machine, const Level<T, Machine>& level, double* y, T weight) {
  const bool padded = level.couplings.padded();
  with_stencil<Few>(level, [&]<class Stencil>(const Stencil& stencil) {
    machine.for_rows(level.inner,
                     Sweep<Stencil, double>{stencil, level.g.data(), level.x.data(), y, weight, padded});
  });
}
// x = first g, and then x + second (g - D^-1 A x).
template <bool Few, class T, class Machine>
void first_two_sweeps(Machine& machine, const Level<T, Machine>& level, const T* g, T* x, T first, T second) {
  with_stencil<Few>(level, [&]<class Stencil>(const Stencil& stencil) {
    machine.for_rows(level.inner, FirstTwoSweeps<Stencil>{stencil, g, x, first, second});
  });
}
// Into y: the residual of one unknown a node, or by kind; D^-1 times that of several else.
template <bool Few, class T, class Machine>
void residual_of_rows(Machine& machine, Level<T, Machine>& level) {
  with_stencil<Few>(level, [&]<class Stencil>(const Stencil& stencil) {
    if constexpr (Stencil::by_nodes)
      return machine.for_rows(level.inner, ResidualByKind<Stencil>{stencil, level.g.data(), level.x.data(),
                                                                   level.diagonal.data(), level.y.data()});
    else
      machine.for_rows(
          level.inner,
          Residual<Stencil>{stencil, level.g.data(), level.x.data(),
                            level.couplings.dof == 1 ? level.diagonal.data() : nullptr, level.y.data()});
  });
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
  if (s.dof > 1)
    return with_kinds<Machine>(s.dof, [&](auto kinds) {
      machine.for_blocks(MultiplyBlocks<T, In, kinds()>{s, blocks.data(), x, y});
    });
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

// y of level.x, as the operator's user has vectors.
template <class T, class Machine>
void sweep_to_user(Machine& machine, Level<T, Machine>& level, double* y, T weight) {
  need_layers(machine, level, 1);
  has_few_rows(level) ? sweep_rows_to_user<true>(machine, level, y, weight)
                      : sweep_rows_to_user<false>(machine, level, y, weight);
}
// x of g, which has all the layers that are needed.
template <class T, class Machine>
void two_sweeps_from_zero(Machine& machine, Level<T, Machine>& level, const T* g, T* x, T first, T second) {
  has_few_rows(level) ? first_two_sweeps<true>(machine, level, g, x, first, second)
                      : first_two_sweeps<false>(machine, level, g, x, first, second);
}
template <class T, class Machine>
void sweep(Machine& machine, Level<T, Machine>& level, T weight) {
  need_layers(machine, level, 1);
  has_few_rows(level) ? sweep_rows<true>(machine, level, level.y.data(), weight)
                      : sweep_rows<false>(machine, level, level.y.data(), weight);
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
    two_sweeps_from_zero(machine, level, level.g.data(), level.x.data(), w[0], w[1]);
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

// Into y, of level.x and level.g.
template <class T, class Machine>
void residual(Machine& machine, Level<T, Machine>& level) {
  need_layers(machine, level, layers_of_others);  // the restriction reads one layer of it
  has_few_rows(level) ? residual_of_rows<true>(machine, level) : residual_of_rows<false>(machine, level);
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
  using One = std::integral_constant<int, 1>;
  using Several = std::integral_constant<int, together>;
  const auto run = [&](auto count, auto kinds) {
    const std::int64_t calls = rows / (count() * kinds());
    if (p.weights != nullptr)
      machine.for_each(calls, InterpolateAdd<T, count(), kinds(), true>{p, coarse, level.x.data()});
    else
      machine.for_each(calls, InterpolateAdd<T, count(), kinds(), false>{p, coarse, level.x.data()});
  };
  if (several) return run(Several(), One());
  with_kinds<Machine>(p.dof, [&](auto kinds) { run(One(), kinds); });
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
  using One = std::integral_constant<int, 1>;
  using Any = std::integral_constant<int, 0>;
  const auto run = [&](auto dof, auto kinds) {
    if (p.weights != nullptr)
      machine.for_each(rows / kinds(), Restrict<T, dof(), kinds(), true>{p, fine, coarse});
    else
      machine.for_each(rows / kinds(), Restrict<T, dof(), kinds(), false>{p, fine, coarse});
  };
  if (p.dof == 1) return run(One(), One());
  with_kinds<Machine>(p.dof, [&](auto kinds) { run(Any(), kinds); });
}

}  // namespace quadrille::multigrid
