// The levels of multigrid, in the memory of a Machine (on_host.hpp, on_device.cuh), with cycles in T.
// Internal to kernels/multigrid.
#pragma once

#include <cmath>
#include <numbers>
#include <utility>

#include "kernels/grid_interpolation.hpp"
#include "kernels/multigrid/coarsening.hpp"
#include "kernels/multigrid/cycle_steps.hpp"
#include "kernels/multigrid/dense_inverse.hpp"
#include "kernels/multigrid/multigrid.hpp"
#include "kernels/multigrid/setup_steps.hpp"

namespace quadrille::multigrid {

template <class T, class Machine>
struct Level {
  template <class U>
  using ArrayOf = Array<U, typename Machine::Space>;

  Couplings couplings;
  ArrayOf<T> scaled;             // D^-1 A beside the diagonal, [coupling][column][row]
  ArrayOf<T> diagonal, inverse;  // D and D^-1, [column][row]
  std::vector<T> weights;        // of the smoother's sweeps
  GridInterpolation<T, typename Machine::Space> interpolation;  // from the next coarser level
  ArrayOf<T> b, g, x, y;  // right side (not of the finest), D^-1 b, and what the sweeps go between
};

// The weights of Chebyshev's polynomial for so many sweeps, that is smallest from `share` of the largest
// eigenvalue on.
template <class T>
std::vector<T> chebyshev_weights(double largest, double share, int sweeps) {
  std::vector<T> weights;
  for (int i = 0; i < sweeps; ++i)
    weights.push_back(static_cast<T>(
        2 /
        (largest * ((1 + share) + (1 - share) * std::cos(std::numbers::pi * (2 * i + 1) / (2 * sweeps))))));
  return weights;
}

// body(Rows, Dof, Count): with the numbers of couplings that there are instances for, and several rows
// together where they are whole.
template <class T, class Body>
void with_instance(const Couplings& s, const Body& body) {
  using std::integral_constant;
  using One = integral_constant<int, 1>;
  using Any = integral_constant<int, 0>;
  using Together = integral_constant<int, rows_together<T>>;
  const bool whole = s.dof == 1 && !s.any_wraps && s.rows % Together() == 0,
             lines = whole && s.n[0] % Together() == 0;
  const auto of_one = [&](auto count, bool together) {
    return together ? body(Together(), One(), count) : body(One(), One(), count);
  };
  if (s.dof == 1 && s.count == 6) return of_one(integral_constant<int, 6>(), whole);
  if (s.dof == 1 && s.count == 26) return of_one(integral_constant<int, 26>(), lines && s.whole_box);
  if (s.dof == 1 && s.count == 4) return of_one(integral_constant<int, 4>(), whole);
  if (s.dof == 1 && s.count == 8) return of_one(integral_constant<int, 8>(), lines && s.whole_box);
  if (s.dof == 1) return body(One(), One(), Any());
  if (s.dof == 2) return body(One(), integral_constant<int, 2>(), Any());
  if (s.dof == 3) return body(One(), integral_constant<int, 3>(), Any());
  if (s.dof == 4) return body(One(), integral_constant<int, 4>(), Any());
  body(One(), Any(), Any());
}

template <class T, class Machine>
class Levels final : public GridMultigrid {
  using Space = typename Machine::Space;
  using Hub = BlockDiagonals<double, Space>;

 public:
  Levels(const Hub& a, const GridMultigridOptions& options) : options_(options) {
    info_.options = options;
    std::int64_t most = options.coarsest > 0 ? options.coarsest : Machine::coarsest;
    Hub coarser;
    const Hub* now = &a;
    require_blocks(a);
    if (a.dof > 1) work_ = Array<T, Space>(a.rows());
    while (true) {
      const bool last = now->rows() <= most ||
                        (options.levels > 0 && static_cast<int>(levels_.size()) + 1 >= options.levels);
      const auto next = last ? Coarsening<Space>{}
                             : coarsen(machine_, *now, options.semi_coarsening, options.interpolation);
      if (options.coarsest == 0 && levels_.empty() && next.by_operator)
        most = Machine::coarsest_by_operator(a.rows());
      add_level(*now, next);
      if (!next.there) break;
      Hub made = galerkin(machine_, *now, next.nodes(levels_.back().couplings));
      coarser = std::move(made);
      now = &coarser;
    }
    invert_coarsest(*now);
    count_bytes();
    machine_.record([&] { between(); });
  }

