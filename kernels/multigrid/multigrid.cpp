#include "kernels/multigrid/multigrid.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <future>
#include <mutex>
#include <system_error>
#include <type_traits>
#include <utility>

#include "kernels/cuda/device.hpp"
#include "kernels/multigrid/in_precision.hpp"
#include "kernels/multigrid/ranks.hpp"

namespace quadrille {

namespace {

class Loading {
 public:
  void begin(int gpu, bool few_rows) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (loaded_.valid()) return;
    std::promise<void> loaded;
    loaded_ = loaded.get_future().share();
    try {
      done_ = std::async(std::launch::async, [gpu, few_rows, loaded = std::move(loaded)]() mutable {
        multigrid::load_kernels_in_fp32(gpu, few_rows);
        loaded.set_value();
        cuda::prepare_frees(gpu);
      });
    } catch (const std::system_error&) {  // no thread is to be had: they are loaded when they are launched
      loaded_ = {};
    }
  }
  void wait() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (loaded_.valid()) loaded_.wait();
  }
  static Loading& of_program() {
    static Loading loading;
    return loading;
  }

 private:
  std::mutex mutex_;
  std::shared_future<void> loaded_;
  std::future<void> done_;
};

// How far the numbers on the diagonal are from 1, up or down, of some nodes in the middle of parts of the
// grid: what is so all over shows there, and a GPU has a few small copies to make.
template <class Space>
double far_from_one(const BlockDiagonals<double, Space>& a) {
  constexpr std::int64_t most = 1024;
  const auto centre = std::find(a.offsets.begin(), a.offsets.end(), NodeOffset{});
  if (centre == a.offsets.end()) return 0;  // is refused
  const std::int64_t parts = std::max(1, 2 / a.dof), of_part = a.nodes() / parts,
                     taken = std::min(of_part, most);
  std::vector<double> rows(static_cast<std::size_t>(taken * a.dof));
  double furthest = 0;
  for (std::int64_t column = 0; column < a.dof; ++column)
    for (std::int64_t part = 0; part < parts && taken > 0; ++part) {
      const std::int64_t first = part * of_part + (of_part - taken) / 2,
                         place = ((centre - a.offsets.begin()) * a.dof + column) * a.rows() + first * a.dof;
      const double* const from = a.values.data() + place;
      if constexpr (std::is_same_v<Space, Device>)
        memory::copy_to_host(rows.data(), from, static_cast<std::int64_t>(rows.size() * sizeof(double)));
      else
        std::copy_n(from, rows.size(), rows.begin());
      for (std::size_t row = static_cast<std::size_t>(column); row < rows.size(); row += a.dof) {
        const double own = std::abs(rows[row]);
        if (own > 0) furthest = std::max({furthest, own, 1 / own});
      }
    }
  return furthest;
}
// Of those that are all.
double far_from_one(const FewRows& few) {
  const auto centre = std::find(few.a.offsets.begin(), few.a.offsets.end(), NodeOffset{});
  if (centre == few.a.offsets.end()) return 0;
  const std::int64_t dof = few.a.dof, rows = few.stored_nodes() * dof,
                     diagonal = (centre - few.a.offsets.begin()) * dof;
  double furthest = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    const double own = std::abs(few.a.values[(diagonal + row % dof) * rows + row]);
    if (own > 0) furthest = std::max({furthest, own, 1 / own});
  }
  return furthest;
}
template <class Space>
double far_from_one(const SharedOperator<Space>& a) {
  return a.ranks.largest(far_from_one(a.own));
}

// Vectors of a cycle are in units of D^-1 b, and go down with the residual: they want a part of the range.
constexpr double most_in_fp32 = 0x1p80;

template <class Machine, class Operator>
std::unique_ptr<GridMultigrid> levels_on(const Operator& a, const GridMultigridOptions& options,
                                         std::unique_ptr<GridMultigrid> previous) {
  Loading::of_program().wait();
  const bool in_fp32 = options.precision == CyclePrecision::as_suits
                           ? far_from_one(a) <= most_in_fp32
                           : options.precision == CyclePrecision::fp32;
  return in_fp32 ? multigrid::levels_in<float, Machine>(a, options, std::move(previous))
                 : multigrid::levels_in<double, Machine>(a, options, std::move(previous));
}

}  // namespace

std::unique_ptr<GridMultigrid> make_grid_multigrid(const BlockDiagonals<double>& a,
                                                   const GridMultigridOptions& options,
                                                   std::unique_ptr<GridMultigrid> previous) {
  return levels_on<multigrid::OnHost>(a, options, std::move(previous));
}

std::unique_ptr<GridMultigrid> make_grid_multigrid(const FewRows& a, bool on_gpu,
                                                   const GridMultigridOptions& options,
                                                   std::unique_ptr<GridMultigrid> previous) {
  return on_gpu ? levels_on<multigrid::OnDevice>(a, options, std::move(previous))
                : levels_on<multigrid::OnHost>(a, options, std::move(previous));
}

std::unique_ptr<GridMultigrid> make_grid_multigrid(const SharedOperator<Host>& a,
                                                   const GridMultigridOptions& options,
                                                   std::unique_ptr<GridMultigrid> previous) {
  return levels_on<multigrid::OnHost>(a, options, std::move(previous));
}

