// Tables of several types in one array. Those of a level are small, and an allocation on a GPU takes longer
// than all that is done with them. Internal to kernels/multigrid.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "formats/array.hpp"

namespace quadrille::multigrid {

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
  // After the last one.
  void put_in_place() {
    Array<char> packed(static_cast<std::int64_t>(host_.size()));
    std::copy(host_.begin(), host_.end(), packed.data());
    tables_ = copy_to<Space>(packed);
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
