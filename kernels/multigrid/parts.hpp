// What is compiled in files of its own. A GPU loads the kernels of a file together when the first of them is
// launched, used or not, 1.5 ms a megabyte: what a solve of constant coefficients does without stands apart
// from levels (levels.hpp), and what knows no precision of the cycle is compiled once. `HOW` is extern where
// these are used, and nothing in the file that has them. Internal to kernels/multigrid.
#pragma once

#include "kernels/multigrid/galerkin.hpp"
#include "kernels/multigrid/level_rows.hpp"
#include "kernels/multigrid/look_at_coarse.hpp"
#include "kernels/multigrid/neighbour_form.hpp"
#include "kernels/multigrid/shared_rows.hpp"

// Set-up in double: device_setup.cu, host_setup.cpp.
#define QUADRILLE_SETUP(HOW, Machine, Space)                                                                 \
  HOW template Coarsening<Space> choose_coarsening(Machine&, const BlockDiagonals<double, Space>&, bool,     \
                                                   LevelInterpolation, const SharedLevel*,                   \
                                                   const StoredNodes&, KeptGrids<Space>*);                   \
  HOW template Coarsening<Space> coarsen(Machine&, const BlockDiagonals<double, Space>&, bool,               \
                                         LevelInterpolation, const SharedLevel*, const StoredNodes&,         \
                                         KeptGrids<Space>*);                                                 \
  HOW template BlockDiagonals<double, Space> galerkin(Machine&, const BlockDiagonals<double, Space>&,        \
                                                      const Nodes&, const RankBox*, const StoredNodes&,      \
                                                      const StoredNodes&, CoarseOperators);                  \
  HOW template void look_at_coarse(Machine&, BlockDiagonals<double, Space>&, const StoredNodes&, Symmetry&,  \
                                   Stability&);                                                              \
  HOW template void look_at_coarse(Machine&, BlockDiagonals<double, Space>&, const SharedLevel&, Symmetry&,  \
                                   Stability&);                                                              \
  HOW template BlockDiagonals<double, Space> neighbour_form(Machine&, const BlockDiagonals<double, Space>&); \
  HOW template bool is_singular(Machine&, const Couplings&, const double*);                                  \
  HOW template BlockDiagonals<double, Space> in_box(Machine&, const SharedOperator<Space>&, const RankBox&,  \
                                                    const SharedOffsets&, NodeExchange&);                    \
  HOW template BlockDiagonals<double, Space> gathered(Machine&, const BlockDiagonals<double, Space>&,        \
                                                      const Partition&, NodeExchange&);                      \
  HOW template std::optional<FewRows> few_rows(Machine&, const SharedOperator<Space>&,                       \
                                               const SharedStructure&);

// Rows of a level, and the steps of a cycle on levels that store all rows or rows by kind: device_rows_*.cu.
#define QUADRILLE_ROWS(HOW, T, Machine, Space)                                                          \
  HOW template EntryRows<T, Space> entry_rows<T>(Machine&, const BlockDiagonals<double, Space>&,        \
                                                 const Couplings&);                                     \
  HOW template LevelRows<T, Space> level_rows<T>(Machine&, const Couplings&, const double*, bool, bool, \
                                                 EntryRows<T, Space>);                                  \
  HOW template LevelRows<T, Space> rounded_level_rows<T>(Machine&, const Couplings&, const double*);    \
  HOW template int queue_largest_eigenvalue(Machine&, Level<T, Machine>&, double, bool);                \
  HOW template void sweep_rows<false>(Machine&, const Level<T, Machine>&, T*, T);                       \
  HOW template void sweep_rows_to_user<false>(Machine&, const Level<T, Machine>&, double*, T);          \
  HOW template void first_two_sweeps<false>(Machine&, const Level<T, Machine>&, const T*, T*, T, T);    \
  HOW template void residual_of_rows<false>(Machine&, Level<T, Machine>&);

// Smoothers in place: device_in_place_*.cu.
#define QUADRILLE_IN_PLACE(HOW, T, Machine, Space)                                                          \
  HOW template std::vector<LineFactors<T, Space>> line_factors(Machine&, const Couplings&, const GridSize&, \
                                                               const double*, const SharedLevel*);          \
  HOW template void smooth_in_place(Machine&, Level<T, Machine>&, bool);
// Of few rows, which the power method takes, too; device_fp32.cu and device_fp64.cu have them.
#define QUADRILLE_FEW_ROWS(HOW, T, Machine) \
  HOW template void first_two_sweeps<true>(Machine&, const Level<T, Machine>&, const T*, T*, T, T);
