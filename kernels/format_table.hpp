// The table of formats: one line each, for both spaces. Internal to kernels; the GPU's half is instantiated
// only in builds with CUDA.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "kernels/cuda/compact_from_hub.hpp"
#include "kernels/cuda/few_rows.hpp"
#include "kernels/cuda/specialise.hpp"
#include "kernels/cuda/stencil_table_from_hub.hpp"
#include "kernels/format_operator.hpp"
#include "kernels/prepared.hpp"
#include "kernels/registry.hpp"
#include "kernels/row_order.hpp"
#include "kernels/tuning/cmrs_rule.hpp"
#include "kernels/tuning/ellr_t_model.hpp"
#include "kernels/tuning/rg_csr_rule.hpp"
#include "kernels/tuning/set_up_time.hpp"

namespace quadrille {

namespace format_table {

// A copy in the GPU's memory, if that has room for it and for x and y.
template <class Format>
auto to_device(const Format& format) {
  const Traffic bytes = traffic(format);
  memory::require_device(bytes.stored_bytes + 2 * bytes.written_bytes);
  return copy_to<Device>(format);
}

// What a format's product on the GPU is prepared with, from the arrays on the host: mostly
// no more than the kernel.
template <class Format>
Prepared prepare(const Format&, const FormatOptions& o) {
  return {{.kernel = o.kernel, .cache = o.x_cache}};
}

// Of CSR and CSC, without a plan of the segments where none is needed: for a given number of lanes, the
// paper's kernel, or few products.
inline Prepared prepare_segments(const Array<std::int32_t>& ptr, const Array<std::int32_t>& index, int lanes,
                                 bool gathers, const FormatOptions& o) {
  Prepared prepared{{.kernel = o.kernel, .lanes = lanes}};
  if (o.kernel == Kernel::ours && lanes == 0 && plan_pays(ptr, gathers, o.products))
    prepared.segments = plan_on_device(ptr, index);
  return prepared;
}
template <class T>
Prepared prepare(const Csr<T>& a, const FormatOptions& o) {
  return prepare_segments(a.row_ptr, a.column, o.csr_lanes, !o.of_transpose, o);
}
// What stands in GPU memory already, for many products.
template <class T>
Prepared prepare(const Csr<T, Device>& a, const FormatOptions& o) {
  if (o.kernel == Kernel::paper) return {{.kernel = o.kernel}};
  return {{}, plan_on_device(copy_to<Host>(a.row_ptr))};
}
template <class T>
Prepared prepare(const Csc<T>& a, const FormatOptions& o) {
  return prepare_segments(a.column_ptr, a.row, 0, o.of_transpose, o);
}

template <class T>
Prepared prepare(const Bcsr<T>& a, const FormatOptions&) {
  if (a.block_size > 1) return {};
  return {{}, plan_on_device(a.block_row_ptr)};
}

template <class T>
Prepared prepare(const EllrT<T>&, const FormatOptions& o) {
  return {{.kernel = o.kernel, .block = o.ellr_t_block, .cache = o.x_cache}};
}

template <class T>
Prepared prepare(const RgCsr<T>& a, const FormatOptions& o) {
  const int lanes =
      o.rg_csr_threads > 0 ? std::min(o.rg_csr_threads, most_rg_csr_threads(a.group)) : rg_csr_threads(a);
  return {{.kernel = o.kernel, .lanes = lanes, .cache = o.x_cache}};
}

inline bool compiles(const BlockStructure& s, const FormatOptions& o) {
  return o.specialise == Specialise::always ||
         (o.specialise == Specialise::when_large && s.rows() >= rows_worth_compiling);
}
// Up to 8 unknowns a kernel that has the constants in its text is faster than the one for kinds. One for any
// constants is slower with 8 and with more; with fewer nobody has compared them.
inline bool by_kind_pays(int dof, bool compiles, cuda::Compile compile) {
  if (dof > most_by_nodes) return true;
  if (!compiles || compile == cuda::Compile::where_needed) return false;
  return compile == cuda::Compile::never || dof == most_by_nodes;
}
template <class T, class Space>
Prepared prepare(const Compact<T, Space>& a, const FormatOptions& o, cuda::Compile compile) {
  Prepared prepared;
  prepared.by_kind =
      !o.of_transpose && by_kind_pays(a.dof, compiles(a, o), compile) && cuda::takes_kinds(a, a.entry);
  if (prepared.by_kind || !compiles(a, o)) return prepared;
  const bool transposed = o.of_transpose && !is_symmetric(a, a.entry);
  (transposed ? prepared.transposed : prepared.product) =
      cuda::specialise(a, a.entry, a.precision, transposed, compile);
  if (!o.of_transpose && compile != cuda::Compile::never)
    prepared.several = cuda::specialise_for_vectors(a, a.entry, a.precision);
  return prepared;
}
// By the fill a node's kernel for any map is nearly as good, for its time is that of the columns; and where
// few rows are to come, what is made before them is hardly used.
template <class T, class Space>
Prepared prepare(const Compact<T, Space>& a, const FormatOptions& o) {
  const bool never = o.few_rows || (o.by_fill && a.dof <= most_by_nodes);
  return prepare(a, o, never ? cuda::Compile::never : cuda::Compile::where_needed);
}
template <class T, class Space>
Prepared prepare(const StencilTable<T, Space>& a, const FormatOptions& o) {
  Prepared prepared;
  if (!compiles(a, o)) return prepared;
  (o.of_transpose ? prepared.transposed : prepared.product) = cuda::specialise(a, o.of_transpose);
  if (!o.of_transpose) prepared.several = cuda::specialise_for_vectors(a);
  return prepared;
}

inline Prepared prepare_strips(const Array<std::int32_t>& strip_ptr, Launch launch) {
  launch.block = cmrs_block(launch);
  if (launch.kernel == Kernel::paper) return {launch};
  return {launch, plan_on_device(strip_ptr, launch.block)};
}
template <class T>
Prepared prepare(const Cmrs<T>& a, const FormatOptions& o) {
  return prepare_strips(a.strip_ptr, {.kernel = o.kernel,
                                      .block = o.cmrs_block,
                                      .cache = o.x_cache,
                                      .aligned = o.cmrs_aligned,
                                      .split = o.cmrs_split});
}

// What is in GPU memory already.
template <class T, class Format>
std::unique_ptr<SpmvOperator<T>> on_device(std::shared_ptr<const Format> format, Prepared prepared) {
  return std::make_unique<FormatOperator<Format, T, Device>>(std::move(format), std::move(prepared));
}

// A format that already stands in host memory is shared on the CPU and copied to the GPU.
template <class Space, class T, class Format>
std::unique_ptr<SpmvOperator<T>> share(std::shared_ptr<const Format> format, const FormatOptions& o) {
  if constexpr (std::is_same_v<Space, Host>) {
    return std::make_unique<FormatOperator<Format, T, Host>>(std::move(format));
  } else {
    using OnDevice = decltype(copy_to<Device>(*format));
    auto there = std::make_shared<const OnDevice>(to_device(*format));
    return on_device<T>(std::move(there), prepare(*format, o));
  }
}

template <class Space, class T, class Format>
std::unique_ptr<SpmvOperator<T>> own(Format format, const FormatOptions& o) {
  return share<Space, T>(std::make_shared<const Format>(std::move(format)), o);
}

template <class Space, class T>
std::unique_ptr<SpmvOperator<T>> make_dia(const FormatInput<T>& s, const FormatOptions& o) {
  if constexpr (std::is_same_v<Space, Device>)
    if (s.on_device.dia) return on_device<T>(std::make_shared<const Dia<T, Device>>(s.on_device.dia()), {});
  return own<Space, T>(s.hub ? dia_from_hub(*s.hub) : dia_from_csr(*csr_of(s)), o);
}

// In GPU memory, where it is or is assembled there; else null.
template <class T>
std::shared_ptr<const BlockDiagonals<T, Device>> device_hub_of(const FormatInput<T>& s) {
  if (s.device_hub || !s.on_device.block_diagonals) return s.device_hub;
  return std::make_shared<const BlockDiagonals<T, Device>>(s.on_device.block_diagonals());
}
// In host memory.
template <class T>
std::shared_ptr<const BlockDiagonals<T>> hub_of(const FormatInput<T>& s, const FormatOptions& o) {
  if (s.hub) return s.hub;
  const auto there = device_hub_of(s);
  return std::make_shared<const BlockDiagonals<T>>(
      there ? copy_to<Host>(*there) : block_diagonals_from_csr(*csr_of(s), o.block_size));
}

// A precision of the vectors' own, or more, is none to speak of.
template <class T>
ValuePrecision value_precision(const FormatOptions& o) {
  return rounding_of(o.value_precision, sizeof(T)) > 0 ? o.value_precision : ValuePrecision::own;
}

// Those that `all` asks for; without it what the values, or the fill, say. `found` looks at the values.
template <class T, class Found>
std::vector<CompactEntry<T>> entries_of(const BlockStructure& s, const FormatOptions& o, bool all,
                                        const Found& found) {
  return all ? all_columns<T>(s) : o.by_fill && !looks_at_values(s) ? columns_of_fill<T>(s) : found();
}
// What few rows say costs nothing to look at. Others follow, with other constants in the same places: where
// `auto` takes them, a kernel is compiled for those of large blocks alone, which saves its 0.3 s in a
// thousand products.
inline cuda::Compile compile_for_few_rows(const BlockStructure& s, const FormatOptions& o) {
  constexpr std::int64_t many_rows = std::int64_t{1} << 23;
  const bool pays =
      !o.by_fill || s.dof > most_by_nodes || (2 * s.dof > most_by_nodes && s.rows() >= many_rows);
  return pays ? cuda::Compile::for_any_constants : cuda::Compile::never;
}
template <class Space>
std::unique_ptr<SpmvOperator<double>> compact_of_few_rows(const FewRows& rows, const FormatOptions& o) {
  auto entries = compact_entries(rows);
  const auto make = [&] {
    if constexpr (std::is_same_v<Space, Device>)
      return cuda::compact_from_few_rows(rows, std::move(entries));
    else
      return compact_from_few_rows(rows, std::move(entries));
  };
  const auto compact = std::make_shared<const Compact<double, Space>>(make());
  if constexpr (std::is_same_v<Space, Device>)
    return on_device<double>(
        compact, o.few_rows ? prepare(*compact, o, compile_for_few_rows(rows.a, o)) : prepare(*compact, o));
  else
    return share<Space, double>(compact, o);
}
template <class Space, class T>
std::unique_ptr<SpmvOperator<T>> make_compact(const FormatInput<T>& s, const FormatOptions& o,
                                              bool all_entries = false) {
  const ValuePrecision precision = value_precision<T>(o);
  if constexpr (std::is_same_v<T, double>)
    if (s.few_rows) return compact_of_few_rows<Space>(*s.few_rows, o);
  if constexpr (std::is_same_v<Space, Device>)
    if (const auto hub = device_hub_of(s)) {
      auto entries = entries_of<T>(*hub, o, all_entries, [&] { return cuda::compact_entries(*hub); });
      auto compact = std::make_shared<const Compact<T, Device>>(
          cuda::compact_from_hub(*hub, std::move(entries), precision));
      Prepared prepared = prepare(*compact, o);
      return on_device<T>(std::move(compact), std::move(prepared));
    }
  const auto hub = hub_of(s, o);
  auto entries = entries_of<T>(*hub, o, all_entries, [&] { return compact_entries(*hub); });
  return own<Space, T>(compact_from_hub(*hub, std::move(entries), precision), o);
}

template <class Space, class T>
std::unique_ptr<SpmvOperator<T>> make_stencil_table(const FormatInput<T>& s, const FormatOptions& o) {
  if constexpr (std::is_same_v<Space, Device>)
    if (const auto hub = device_hub_of(s)) {
      auto table = std::make_shared<const StencilTable<T, Device>>(cuda::stencil_table_from_hub(*hub));
      Prepared prepared = prepare(*table, o);
      return on_device<T>(std::move(table), std::move(prepared));
    }
  return own<Space, T>(stencil_table_from_hub(*hub_of(s, o)), o);
}

template <class Space, class T>
std::unique_ptr<SpmvOperator<T>> make_cds(const FormatInput<T>& s, const FormatOptions& o) {
  if (value_precision<T>(o) != ValuePrecision::own) {
    if (o.kernel == Kernel::paper)
      throw FormatError(std::string("cds: the paper's kernel has no values in ") +
                        to_string(o.value_precision));
    return make_compact<Space, T>(s, o, true);
  }
  if constexpr (std::is_same_v<Space, Device>)
    if (const auto hub = device_hub_of(s)) return on_device<T>(hub, prepare(*hub, o));
  if (s.hub) return share<Space, T>(s.hub, o);
  return own<Space, T>(block_diagonals_from_csr(*csr_of(s), o.block_size), o);
}

template <class Space, class T>
std::unique_ptr<SpmvOperator<T>> make_csr(const FormatInput<T>& s, const FormatOptions& o) {
  if constexpr (std::is_same_v<Space, Device>)
    if (s.device_csr) return on_device<T>(s.device_csr, prepare(*s.device_csr, o));
  return share<Space, T>(csr_of(s), o);
}

template <class T>
RgCsr<T> make_rg_csr(const Csr<T>& csr, const FormatOptions& o) {
  return rg_csr_from_csr(
      csr, o.rg_csr_group,
      o.rg_csr_order ? copy_of(*o.rg_csr_order) : row_order(csr, o.rg_csr_ordering, o.rg_csr_graph_order));
}

// Height 0: height, order and, unless the paper's kernel or a block is asked for, the block by the rule.
template <class T>
FormatOptions choose_cmrs(const Csr<T>& csr, FormatOptions o) {
  if (o.cmrs_height == 0) {
    const std::span<const std::int32_t> row_ptr(csr.row_ptr.data(), static_cast<std::size_t>(csr.rows + 1));
    const CmrsChoice choice = cmrs_choice(row_statistics(row_ptr, csr.columns));
    o.cmrs_height = choice.height;
    o.cmrs_reorder = o.cmrs_reorder || choice.reorder;
    if (o.kernel == Kernel::ours && o.cmrs_block == 0) o.cmrs_block = choice.launch.block;
  }
  o.cmrs_block = cmrs_block({.kernel = o.kernel, .block = o.cmrs_block});
  return o;
}

}  // namespace format_table

// Every format in the memory of Space. Each maker is a generic callable (source, options), for both
// precisions.
template <class Space>
std::vector<FormatEntry> formats_in() {
  using namespace format_table;
  using Options = FormatOptions;
  const SpaceKind space = std::is_same_v<Space, Host> ? SpaceKind::cpu : SpaceKind::cuda;
  std::vector<FormatEntry> entries;
  const auto add = [&](const char* name, const auto& make) {
    const FormatTraits& traits = find_format(name);
    entries.push_back({name, space, false, traits.summary, make, make, &traits});
  };
  add("csr", []<class T>(const FormatInput<T>& s, const Options& o) { return make_csr<Space, T>(s, o); });
  add("csc", []<class T>(const FormatInput<T>& s, const Options& o) {
    return own<Space, T>(csc_from_csr(*csr_of(s)), o);
  });
  add("coo", []<class T>(const FormatInput<T>& s, const Options& o) {
    return own<Space, T>(coo_from_csr(*csr_of(s)), o);
  });
  add("bcsr", []<class T>(const FormatInput<T>& s, const Options& o) {
    return own<Space, T>(bcsr_from_csr(*csr_of(s), s.hub ? s.hub->dof : o.block_size), o);
  });
  add("dia", []<class T>(const FormatInput<T>& s, const Options& o) { return make_dia<Space, T>(s, o); });
  add("cds", []<class T>(const FormatInput<T>& s, const Options& o) { return make_cds<Space, T>(s, o); });
  add("ell", []<class T>(const FormatInput<T>& s, const Options& o) {
    return own<Space, T>(ell_from_csr(*csr_of(s)), o);
  });
  add("ellr_t", []<class T>(const FormatInput<T>& s, Options o) {
    const EllrTChoice choice = ellr_t_choice(*csr_of(s), {o.ellr_t_threads, o.ellr_t_block}, o.ellr_t_model);
    o.ellr_t_block = ellr_t_block({.block = choice.block});
    return own<Space, T>(ellr_t_from_csr(*csr_of(s), choice.threads), o);
  });
  add("rg_csr", []<class T>(const FormatInput<T>& s, const Options& o) {
    return own<Space, T>(make_rg_csr(*csr_of(s), o), o);
  });
  add("cmrs", []<class T>(const FormatInput<T>& s, Options o) {
    o = choose_cmrs(*csr_of(s), std::move(o));
    return own<Space, T>(cmrs_from_csr(*csr_of(s), o.cmrs_height, o.cmrs_reorder), o);
  });
  add("hyb", []<class T>(const FormatInput<T>& s, const Options& o) {
    return own<Space, T>(hyb_from_csr(*csr_of(s)), o);
  });
  add("compact",
      []<class T>(const FormatInput<T>& s, const Options& o) { return make_compact<Space, T>(s, o); });
  add("stencil_table",
      []<class T>(const FormatInput<T>& s, const Options& o) { return make_stencil_table<Space, T>(s, o); });
  return entries;
}

// The entries of the GPU; none in a build without CUDA.
std::vector<FormatEntry> cuda_entries();

}  // namespace quadrille
