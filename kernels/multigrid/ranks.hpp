// How ranks share the levels of multigrid. Each has a box of every level, with two layers of the nodes of
// other ranks around it, whose rows of the operator it has too:
//
//     x x x x x x x x      o own nodes; after each step on a vector the values of one layer less are right,
//                          and
//     x x o o o o x x      an exchange makes them right again. Two layers are what P^T A P asks of the finer
//     x x o o o o x x      level, and let a rank sweep twice between exchanges.
//     x x x x x x x x
//
// From the level on that has few unknowns, every rank has all of it. Internal to kernels/multigrid and who
// implements Ranks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "formats/block_diagonals.hpp"
#include "formats/csr.hpp"
#include "grid/axis_interpolation.hpp"
#include "grid/partition.hpp"
#include "kernels/node_exchange.hpp"

namespace quadrille::multigrid {

inline constexpr int layers_of_others = 2;

// A rank's box with the layers around it. Positions past the ends of a periodic axis are those that they wrap
// to.
struct RankBox {
  NodePosition first{0, 0, 0}, size{1, 1, 1};
  NodePosition own{0, 0, 0}, own_size{1, 1, 1};  // counted from `first`
  std::int64_t nodes() const { return size[0] * size[1] * size[2]; }
};
RankBox rank_box(const Partition& p, int rank, int layers = layers_of_others);

// Whether an axis wraps with so many nodes: two are next to each other in both directions, which count as
// one.
inline bool still_wraps(bool wraps, std::int64_t nodes) {
  return wraps && nodes > 2;
}

// The nodes of the next coarser grid, where these axes keep every other node. Each belongs to the rank that
// has it on the finer grid: some ranks may be left with none.
Partition coarser(const Partition& p, const std::array<AxisInterpolation, 3>& axes,
                  const std::array<bool, 3>& halved);
bool all_have_nodes(const Partition& p);

// Of an interpolation along a whole axis, what leads from the nodes of one box to those of another, counted
// from their first ones; and which nodes of a box lie between coarse ones.
AxisInterpolation axis_of_box(const AxisInterpolation& whole, bool halved, std::int64_t fine_first,
                              std::int64_t fine_size, std::int64_t coarse_first, std::int64_t coarse_size);
std::vector<std::int8_t> nodes_between(const AxisInterpolation& whole, bool halved, std::int64_t first,
                                       std::int64_t size);
// axis_of_box() of the axes that ranks share; the others as they are.
std::array<AxisInterpolation, 3> axes_of_boxes(const std::array<AxisInterpolation, 3>& whole,
                                               const std::array<bool, 3>& halved, const Partition& partition,
                                               const RankBox& fine, const RankBox& coarse);

// The ranks that share a grid. All members are collective.
class Ranks {
 public:
  virtual ~Ranks() = default;
  // The vectors that this rank gives from have `from_nodes` nodes of `dof` unknowns.
  virtual std::unique_ptr<NodeExchange> exchange(const TransfersTo& transfers, std::int64_t from_nodes,
                                                 int dof, bool on_gpu) = 0;
  virtual void sum(std::vector<double>& values) = 0;
  virtual double largest(double value) = 0;
};

// Of boxes: the layers of others, in place; and all nodes of the grid, x fastest, from the boxes.
std::unique_ptr<NodeExchange> layer_exchange(Ranks& ranks, const Partition& p, int dof, bool on_gpu,
                                             int layers = layers_of_others);
std::unique_ptr<NodeExchange> gathering(Ranks& ranks, const Partition& p, int dof, bool on_gpu);

}  // namespace quadrille::multigrid

namespace quadrille {

// This rank's rows of an operator that ranks share, as the parts that PETSc's matrices have. `Space` is that
// of the values; the sparsity of `ghost` is read on the host.
template <class Space>
struct SharedOperator {
  const BlockDiagonals<double, Space>& own;  // the rank's rows and columns
  const Csr<double>& ghost;                  // boundary_rows x ghost_columns
  const double* ghost_values;                // in Space
  std::vector<std::int64_t> boundary_rows;   // own rows, from 0
  std::vector<std::int64_t> ghost_columns;   // by the numbers of the partition
  Partition partition;
  multigrid::Ranks& ranks;
};

}  // namespace quadrille
