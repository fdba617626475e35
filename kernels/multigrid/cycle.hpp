// A cycle of multigrid over levels that set-up has made (levels.hpp), in the memory of a Machine
// (on_host.hpp, on_device.cuh), in T. Internal to kernels/multigrid.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/multigrid/box_steps.hpp"
#include "kernels/multigrid/joined_steps.hpp"
#include "kernels/multigrid/level.hpp"
#include "kernels/multigrid/small_levels.hpp"

namespace quadrille::multigrid {

// Between the last level that ranks share and the first that each of them has.
template <class T, class Space>
struct Gathered {
  std::unique_ptr<NodeExchange> exchange;
  BoxRows box;
  Array<T, Space> part;  // of a vector, in the rank's box
};

// The steps of the finest level in two passes (joined_steps.hpp), where `are`.
template <class T, class Space>
struct JoinedSteps {
  bool are = false;
  StarRows<T> star;         // there, too, where they only might be
  Array<T, Space> inverse;  // what it points to where its rows vary
  Array<Bf16, Space> couplings;
  Tiles before, after;
  Array<double, Space> of_tiles;  // (b, x) of each tile
  std::int64_t star_bytes() const { return inverse.bytes() + couplings.bytes(); }
};

template <class T, class Machine>
class Cycle {
 public:
  using Space = typename Machine::Space;
  using OneLevel = Level<T, Machine>;

  Machine machine;
  CycleKind kind = CycleKind::v;
  std::vector<OneLevel> levels;  // from the finest
  std::optional<BoxRows> own;    // of the finest level, where ranks share it
  std::optional<Gathered<T, Space>> gathered;
  std::size_t whole_from = 0;  // the first level that no ranks share
  JoinedSteps<T, Space> joined;
  SmallLevels<T> small;  // in one launch
  std::size_t small_from = 0;
  typename Machine::Coarsest coarsest;
  Array<T, Space> work;  // of D r, for several unknowns a node

  // Once the levels are there.
  void record() {
    if (!own) return machine.record([&] { between(); });
    // Where exchanges cannot be recorded, the levels that every rank has can.
    all_recorded_ = Machine::on_gpu && gathered->exchange->can_be_recorded();
    if (all_recorded_)
      machine.record([&] { between_shared(); });
    else if (kind == CycleKind::v || whole_from == 0)
      machine.record([&] { of_whole_levels(); });
  }
  void apply(const double* b, double* x, void* stream) {
    [[maybe_unused]] const auto queued = machine.queued_on(stream);
    if (own) return apply_shared(b, x);
    begin(b);
    machine.run([&] { between(); });
    end(b, x);
  }

  // Whether g of the next level, which takes no part of its b then, comes from the restriction at once.
  bool restricts_to_g(std::size_t i) const {
    return i + 2 < levels.size() && !levels[i].shared && restricts_in_words(levels[i]);
  }

 private:
  bool gathers_into(std::size_t level) const { return gathered && level == whole_from; }

  // The residual of level i is the right side of the next.
  void to_coarser(std::size_t i) {
    OneLevel& level = levels[i];
    const Couplings& s = level.couplings;
    residual(machine, level);
    const bool divided = s.dof > 1 && !keeps_blocks(level);
    if (divided) multiply_blocks(machine, s, level.diagonal, level.y.data(), work.data());
    restrict_from(i, divided ? work.data() : level.y.data());
  }
  void restrict_from(std::size_t i, const T* fine) {
    OneLevel& next = levels[i + 1];
    if (restricts_to_g(i)) return restrict_to(machine, levels[i], fine, next.g.data(), &next);
    T* const to = gathers_into(i + 1) ? gathered->part.data() : next.b.data();
    restrict_to(machine, levels[i], fine, to);
    if (gathers_into(i + 1)) gathered->exchange->run(to, next.b.data(), machine.stream());
  }
  // The correction of the next level is added to x of level i.
  void from_coarser(std::size_t i) {
    OneLevel &level = levels[i], &next = levels[i + 1];
    need_layers(machine, next, layers_of_others);
    const T* from = next.x.data();
    if (gathers_into(i + 1)) {
      machine.for_each(gathered->box.rows(), TakeBox<T>{gathered->box, from, gathered->part.data()});
      from = gathered->part.data();
    }
    interpolate_add(machine, level, from);
  }

  void solve_coarsest(const T* b, T* x) { machine.solve_coarsest(coarsest, b, x); }

