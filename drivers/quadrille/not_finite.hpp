// Where a vector of a grid has what is no number. Internal to the library's face.
#pragma once

#include <petscsnes.h>

#include <optional>
#include <string>

#include "quadrille/vector.hpp"

namespace quadrille {

struct NotFinite {
  Position node;
  int unknown = 0;
  double value = 0;  // NaN or infinite
};

// "unknown 0 of node (1, 2, 3)"
std::string to_string(const NotFinite& place);

// The first of all ranks, x fastest. Collective, as what follows.
std::optional<NotFinite> first_not_finite(const GridLayout& layout, Vec values);

// Why a solve ended, in a sentence, where that is because its residual is no number; else empty.
std::string where_not_finite(SNES snes, const GridLayout& layout);

}  // namespace quadrille
