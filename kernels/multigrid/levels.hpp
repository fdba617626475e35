// The levels of multigrid, in the memory of a Machine (on_host.hpp, on_device.cuh), with cycles in T.
// Internal to kernels/multigrid.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "formats/reuse.hpp"
#include "kernels/multigrid/exact_from.hpp"
#include "kernels/multigrid/few_levels.hpp"
#include "kernels/multigrid/in_precision.hpp"
#include "kernels/multigrid/join_levels.hpp"
#include "kernels/multigrid/multigrid.hpp"
#include "kernels/multigrid/parts.hpp"
#include "kernels/multigrid/uploads.hpp"
#include "kernels/multigrid/visit_counts.hpp"

namespace quadrille::multigrid {

template <class T, class Machine>
class Levels final : public GridMultigrid {
  using Space = typename Machine::Space;
  using Hub = BlockDiagonals<double, Space>;

 public:
  Levels(const Hub& a, const GridMultigridOptions& options, std::unique_ptr<GridMultigrid> previous)
      : options_(options), exact_{a.extents, is_slender(a, a.extents)} {
    require_blocks(a);
    const memory::Reuse::Use use(memory_of(previous, a.rows()));
    previous.reset();
    if (reach_of(a.offsets) > 1) {
      const Hub near = neighbour_form(machine_, a);
      make_levels(&near, {}, a.rows());
    } else {
      make_levels(&a, {}, a.rows());
    }
    join_steps(cycle_, options_);
    finish();
  }
  Levels(const FewRows& a, const GridMultigridOptions& options, std::unique_ptr<GridMultigrid> previous)
      : options_(options), exact_{a.a.extents, is_slender(a.a, a.a.extents)} {
    require_blocks(a.a);
    if (reach_of(a.a.offsets) > 1) throw FormatError("few rows are all of couplings to neighbours alone");
    const memory::Reuse::Use use(memory_of(previous, a.a.rows()));
    previous.reset();
    std::optional<FewRows> few;
    if (!a.stored.all) few = enough_rows({copy_of(a.a), a.stored}, stability_);
    if (few) {
      StoredNodes stored;
      const Hub rest = add_few_levels(few_levels(*few), *few, stored);
      make_levels(&rest, {}, a.a.rows(), stored);
    } else {
      Hub all;
      static_cast<BlockStructure&>(all) = a.a;
      Array<double> values(a.a.diagonals() * a.a.dof * a.a.rows());
      repeat_rows(a, values.data());
      all.values = copy_to<Space>(values);
      make_levels(&all, {}, a.a.rows());
    }
    join_steps(cycle_, options_);
    finish();
  }
  Levels(const SharedOperator<Space>& a, const GridMultigridOptions& options,
         std::unique_ptr<GridMultigrid> previous)
      : options_(options), exact_{a.partition.extents, is_slender(a.own, a.partition.extents)} {
    require_blocks(a.own);
    const std::int64_t rows =
        a.partition.extents[0] * a.partition.extents[1] * a.partition.extents[2] * a.own.dof;
    const memory::Reuse::Use use(memory_of(previous, rows));
    previous.reset();
    auto shared = std::make_unique<SharedLevel>(a.ranks, a.partition);
    cycle_.own.emplace(shared->box, a.partition.extents, a.own.dof);
    info_.ranks = shared->partition.ranks();
    shared->make_layers(a.own.dof, Machine::on_gpu);
    structure_ = structure_of(a, std::move(structure_));
    if (auto few = shared_rows(a)) {
      make_shared_levels(*few, shared);
      StoredNodes stored;
      const Hub rest = shared ? all_in_box(*few, *shared) : add_few_levels(few_levels(*few), *few, stored);
      make_levels(&rest, std::move(shared), few->a.rows(), stored);
    } else {
      const Hub box = in_box(machine_, a, shared->box, structure_->offsets, *shared->layers);
      may_repeat_ = works_in_place(options_.smoother);  // which nobody has compared yet
      make_levels(&box, std::move(shared), rows);
    }
    finish();
  }

