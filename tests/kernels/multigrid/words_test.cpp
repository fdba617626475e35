// Rows of a line that are done together give what rows one at a time do, whichever faces wrap.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "kernels/multigrid/couplings.hpp"

namespace quadrille {
namespace {

using multigrid::Couplings;

// Values and x are small integers, so that sums are exact in any order.
double number(std::int64_t i) {
  return static_cast<double>(i * 7919 % 17) - 8;
}

template <int Rows, int Count>
void compare(std::array<std::int64_t, 3> extents, std::array<bool, 3> wraps) {
  constexpr bool box = Count == 26 || Count == 8;
  BlockStructure a;
  a.extents = extents;
  a.periodic = wraps;
  const int reach = extents[2] > 1 ? 1 : 0;
  for (int z = -reach; z <= reach; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        if (box || x * x + y * y + z * z <= 1) a.offsets.push_back({x, y, z});
  const Couplings s = multigrid::couplings_of(a);
  ASSERT_EQ(s.count, Count);
  ASSERT_TRUE(box ? s.whole_box : s.whole_star);
  ASSERT_TRUE(s.in_words_of(Rows));
  std::vector<float> values(static_cast<std::size_t>(Count * s.rows), 0), x(static_cast<std::size_t>(s.rows));
  for (int row = 0; row < s.rows; ++row) {
    x[row] = static_cast<float>(number(3 * row + 5));
    for (int d = 0; d < Count; ++d)
      if (s.leads_inside(s.position(row), d))
        values[d * s.rows + row] = static_cast<float>(number(row + 11 * d));
  }
  for (int row = 0; row < s.rows; row += Rows) {
    float together[Rows], alone[1];
    multigrid::beside_diagonal<Rows, 1, Count, true>(s, values.data(), x.data(), row, together);
    for (int i = 0; i < Rows; ++i) {
      multigrid::beside_diagonal<1, 1, Count, true>(s, values.data(), x.data(), row + i, alone);
      ASSERT_EQ(together[i], alone[0]) << "row " << row + i;
    }
  }
}

TEST(RowsTogether, GiveWhatRowsAloneDoWhicheverFacesWrap) {
  for (int faces = 0; faces < 8; ++faces) {
    const std::array<bool, 3> wraps{(faces & 1) != 0, (faces & 2) != 0, (faces & 4) != 0};
    SCOPED_TRACE(faces);
    for (const std::array<std::int64_t, 3> extents :
         {std::array<std::int64_t, 3>{8, 5, 6}, {4, 3, 3}, {12, 4, 7}}) {
      compare<4, 6>(extents, wraps);
      compare<4, 26>(extents, wraps);
      compare<2, 6>(extents, wraps);
      compare<2, 26>(extents, wraps);
    }
    if (wraps[2]) continue;
    for (const std::array<std::int64_t, 3> extents : {std::array<std::int64_t, 3>{8, 5, 1}, {4, 3, 1}}) {
      compare<4, 4>(extents, wraps);
      compare<4, 8>(extents, wraps);
    }
  }
}

}  // namespace
}  // namespace quadrille