  void apply(const double* b, double* x, void* stream) override {
    [[maybe_unused]] const auto queued = machine_.queued_on(stream);
    begin(b);
    machine_.run([&] { between(); });
    end(x);
  }
  const GridMultigridInfo& info() const override { return info_; }

 private:
  using OneLevel = Level<T, Machine>;

  static void require_blocks(const Hub& a) {
    if (a.dof > InvertBlocks::most)
      throw FormatError("multigrid takes up to " + std::to_string(InvertBlocks::most) +
                        " unknowns a node, not " + std::to_string(a.dof));
  }

  void add_level(const Hub& a, const Coarsening<Space>& next) {
    OneLevel level;
    level.couplings = couplings_of(a);
    const Couplings& s = level.couplings;
    const std::int64_t blocks = s.rows * s.dof;
    const double* const diagonal = a.values.data() + s.centre * blocks;
    Array<double, Space> inverse(blocks);
    machine_.for_each(s.nodes, InvertBlocks{s.dof, s.rows, diagonal, inverse.data()});
    level.scaled = Array<T, Space>(s.count * blocks);
    machine_.for_each(s.rows, ScaleRows<T>{s, a.values.data(), inverse.data(), level.scaled.data()});
    level.diagonal = converted(diagonal, blocks);
    level.inverse = converted(inverse.data(), blocks);
    for (auto* vector : {&level.g, &level.x, &level.y}) *vector = Array<T, Space>(s.rows);
    if (!levels_.empty()) level.b = Array<T, Space>(s.rows);
    GridLevelInfo info{a.extents, s.rows, s.count + 1, next.by_operator, 0};
    if (next.there) {
      info.largest_eigenvalue = largest_eigenvalue(level);
      level.weights = chebyshev_weights<T>(info.largest_eigenvalue, smoothed_share(s), options_.sweeps);
      level.interpolation = transfer<Space>(grid_interpolation<T>(next.axes, s.dof));
      if (next.by_operator) level.interpolation.weights = converted(next.weights.data(), next.weights.size());
    }
    levels_.push_back(std::move(level));
    info_.levels.push_back(info);
  }

  // What the coarser grid cannot see begins about there.
  static double smoothed_share(const Couplings& s) {
    const int axes = (s.n[0] > 1) + (s.n[1] > 1) + (s.n[2] > 1);
    return axes >= 3 ? 0.2 : 0.25;
  }

  template <class From>
  Array<T, Space> converted(const From* from, std::int64_t size) {
    Array<T, Space> to(size);
    machine_.for_each(size, Convert<From, T>{from, to.data()});
    return to;
  }

  // A bound of D^-1 A's: by its rows, and by the power method, which comes near from below.
  double largest_eigenvalue(OneLevel& level) {
    const Couplings& s = level.couplings;
    const double bound = machine_.largest(RowBound<T>{s, level.scaled.data()});
    if (s.count <= 6 && bound <= 2 + 1e-6) return bound;  // which that of a star comes near
    constexpr int steps = 12;
    constexpr double safety = 1.1;
    machine_.for_each(s.rows, Noise<T>{level.x.data()});
    for (int i = 0; i < steps; ++i) {
      with_instance<T>(s, [&](auto rows, auto dof, auto count) {
        machine_.for_each(s.rows / rows(),
                          PowerStep<T, rows(), dof(), count()>{s, level.scaled.data(), level.x.data(),
                                                               level.y.data(), static_cast<T>(1 / bound)});
      });
      std::swap(level.x, level.y);
    }
    const std::vector<double> squares =
        machine_.totals(Square<T>{s.rows, level.x.data()}, Square<T>{s.rows, level.y.data()});
    const double last = squares[0], before = squares[1];
    return before > 0 && last > 0 ? std::min(bound, safety * bound * std::sqrt(last / before)) : bound;
  }