  void apply(const double* b, double* x, void* stream) override { cycle_.apply(b, x, stream); }
  const GridMultigridInfo& info() const override { return info_; }
  DotParts dot() const override { return {cycle_.joined.of_tiles.data(), cycle_.joined.of_tiles.size()}; }

 private:
  using OneLevel = Level<T, Machine>;
  using Tables = TransferTables<T, Space>;

  static void require_blocks(const BlockStructure& a) {
    if (a.dof > InvertBlocks::most)
      throw FormatError("multigrid takes up to " + std::to_string(InvertBlocks::most) +
                        " unknowns a node, not " + std::to_string(a.dof));
  }

  // Arrays are of it while levels are made: the same structure needs the same ones. What `previous` has there
  // comes from it where it is of this kind and for a grid of this size; it is given up.
  memory::Reuse& memory_of(std::unique_ptr<GridMultigrid>& previous, std::int64_t rows) {
    auto* const other = dynamic_cast<Levels*>(previous.get());
    if (other != nullptr && other->info_.levels.front().unknowns == rows) {
      memory_ = std::move(other->memory_);
      were_few_ = other->info_.levels.front().constant;
      grids_ = std::move(other->grids_);
      few_grids_ = std::move(other->few_grids_);
      transfers_ = std::move(other->transfers_);
      structure_ = std::move(other->structure_);
      grids_.begin();
      few_grids_.begin();
      transfers_.begin();
      machine_.take_over(other->machine_);
    } else {
      previous.reset();
      memory_ = std::make_unique<memory::Reuse>();
    }
    return *memory_;
  }

