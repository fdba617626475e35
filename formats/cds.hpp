// CDS, Column Diagonal Storage. Source: Godwin, Holewinski, Sadayappan, "High-Performance Sparse
// Matrix-Vector Multiplication on GPUs for Structured Grid Computations", GPGPU-5 2012, section 3.1.
//
// The arrays are those of the hub, BlockDiagonals, where the layout formula stands; this file adds what a
// kernel needs.
//
// Worked example with 2x2 blocks, 5 nodes on a line, offsets -2 0 +2 (also the test). Block (node, offset)
// has the entries p q / r s; as a matrix it is 10 x 10 with nine scalar diagonals, which is what DIA would
// store:
//
//     block row 0:   A0 .  B0 .  .        column 0 (offset -2, c = 0):  x  x   x  x   p2 r2   p3 r3   p4 r4
//     block row 1:   .  A1 .  B1 .        column 1 (offset -2, c = 1):  x  x   x  x   q2 s2   q3 s3   q4 s4
//     block row 2:   C2 .  A2 .  B2       column 2 (offset  0, c = 0):  p  r  of A0, A1, A2, A3, A4
//     block row 3:   .  C3 .  A3 .        column 3 (offset  0, c = 1):  q  s  of A0 .. A4
//     block row 4:   .  .  C4 .  A4       columns 4, 5: the same of B0 B1 B2, then x x  x x
//
// k*b columns of n numbers and k offsets: 6*10 + 3 here, where DIA takes 9*10 + 9. With one unknown per node
// CDS is DIA: the 5x5 matrix of the other formats gives the five columns drawn in dia.hpp. Padding (x): one
// block for every missing neighbour, stored as zero. Periodic axes add none.
#pragma once

#include "formats/block_diagonals.hpp"

namespace quadrille {

// Bytes of CDS: all columns, k offsets.
template <class T, class Space>
Traffic traffic(const BlockDiagonals<T, Space>& hub);
Traffic cds_traffic(const BlockStructure& structure, std::int64_t bytes_per_value);

}  // namespace quadrille
