// What an operator's structure tells about its formats without building any of them: exact counts for their
// bytes, and row lengths and a sample of the reads of x for their times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "formats/block_diagonals.hpp"
#include "formats/csr.hpp"
#include "kernels/registry.hpp"

namespace quadrille {

struct RowLengths {
  std::int64_t shortest = 0, median = 0, longest = 0, empty = 0;
  double mean = 0, deviation = 0;
};

template <class T>
RowLengths row_lengths(const Csr<T>& csr);

// 32-byte sectors of x for each entry, sampled over the rows. 1 is the worst; unit stride in fp64 is 0.25, in
// fp32 0.125.
struct XLocality {
  double across_rows = 0.25;  // 32 lanes read the same entry of 32 consecutive rows (ELL and its kin)
  double along_rows = 0.25;   // 32 lanes read 32 consecutive entries (CSR and its kin)
  double of_block = 0.1;  // different ones among 256 consecutive rows: what a first-level cache cannot save
};

// Everything that the predictions need. Counts are exact where `exact`, upper bounds otherwise; they belong
// to the FormatOptions that they were taken with.
struct Sparsity {
  bool exact = true;
  bool has_csr = true;  // the row formats can be made
  std::string no_csr;   // why not
  int value_bytes = 8;
  std::int64_t rows = 0, columns = 0, nnz = 0;
  RowLengths lengths;
  std::int64_t longest_column = 0;
  int ellr_t_threads = 1;              // T, as it is chosen
  int cmrs_height = 1;                 // rows per strip, as they are chosen
  std::int64_t rg_csr_slots = 0;       // padded entries, in groups of rg_csr_group rows in their order
  int rg_csr_threads = 1;              // of the GPU for each row, as they are chosen
  bool rg_csr_exact = true;            // not with an order of the graph, which only making it tells
  std::int64_t hyb_width = 0;          // of its ELL part
  std::int64_t hyb_beyond = 0;         // entries in its COO part
  int block_size = 1;                  // of bcsr
  std::int64_t blocks = 0;             // with an entry
  std::int64_t longest_block_row = 0;  // in blocks
  std::int64_t diagonals = 0;          // scalar ones with an entry
  std::optional<BlockStructure> cds;   // nothing where cds refuses
  std::string no_cds;                  // why
  bool cds_from_csr = false;           // read from the matrix, not given by a grid
  std::int64_t compact_columns = 0;    // stored by compact, and the entries of blocks that it computes with
  std::int64_t compact_entries = 0;    // these, constants and mirrors
  std::int64_t compact_constants = 0;  // where compact_exact
  bool compact_exact = false;          // else they are all entries that may couple
  bool compact_by_fill = false;        // FormatOptions::by_fill
  bool few_rows = false;               // FormatOptions::few_rows
  std::int64_t stencils = 0;           // different ones
  bool stencils_exact = false;         // else as many as there may be
  bool assembled_on_device = false;    // cds and dia, in GPU memory
  bool hub_on_device = false;          // cds is there, and what is made from it comes by way of the host
  std::int64_t csr_chain = 0;          // entries of a tile of CSR's GPU kernel that one lane adds up, at most
  std::int64_t cmrs_chain = 0;         // and of CMRS's
  std::int64_t touched_bytes = 0;  // of 32-byte sectors that hold an entry within its row, one thread a row
  std::int64_t warp_steps = 0;     // sum over 32 consecutive rows of the longest of them
  XLocality x;
};

// From CSR where there is one; else from the hub; else, an upper bound, from `structure`, which is that of an
// operator assembled in GPU memory, or of few rows. Reads the structure a few times, in parallel, and makes
// nothing larger than a few bytes a row. Without `of_values` what follows the values, of compact and
// stencil_table, is an upper bound or not known. Throws FormatError where the source has none of these. T is
// float or double.
template <class T>
Sparsity sparsity_of(const FormatInput<T>& source, const FormatOptions& options,
                     const BlockStructure* structure = nullptr, bool of_values = true);

// Upper bounds from the structure alone, for operators that are too large to be assembled where one asks;
// exact but for the faces where the fill says what couples, or every entry of a block is non-zero.
Sparsity sparsity_at_most(const BlockStructure& structure, int value_bytes,
                          const FormatOptions& options = {});

}  // namespace quadrille
