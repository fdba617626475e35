// PETSc's indices, which have 32 or 64 bits as it was built, and those of the formats, which have 32.
// Internal to kernels/petsc.
#pragma once

#include <petscsys.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "formats/array.hpp"
#include "formats/format.hpp"

namespace quadrille::petsc {

// Throws FormatError where PETSc's indices cannot hold it.
inline PetscInt to_petsc_int(std::int64_t value, const std::string& what) {
  return sizeof(PetscInt) == sizeof(std::int32_t) ? PetscInt{to_index32(value, what)}
                                                  : static_cast<PetscInt>(value);
}

// Numbers counted over all ranks; throws as above.
inline std::vector<PetscInt> to_petsc_ints(const std::vector<std::int64_t>& numbers,
                                           const std::string& what) {
  if (!numbers.empty()) to_petsc_int(*std::max_element(numbers.begin(), numbers.end()), what);
  return {numbers.begin(), numbers.end()};
}

// A format's indices as PETSc takes them: where its own have 32 bits too, the same array, which must outlive
// this; else a copy.
template <class Int>
class IndicesAs {
 public:
  explicit IndicesAs(std::span<const std::int32_t> indices) {
    if constexpr (std::is_same_v<Int, std::int32_t>) {
      data_ = indices.data();
    } else {
      copy_.assign(indices.begin(), indices.end());
      data_ = copy_.data();
    }
  }
  explicit IndicesAs(const Array<std::int32_t>& indices)
      : IndicesAs(std::span(indices.data(), static_cast<std::size_t>(indices.size()))) {}
  IndicesAs(const IndicesAs&) = delete;
  IndicesAs& operator=(const IndicesAs&) = delete;

  const Int* data() const { return data_; }
  // For calls that take it so and only read.
  Int* writable() const { return const_cast<Int*>(data_); }

 private:
  std::vector<Int> copy_;
  const Int* data_ = nullptr;
};
using PetscIndices = IndicesAs<PetscInt>;

}  // namespace quadrille::petsc
