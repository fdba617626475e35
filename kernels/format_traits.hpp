// What is to be known of a format beside its products: one description each, from which its bytes, the
// predictions of its times and what it needs follow. A format's own stands in kernels/traits/<format>.cpp;
// kernels/traits/all.hpp lists them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace quadrille {

struct FormatBytes;
struct FormatOptions;
struct MachineModel;
struct Sparsity;
struct Traffic;
enum class SpaceKind;

// What a format is made from. An operator on a grid comes as block diagonals (the hub), from which its CSR is
// made; any other comes as CSR.
enum class MadeFrom {
  the_hub,  // it is the hub itself, and made from CSR where there is none
  hub,      // from the hub, or from CSR where there is none
  the_csr,  // it is that CSR itself
  csr
};

// How the product of one format differs from a stream of its bytes. On the GPU the terms add up, as
// predict.cpp says.
struct FormatConstants {
  double share = 1;     // of the machine's bandwidth that its streamed bytes reach
  double fixed_us = 0;  // beyond the machine's own launch: prologue, reductions, a second kernel
  double entry_ps = 0;  // of computing for each stored entry: on the GPU all of it, on the CPU of one thread
  double gather = 1;    // of the machine's time for reads of x that miss the first-level cache
  double step_us = 0;   // each round trip to memory on the longest chain of one thread
  double atomic = 0;    // of the machine's time for one atomic addition, for each entry
};

// What y = A x takes on the GPU beside a stream of the format's bytes, in the terms of predict.hpp.
struct GpuWork {
  double entries = 0;  // stored, that are computed with
  double steps = 1;
  bool gathers = true;
  double instead_of_compulsory =
      0;  // bytes of the format that are read, where they are not what traffic() counts
};

// Lines that a product adds up by rows where they are rows of A, and scatters where they are columns.
enum class Compressed { no, rows, columns };

struct FormatTraits {
  std::string name;     // as --format spells it
  std::string summary;  // one line, with the paper
  MadeFrom made_from = MadeFrom::csr;
  bool has_transpose = false;
  bool gpu_adds_atomically = false;            // in A x of our kernel: the last bits vary
  bool gpu_transpose_adds_atomically = false;  // in A^T x
  // What is stored, and how much, depends on the values: it may change when they do.
  bool follows_values = false;
  bool follows_fill = false;  // or the fill, where FormatOptions::by_fill asks for that
  bool made_on_gpu = false;   // of block diagonals that are in GPU memory, there
  bool takes_few_rows = false;
  // Of a product with several vectors: the format is read once for so many. Null: for each.
  int (*vectors_at_once)(const Sparsity&, SpaceKind) = nullptr;
  std::vector<std::string> options =
      {};  // of the program that are its own, and block-size where it takes that

  // The bytes of y = A x from an operator's statistics, and the format's refusal.
  FormatBytes (*bytes)(const Sparsity&, const FormatOptions&) = nullptr;
  // What y = A x does; of y = A^T x it is what the format `transposes_like` does in y = A x.
  GpuWork (*gpu_work)(const Sparsity&, const Traffic&) = nullptr;
  double (*cpu_entries)(const Sparsity&) = nullptr;  // that the CPU's kernel computes with
  std::string transposes_like = name;

  // Segments of the plan that it has in GPU memory (kernels/segment_plan.hpp); null for none. A compressed
  // format has it where it pays.
  double (*planned_segments)(const Sparsity&) = nullptr;
  Compressed compressed = Compressed::no;

  // Of y = A x: on an H200, by results/fit_model.py, and on one thread of an AMD EPYC (Zen 3), what
  // results/cpu_spmv_*.json took beyond the stream of the same bytes. Of y = A^T x: none where there is no
  // such product.
  FormatConstants gpu, cpu;
  std::optional<FormatConstants> gpu_transposed = {}, cpu_transposed = {};
  // The constants of this operator, where they depend on it; null where not.
  FormatConstants (*constants_of)(FormatConstants, const Sparsity&, const MachineModel&) = nullptr;
};

// All of the project's own, in the order of the tables.
const std::vector<FormatTraits>& format_traits();

// Throws FormatError, with the names that there are, for another one.
const FormatTraits& find_format(const std::string& name);
// Throws that one: "there is no format 'crs'; there are csr, ...; did you mean 'csr'?"
[[noreturn]] void refuse_format(const std::string& name, const std::vector<std::string>& names);

// Whether an operator on a grid needs CSR to be made in this format.
inline bool needs_csr(const FormatTraits& format) {
  return format.made_from == MadeFrom::the_csr || format.made_from == MadeFrom::csr;
}

}  // namespace quadrille
