#include "formats/cds.hpp"

namespace quadrille {

Traffic cds_traffic(const BlockStructure& structure, std::int64_t bytes_per_value) {
  const std::int64_t offsets = structure.diagonals() * static_cast<std::int64_t>(sizeof(NodeOffset));
  return whole_traffic(value_bytes(structure, bytes_per_value) + offsets, structure.rows(), structure.rows(),
                       bytes_per_value);
}

template <class T, class Space>
Traffic traffic(const BlockDiagonals<T, Space>& hub) {
  return cds_traffic(hub, sizeof(T));
}

#define QUADRILLE_INSTANTIATE(T)                            \
  template Traffic traffic(const BlockDiagonals<T, Host>&); \
  template Traffic traffic(const BlockDiagonals<T, Device>&);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