  // `stored`: whose rows `now` has.
  void make_levels(const Hub* now, std::unique_ptr<SharedLevel> shared, std::int64_t rows,
                   StoredNodes stored = {}) {
    info_.options = options_;
    info_.options.precision = std::is_same_v<T, float> ? CyclePrecision::fp32 : CyclePrecision::fp64;
    info_.beyond_fp32 = options_.precision == CyclePrecision::as_suits && !std::is_same_v<T, float>;
    Hub coarser;
    if (shared && rows <= gathered_unknowns()) now = gather(*now, shared, coarser);
    while (true) {
      if (!shared && may_repeat_ && stored.all) {
        auto rest = make_few_levels(*now, stored);
        may_repeat_ = rest.has_value();
        if (rest) {
          coarser = std::move(*rest);
          now = &coarser;
        }
      }
      const bool last = is_coarsest(size_of(*now, shared.get()));
      if (last && shared) {
        now = gather(*now, shared, coarser);
        continue;
      }
      auto next = last ? Coarsening<Space>{}
                       : coarsen(machine_, *now, options_.semi_coarsening, interpolation(), shared.get(),
                                 stored, &grids_);
      if (!next.there && shared) {  // no axis can be halved: as whole as it is
        now = gather(*now, shared, coarser);
        continue;
      }
      std::unique_ptr<SharedLevel> following;
      if (shared && next.there) following = std::make_unique<SharedLevel>(*shared->ranks, *next.partition);
      const Couplings s = couplings_of(*now, shared ? &shared->box : nullptr, stored);
      const StoredNodes of_coarse = next.there ? stored_nodes_of_coarse(s, next) : StoredNodes{};
      LevelTransfer<T, Space> transfer;
      if (next.there)
        transfer =
            shared ? transfer_in_box(s, next.axes()) : transfer_to(s, next.choice, next.axes(), of_coarse);
      LevelRows<T, Space> level_values;
      bool has_rows = !next.there && !levels_.empty();  // or needs none
      if (levels_.empty() && next.there && !shared && !next.by_operator &&
          may_join<T, Machine>(options_, s, transfer, true)) {
        level_values.bound = pack_star(cycle_, s, now->values.data(), stability_, symmetry_);
        has_rows = cycle_.joined.star.there && level_values.bound <= of_dominant_rows;
      }
      if (!has_rows && next.there && !works_in_place(options_.smoother)) {
        level_values = rounded_level_rows<T>(machine_, s, now->values.data());
        has_rows = level_values.rounded.size() > 0;
      }
      if (!has_rows)
        level_values = level_rows<T>(machine_, s, now->values.data(), levels_.empty(),
                                     !works_in_place(options_.smoother), entries_of(*now, s, next.there));
      if (next.there && has_inner_row(s) && level_values.scaled.size() > 0)
        level_values.inner = inner_rows(s, copy_to<Host>(level_values.scaled).data(),
                                        copy_to<Host>(level_values.diagonal).data());
      level_values.by_waves = !stored.all || !(next.by_operator || next.jumps || exact_.is_hard);
      if (next.there && options_.smoother == LevelSmoother::lines)
        level_values.lines =
            line_factors<T>(machine_, s, size_of(*now, shared.get()), now->values.data(), shared.get());
      if (!next.there) {
        LevelRows<T, Space> none;
        none.singular_blocks = level_values.singular_blocks;
        level_values = std::move(none);
      }
      OneLevel& level = add_level(*now, s, std::move(level_values), next.there, std::move(shared));
      if (!next.there) break;
      note_choice(size_of(*now, level.shared.get()), next.choice);
      info_.levels.back().by_operator = next.by_operator;
      exact_.is_wanted = exact_.is_wanted || next.varies || (next.by_operator && levels_.size() == 1);
      exact_.is_hard = exact_.is_hard || next.jumps || (next.varies && info_.levels.back().spares_weak_axes);
      info_.jumps = exact_.is_hard;
      shared = std::move(following);
      level.transfer = std::move(transfer);
      if (next.by_operator) level.transfer.weights = converted(next.weights.data(), next.weights.size());
      Hub made =
          galerkin(machine_, *now, next.nodes(level.couplings), level.shared ? &level.shared->box : nullptr,
                   stored, of_coarse, options_.coarse_operators);
      stored = of_coarse;
      coarser = std::move(made);
      now = &coarser;
      rows = coarser.rows();
      if (!shared) {
        look_at_coarse(machine_, coarser, stored, symmetry_, stability_);
        continue;
      }
      const Partition& p = shared->partition;
      rows = p.extents[0] * p.extents[1] * p.extents[2] * now->dof;
      if (rows <= gathered_unknowns() || !all_have_nodes(p)) {
        now = gather(*now, shared, coarser);
        look_at_coarse(machine_, coarser, StoredNodes{}, symmetry_, stability_);
      } else {
        shared->make_layers(now->dof, Machine::on_gpu);
        exchange_rows(*shared->layers, coarser, coarser, machine_.stream());
        look_at_coarse(machine_, coarser, *shared, symmetry_, stability_);
      }
    }
    info_.stabilised = stability_.added();
    make_weights();  // waits for the levels, and not for the coarsest one's inverse, which begins then
    const Couplings& s = levels_.back().couplings;
    if (!coarsest_begun_) begin_coarsest(s, *now, is_singular(machine_, s, now->values.data()));
  }

  // Three unknowns that all couple are nine times the work of one, 2 ms a level; the GPU takes 0.3 whatever
  // there is, and 0.5 by kind.
  static bool a_thread_is_fast(const FewRows& few) {
    constexpr std::int64_t most_entries = 4096;  // of blocks on the diagonal
    if (!Machine::on_gpu || few.a.dof == 1) return true;
    return few.stored_nodes() * few.a.dof * few.a.dof <= most_entries &&
           couplings_of(few.a, nullptr, few.stored).by_kind;
  }

