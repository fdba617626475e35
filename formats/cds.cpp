#include "formats/cds.hpp"

namespace quadrille {

template <class T, class Space>
Traffic traffic(const BlockDiagonals<T, Space>& hub) {
  const std::int64_t stored =
      hub.values.bytes() + hub.diagonals() * static_cast<std::int64_t>(sizeof(NodeOffset));
  const std::int64_t vector = hub.rows() * static_cast<std::int64_t>(sizeof(T));
  return {stored, stored + vector, vector};
}

#define QUADRILLE_INSTANTIATE(T)                            \
  template Traffic traffic(const BlockDiagonals<T, Host>&); \
  template Traffic traffic(const BlockDiagonals<T, Device>&);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