  // level.x from level.b.
  void cycle_from(std::size_t i, bool from_zero) {
    OneLevel& level = levels[i];
    if (i + 1 == levels.size()) return solve_coarsest(level.b.data(), level.x.data());
    if constexpr (Machine::on_gpu)
      if (small.count > 0 && i == small_from && from_zero) return machine.run_small(small);
    if (from_zero) take_right_side(i);
    visit(i, from_zero);
    smooth_after(machine, level, 0);
  }
  void take_right_side(std::size_t i) {
    OneLevel& level = levels[i];
    if (i > 0 && restricts_to_g(i - 1)) return;
    if (level.shared) level.shared->layers->run(level.b.data(), level.b.data(), machine.stream());
    multiply_blocks(machine, level.couplings, level.inverse, level.b.data(), level.g.data());
  }
  // Full multigrid: level.x from level.g, or from level.b on the coarsest level; begins with what the next
  // coarser level makes of the same right side. All of the sweeps but the last `left` are done.
  void full_cycle(std::size_t i, std::size_t left) {
    OneLevel& level = levels[i];
    if (i + 1 == levels.size()) return solve_coarsest(level.b.data(), level.x.data());
    multiply_blocks(machine, level.couplings, level.diagonal, level.g.data(), level.y.data());
    restrict_from(i, level.y.data());
    if (i + 2 < levels.size()) take_right_side(i + 1);
    full_cycle(i + 1, 0);
    machine.for_each(level.couplings.rows, Zero<T>{level.x.data()});
    level.right_layers = layers_of_others;
    from_coarser(i);
    visit(i, false);
    smooth_after(machine, level, left);
  }
  void visit(std::size_t i, bool from_zero) {
    smooth_before(machine, levels[i], from_zero);
    to_coarser(i);
    visit_coarser(i);
    from_coarser(i);
  }
  void visit_coarser(std::size_t i) {
    const bool again = kind == CycleKind::w && i + 2 < levels.size();
    if (gathers_into(i + 1) && !again && kind == CycleKind::v)
      run_whole_levels();
    else
      cycle_from(i + 1, true);
    if (again) cycle_from(i + 1, false);
  }
  // x of the first of them from b.
  void of_whole_levels() { cycle_of(whole_from); }
  void cycle_of(std::size_t i) {
    if (kind != CycleKind::f) return cycle_from(i, true);
    if (i + 1 < levels.size()) take_right_side(i);
    full_cycle(i, 0);
  }

  void steps_before(const double* b) {
    OneLevel &finest = levels.front(), &next = levels[1];
    const bool to_g = restricts_to_g(0);
    machine.run_before(StepsBefore<T>{joined.star, finest.transfer.tables(), next.couplings,
                                      to_g ? next.inverse.data() : nullptr, finest.x.data(),
                                      to_g ? next.g.data() : next.b.data(), finest.weights[0],
                                      finest.weights[1], joined.before},
                       b);
  }
  void steps_after(const double* b, double* x) {
    OneLevel& finest = levels.front();
    machine.run_after(
        StepsAfter<T>{joined.star, finest.transfer.tables(), finest.x.data(), levels[1].x.data(),
                      finest.weights[1], finest.weights[0], joined.after, joined.of_tiles.data()},
        b, x);
  }

  // A cycle in three parts: what reads b, what knows neither b nor x, and what writes x.
  void begin(const double* b) {
    OneLevel& finest = levels.front();
    if constexpr (Machine::on_gpu)
      if (joined.are) return steps_before(b);
    if (levels.size() == 1)
      machine.for_each(finest.couplings.rows, Convert<double, T>{b, finest.g.data()});
    else
      multiply_blocks(machine, finest.couplings, finest.inverse, b, finest.g.data(), true);
  }
  void between() {
    OneLevel& finest = levels.front();
    if (levels.size() == 1) return solve_coarsest(finest.g.data(), finest.x.data());
    if (kind == CycleKind::f) return full_cycle(0, 1);
    if (joined.are) return visit_coarser(0);
    visit(0, true);
    smooth_after(machine, finest, 1);
  }
  void end([[maybe_unused]] const double* b, double* x) {
    OneLevel& finest = levels.front();
    if constexpr (Machine::on_gpu)
      if (joined.are) return steps_after(b, x);
    if (levels.size() == 1)
      machine.for_each(finest.couplings.rows, Convert<T, double>{finest.x.data(), x});
    else if (finest.in_place.there())
      machine.for_each(finest.couplings.rows, ToUser<T>{finest.couplings, finest.x.data(), x});
    else
      sweep_to_user(machine, finest, x, finest.weights.front());
  }

  // Of vectors that hold the rank's own nodes.
  void apply_shared(const double* b, double* x) {
    put_own(machine, *own, b, right_of_shared());
    if (all_recorded_)
      machine.run([&] { between_shared(); });
    else
      between_shared();
    take_own(machine, *own, gathers_into(0) ? right_of_shared() : levels.front().x.data(), x);
  }
  T* right_of_shared() { return gathers_into(0) ? gathered->part.data() : levels.front().b.data(); }
  void between_shared() {
    if (!gathers_into(0)) return cycle_of(0);
    OneLevel& finest = levels.front();
    T* const part = right_of_shared();
    gathered->exchange->run(part, finest.b.data(), machine.stream());
    run_whole_levels();
    machine.for_each(own->rows(), TakeBox<T>{*own, finest.x.data(), part});
  }
  // A graph within a graph is none.
  void run_whole_levels() {
    if (all_recorded_)
      of_whole_levels();
    else
      machine.run([&] { of_whole_levels(); });
  }

  bool all_recorded_ = false;  // of a cycle that ranks share, but what reads b and writes x
};

}  // namespace quadrille::multigrid
