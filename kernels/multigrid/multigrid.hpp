// Multigrid that is made from an operator on a grid alone, whole cycles at the speed of memory: the levels,
// their operators and their interpolation are found from the coefficients, on the host or on the GPU where
// the operator is.
//
//   levels         every other node along the axes whose couplings are strong (semi-coarsening where they are
//                  not alike), down to a grid that is solved directly
//   interpolation  the operator's own (Dendy, J. Comput. Phys. 48 (1982); coarsening_steps.hpp), or
//                  linear where that is nearly the same; restriction is its transpose
//   coarse grids   P^T A P; where unknowns couple with others at their own node alone, that of each kind by
//                  itself, and between them what it sums to at a node (by_kind_steps.hpp)
//   smoother       Chebyshev in D^-1 A, with the diagonal blocks D: x += w_i D^-1 (b - A x), the weights w_i
//                  from a bound of the spectrum; equal weights where the operator is far from symmetric; or
//                  Gauss-Seidel by colours, by nodes or by lines (smoothers.hpp)
//
// Levels whose rows are the same everywhere but near faces, to the last bit, store each of them once: cycles
// then move little but vectors. Ranks that share a level store all rows.
//
// Where the operator couples nodes further apart, all that is of its neighbour form (neighbour_form.hpp).
//
// A cycle is linear, symmetric where the operator is (but for full multigrid), and gives the same bits every
// time.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "formats/block_diagonals.hpp"
#include "formats/few_rows.hpp"

