// A level that ranks share. Internal to kernels/multigrid.
#pragma once

#include <memory>
#include <utility>

#include "kernels/multigrid/ranks.hpp"

namespace quadrille::multigrid {

struct SharedLevel {
  Ranks* ranks;
  Partition partition;
  RankBox box;
  std::unique_ptr<NodeExchange> layers;  // from the time on that the level's values are there
  SharedLevel(Ranks& ranks, Partition p)
      : ranks(&ranks), partition(std::move(p)), box(rank_box(partition, partition.rank)) {}
  void make_layers(int dof, bool on_gpu) { layers = layer_exchange(*ranks, partition, dof, on_gpu); }
};

}  // namespace quadrille::multigrid
