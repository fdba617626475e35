// Every (format, space) there is, in one explicit list.
#pragma once

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "formats/block_diagonals.hpp"
#include "formats/csr.hpp"
#include "formats/dia.hpp"
#include "formats/few_rows.hpp"
#include "formats/value_precision.hpp"
#include "kernels/format_traits.hpp"
#include "kernels/prepared.hpp"
#include "kernels/spmv_operator.hpp"
#include "kernels/tuning/ellr_t_paper_model.hpp"

namespace quadrille {

// A grid operator's forms that are assembled in GPU memory, each call anew; empty without a GPU.
template <class T>
struct DeviceAssembly {
  std::function<BlockDiagonals<T, Device>()> block_diagonals;
  std::function<Dia<T, Device>()> dia;
};

// What an operator is made from, as far as it exists: `hub` and `on_device` of an operator on a grid, `csr`
// of every one that CSR and the host can hold.
template <class T>
struct FormatInput {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "the values of an operator are float or double");
  std::shared_ptr<const BlockDiagonals<T>> hub;
  std::shared_ptr<const Csr<T>> csr;
  DeviceAssembly<T> on_device;
  // In GPU memory already: shared by the GPU's cds and csr, which see what changes in them.
  std::shared_ptr<const BlockDiagonals<T, Device>> device_hub;
  std::shared_ptr<const Csr<T, Device>> device_csr;
  // In place of values: these rows are all, and `hub` tells the structure alone. For those that take them.
  std::shared_ptr<const FewRows> few_rows;
  std::exception_ptr no_csr;  // where csr is null: the FormatError or MemoryError that says why
};

// Throws why there is none.
template <class T>
const std::shared_ptr<const Csr<T>>& csr_of(const FormatInput<T>& source) {
  if (!source.csr && source.no_csr) std::rethrow_exception(source.no_csr);
  if (!source.csr) throw FormatError("this operator comes without CSR");
  return source.csr;
}

// Whether compact by the fill looks which values are constant, or mirrors: columns that need not be read are
// worth it. Not where its product would have to be compiled, which takes longer: of mirrors there is one with
// the library for stars of one unknown.
inline bool looks_at_values(const BlockStructure& s) {
  const auto of_star = [](const NodeOffset& o) { return o.x * o.x + o.y * o.y + o.z * o.z <= 1; };
  const bool star = s.dof == 1 && std::all_of(s.offsets.begin(), s.offsets.end(), of_star);
  return s.dof <= most_by_nodes && (s.fill.constants || (s.fill.symmetric && star));
}

enum class RowOrdering { none, descending, rcm, amd };
// Of the graph of a square matrix, and known only when it is made.
inline bool of_graph(RowOrdering ordering) {
  return ordering == RowOrdering::rcm || ordering == RowOrdering::amd;
}

// Makes them: stored row i is row result[i]. petsc::graph_order() is one.
using GraphOrder = Array<std::int32_t> (*)(RowOrdering ordering, std::int64_t rows, std::int64_t columns,
                                           const Array<std::int32_t>& row_ptr,
                                           const Array<std::int32_t>& column);

// Whether the GPU's products of compact and stencil_table have a kernel that is compiled for the operator.
enum class Specialise { when_large, always, never };

// The parameters of the formats that have some.
struct FormatOptions {
  Kernel kernel = Kernel::ours;              // on the GPU, of the formats that have two
  CachePath x_cache = CachePath::read_only;  // how the papers' kernels read x
  int block_size = 1;                        // bcsr and cds: unknowns per node; of the hub where there is one
  int csr_lanes = 0;       // on the GPU, our kernel: lanes per row, 1 to 32; 0 takes rows of any length
  int ellr_t_threads = 0;  // T: 1, 2, 4, 8, 16 or 32; 0 is chosen by ellr_t_choice()
  int ellr_t_block = 0;    // threads of a block: 64, 128, 256, 512 or 1024; 0 is chosen as well
  EllrTModel ellr_t_model = EllrTModel::ours;  // that chooses
  int rg_csr_group = 64;                       // rows per group, 32..256
  RowOrdering rg_csr_ordering = RowOrdering::none;
  GraphOrder rg_csr_graph_order = nullptr;  // makes rcm and amd; without it they are refused
  std::shared_ptr<const Array<std::int32_t>> rg_csr_order{};  // if not null, the rows in this order instead
  int rg_csr_threads = 0;     // of the GPU for each row, 1 to 1024 / group; 0 is chosen by rg_csr_threads()
  int cmrs_height = 0;        // rows per strip, 1..16; 0 is chosen by cmrs_choice()
  bool cmrs_reorder = false;  // entries of a strip sorted by column
  int cmrs_block =
      0;  // on the GPU: threads of a block; 0 is chosen by cmrs_choice(), or the paper's kernel's default
  bool cmrs_aligned = true;                      // the paper's kernel: Launch::aligned
  MemorySplit cmrs_split = MemorySplit::driver;  // the paper's kernel
  Specialise specialise = Specialise::when_large;
  ValuePrecision value_precision = ValuePrecision::own;  // of what cds and compact store
  // What compact stores goes by the fill (formats/block_diagonals.hpp) alone, for values that will change;
  // where the fill hints at more, by what the values are as well, each time (looks_at_values()).
  bool by_fill = false;
  bool few_rows = false;      // values come, and come again, as few rows that are all (FormatInput::few_rows)
  int products = 0;           // that the operator is made for; 0: many
  bool of_transpose = false;  // they are y = A^T x
};

struct FormatEntry {
  std::string name;  // as --format spells it
  SpaceKind space = SpaceKind::cpu;
  bool peer = false;    // somebody else's product, timed and checked in the same run
  std::string summary;  // one line, with the paper
  // Null where the precision is not offered.
  std::function<std::unique_ptr<SpmvOperator<double>>(const FormatInput<double>&, const FormatOptions&)>
      make_fp64;
  std::function<std::unique_ptr<SpmvOperator<float>>(const FormatInput<float>&, const FormatOptions&)>
      make_fp32;

  const FormatTraits* traits = nullptr;  // null of a peer
  bool logs_flops = false;               // PETSc counts what its product does

  template <class T>
  const auto& make() const {
    if constexpr (sizeof(T) == 8)
      return make_fp64;
    else
      return make_fp32;
  }
};

// In the order of the tables: CPU formats, CUDA formats, peers. PETSc's: petsc::all_products().
const std::vector<FormatEntry>& registry();

// Throws FormatError, with the names that there are, for another name, and for a format that has no product
// in this space, for example on the GPU in a build without CUDA.
const FormatEntry& find_format(const std::string& name, SpaceKind space,
                               const std::vector<FormatEntry>& among = registry());
bool has_format(const std::string& name, SpaceKind space, const std::vector<FormatEntry>& among = registry());

// Whether an operator on a grid needs CSR to be made in this format, as every peer does.
inline bool needs_csr(const FormatEntry& entry) {
  return entry.traits == nullptr || needs_csr(*entry.traits);
}
// Whether the format is the block diagonals themselves, and sees what changes in them.
bool is_the_hub(const std::string& format);
// Whether it is made of block diagonals in GPU memory without a way by the host.
bool is_made_on_gpu(const std::string& format);
// Whether it is made of few rows that are all (FormatInput::few_rows).
bool takes_few_rows(const std::string& format);

// Every name once, in the registry's order.
std::vector<std::string> format_names(const std::vector<FormatEntry>& among = registry());

}  // namespace quadrille
