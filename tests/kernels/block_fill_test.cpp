// What couples within the blocks of a grid operator, said before there are values: every format stores these
// entries and multiplies as a loop over the blocks does, whichever of them are zero.
#include <gtest/gtest.h>

#include <limits>

#include "cases.hpp"
#include "formats/compact.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/tuning/format_bytes.hpp"

namespace quadrille {
namespace {

struct FillGrid {
  Grid grid;
  Stencil stencil;
  Boundary boundary;
};

// Faces that continue a node put what couples beside the centre into it, as one node around an axis does.
std::vector<FillGrid> fill_grids() {
  std::vector<FillGrid> all;
  std::mt19937 random(5);
  for (int i = 0; i < 24; ++i) {
    const int dimension = 2 + i % 2;
    Grid grid{
        .dimension = dimension, .extents = {1 + static_cast<int>(random() % 6), 4, 1}, .dof = 1 + i % 6};
    if (dimension == 3) grid.extents[2] = 3;
    all.push_back({grid,
                   i % 4 == 0   ? box_stencil(dimension, 1)
                   : i % 4 == 1 ? star_stencil(dimension, 2)
                                : custom_stencil(dimension, random),
                   random_boundary(dimension, random)});
  }
  return all;
}

// y = A x from the blocks, or A^T x.
template <class T>
std::vector<T> product_of(const BlockDiagonals<T>& hub, const std::vector<T>& x, bool transposed) {
  std::vector<T> y(x.size(), T(0));
  const std::int64_t nx = hub.extents[0], ny = hub.extents[1], dof = hub.dof;
  for (std::int64_t d = 0; d < hub.diagonals(); ++d)
    for (std::int64_t node = 0; node < hub.nodes(); ++node) {
      const std::int64_t to = hub.neighbour(node % nx, node / nx % ny, node / nx / ny, hub.offsets[d]);
      for (std::int64_t c = 0; c < dof && to >= 0; ++c)
        for (std::int64_t r = 0; r < dof; ++r) {
          const T value = hub.values[(d * dof + c) * hub.rows() + node * dof + r];
          (transposed ? y[to * dof + c] : y[node * dof + r]) +=
              value * (transposed ? x[node * dof + r] : x[to * dof + c]);
        }
    }
  return y;
}

FormatOptions by_fill() {
  FormatOptions options;
  options.by_fill = true;
  return options;
}

template <class T>
void expect_products(const Case<T>& c, const FormatEntry& entry, const FormatOptions& options) {
  const bool on_gpu = entry.space == SpaceKind::cuda;
  const auto op = entry.make<T>()(c.source, options);
  const std::vector<T> x = test_vector<T>(op->columns(), true, 3);
  for (const bool transposed : {false, true}) {
    if (transposed && !op->has_transpose()) continue;
    std::vector<T> y(x.size(), std::numeric_limits<T>::quiet_NaN());
    const auto multiply = [&](const T* from, T* to) {
      if (transposed)
        op->apply_transpose({}, T(1), from, T(0), to);
      else
        op->apply(from, to);
    };
    if (on_gpu) {
      Array<T, Device> from(op->columns()), to(op->rows());
      memory::copy_to_device(from.data(), x.data(), from.bytes());
      multiply(from.data(), to.data());
      memory::copy_to_host(y.data(), to.data(), to.bytes());
    } else {
      multiply(x.data(), y.data());
    }
    EXPECT_EQ(y, product_of(*c.source.hub, x, transposed)) << (transposed ? "transposed" : "");
  }
}

template <class T>
void check_products(SpaceKind space) {
  std::uint64_t seed = 0;
  for (const FillGrid& g : fill_grids()) {
    const Case<T> c =
        grid_case<T>(g.grid, g.stencil, g.boundary, RandomInFill{{++seed, true}, seed % 5, seed % 3 * 2});
    validate(*c.source.hub);
    for (const FormatEntry& entry : registry()) {
      if (entry.space != space || entry.peer || !entry.make<T>()) continue;
      SCOPED_TRACE(c.name + ", " + entry.name);
      expect_products(c, entry, c.options);
      if (!entry.traits->follows_fill) continue;
      expect_products(c, entry, by_fill());
      Case<T> on_device = c;  // as what stands in GPU memory is
      if (space == SpaceKind::cuda)
        on_device.source.device_hub =
            std::make_shared<const BlockDiagonals<T, Device>>(copy_to<Device>(*c.source.hub));
      expect_products(on_device, entry, by_fill());
    }
  }
}

TEST(BlockFill, EveryFormatMultipliesAsTheBlocksDo) {
  check_products<double>(SpaceKind::cpu);
  check_products<float>(SpaceKind::cpu);
}

TEST(BlockFill, cuda_EveryFormatMultipliesAsTheBlocksDo) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  check_products<double>(SpaceKind::cuda);
  check_products<float>(SpaceKind::cuda);
}

// Values that become zero, and zeros that become values, stay where they were.
TEST(BlockFill, PlacesDoNotDependOnValues) {
  std::uint64_t seed = 0;
  for (const FillGrid& g : fill_grids()) {
    ++seed;
    const auto with_zeros = [&](std::uint64_t values, std::uint64_t zeros) {
      return grid_case<double>(g.grid, g.stencil, g.boundary, RandomInFill{{values, false}, seed % 5, zeros});
    };
    const Case<double> full = with_zeros(seed, 0), some = with_zeros(seed + 99, 3),
                       none = with_zeros(seed, 1);
    SCOPED_TRACE(full.name);
    for (const Case<double>* other : {&some, &none}) {
      const Csr<double>&a = *full.source.csr, &b = *other->source.csr;
      EXPECT_EQ(to_vector(a.row_ptr), to_vector(b.row_ptr));
      EXPECT_EQ(to_vector(a.column), to_vector(b.column));
      EXPECT_EQ(to_vector(dia_from_hub(*full.source.hub).offset),
                to_vector(dia_from_hub(*other->source.hub).offset));
      for (const FormatEntry& entry : registry()) {
        if (entry.peer || entry.space != SpaceKind::cpu) continue;
        if (entry.traits->follows_values && !entry.traits->follows_fill) continue;
        EXPECT_EQ(entry.make_fp64(full.source, by_fill())->traffic().stored_bytes,
                  entry.make_fp64(other->source, by_fill())->traffic().stored_bytes)
            << entry.name;
      }
    }
    EXPECT_EQ(full.source.csr->nnz(), most_non_zeros(*full.source.hub));
    EXPECT_TRUE(std::all_of(none.source.hub->values.begin(), none.source.hub->values.end(),
                            [](double value) { return value == 0; }));
  }
}

// The same operator without a word on what couples: other places where values are zero, the same bits of y.
TEST(BlockFill, ProductsHaveTheBitsOfThoseByValues) {
  std::uint64_t seed = 0;
  for (const FillGrid& g : fill_grids()) {
    Case<double> said = grid_case<double>(g.grid, g.stencil, g.boundary,
                                          RandomInFill{{++seed, false}, seed % 5, seed % 3 * 2});
    Case<double> by_values = said;
    auto hub = std::make_shared<BlockDiagonals<double>>(copy_to<Host>(*said.source.hub));
    hub->fill = {};
    by_values.source.csr = std::make_shared<const Csr<double>>(to_csr(*hub));
    by_values.source.hub = std::move(hub);
    const std::vector<double> x = test_vector<double>(said.source.hub->rows(), false, 9);
    for (const char* name : {"csr", "csc", "coo", "bcsr", "dia", "cds", "ell", "compact", "stencil_table"}) {
      std::vector<double> y(x.size()), z(x.size());
      const FormatEntry& entry = find_format(name, SpaceKind::cpu);
      entry.make_fp64(said.source, {})->apply(x.data(), y.data());
      entry.make_fp64(by_values.source, {})->apply(x.data(), z.data());
      EXPECT_EQ(y, z) << said.name << ", " << name;
    }
  }
}

// A star of constants with a dense centre.
struct Constants {
  constexpr bool couples(bool centre, int r, int c) const { return centre || r == c; }
  constexpr bool has_constants() const { return true; }
  constexpr double operator()(const StencilNode&, const StencilNeighbour& to, int r, int c) const {
    return couples(to.offset == Offset{}, r, c) ? 1 + r + 2 * c + 3 * to.offset.x : 0;
  }
};

// By the fill what a functor hints to be constant is not stored as long as it is: the values decide.
void check_constants(SpaceKind space) {
  const FormatEntry& compact = find_format("compact", space);
  const auto expect_columns = [&](const Case<double>& c, std::int64_t columns) {
    expect_products(c, compact, by_fill());
    EXPECT_EQ(compact.make_fp64(c.source, by_fill())->traffic().stored_bytes,
              compact_traffic(*c.source.hub, columns, 8).stored_bytes);
    FormatInput<double> in_place;
    if (space == SpaceKind::cuda)
      in_place.device_hub =
          std::make_shared<const BlockDiagonals<double, Device>>(copy_to<Device>(*c.source.hub));
    else
      in_place.hub = c.source.hub;
    for (const FormatInput<double>& source : {in_place, c.source})
      EXPECT_EQ(sparsity_of(source, by_fill(), nullptr, false).compact_columns, columns);
  };
  for (const int dof : {1, 3, most_by_nodes + 1}) {
    SCOPED_TRACE(dof);
    const Grid grid{.extents = {5, 6, 7}, .dof = dof};
    Case<double> c = grid_case<double>(grid, star_stencil(3, 1), {}, Constants{});
    const bool looks = dof <= most_by_nodes;
    const int by_the_fill = dof * dof + 6 * dof;
    expect_columns(c, looks ? 0 : by_the_fill);
    const auto with = [&](const auto& change) {
      auto changed = std::make_shared<BlockDiagonals<double>>(copy_to<Host>(*c.source.hub));
      change(*changed);
      c.source.hub = changed;
      c.source.csr = std::make_shared<const Csr<double>>(to_csr(*changed));
    };
    with([&](auto& hub) { hub.values[3 * (hub.rows() * dof) + 2 * dof] += 1; });  // of the centre, node 2
    expect_columns(c, looks ? 1 : by_the_fill);
    with([](auto& hub) { hub.fill.constants = false; });
    expect_columns(c, by_the_fill);
    with([](auto& hub) {
      hub.fill.constants = true;
      std::fill(hub.values.data(), hub.values.data() + hub.values.size(), 0.0);
    });
    EXPECT_EQ(sparsity_of(c.source, by_fill(), nullptr, false).compact_columns, by_the_fill)
        << "no values yet";
  }
}

struct Symmetric {
  static constexpr bool symmetric = true;
  constexpr bool couples(bool, int r, int c) const { return r == c; }
  constexpr double operator()(const StencilNode& node, const StencilNeighbour& to, int r, int c) const {
    const Position& at = node.position;
    const std::int64_t both =
        2 * (at.x + 3 * at.y + 7 * at.z) + to.offset.x + 3 * to.offset.y + 7 * to.offset.z;
    return r == c ? 1 + static_cast<double>(both) : 0;
  }
};

// Nor are, of a star of one unknown that a functor says is symmetric, the mirrors, as long as they are.
void check_mirrors(SpaceKind space) {
  const FormatEntry& compact = find_format("compact", space);
  for (const int dof : {1, 2})
    for (const int radius : {1, 2}) {
      SCOPED_TRACE(std::to_string(dof) + " unknowns, radius " + std::to_string(radius));
      const Grid grid{.extents = {5, 6, 7}, .dof = dof};
      Case<double> c = grid_case<double>(grid, star_stencil(3, radius), {}, Symmetric{});
      const bool looks = dof == 1 && radius == 1;
      const int all = dof * (1 + 6 * radius);
      const auto expect_columns = [&](std::int64_t columns) {
        expect_products(c, compact, by_fill());
        EXPECT_EQ(compact.make_fp64(c.source, by_fill())->traffic().stored_bytes,
                  compact_traffic(*c.source.hub, columns, 8).stored_bytes);
        EXPECT_EQ(sparsity_of(c.source, by_fill(), nullptr, false).compact_columns, columns);
      };
      expect_columns(looks ? 4 : all);
      auto changed = std::make_shared<BlockDiagonals<double>>(copy_to<Host>(*c.source.hub));
      changed->values[changed->rows() * dof * (changed->diagonals() - 1)] += 1;
      c.source.hub = changed;
      c.source.csr = std::make_shared<const Csr<double>>(to_csr(*changed));
      expect_columns(looks ? 5 : all);
    }
}
TEST(BlockFill, MirrorsThatAreHintedAtAreNotStored) {
  check_mirrors(SpaceKind::cpu);
}
TEST(BlockFill, cuda_MirrorsThatAreHintedAtAreNotStored) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  check_mirrors(SpaceKind::cuda);
}