  // Of an operator of which few rows are all, the levels as long as they are all of these, and what is left,
  // with its rows.
  std::optional<Hub> make_few_levels(const Hub& a, StoredNodes& stored_of_rest) {
    const Symmetry symmetry = symmetry_;
    const Stability stability = stability_;
    std::optional<FewRows> few = repeated_rows(a);
    if (few) few = enough_rows(std::move(*few), stability_);
    std::vector<FewLevel> made;
    if (few) made = few_levels(*few);
    if (std::exchange(is_queued_, false) && machine_.queued_largest() > 0) {
      symmetry_ = symmetry;
      stability_ = stability;
      return {};
    }
    if (!few) return {};
    return add_few_levels(made, *few, stored_of_rest);
  }
  // Those that the host makes; what is left is in `few`.
  std::vector<FewLevel> few_levels(FewRows& few) {
    std::vector<FewLevel> made;
    while (a_thread_is_fast(few) &&
           !is_coarsest(size_of(few.a, nullptr), std::ssize(levels_) + std::ssize(made))) {
      auto level = next_few_level(few, options_, symmetry_, stability_, few_grids_);
      if (!level) break;
      made.push_back(std::move(*level));
    }
    return made;
  }
  Hub add_few_levels(const std::vector<FewLevel>& made, const FewRows& few, StoredNodes& stored_of_rest) {
    const bool at_coarsest = is_coarsest(size_of(few.a, nullptr), std::ssize(levels_) + std::ssize(made));
    std::vector<BoxStored> stored;  // of each level, and of what is left
    for (const FewLevel& level : made) stored.push_back(stored_of(level.of, stored.empty()));
    stored.push_back(at_coarsest ? stored_in_words(few, LineWords::none) : stored_of(few, stored.empty()));
    Hub rest;
    static_cast<BlockStructure&>(rest) = few.a;
    rest.values = copy_to<Space>(take_stored(few.a.values, few, stored.back()));
    stored_of_rest = stored.back().stored;
    // A GPU is busy with it while the host makes the rows of the levels.
    if (at_coarsest) begin_coarsest(couplings_of(rest, nullptr, stored_of_rest), rest, is_singular(few));

    Uploads<Machine> uploads;
    std::vector<LevelRows<T, Space>> rows;
    std::vector<LevelTransfer<T, Space>> transfers;
    std::vector<Couplings> couplings;
    for (std::size_t i = 0; i < made.size(); ++i) {
      const FewLevel& level = made[i];
      const Couplings& s = couplings.emplace_back(couplings_of(level.of.a, nullptr, stored[i].stored));
      const bool finest = levels_.empty() && i == 0;
      rows.push_back(
          stored_rows(rows_of_few<T>(level, options_, finest, symmetry_), level.of, s, stored[i], uploads));
      if (options_.smoother == LevelSmoother::lines) {
        OnHost host;
        const Array<double> values = take_stored(level.of.a.values, level.of, stored[i]);
        rows.back().lines =
            copies<Space>(line_factors<T>(host, s, size_of(level.of.a, nullptr), values.data()));
      }
      transfers.push_back(transfer_to(s, level.choice, level.grid->axes, stored[i + 1].stored));
    }
    uploads.run(machine_);
    for (std::size_t i = 0; i < made.size(); ++i) {
      OneLevel& level = add_level(made[i].of.a, couplings[i], std::move(rows[i]), true, {});
      note_choice(size_of(made[i].of.a, nullptr), made[i].choice);
      level.transfer = std::move(transfers[i]);
      if (levels_.size() > 1) continue;
      StarRows<T>& star = cycle_.joined.star;
      star = star_rows<T>(couplings[i], made[i].couplings, made[i].of.a.values.data());
      star.inverse = level.inverse.data();  // stays where it is
    }
    return rest;
  }
  // The coarse operators of one whose blocks are mostly zeros have most of them full.
  EntryRows<T, Space> entries_of(const Hub& a, const Couplings& s, bool smoothed) {
    if (!smoothed || !levels_.empty() || works_in_place(options_.smoother) || s.nodes < options_.entries_from)
      return {};
    return entry_rows<T>(machine_, a, s);
  }
  bool has_inner_row(const Couplings& s) const {
    return Machine::on_gpu && !works_in_place(options_.smoother) && takes_inner_row(s, options_.inner_from);
  }
  // Of the rows of a level of few those that are stored.
  LevelRows<T, Space> stored_rows(const LevelRows<T, Host>& from, const FewRows& of, const Couplings& s,
                                  const BoxStored& stored, Uploads<Machine>& uploads) const {
    const auto taken = [&](const Array<T>& values) { return take_stored(values, of, stored); };
    Array<T> scaled = taken(from.scaled), diagonal = taken(from.diagonal);
    LevelRows<T, Space> rows;
    if (has_inner_row(s)) rows.inner = inner_rows(s, scaled.data(), diagonal.data());
    rows.scaled = uploads.add(std::move(scaled));
    rows.of_kind = uploads.add(taken(from.of_kind));
    rows.diagonal = uploads.add(std::move(diagonal));
    rows.inverse = uploads.add(taken(from.inverse));
    rows.bound = from.bound;
    rows.largest = from.largest;
    rows.singular_blocks = from.singular_blocks;
    return rows;
  }
  // As a level has few rows, the first of those that make_few_levels() makes or another, and not the coarsest
  // one, which is a matrix. What ranks share, and where the transfer to it knows none, has no nodes behind
  // lines.
  BoxStored stored_of(const FewRows& few, bool first) const {
    const bool known = first && !levels_.empty(),
               padded = !cycle_.own && !(known && levels_.back().transfer.coarse_line() == few.a.extents[0]);
    return stored_in_words(few, few.a.dof > 1 ? LineWords::none
                                : padded      ? LineWords::padded
                                              : LineWords::whole);
  }

