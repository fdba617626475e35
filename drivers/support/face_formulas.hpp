// Formulas in --boundary: value:{sin(pi*y)}, flux:{x - y}, robin:1,2,{t}, in place of X and C.
#pragma once

#include <string>
#include <vector>

#include "drivers/support/options_values.hpp"
#include "grid/boundary.hpp"

namespace quadrille {

struct FaceFormulas {
  std::string plain;  // the text with 0 in place of each formula
  struct One {
    std::size_t face = 0, unknown = 0;  // among those that the text names
    std::string text;
  };
  std::vector<One> all;
};

// Refuses braces without their partner, and what muParser does not understand, with its reason.
FaceFormulas face_formulas(const Setting& boundary, bool in_time);

// Gives them to the Boundary that was made of the plain text: in x, y and z, in m from the first node, of the
// point one spacing beyond the last node; and t. Refuses what is no number at t = 0.
void add_formulas(const Setting& boundary, const FaceFormulas& formulas, const Grid& grid, bool in_time,
                  Boundary& to);

}  // namespace quadrille
