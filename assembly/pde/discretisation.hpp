// What an operator or a PDE is discretised by: the stencils that it has coefficients for, and the unknowns of
// a node.
#pragma once

#include <string>

#include "formats/block_diagonals.hpp"
#include "grid/grid.hpp"
#include "grid/stencil.hpp"

namespace quadrille {

struct Discretisation {
  int star = 1, box = 0;  // the largest radius of each, or 0 for none
  bool unknown_per_axis = false;
  int more_unknowns = 0;  // beside those
  int dof = 0;            // unknowns of a node; 0: as many as are asked for, by default 1
  bool coupled = false;   // unknowns of a node to each other
};

// Of an operator that does not couple them; nothing is said of one that does.
inline BlockFill fill_of(const Discretisation& taken, int dof) {
  return taken.coupled ? BlockFill{} : diagonal_fill(dof);
}

// The star where it is taken, or the box; of radius 1.
const char* default_stencil(const Discretisation& taken);
int default_dof(const Discretisation& taken, int dimension);

// "star of radius 1 to 4, or box of radius 1"
std::string stencils_text(const Discretisation& taken);

// Why `who` does not take them, in a sentence; empty where it does.
std::string why_not(const Discretisation& taken, const std::string& who, const Stencil& stencil,
                    int dimension);
std::string why_not(const Discretisation& taken, const std::string& who, const Grid& grid);

// Throws InputError with the sentence, and where the stencil is none of this grid.
void require(const Discretisation& taken, const std::string& who, const Grid& grid, const Stencil& stencil);

}  // namespace quadrille
