// Tables of several types in one array. Those of a level are small, and an allocation on a GPU takes longer
// than all that is done with them. Internal to kernels/multigrid.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "formats/array.hpp"

namespace quadrille::multigrid {

template <class Space>
struct CopyTo {
  template <class T>
  Array<T, Space> operator()(const Array<T>& from) const {
    return copy_to<Space>(from);
  }
};

template <class Space>
class PackedTables {
 public:
  // Where the table will be, for at().
  template <class T>
  std::int64_t add(const std::vector<T>& table) {
    const std::size_t place = host_.size(), bytes = table.size() * sizeof(T);
    host_.resize(place + (bytes + alignment - 1) / alignment * alignment);
    if (bytes > 0) std::memcpy(host_.data() + place, table.data(), bytes);
    return static_cast<std::int64_t>(place);
  }
  // After the last one; put(array) is what has them.
  template <class Put = CopyTo<Space>>
  void put_in_place(const Put& put = {}) {
    Array<char> packed(static_cast<std::int64_t>(host_.size()));
    std::copy(host_.begin(), host_.end(), packed.data());
    tables_ = put(std::move(packed));
    host_.clear();
  }
  template <class T>
  const T* at(std::int64_t place) const {
    return reinterpret_cast<const T*>(tables_.data() + place);
  }

 private:
  static constexpr std::size_t alignment = 16;
  std::vector<char> host_;
  Array<char, Space> tables_;
};

}  // namespace quadrille::multigrid
