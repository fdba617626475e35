#include "quadrille/not_finite.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/petsc/base/check.hpp"

namespace quadrille {
namespace {

std::string name_of(double value) {
  return std::isnan(value) ? "not a number" : value > 0 ? "inf" : "-inf";
}

// Counted over the whole grid, unknowns innermost.
std::int64_t row_of_all(const GridLayout& layout, std::int64_t row) {
  const NodeBox box = layout.box();
  const std::int64_t node = row / layout.grid.dof;
  const NodePosition line = box.first_of_line(node / box.size[0]);
  return node_index(layout.grid, {line[0] + node % box.size[0], line[1], line[2]}) * layout.grid.dof +
         row % layout.grid.dof;
}

}  // namespace

std::string to_string(const NotFinite& place) {
  return "unknown " + std::to_string(place.unknown) + " of node (" + std::to_string(place.node.x) + ", " +
         std::to_string(place.node.y) + ", " + std::to_string(place.node.z) + ")";
}

// Rows of a rank are in the order of those of all, and a NaN cannot be told from another one by its bits: the
// kind of number goes with its row.
std::optional<NotFinite> first_not_finite(const GridLayout& layout, Vec values) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  const double inf = std::numeric_limits<double>::infinity();
  const double kinds[] = {std::numeric_limits<double>::quiet_NaN(), inf, -inf};
  std::int64_t mine = none, first = none;
  {
    const HostValues<const double> of_rank(values);
    const double* const bad =
        std::find_if_not(of_rank.begin(), of_rank.end(), [](double v) { return std::isfinite(v); });
    if (bad != of_rank.end())
      mine = 3 * row_of_all(layout, bad - of_rank.begin()) + (std::isnan(*bad) ? 0 : *bad > 0 ? 1 : 2);
  }
  MPI_Allreduce(&mine, &first, 1, MPI_INT64_T, MPI_MIN, layout.comm);
  if (first == none) return {};
  const std::int64_t row = first / 3;
  return NotFinite{node_position(layout.grid, row / layout.grid.dof), static_cast<int>(row % layout.grid.dof),
                   kinds[first % 3]};
}

std::string where_not_finite(SNES snes, const GridLayout& layout) {
  SNESConvergedReason reason = SNES_CONVERGED_ITERATING;
  PetscInt iterations = 0;
  Vec f = nullptr;
  QUADRILLE_PETSC(SNESGetConvergedReason(snes, &reason));
  QUADRILLE_PETSC(SNESGetFunction(snes, &f, nullptr, nullptr));
  if (reason >= 0 || f == nullptr) return "";
  const std::optional<NotFinite> place = first_not_finite(layout, f);
  // Where one linear solve is all, nobody has looked at the residual before it.
  if (!place && reason != SNES_DIVERGED_FNORM_NAN) return "";
  QUADRILLE_PETSC(SNESGetIterationNumber(snes, &iterations));
  const std::string what = place ? "the residual of " + to_string(*place) + " is " + name_of(place->value)
                                 : "the norm of the residual is too large for a number";
  return what +
         (iterations == 0 ? " before the first iteration" : " after iteration " + std::to_string(iterations));
}

}  // namespace quadrille
