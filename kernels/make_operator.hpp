// An operator in a format that is named.
//
//   auto a = make_operator("cds", SpaceKind::cpu, input_of(std::move(assembled.hub)));
//   a->apply(x.data(), y.data());   // y = A x
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/registry.hpp"

namespace quadrille {

// What formats are made from, where there is one thing alone: block diagonals, from which CSR is made where a
// format needs it, or CSR.
template <class T>
FormatInput<T> input_of(BlockDiagonals<T> hub) {
  FormatInput<T> input;
  input.hub = std::make_shared<const BlockDiagonals<T>>(std::move(hub));
  return input;
}
template <class T>
FormatInput<T> input_of(Csr<T> csr) {
  FormatInput<T> input;
  input.csr = std::make_shared<const Csr<T>>(std::move(csr));
  return input;
}

// In the format of that name, or with "auto" in the one of the project's own that has the best prediction for
// many products in this space: of an operator on a grid that comes without CSR, csr and what is made from it
// only where each of the others takes more bytes than csr. The operator shares what stands in `input` already
// and is its own otherwise; it does not change, and may be shared. T is float or double. Throws FormatError
// for a format that there is not, is not there in this space or precision, or refuses the operator,
// MemoryError and CudaError.
template <class T>
std::unique_ptr<SpmvOperator<T>> make_operator(const std::string& format, SpaceKind space,
                                               FormatInput<T> input, const FormatOptions& options = {},
                                               const std::vector<FormatEntry>& among = registry());

}  // namespace quadrille