namespace quadrille {

inline constexpr int most_multigrid_unknowns = 64;  // a node

enum class CycleKind { v, w, f };  // f: full multigrid, which begins on the coarsest grid
// as_suits: fp32 where the diagonal is well within its range, else fp64.
enum class CyclePrecision { fp64, fp32, as_suits };
enum class LevelInterpolation { as_suits, by_operator, linear };
// as_suits: where unknowns couple with others at their own node alone, so do they on coarse grids
// (kernels/multigrid/by_kind_steps.hpp); else, as galerkin always, P^T A P.
enum class CoarseOperators { as_suits, galerkin };
// as_suits: chebyshev, whose weights are for real spectra; jacobi where the operator is far from symmetric.
enum class LevelSmoother { chebyshev, jacobi, sor, lines, as_suits };
inline constexpr std::array level_smoothers{"chebyshev", "jacobi", "sor", "lines", "auto"};

struct GridMultigridOptions {
  int levels = 0;    // at most; 0: as many as it takes
  int coarsest = 0;  // unknowns that are few enough for a direct solve; 0: what suits the machine
  CycleKind cycle = CycleKind::v;
  int sweeps = 2;  // before and after the coarser grid, each
  CyclePrecision precision = CyclePrecision::as_suits;
  LevelInterpolation interpolation = LevelInterpolation::as_suits;
  CoarseOperators coarse_operators = CoarseOperators::as_suits;
  bool semi_coarsening = true;  // else every axis is halved on every level
  int gathered = 0;             // unknowns that are few enough for every rank to have all; 0: what suits
  // Unknowns from which on a GPU does the steps of the finest level in two passes over memory, where its
  // couplings are a star in 3D that is the same everywhere: of smaller grids there are too few tiles.
  std::int64_t joined_from = std::int64_t{1} << 21;
  // Numbers in the blocks of a level's diagonal from which on a GPU's kernels take the row of nodes far from
  // faces as parameters: of fewer, threads are too few.
  std::int64_t inner_from = std::int64_t{1} << 20;
  // Nodes from which the finest level leaves out what its blocks have of zeros (entry_rows.hpp).
  std::int64_t entries_from = 4096;
  LevelSmoother smoother = LevelSmoother::as_suits;
  // Iterations that an exact solve of a larger grid would save a method that does not get on: where
  // coefficients jump it may take as long to make as those.
  int saved_iterations = 0;
  bool small_together = true;  // on a GPU: the small levels in one launch
  // What smoothers take of the spectrum comes from what single rows make of waves where that tells enough,
  // else from a power method.
  bool by_symbols = true;
};

struct GridLevelInfo {
  std::array<std::int64_t, 3> extents{1, 1, 1};
  std::int64_t unknowns = 0, couplings = 0;  // blocks a row, the diagonal one included
  bool by_operator = false;                  // the interpolation to this level from the next coarser one
  double largest_eigenvalue = 0;             // the bound of D^-1 A's that the smoother goes by, if it does
  bool shared = false;                       // by the ranks; else each has all of it
  bool by_kind = false;                      // neighbours couple unknowns of one kind alone
  int columns = 0;                           // beside the diagonal, where zeros are left out: numbers a node
  bool constant = false;                     // the same rows everywhere but near faces, which are stored once
  std::array<bool, 3> halved{};              // the axes, to make the next coarser one
  bool spares_weak_axes = false;             // others could be halved, too, and couple weakly
};

struct GridMultigridInfo {
  GridMultigridOptions options;       // with the precision and the smoother of the cycle
  std::vector<GridLevelInfo> levels;  // from the finest
  std::int64_t stored_bytes = 0;
  std::int64_t cycle_bytes = 0;  // that a cycle must move
  // Of saved_iterations, so many would make a larger grid the coarsest one.
  double iterations_of_exact = std::numeric_limits<double>::infinity();
  std::int64_t cycle_flops = 0;
  bool beyond_fp32 = false;      // the cycle is in fp64 because the coefficients leave the range of fp32
  bool stabilised = false;       // coarse operators of advection were given the diffusion that they lacked
  bool singular = false;         // the constants of each unknown are in the operator's null space
  bool jumps = false;            // coefficients do, or axes are halved apart where they vary
  bool has_walls = false;        // the nodes of some face couple with none inwards, as where they hold values
  bool singular_blocks = false;  // a node's own block has no inverse; of this rank
  int ranks = 1;                 // bytes and flops are this rank's
  int allocated = 0;             // arrays that set-up made and a previous one had not; of this rank
};

// Numbers that add up to (b, x), in the memory of both; none where a cycle does not make them.
struct DotParts {
  const double* part = nullptr;
  std::int64_t count = 0;
};

class GridMultigrid {
 public:
  virtual ~GridMultigrid() = default;
  // x = M b, both [row] (own rows of a shared operator, collectively) in the memory of the operator it was
  // made from; b and x do not overlap. On the GPU the work is queued on `stream` (a cudaStream_t; null for
  // the default one).
  virtual void apply(const double* b, double* x, void* stream = nullptr) = 0;
  virtual const GridMultigridInfo& info() const = 0;
  // Of the last apply(), behind it on its stream.
  virtual DotParts dot() const = 0;
};

// Throws FormatError where the operator couples nodes more than 4 apart along an axis, has no diagonal or
// more than 64 unknowns a node, and MemoryError. A `previous` one is given up: where it is for an operator of
// the same structure, as before the next time step, its memory is used again, and nothing is allocated: what
// set-up needs for a while is kept for that (formats/reuse.hpp).
std::unique_ptr<GridMultigrid> make_grid_multigrid(const BlockDiagonals<double>& a,
                                                   const GridMultigridOptions& options,
                                                   std::unique_ptr<GridMultigrid> previous = nullptr);
std::unique_ptr<GridMultigrid> make_grid_multigrid(const BlockDiagonals<double, Device>& a,
                                                   const GridMultigridOptions& options,
                                                   std::unique_ptr<GridMultigrid> previous = nullptr);

// The same of an operator of which these rows are all, on the host or the current GPU; of couplings to
// neighbours.
std::unique_ptr<GridMultigrid> make_grid_multigrid(const FewRows& a, bool on_gpu,
                                                   const GridMultigridOptions& options,
                                                   std::unique_ptr<GridMultigrid> previous = nullptr);

// The same of an operator that ranks share (kernels/multigrid/ranks.hpp). Collective.
template <class Space>
struct SharedOperator;
std::unique_ptr<GridMultigrid> make_grid_multigrid(const SharedOperator<Host>& a,
                                                   const GridMultigridOptions& options,
                                                   std::unique_ptr<GridMultigrid> previous = nullptr);
std::unique_ptr<GridMultigrid> make_grid_multigrid(const SharedOperator<Device>& a,
                                                   const GridMultigridOptions& options,
                                                   std::unique_ptr<GridMultigrid> previous = nullptr);

// Begins to load the kernels that multigrid of such an operator most likely takes, in fp32, on the current
// GPU, beside what is done next: milliseconds. Once, and nothing without a GPU. make_grid_multigrid() waits
// for it.
void load_grid_multigrid(const BlockStructure& a);

// About what it takes beside the operator, with cycles in fp32 and what its set-up holds for a while; of a
// rank's part likewise.
std::int64_t grid_multigrid_bytes(const BlockStructure& a);

// For people: "5 levels, 64x64x64 to 4x4x4, interpolation linear, constant coefficients, 64 unknowns solved
// directly, V(2,2) in fp32"; with another smoother than Chebyshev's "V(2,2) with lines in fp32", and where
// weak axes are spared at first "64x64x64 to 4x4x1, halved along z 2 times, then along all".
std::string describe(const GridMultigridInfo& info);

}  // namespace quadrille