  // To a level whose rows are `of_coarse`.
  LevelTransfer<T, Space> transfer_to(const Couplings& s, const GridChoice& choice,
                                      const std::array<AxisInterpolation, 3>& axes,
                                      const StoredNodes& of_coarse) {
    const int line = of_coarse.line > 0 ? of_coarse.line : static_cast<int>(axes[0].coarse);
    return {transfers_.get({choice, s.dof, s.line, line}, [&] { return Tables(axes, s.dof, s.line, line); }),
            {}};
  }
  static LevelTransfer<T, Space> transfer_in_box(const Couplings& s,
                                                 const std::array<AxisInterpolation, 3>& axes) {
    return {std::make_shared<const Tables>(axes, s.dof, s.line, static_cast<int>(axes[0].coarse)), {}};
  }

  // The rows that are all of the operator, if few are. Where they were in the set-up before, they most likely
  // are again: the GPU looks at all rows then while the host makes levels of these.
  std::optional<FewRows> repeated_rows(const Hub& a) {
    const Couplings s = couplings_of(a);
    FewRows few;
    few.stored = few_nodes(s.n, s.wraps, LineWords::none);
    if (few.stored.all) return {};
    const auto differ = [&](std::int64_t rows) {  // of the first rows
      const OtherThanStored other{s, few.stored, static_cast<int>(a.diagonals()), a.values.data(), rows};
      if constexpr (Machine::on_gpu)
        return other;
      else
        return LineOtherThanStored{other};
    };
    // Where coefficients vary a few rows tell.
    is_queued_ = std::exchange(were_few_, false);
    if (!is_queued_ && (machine_.largest(differ(std::min<std::int64_t>(s.rows, 65536))) > 0 ||
                        machine_.largest(differ(s.rows)) > 0))
      return {};
    Array<double, Space> values(a.diagonals() * a.dof * a.dof * few.stored.nodes());
    machine_.for_each(values.size(), TakeStored{s, few.stored, a.values.data(), values.data()});
    static_cast<BlockStructure&>(few.a) = a;
    few.a.values = copy_to<Host>(values);
    if (is_queued_) machine_.queue_largest(differ(s.rows));
    return few;
  }

