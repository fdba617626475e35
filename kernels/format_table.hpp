// The table of formats: one line each, for both spaces. Internal to kernels; the GPU's half is instantiated
// only in builds with CUDA.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "kernels/format_operator.hpp"
#include "kernels/paper_operator.hpp"
#include "kernels/registry.hpp"
#include "kernels/row_order.hpp"
#include "kernels/tuning/cmrs_rule.hpp"
#include "kernels/tuning/ellr_t_model.hpp"
#include "kernels/tuning/rg_csr_rule.hpp"
#include "kernels/tuning/set_up_time.hpp"

namespace quadrille {

namespace format_table {

// A copy in the GPU's memory, if that has room for it and for x and y.
template <class Format, class... Planned>
auto to_device(const Format& format, Planned... planned) {
  const Traffic bytes = traffic(format);
  memory::require_device(bytes.stored_bytes + 2 * bytes.written_bytes);
  return transfer<Device>(format, planned...);
}

// A format that already stands in host memory is shared on the CPU and copied to the GPU.
template <class Space, class T, class Format>
std::unique_ptr<SpmvOperator<T>> share(std::shared_ptr<const Format> format) {
  if constexpr (std::is_same_v<Space, Host>) {
    return std::make_unique<FormatOperator<Format, T, Host>>(std::move(format));
  } else {
    using OnDevice = decltype(transfer<Device>(*format));
    return std::make_unique<FormatOperator<OnDevice, T, Device>>(
        std::make_shared<const OnDevice>(to_device(*format)));
  }
}

template <class Space, class T, class Format>
std::unique_ptr<SpmvOperator<T>> own(Format format) {
  return share<Space, T>(std::make_shared<const Format>(std::move(format)));
}

template <class T, class Format>
std::unique_ptr<SpmvOperator<T>> by_the_paper(std::shared_ptr<const Format> on_device,
                                              const FormatOptions& o) {
  return std::make_unique<PaperOperator<Format, T>>(std::move(on_device), o.x_cache);
}

// own(), with the kernel of the format's paper where that is asked for.
template <class Space, class T, class Format>
std::unique_ptr<SpmvOperator<T>> own(Format format, const FormatOptions& o) {
  if constexpr (std::is_same_v<Space, Device>)
    if (o.kernel == Kernel::paper) {
      using OnDevice = decltype(transfer<Device>(format));
      return by_the_paper<T>(std::make_shared<const OnDevice>(to_device(format)), o);
    }
  return own<Space, T>(std::move(format));
}

// What was assembled in the GPU's memory.
template <class T, class Format>
std::unique_ptr<SpmvOperator<T>> own_on_device(Format format) {
  return std::make_unique<FormatOperator<Format, T, Device>>(
      std::make_shared<const Format>(std::move(format)));
}

template <class Space, class T>
std::unique_ptr<SpmvOperator<T>> make_dia(const Source<T>& s) {
  if constexpr (std::is_same_v<Space, Device>)
    if (s.on_device.dia) return own_on_device<T>(s.on_device.dia());
  return own<Space, T>(s.hub ? dia_from_hub(*s.hub) : dia_from_csr(*csr_of(s)));
}

template <class T>
std::shared_ptr<const BlockDiagonals<T, Device>> block_diagonals_on_device(const Source<T>& s,
                                                                           int block_size) {
  using OnDevice = BlockDiagonals<T, Device>;
  if (s.device_hub) return s.device_hub;
  if (s.on_device.block_diagonals) return std::make_shared<const OnDevice>(s.on_device.block_diagonals());
  if (s.hub) return std::make_shared<const OnDevice>(to_device(*s.hub));
  return std::make_shared<const OnDevice>(to_device(block_diagonals_from_csr(*csr_of(s), block_size)));
}

template <class Space, class T>
std::unique_ptr<SpmvOperator<T>> make_cds(const Source<T>& s, const FormatOptions& o) {
  if constexpr (std::is_same_v<Space, Device>) {
    if (o.kernel == Kernel::paper) return by_the_paper<T>(block_diagonals_on_device(s, o.block_size), o);
    if (s.device_hub)
      return std::make_unique<FormatOperator<BlockDiagonals<T, Device>, T, Device>>(s.device_hub);
    if (s.on_device.block_diagonals) return own_on_device<T>(s.on_device.block_diagonals());
  }
  if (s.hub) return share<Space, T>(s.hub);
  return own<Space, T>(block_diagonals_from_csr(*csr_of(s), o.block_size));
}

// On the GPU without a plan of the lines where none is needed: for a given number of lanes, the paper's
// kernel, or few products.
template <class Space, class T>
std::unique_ptr<SpmvOperator<T>> make_csr(const Source<T>& s, const FormatOptions& o) {
  if constexpr (std::is_same_v<Space, Device>) {
    if (o.kernel == Kernel::paper)
      return by_the_paper<T>(
          s.device_csr ? s.device_csr : std::make_shared<const Csr<T, Device>>(to_device(*csr_of(s), false)),
          o);
    if (s.device_csr) return std::make_unique<FormatOperator<Csr<T, Device>, T, Device>>(s.device_csr);
    const Csr<T>& csr = *csr_of(s);
    Csr<T, Device> on_device =
        to_device(csr, o.csr_lanes == 0 && plan_pays(csr.row_ptr, !o.of_transpose, o.products));
    on_device.lanes = o.csr_lanes;
    return own_on_device<T>(std::move(on_device));
  } else {
    return share<Space, T>(csr_of(s));
  }
}

template <class Space, class T>
std::unique_ptr<SpmvOperator<T>> make_csc(const Source<T>& s, const FormatOptions& o) {
  Csc<T> csc = csc_from_csr(*csr_of(s));
  if constexpr (std::is_same_v<Space, Device>) {
    if (o.kernel == Kernel::paper)
      return by_the_paper<T>(std::make_shared<const Csc<T, Device>>(to_device(csc, false)), o);
    return own_on_device<T>(to_device(csc, plan_pays(csc.column_ptr, o.of_transpose, o.products)));
  } else {
    return own<Space, T>(std::move(csc));
  }
}

template <class T>
RgCsr<T> make_rg_csr(const Csr<T>& csr, const FormatOptions& options) {
  RgCsr<T> rg = rg_csr_from_csr(csr, options.rg_csr_group,
                                options.rg_csr_order
                                    ? copy_of(*options.rg_csr_order)
                                    : row_order(csr, options.rg_csr_ordering, options.rg_csr_graph_order));
  rg.threads = options.rg_csr_threads > 0
                   ? std::min(options.rg_csr_threads, most_rg_csr_threads(options.rg_csr_group))
                   : rg_csr_threads(rg);
  return rg;
}

// Height 0: height, order and, unless the paper's kernel or a block is asked for, kernel and block by the
// rule.
template <class T>
Cmrs<T> make_cmrs(const Csr<T>& csr, const FormatOptions& o) {
  const CmrsLaunch launch{o.kernel, o.cmrs_block, o.cmrs_aligned, o.x_cache, o.cmrs_split};
  if (o.cmrs_height > 0)
    return cmrs_from_csr(csr, o.cmrs_height, o.cmrs_reorder, CmrsRows::automatic, launch);
  const std::span<const std::int32_t> row_ptr(csr.row_ptr.data(), static_cast<std::size_t>(csr.rows + 1));
  const CmrsChoice choice = cmrs_choice(row_statistics(row_ptr, csr.columns));
  const bool any_block = o.kernel == Kernel::ours && o.cmrs_block == 0;
  return cmrs_from_csr(csr, choice.height, choice.reorder || o.cmrs_reorder, CmrsRows::automatic,
                       any_block ? choice.launch : launch);
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
  add("csr", []<class T>(const Source<T>& s, const Options& o) { return make_csr<Space, T>(s, o); });
  add("csc", []<class T>(const Source<T>& s, const Options& o) { return make_csc<Space, T>(s, o); });
  add("coo",
      []<class T>(const Source<T>& s, const Options&) { return own<Space, T>(coo_from_csr(*csr_of(s))); });
  add("bcsr", []<class T>(const Source<T>& s, const Options& o) {
    return own<Space, T>(bcsr_from_csr(*csr_of(s), s.hub ? s.hub->dof : o.block_size));
  });
  add("dia", []<class T>(const Source<T>& s, const Options&) { return make_dia<Space, T>(s); });
  add("cds", []<class T>(const Source<T>& s, const Options& o) { return make_cds<Space, T>(s, o); });
  add("ell",
      []<class T>(const Source<T>& s, const Options&) { return own<Space, T>(ell_from_csr(*csr_of(s))); });
  add("ellr_t", []<class T>(const Source<T>& s, const Options& o) {
    const EllrTChoice choice = ellr_t_choice(*csr_of(s), {o.ellr_t_threads, o.ellr_t_block}, o.ellr_t_model);
    return own<Space, T>(ellr_t_from_csr(*csr_of(s), choice.threads, choice.block), o);
  });
  add("rg_csr", []<class T>(const Source<T>& s, const Options& o) {
    return own<Space, T>(make_rg_csr(*csr_of(s), o), o);
  });
  add("cmrs",
      []<class T>(const Source<T>& s, const Options& o) { return own<Space, T>(make_cmrs(*csr_of(s), o)); });
  add("hyb",
      []<class T>(const Source<T>& s, const Options&) { return own<Space, T>(hyb_from_csr(*csr_of(s))); });
  return entries;
}

// The entries of the GPU; none in a build without CUDA.
std::vector<FormatEntry> cuda_entries();

}  // namespace quadrille
