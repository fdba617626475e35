// A name for the structure of an operator: the same for the same sparsity, whatever its values.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/registry.hpp"
#include "kernels/tuning/sparsity.hpp"

namespace quadrille {

// A 64-bit hash of row pointers and columns, the same for every number of threads.
template <class T>
std::uint64_t structure_hash(const Csr<T>& csr);
// Of extents, periodic axes, unknowns and offsets.
std::uint64_t structure_hash(const BlockStructure& structure);

// Sizes, and 16 hexadecimal digits, without blanks: "512x512:3392:0123456789abcdef". Of a grid operator the
// structure is hashed and not every entry; that some of its blocks' entries are always zero shows in the
// counts of `sparsity`.
template <class T>
std::string fingerprint(const FormatInput<T>& source, const Sparsity& sparsity);

}  // namespace quadrille