  static GridSize size_of(const BlockStructure& a, const SharedLevel* shared) {
    GridSize size;
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t n = shared != nullptr ? shared->partition.extents[axis] : a.extents[axis];
      size.n[axis] = static_cast<int>(n);
      size.wraps[axis] = n > 1 && (shared != nullptr ? shared->partition.periodic[axis] : a.periodic[axis]);
    }
    size.dof = a.dof;
    return size;
  }
  bool is_coarsest(const GridSize& size) { return is_coarsest(size, std::ssize(levels_)); }
  // Of a level that has so many finer ones.
  bool is_coarsest(const GridSize& size, std::int64_t finer) {
    return exact_.begins_at(size, finer, options_, symmetry_.is_far());
  }

  // Where few nodes are left along an axis, none is far from its faces, and so none tells.
  LevelInterpolation interpolation() const {
    return exact_.is_hard && options_.interpolation == LevelInterpolation::as_suits
               ? LevelInterpolation::by_operator
               : options_.interpolation;
  }

  std::int64_t gathered_unknowns() const {
    return options_.gathered > 0 ? options_.gathered : Machine::gathered;
  }

  // From here on every rank has all of the operator.
  const Hub* gather(const Hub& box, std::unique_ptr<SharedLevel>& shared, Hub& whole) {
    const Partition partition = shared->partition;
    gather_vectors(shared, box.dof);
    whole = gathered(machine_, box, partition, *cycle_.gathered->exchange);
    return &whole;
  }
  void gather_vectors(std::unique_ptr<SharedLevel>& shared, int dof) {
    const SharedLevel& level = *shared;
    const BoxRows rows(level.box, level.partition.extents, dof);
    cycle_.gathered.emplace(Gathered<T, Space>{gathering(*level.ranks, level.partition, dof, Machine::on_gpu),
                                               rows, Array<T, Space>(rows.rows())});
    cycle_.whole_from = levels_.size();
    shared = nullptr;
  }

  // Of an operator that ranks share, the rows that are all of it. Smoothers in place have rows of all nodes
  // of a rank's box.
  std::optional<FewRows> shared_rows(const SharedOperator<Space>& a) {
    if (works_in_place(options_.smoother)) return {};
    auto few = few_rows(machine_, a, *structure_);
    return few ? enough_rows(std::move(*few), stability_) : std::nullopt;
  }
  // From a level to the next as long as these rows are all of it and ranks share it: each makes what one rank
  // would. What is left is in `few`; `shared` is null then where every rank has the whole level.
  void make_shared_levels(FewRows& few, std::unique_ptr<SharedLevel>& shared) {
    while (true) {
      const GridSize size = size_of(few.a, nullptr);
      if (size.rows() <= gathered_unknowns() || !all_have_nodes(shared->partition) || is_coarsest(size))
        return gather_vectors(shared, few.a.dof);
      const auto made = next_few_level(few, options_, symmetry_, stability_, few_grids_);
      if (!made) return;
      const Partition coarse = coarser(shared->partition, made->grid->axes, halved_of(made->choice));
      const BoxStored in_box = stored_in_box(shared->box, shared->partition.extents, made->of.stored,
                                             Machine::on_gpu && few.a.dof == 1);
      const BlockStructure box = structure_in_box(made->of.a, *shared);
      const Couplings s_box = couplings_of(box, &shared->box, in_box.stored);
      auto following = std::make_unique<SharedLevel>(*shared->ranks, coarse);
      const auto axes = axes_of_boxes(made->grid->axes, halved_of(made->choice), shared->partition,
                                      shared->box, following->box);
      Uploads<Machine> uploads;
      LevelRows<T, Space> rows = stored_rows(rows_of_few<T>(*made, options_, levels_.empty(), symmetry_),
                                             made->of, s_box, in_box, uploads);
      uploads.run(machine_);
      OneLevel& level = add_level(box, s_box, std::move(rows), true, std::move(shared));
      info_.levels.back().constant = true;  // whatever this rank's box has of it
      note_choice(size, made->choice);
      level.transfer = transfer_in_box(s_box, axes);
      shared = std::move(following);
      if (few.stored.all || few.a.rows() <= gathered_unknowns() || !all_have_nodes(coarse))
        return gather_vectors(shared, few.a.dof);
      shared->make_layers(few.a.dof, Machine::on_gpu);
    }
  }
  static BlockStructure structure_in_box(const BlockStructure& whole, const SharedLevel& shared) {
    BlockStructure box = whole;
    box.extents = shared.box.size;
    for (int axis = 0; axis < 3; ++axis)
      box.periodic[axis] = box.periodic[axis] && shared.partition.ranks_along(axis) == 1;
    return box;
  }
  // Each row of a rank's box.
  static Hub all_in_box(const FewRows& few, const SharedLevel& shared) {
    BoxStored all;
    for (int axis = 0; axis < 3; ++axis)
      for (std::int64_t i = 0; i < shared.box.size[axis]; ++i) {
        const std::int64_t n = few.a.extents[axis], at = (shared.box.first[axis] + i + n) % n;
        all.of_whole[axis].push_back(few.along(axis, static_cast<int>(at)));
      }
    Hub box;
    static_cast<BlockStructure&>(box) = structure_in_box(few.a, shared);
    box.values = copy_to<Space>(take_stored(few.a.values, few, all));
    return box;
  }