  void invert_coarsest(const Hub& a) {
    const Couplings& s = levels_.back().couplings;
    info_.singular = machine_.largest(RowSum{s, a.values.data()}) < 1e-8;
    Array<double, Space> dense(checked_product(s.rows, s.rows, "the inverse of the coarsest grid"));
    machine_.for_each(dense.size(), Fill{dense.data(), 0});
    machine_.for_each(s.rows, FillDense{s, a.values.data(), dense.data()});
    if (info_.singular) machine_.for_each(s.dof, DoubleDiagonal{s.rows, dense.data()});
    invert(machine_, s.rows, dense.data());
    coarsest_ = converted(dense.data(), dense.size());
  }

  template <class In>
  void multiply_blocks(const OneLevel& level, const Array<T, Space>& blocks, const In* x, T* y) {
    const Couplings& s = level.couplings;
    if (s.dof == 1)
      machine_.for_each(s.rows, MultiplyDiagonal<T, In>{blocks.data(), x, y});
    else
      machine_.for_each(s.rows, MultiplyBlocks<T, In>{s.dof, s.rows, blocks.data(), x, y});
  }

  template <class Out>
  void sweep(const OneLevel& level, const T* x, Out* y, T weight) {
    const Couplings& s = level.couplings;
    with_instance<T>(s, [&](auto rows, auto dof, auto count) {
      machine_.for_each(s.rows / rows(), Sweep<T, Out, rows(), dof(), count()>{s, level.scaled.data(),
                                                                               level.g.data(), x, y, weight});
    });
  }

  // x = 0 and the first sweeps, or more of them. The result is in level.x.
  void smooth_before(OneLevel& level, bool from_zero) {
    const Couplings& s = level.couplings;
    const auto& w = level.weights;
    std::size_t done = 0;
    if (from_zero && w.size() > 1) {
      with_instance<T>(s, [&](auto rows, auto dof, auto count) {
        machine_.for_each(s.rows / rows(),
                          FirstTwoSweeps<T, rows(), dof(), count()>{s, level.scaled.data(), level.g.data(),
                                                                    level.x.data(), w[0], w[1]});
      });
      done = 2;
    } else if (from_zero) {
      machine_.for_each(s.rows, FirstSweep<T>{level.g.data(), level.x.data(), w[0]});
      done = 1;
    }
    for (; done < w.size(); ++done) {
      sweep(level, level.x.data(), level.y.data(), w[done]);
      std::swap(level.x, level.y);
    }
  }

  // All of them but the last `left`.
  void smooth_after(OneLevel& level, std::size_t left) {
    const auto& w = level.weights;
    for (std::size_t i = w.size(); i-- > left;) {
      sweep(level, level.x.data(), level.y.data(), w[i]);
      std::swap(level.x, level.y);
    }
  }

  void to_coarser(OneLevel& level, OneLevel& coarser) {
    const Couplings& s = level.couplings;
    T* residual = level.y.data();
    with_instance<T>(s, [&](auto rows, auto dof, auto count) {
      machine_.for_each(s.rows / rows(), Residual<T, rows(), dof(), count()>{
                                             s, level.scaled.data(), level.g.data(), level.x.data(),
                                             s.dof == 1 ? level.diagonal.data() : nullptr, residual});
    });
    if (s.dof > 1) multiply_blocks(level, level.diagonal, residual, work_.data());
    machine_.restrict_to(level.interpolation, s.dof > 1 ? work_.data() : residual, coarser.b.data());
  }

  void solve_coarsest(const T* b, T* x) {
    machine_.multiply_dense(levels_.back().couplings.rows, coarsest_.data(), b, x);
  }