TEST(BlockFill, ConstantsThatAreHintedAtAreNotStored) {
  check_constants(SpaceKind::cpu);
}
TEST(BlockFill, cuda_ConstantsThatAreHintedAtAreNotStored) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  check_constants(SpaceKind::cuda);
}

// Bytes are foretold from the structure alone, and by the statistics that `auto` goes by.
TEST(BlockFill, SizesAreForetold) {
  Boundary periodic;
  periodic.faces.fill({BoundaryKind::periodic, 0});
  struct DenseCentre {
    constexpr bool couples(bool centre, int r, int c) const { return centre || r == c; }
    constexpr double operator()(const StencilNode&, const StencilNeighbour& to, int r, int c) const {
      return couples(to.offset == Offset{}, r, c) ? 1 + r : 0;
    }
  };
  const Case<double> c =
      grid_case<double>({.extents = {5, 6, 7}, .dof = 3}, star_stencil(3, 1), periodic, DenseCentre{});
  const BlockStructure& structure = *c.source.hub;
  EXPECT_EQ(most_non_zeros(structure), 210 * (9 + 6 * 3));
  EXPECT_EQ(coupled_pairs(structure), 210 * 7);
  const auto compact = find_format("compact", SpaceKind::cpu).make_fp64(c.source, by_fill());
  EXPECT_EQ(compact->traffic().stored_bytes, compact_traffic(structure, 9 + 6 * 3, 8).stored_bytes);
  const FormatBytes bytes = format_bytes("compact", sparsity_at_most(structure, 8, by_fill()), by_fill());
  EXPECT_TRUE(bytes.exact);
  EXPECT_EQ(bytes.traffic.stored_bytes, compact->traffic().stored_bytes);
  const Sparsity foretold = sparsity_at_most(structure, 8), known = sparsity_of(c.source, {});
  for (const char* name : {"csr", "csc", "coo", "bcsr", "dia", "cds", "ell", "hyb"}) {
    const std::int64_t stored =
        find_format(name, SpaceKind::cpu).make_fp64(c.source, {})->traffic().stored_bytes;
    EXPECT_EQ(format_bytes(name, foretold, {}).traffic.stored_bytes, stored) << name;
    EXPECT_EQ(format_bytes(name, known, {}).traffic.stored_bytes, stored) << name;
  }
  EXPECT_EQ(foretold.lengths.longest, 9);
  FormatInput<double> hub_alone;
  hub_alone.hub = c.source.hub;
  const Sparsity without_csr = sparsity_of(hub_alone, {});
  EXPECT_EQ(without_csr.nnz, known.nnz);
  EXPECT_EQ(without_csr.diagonals, known.diagonals);
}

}  // namespace
}  // namespace quadrille