std::unique_ptr<GridMultigrid> make_grid_multigrid(const BlockDiagonals<double, Device>& a,
                                                   const GridMultigridOptions& options,
                                                   std::unique_ptr<GridMultigrid> previous) {
  return levels_on<multigrid::OnDevice>(a, options, std::move(previous));
}

std::unique_ptr<GridMultigrid> make_grid_multigrid(const SharedOperator<Device>& a,
                                                   const GridMultigridOptions& options,
                                                   std::unique_ptr<GridMultigrid> previous) {
  return levels_on<multigrid::OnDevice>(a, options, std::move(previous));
}

void load_grid_multigrid(const BlockStructure& a) {
  const bool few_rows = a.fill.constants && a.dof == 1;
  if (cuda::device_count() > 0) Loading::of_program().begin(cuda::current_device(), few_rows);
}

std::int64_t grid_multigrid_bytes(const BlockStructure& a) {
  constexpr std::int64_t value = sizeof(float), corners = 8, box = 27;
  // Rows that are the same everywhere are a few, and interpolation from there is linear: vectors are left,
  // and the inverse blocks. Of wider stencils there is the neighbour form beside the operator.
  const bool wide = std::any_of(a.offsets.begin(), a.offsets.end(), [](const NodeOffset& o) {
    return std::max({std::abs(o.x), std::abs(o.y), std::abs(o.z)}) > 1;
  });
  if (a.fill.constants && !wide)
    return checked_product(a.rows(), (4 + 2 * a.dof) * value * 8 / 7, "the bytes of multigrid");
  // Of a row of the finest level: D^-1 A, D and its inverse; four vectors; weights, in fp64 before. Each
  // coarser level has an eighth of the rows, the box of neighbours, and in fp64 before.
  const std::int64_t finest = (a.diagonals() + 1) * a.dof * value + 4 * value + corners * (value + 8),
                     coarser = box * a.dof * (value + 8);
  return checked_product(a.rows(), finest + coarser / 7, "the bytes of multigrid");
}

namespace {

// Which axes were halved in turn, where weak ones were spared: ", halved along z 2 times, then along all".
std::string halving_of(const std::vector<GridLevelInfo>& levels) {
  std::vector<std::pair<std::string, int>> turns;
  bool spares = false;
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
    std::string axes;
    for (int axis = 0; axis < 3; ++axis)
      if (levels[i].halved[axis]) axes += (axes.empty() ? "" : " and ") + std::string(1, "xyz"[axis]);
    if (!levels[i].spares_weak_axes) axes = "all";
    spares = spares || levels[i].spares_weak_axes;
    if (turns.empty() || turns.back().first != axes) turns.emplace_back(axes, 0);
    ++turns.back().second;
  }
  std::string text;
  for (const auto& [axes, times] : turns) {
    text += (text.empty() ? ", halved along " : ", then along ") + axes;
    if (times > 1 && axes != "all") text += " " + std::to_string(times) + " times";
  }
  return spares ? text : "";
}

}  // namespace

std::string describe(const GridMultigridInfo& info) {
  const bool flat = info.levels.front().extents[2] == 1;
  const auto size = [flat](const GridLevelInfo& level) {
    const auto& n = level.extents;
    return std::to_string(n[0]) + "x" + std::to_string(n[1]) + (flat ? "" : "x" + std::to_string(n[2]));
  };
  const std::size_t count = info.levels.size();
  std::size_t by_operator = 0, constant = 0, by_kind = 0;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    by_operator += info.levels[i].by_operator;
    constant += info.levels[i].constant;
    by_kind += info.levels[i].by_kind;
  }
  std::string text =
      std::to_string(count) + (count == 1 ? " level, " : " levels, ") + size(info.levels.front());
  if (count > 1)
    text += " to " + size(info.levels.back()) + halving_of(info.levels) + ", interpolation " +
            (by_operator == 0           ? "linear"
             : by_operator == count - 1 ? "by the operator"
                                        : "by the operator on " + std::to_string(by_operator) + " of them");
  if (count > 1 && by_kind == count - 1) text += ", unknowns coupled at their own node alone";
  if (info.stabilised) text += ", coarse grids with diffusion for advection";
  if (constant > 0) text += ", constant coefficients";
  if (constant > 0 && constant < count - 1) text += " on " + std::to_string(constant) + " of them";
  text += ", " + std::to_string(info.levels.back().unknowns) + " unknowns solved directly";
  std::size_t shared = 0;
  for (const GridLevelInfo& level : info.levels) shared += level.shared;
  if (info.ranks > 1)
    text += shared == 0
                ? ", all on every rank"
                : ", " + std::to_string(shared) + " shared by " + std::to_string(info.ranks) + " ranks";
  const std::string sweeps = std::to_string(info.options.sweeps);
  if (count > 1)
    text += std::string(info.options.cycle == CycleKind::v   ? ", V("
                        : info.options.cycle == CycleKind::w ? ", W("
                                                             : ", F(") +
            sweeps + "," + sweeps + ")";
  if (count > 1 && info.options.smoother != LevelSmoother::chebyshev)
    text += std::string(" with ") + level_smoothers[static_cast<std::size_t>(info.options.smoother)];
  return text + (info.options.precision == CyclePrecision::fp32 ? " in fp32"
                 : info.beyond_fp32 ? " in fp64, for the coefficients leave the range of fp32"
                                    : " in fp64");
}

}  // namespace quadrille
