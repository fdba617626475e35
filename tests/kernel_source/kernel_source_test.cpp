#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "emulation.hpp"
#include "kernels/cuda/tiling.hpp"
#include "operators.hpp"

namespace quadrille {
namespace {

// A block of exactly these bytes, aligned as GPU memory is, so that a sanitizer sees a read beside them.
class Exactly {
 public:
  Exactly(const void* from, std::int64_t bytes)
      : memory_(::operator new (static_cast<std::size_t>(bytes), std::align_val_t{16})) {
    if (bytes > 0) std::memcpy(memory_, from, static_cast<std::size_t>(bytes));
  }
  ~Exactly() { ::operator delete (memory_, std::align_val_t{16}); }
  Exactly(const Exactly&) = delete;
  Exactly& operator=(const Exactly&) = delete;
  void* data() const { return memory_; }

 private:
  void* memory_;
};

struct Stored {
  std::unique_ptr<Exactly> values, numbers;
};

template <class T>
Stored stored(Form form, const BlockDiagonals<T>& hub) {
  const auto copy = [](const auto& array) { return std::make_unique<Exactly>(array.data(), array.bytes()); };
  if (!is_table(form)) {
    const Compact<T> a = compact_from_hub(hub, compact_entries(hub), precision_of(form));
    return {a.with_values(copy), nullptr};
  }
  const StencilTable<T> a = stencil_table_from_hub(hub);
  return {copy(a.table), a.words.size() > 0 ? copy(a.words) : copy(a.bytes)};
}

// y += A x, or A^T x, of the block diagonals.
template <class T>
void add_product(const BlockDiagonals<T>& hub, bool transposed, const T* x, T* y) {
  const int b = hub.dof;
  for (std::int64_t d = 0; d < hub.diagonals(); ++d)
    for (std::int64_t node = 0; node < hub.nodes(); ++node) {
      const std::int64_t to = planted::neighbour_of(hub, node, d);
      for (int r = 0; to >= 0 && r < b; ++r)
        for (int c = 0; c < b; ++c) {
          const T a = hub.values[planted::place(hub, d, r, c, node)];
          transposed ? y[to * b + c] += a * x[node * b + r] : y[node * b + r] += a * x[to * b + c];
        }
    }
}

// A x, or A^T x, of the block diagonals, with every vector of x.
template <class T>
std::vector<T> product(const BlockDiagonals<T>& hub, bool transposed, const std::vector<T>& all_x) {
  std::vector<T> all_y(all_x.size(), 0);
  for (std::size_t first = 0; first < all_x.size(); first += static_cast<std::size_t>(hub.rows()))
    add_product(hub, transposed, all_x.data() + first, all_y.data() + first);
  return all_y;
}

template <class T>
void gives_the_product(Form form, std::uint64_t seed) {
  if (!has<T>(form, seed)) return;
  SCOPED_TRACE(name_of<T>(form, seed));
  const BlockDiagonals<T> hub = operator_of<T>(seed);
  const WrittenKernel kernel = written_kernel(name_of<T>(form, seed));
  ASSERT_NE(kernel, nullptr);
  const KernelLaunch launch = source_of(form, seed, hub).launch;
  const auto [blocks_x, blocks_y, blocks_z] = launch.blocks;
  const Stored a = stored(form, hub);
  const std::int64_t size = vectors_of(form, seed) * hub.rows();
  std::vector<T> x(static_cast<std::size_t>(size)), before(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<T>(i * 7919 % 13) - 6;
    before[i] = static_cast<T>(i % 5);
  }
  const std::int64_t bytes = size * static_cast<std::int64_t>(sizeof(T));
  const std::vector<T> ax = product(hub, is_transposed(form), x),
                       unread(x.size(), std::numeric_limits<T>::quiet_NaN());
  for (const T beta : {T(0), T(-1)}) {
    const Exactly there(x.data(), bytes), from((beta == 0 ? unread : before).data(), bytes),
        to(unread.data(), bytes);
    double dot = 0, expected = 0;
    for (std::int64_t block = 0; block < launch.all_blocks(); ++block) {
      blockIdx = {static_cast<int>(block % blocks_x), static_cast<int>(block / blocks_x % blocks_y),
                  static_cast<int>(block / blocks_x / blocks_y)};
      for (threadIdx.x = 0; threadIdx.x < cuda::tile_threads; ++threadIdx.x)
        kernel(a.values->data(), a.numbers ? a.numbers->data() : nullptr, there.data(), to.data(),
               from.data(), 2, static_cast<double>(beta), &launch.sizes, launch.constants->data(), &dot);
    }
    const T* const y = static_cast<const T*>(to.data());
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(y[i], 2 * ax[i] + (beta == 0 ? 0 : beta * before[i])) << "row " << i << " of " << x.size();
    for (std::size_t i = 0; i < x.size(); ++i) expected += static_cast<double>(x[i]) * ax[i];
    if (form == Form::compact_with_dot) {
      EXPECT_EQ(dot, expected);
    }
  }
}

TEST(KernelSource, GivesTheProductOfEveryForm) {
  for (const Form form : forms)
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      gives_the_product<double>(form, seed);
      gives_the_product<float>(form, seed);
    }
}

// The kernel of one operator is that of others that differ by their grid, its faces and constants alone.
TEST(KernelSource, IsOneForOperatorsOfOneKind) {
  const auto text = [](std::array<std::int64_t, 3> extents, std::array<bool, 3> periodic, double constant) {
    BlockStructure s;
    s.extents = extents;
    s.periodic = periodic;
    s.offsets = {{0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    std::vector<CompactEntry<double>> entries(5, {quadrille::Stored::constant, 0, constant});
    entries[2] = {quadrille::Stored::column, 0, 0};
    return cuda::compact_source(s, entries, ValuePrecision::own, {.any_grid = true}, cuda::TileSize::large)
        .text;
  };
  const std::string one = text({1000, 900, 1}, {}, -1);
  EXPECT_EQ(text({222, 4321, 1}, {}, -1), one);
  EXPECT_EQ(text({1000, 900, 1}, {true, false, false}, -1), one);
  EXPECT_EQ(text({1000, 900, 1}, {false, true, false}, 3.5), one);
  EXPECT_NE(text({1001, 900, 1}, {}, -1), one) << "lines are no whole words";
}

// A grid is covered whatever its extents, by no more threads than blocks have, and few of them idle.
TEST(Tiling, CoversGridsWithoutManyIdleThreads) {
  for (const std::array<std::int64_t, 3> extents : {std::array<std::int64_t, 3>{256, 256, 256},
                                                    {255, 255, 255},
                                                    {97, 131, 83},
                                                    {33, 1, 1},
                                                    {1, 1, 300},
                                                    {2048, 1, 2048},
                                                    {1000000, 1, 1},
                                                    {3, 5, 7},
                                                    {64, 64, 1}})
    for (const int dof : {1, 3})
      for (const int word : {2, 4}) {
        BlockStructure s;
        s.extents = extents;
        s.dof = dof;
        const cuda::Tiling t = cuda::tiling_of(s, {.word = word, .read_again = 3});
        EXPECT_LE(t.x * t.y, cuda::tile_threads);
        EXPECT_GE(t.tiles_x * t.x * t.nodes, extents[0]);
        EXPECT_GE(t.tiles_y * t.y, extents[1]);
        EXPECT_GE(t.tiles_z * t.planes * t.steps, extents[2]);
        EXPECT_EQ(extents[0] % t.nodes, 0);
        const double threads = static_cast<double>(t.launched()) * cuda::tile_threads,
                     nodes = threads * t.nodes * t.planes * t.steps;
        EXPECT_LT(nodes, s.nodes() > 1000000 ? 1.35 * static_cast<double>(s.nodes()) : HUGE_VAL)
            << extents[0] << " x " << extents[1] << " x " << extents[2];
      }
}

TEST(Tiling, OfNothingIsNothing) {
  BlockStructure s;
  s.extents = {0, 4, 4};
  EXPECT_EQ(cuda::tiling_of(s, {}).launched(), 0);
}

}  // namespace
}  // namespace quadrille
