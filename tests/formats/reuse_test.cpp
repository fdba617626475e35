#include "formats/reuse.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "formats/array.hpp"
#include "formats/format.hpp"

namespace quadrille {
namespace {

using memory::Reuse;

TEST(Reuse, ArraysComeBackToThoseOfTheirSize) {
  Reuse reuse;
  const double* first = nullptr;
  {
    const Reuse::Use use(reuse);
    Array<double> a(1000), other(1001);
    first = a.data();
    a = Array<double>();
    EXPECT_EQ(reuse.bytes(), 8000);
    const Array<float> same_bytes(2000);
    EXPECT_EQ(static_cast<const void*>(same_bytes.data()), first);
    EXPECT_EQ(reuse.bytes(), 0);
    EXPECT_EQ(reuse.allocated(), 2);
  }
  EXPECT_EQ(reuse.bytes(), 8000 + 8008);
  {
    const Reuse::Use use(reuse);
    const Array<double> again(1000), more(1000);
    EXPECT_EQ(again.data(), first);
    EXPECT_EQ(reuse.allocated(), 1);
  }
  EXPECT_EQ(reuse.bytes(), 16000 + 8008);
  for (int i = 1; i < 8; ++i) {
    EXPECT_EQ(reuse.bytes(), 16000 + 8008) << i;
    const Reuse::Use use(reuse);
    const Array<double> again(1000), more(1000);
    EXPECT_EQ(reuse.allocated(), 0);
  }
  EXPECT_EQ(reuse.bytes(), 16000) << "what was long not taken is released";
}

TEST(Reuse, ArraysOutliveIt) {
  Array<int> outlives;
  {
    Reuse reuse;
    const Reuse::Use use(reuse);
    { const Array<int> a(100); }
    outlives = Array<int>(100);
    EXPECT_EQ(reuse.allocated(), 1);
  }
  outlives[99] = 1;
}

TEST(Reuse, IsOfOneThreadAndOfTheInnermostUse) {
  Reuse outer, inner;
  const Reuse::Use use(outer);
  { const Array<int> a(100); }
  std::thread([] { const Array<int> a(100); }).join();
  {
    const Reuse::Use within(inner);
    { const Array<int> a(100); }
    EXPECT_EQ(inner.bytes(), 400);
  }
  EXPECT_EQ(outer.bytes(), 400);
  EXPECT_EQ(outer.allocated(), 1);
  { const Array<int> a(100); }
  EXPECT_EQ(outer.allocated(), 1);
}

TEST(Reuse, IsGivenBackWhereMemoryIsShort) {
  Reuse reuse;
  const Reuse::Use use(reuse);
  { const Array<int> a(100); }
  EXPECT_EQ(reuse.bytes(), 400);
  EXPECT_THROW(Array<char>(std::numeric_limits<std::int64_t>::max() / 4), MemoryError);
  EXPECT_EQ(reuse.bytes(), 0);
}

}  // namespace
}  // namespace quadrille
