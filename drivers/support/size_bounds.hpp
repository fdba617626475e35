// What the formats of a grid operator will take, from its structure alone: for operators that are too large to be assembled
// where one asks.
#pragma once

#include <cstdint>
#include <string>

#include "formats/block_diagonals.hpp"
#include "formats/format.hpp"
#include "kernels/registry.hpp"

namespace quadrille {

struct OperatorSize {
  BlockStructure structure;
  bool diagonal_blocks = false;  // each unknown couples with itself only
  std::int64_t value_bytes = 8;
};

// Bytes of `format` at most; exact for cds, and for the others where every entry of a block (of its diagonal, for diagonal
// blocks) is non-zero and no row is shorter than the longest by more than a missing neighbour. Throws FormatError when
// the format's 32-bit indices cannot hold the operator.
Traffic traffic_at_most(const std::string& format, const OperatorSize& size, const FormatOptions& options);

}  // namespace quadrille