  // Once all levels are there.
  void finish() {
    cycle_.kind = options_.cycle;
    put_small_together(cycle_, options_);
    count_cycle(cycle_, info_);
    cycle_.record();
    machine_.finish_coarsest(cycle_.coarsest);
    info_.allocated = memory_->allocated();
    info_.iterations_of_exact = exact_.iterations_to_save(symmetry_.is_far());
  }

  // Without values where it is the coarsest.
  OneLevel& add_level(const BlockStructure& a, const Couplings& s, LevelRows<T, Space> rows, bool smoothed,
                      std::unique_ptr<SharedLevel> shared) {
    OneLevel level;
    level.shared = std::move(shared);
    level.couplings = s;
    level.scaled = std::move(rows.scaled);
    level.of_kind = std::move(rows.of_kind);
    level.entries = std::move(rows.entries);
    level.rounded = std::move(rows.rounded);
    level.diagonal = std::move(rows.diagonal);
    level.inverse = std::move(rows.inverse);
    level.inner = rows.inner;
    for (auto* vector : {&level.g, &level.x, &level.y}) *vector = Array<T, Space>(s.rows);
    if (s.dof > 1 && cycle_.work.size() < s.rows) cycle_.work = Array<T, Space>(s.rows);
    if (!levels_.empty() || cycle_.own) level.b = Array<T, Space>(s.rows);
    info_.singular_blocks = info_.singular_blocks || rows.singular_blocks;
    GridLevelInfo info{a.extents, s.unknowns(), s.count + 1};
    info.constant = !s.stored.all;
    info.by_kind = s.mixes;
    info.columns = level.entries.count;
    if (level.shared) {
      info.extents = level.shared->partition.extents;
      info.unknowns = info.extents[0] * info.extents[1] * info.extents[2] * s.dof;
      info.shared = true;
    }
    if (smoothed && works_in_place(options_.smoother)) {
      level.in_place = in_place(s, box_rows(level), size_of(a, level.shared.get()).wraps, options_.sweeps,
                                std::move(rows.lines));
    } else if (smoothed) {
      info.largest_eigenvalue = rows.largest   ? *rows.largest
                                : level.shared ? level.shared->ranks->largest(rows.bound)
                                               : rows.bound;
      if (!rows.largest)
        queued_.resize(queued_.size() + queue_largest_eigenvalue(machine_, level, info.largest_eigenvalue,
                                                                 options_.by_symbols && rows.by_waves),
                       levels_.size());
    }
    levels_.push_back(std::move(level));
    info_.levels.push_back(info);
    return levels_.back();
  }

