#include "assembly/pde/discretisation.hpp"

#include <algorithm>

#include "assembly/stencil_operator.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

std::string radii_text(const char* stencil, int largest) {
  if (largest == 0) return "";
  return std::string(stencil) + " of radius 1" + (largest > 1 ? " to " + std::to_string(largest) : "");
}

}  // namespace

const char* default_stencil(const Discretisation& taken) {
  return taken.star > 0 ? "star" : "box";
}

int default_dof(const Discretisation& taken, int dimension) {
  return taken.unknown_per_axis ? dimension + taken.more_unknowns : std::max(1, taken.dof);
}

std::string stencils_text(const Discretisation& taken) {
  return radii_text("star", taken.star) + (taken.star > 0 && taken.box > 0 ? ", or " : "") +
         radii_text("box", taken.box);
}

std::string why_not(const Discretisation& taken, const std::string& who, const Stencil& stencil,
                    int dimension) {
  for (int radius = 1; radius <= taken.star; ++radius)
    if (stencil.offsets == star_stencil(dimension, radius).offsets) return "";
  for (int radius = 1; radius <= taken.box; ++radius)
    if (stencil.offsets == box_stencil(dimension, radius).offsets) return "";
  return who + " has no coefficients for stencil '" + describe(stencil) + "'; use " + stencils_text(taken);
}

std::string why_not(const Discretisation& taken, const std::string& who, const Grid& grid) {
  if (taken.dof > 0 && grid.dof != taken.dof)
    return who + " has " + std::to_string(taken.dof) + " unknowns per node, not " + std::to_string(grid.dof);
  const int dof = grid.dimension + taken.more_unknowns;
  if (!taken.unknown_per_axis || grid.dof == dof) return "";
  return who + " needs one unknown per axis" +
         (taken.more_unknowns > 0 ? " and " + std::to_string(taken.more_unknowns) + " more" : "") +
         ": use --dof " + std::to_string(dof) + " on the " + std::to_string(grid.dimension) + "D grid " +
         to_string(grid) + ", not " + std::to_string(grid.dof);
}

void require(const Discretisation& taken, const std::string& who, const Grid& grid, const Stencil& stencil) {
  validate(stencil, grid);
  for (const std::string& reason : {why_not(taken, who, grid), why_not(taken, who, stencil, grid.dimension)})
    if (!reason.empty()) throw InputError(reason);
}

}  // namespace quadrille