  // level.x from level.b.
  void cycle_from(std::size_t i, bool from_zero) {
    OneLevel& level = levels_[i];
    if (i + 1 == levels_.size()) return solve_coarsest(level.b.data(), level.x.data());
    if (from_zero) multiply_blocks(level, level.inverse, level.b.data(), level.g.data());
    visit(i, from_zero);
    smooth_after(level, 0);
  }
  void visit(std::size_t i, bool from_zero) {
    OneLevel &level = levels_[i], &coarser = levels_[i + 1];
    smooth_before(level, from_zero);
    to_coarser(level, coarser);
    cycle_from(i + 1, true);
    if (options_.cycle == CycleKind::w && i + 2 < levels_.size()) cycle_from(i + 1, false);
    machine_.interpolate_add(level.interpolation, coarser.x.data(), level.x.data());
  }
  // A cycle in three parts: what reads b, what knows neither b nor x, and what writes x.
  void begin(const double* b) {
    OneLevel& finest = levels_.front();
    if (levels_.size() == 1)
      machine_.for_each(finest.couplings.rows, Convert<double, T>{b, finest.g.data()});
    else
      multiply_blocks(finest, finest.inverse, b, finest.g.data());
  }
  void between() {
    OneLevel& finest = levels_.front();
    if (levels_.size() == 1) return solve_coarsest(finest.g.data(), finest.x.data());
    visit(0, true);
    smooth_after(finest, 1);
  }
  void end(double* x) {
    OneLevel& finest = levels_.front();
    if (levels_.size() == 1)
      machine_.for_each(finest.couplings.rows, Convert<T, double>{finest.x.data(), x});
    else
      sweep(finest, finest.x.data(), x, finest.weights.front());
  }

  void count_bytes();

  GridMultigridOptions options_;
  Machine machine_;
  std::vector<OneLevel> levels_;  // from the finest
  Array<T, Space> coarsest_;      // the inverse, [row][column]
  Array<T, Space> work_;          // of D r, for several unknowns a node
  GridMultigridInfo info_;
};

// What one visit of a level reads and writes, each array of a step once, in numbers of T; `coarse` rows are on the
// next coarser level.
template <class T, class Machine>
std::int64_t numbers_of_visit(const Level<T, Machine>& level, std::int64_t coarse, bool from_zero) {
  const std::int64_t rows = level.couplings.rows, sweeps = static_cast<std::int64_t>(level.weights.size());
  // From zero the first two sweeps are one pass over the couplings, and a single one is none.
  const std::int64_t joined = from_zero ? 1 : 0, passes = 2 * sweeps + 1 - joined;
  const std::int64_t vectors = 3 * passes + (from_zero ? (sweeps > 1 ? -1 : 2) + 2 : 0);  // and D^-1 b
  return passes * level.scaled.size() + (from_zero ? 2 : 1) * level.diagonal.size() + vectors * rows +
         3 * rows + 2 * coarse + 2 * level.interpolation.weights.size();
}

template <class T, class Machine>
void Levels<T, Machine>::count_bytes() {
  constexpr std::int64_t value = sizeof(T);
  std::int64_t from_zero = 1, again = 0;  // visits of a level in a cycle
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    const OneLevel& level = levels_[i];
    const std::int64_t rows = level.couplings.rows;
    info_.stored_bytes += level.scaled.bytes() + level.diagonal.bytes() + level.inverse.bytes() +
                          level.interpolation.weights.bytes() + 4 * level.x.bytes();
    if (i + 1 == levels_.size()) {
      info_.cycle_flops += from_zero * 2 * coarsest_.size();
      info_.cycle_bytes += from_zero * (coarsest_.bytes() + 2 * rows * value);
      break;
    }
    const std::int64_t coarse = levels_[i + 1].couplings.rows,
                       sweeps = static_cast<std::int64_t>(level.weights.size());
    info_.cycle_bytes += value * (from_zero * numbers_of_visit(level, coarse, true) +
                                  again * numbers_of_visit(level, coarse, false));
    info_.cycle_flops += (from_zero + again) * (4 * sweeps * level.scaled.size() + 4 * level.diagonal.size() +
                                                (8 * sweeps + 32) * rows);
    if (i == 0) info_.cycle_bytes += 2 * rows * (8 - value);  // b is read and x written in fp64
    from_zero += again;
    again = options_.cycle == CycleKind::w && i + 2 < levels_.size() ? from_zero : 0;
  }
  info_.stored_bytes += coarsest_.bytes();
}

}  // namespace quadrille::multigrid
