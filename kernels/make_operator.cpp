#include "kernels/make_operator.hpp"

#include "kernels/cuda/device.hpp"
#include "kernels/tuning/choose_format.hpp"

namespace quadrille {
namespace {

template <class T>
std::unique_ptr<SpmvOperator<T>> made(const FormatEntry& entry, FormatInput<T>& input,
                                      const FormatOptions& options) {
  if (!entry.make<T>())
    throw FormatError("format " + entry.name + " has no product in " + (sizeof(T) == 8 ? "fp64" : "fp32"));
  if (!input.csr && !input.device_csr && input.hub && needs_csr(entry))
    input.csr = std::make_shared<const Csr<T>>(to_csr(*input.hub));
  return entry.make<T>()(input, options);
}

// Where the best one finds no room, the next best.
template <class T>
std::unique_ptr<SpmvOperator<T>> made_by_choice(SpaceKind space, FormatInput<T>& input,
                                                const FormatOptions& options) {
  if (space == SpaceKind::cuda && cuda::device_count() == 0)
    throw CudaError("the operator was asked for on a GPU, and this machine has none");
  ChoiceWishes wishes;
  wishes.format_options = options;
  wishes.space = space;
  wishes.cpu = usual_cpu_model();
  FormatChoice choice = choose_format(input, wishes);
  if (!input.csr && input.hub && csr_is_smaller(choice) &&
      csr_bytes_of(choice) < memory::available_host_bytes() / 4) {
    input.csr = std::make_shared<const Csr<T>>(to_csr(*input.hub));
    choice = choose_format(input, wishes);
  }
  for (const FormatEntry* const entry : choice.entries) {
    try {
      return made(*entry, input, options);
    } catch (const MemoryError&) {
      if (entry == choice.entries.back()) throw;
    }
  }
  throw FormatError("no format can hold this operator here");
}

}  // namespace

template <class T>
std::unique_ptr<SpmvOperator<T>> make_operator(const std::string& format, SpaceKind space,
                                               FormatInput<T> input, const FormatOptions& options,
                                               const std::vector<FormatEntry>& among) {
  if (format == "auto") return made_by_choice(space, input, options);
  return made(find_format(format, space, among), input, options);
}

#define QUADRILLE_INSTANTIATE(T)                           \
  template std::unique_ptr<SpmvOperator<T>> make_operator( \
      const std::string&, SpaceKind, FormatInput<T>, const FormatOptions&, const std::vector<FormatEntry>&);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