  // Of the last level that was added.
  void note_choice(const GridSize& size, const GridChoice& choice) {
    const std::array<bool, 3> halved = halved_of(choice);
    GridLevelInfo& info = info_.levels.back();
    info.halved = halved;
    for (const AxisChoice& axis : choice)
      info_.has_walls = info_.has_walls ||
                        (levels_.size() == 1 && !axis.wraps && (axis.low.decoupled || axis.high.decoupled));
    for (int axis = 0; axis < 3; ++axis)
      info.spares_weak_axes =
          info.spares_weak_axes || (!halved[axis] && can_be_halved(size.n[axis], size.wraps[axis]));
  }

  // Of all levels, once all that this waits for is queued.
  void make_weights() {
    std::vector<std::vector<double>> results = machine_.queued();
    std::vector<double> found(levels_.size());
    for (std::size_t k = 0; k < results.size(); ++k) {
      const std::size_t i = queued_[k];
      std::vector<double>& result = results[k];
      if (levels_[i].shared && result.size() > 1) levels_[i].shared->ranks->sum(result);
      if (levels_[i].shared && result.size() == 1) result[0] = levels_[i].shared->ranks->largest(result[0]);
      found[i] = std::max(found[i], largest_eigenvalue(info_.levels[i].largest_eigenvalue, result));
    }
    for (std::size_t i = 0; i < levels_.size(); ++i)
      if (found[i] > 0)
        info_.levels[i].largest_eigenvalue =
            held(found[i], info_.levels[i].largest_eigenvalue, symmetry_.is_far());
    if (options_.smoother == LevelSmoother::as_suits)
      info_.options.smoother = symmetry_.is_far() ? LevelSmoother::jacobi : LevelSmoother::chebyshev;
    const auto& weights =
        info_.options.smoother == LevelSmoother::jacobi ? jacobi_weights<T> : chebyshev_weights<T>;
    for (std::size_t i = 0; i + 1 < levels_.size() && !works_in_place(options_.smoother); ++i)
      levels_[i].weights =
          weights(info_.levels[i].largest_eigenvalue, smoothed_share(levels_[i].couplings), options_.sweeps);
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

  void begin_coarsest(const Couplings& s, const Hub& a, bool singular) {
    info_.singular = singular;
    machine_.begin_coarsest(cycle_.coarsest, s, a.values.data(), singular);
    coarsest_begun_ = true;
  }

  GridMultigridOptions options_;
  ExactFrom<Machine> exact_;
  Cycle<T, Machine> cycle_;
  Machine& machine_ = cycle_.machine;
  std::vector<OneLevel>& levels_ = cycle_.levels;
  Stability stability_;
  Symmetry symmetry_;
  std::vector<std::size_t> queued_;  // of what is queued for largest eigenvalues, the level
  KeptGrids<Space> grids_;
  KeptGrids<Host> few_grids_;
  KeptTransfers<T, Space> transfers_;
  std::shared_ptr<const SharedStructure> structure_;  // where ranks share the operator
  bool were_few_ = false;                  // rows that were all of the operator of the set-up before
  bool is_queued_ = false;                 // whether they are
  bool may_repeat_ = true;                 // whether few rows may be all of the next level
  bool coarsest_begun_ = false;            // as soon as its operator was known
  std::unique_ptr<memory::Reuse> memory_;  // for another set-up
  GridMultigridInfo info_;
};

template <class T, class Machine, class Operator>
std::unique_ptr<GridMultigrid> levels_in(const Operator& a, const GridMultigridOptions& options,
                                         std::unique_ptr<GridMultigrid> previous) {
  return std::make_unique<Levels<T, Machine>>(a, options, std::move(previous));
}

}  // namespace quadrille::multigrid
