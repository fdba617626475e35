// Interpolations and their products, for the tests of grid transfer and of what is made with it.
#pragma once

#include "shell_cases.hpp"
#include "transfer_runs.hpp"

namespace quadrille {

inline constexpr FaceBoundary value{BoundaryKind::value, 3}, clamp{BoundaryKind::clamp, 0},
    around{BoundaryKind::periodic, 0};

}  // namespace quadrille
