#include "formats/cds.hpp"

namespace quadrille {

template <class T, class Space>
CdsView<T> cds_view(const BlockDiagonals<T, Space>& hub, const NodeOffset* offsets) {
  CdsView<T> view;
  view.nodes = hub.nodes();
  view.rows = hub.rows();
  for (int axis = 0; axis < 3; ++axis) {
    view.extents[axis] = hub.extents[axis];
    view.periodic[axis] = hub.periodic[axis];
  }
  view.dof = hub.dof;
  view.diagonals = static_cast<int>(hub.diagonals());
  view.values = hub.values.data();
  view.offsets = offsets;
  return view;
}

template <class T, class Space>
Traffic traffic(const BlockDiagonals<T, Space>& hub) {
  const std::int64_t stored =
      hub.values.bytes() + hub.diagonals() * static_cast<std::int64_t>(sizeof(NodeOffset));
  const std::int64_t vector = hub.rows() * static_cast<std::int64_t>(sizeof(T));
  return {stored, stored + vector, vector};
}

#define QUADRILLE_INSTANTIATE(T)                                                     \
  template CdsView<T> cds_view(const BlockDiagonals<T, Host>&, const NodeOffset*);   \
  template CdsView<T> cds_view(const BlockDiagonals<T, Device>&, const NodeOffset*); \
  template Traffic traffic(const BlockDiagonals<T, Host>&);                          \
  template Traffic traffic(const BlockDiagonals<T, Device>&);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
