// What a point-block smoother cannot divide by.
#pragma once

#include "formats/block_diagonals.hpp"

namespace quadrille::petsc {

// Whether some node's own block has no inverse although the node takes part. A row of zeros takes none.
bool has_singular_blocks(const BlockDiagonals<double>& a);

}  // namespace quadrille::petsc
