// Numbers past 2^31, which a PETSc with 64-bit indices has: without the memory of so many rows.
#include <gtest/gtest.h>
#include <petscmat.h>
#include <sys/mman.h>

#include "kernels/petsc/base/gathering.hpp"
#include "kernels/petsc/base/indices.hpp"
#include "kernels/petsc/base/ranks.hpp"
#include "kernels/petsc/matrix/grid_blocks.hpp"

namespace quadrille::petsc {
namespace {

constexpr bool wide = sizeof(PetscInt) == 8;
constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();

TEST(LargeIndices, GoWherePetscsHaveRoom) {
  EXPECT_EQ(to_petsc_int(most, "rows"), most);
  if (wide) {
    EXPECT_EQ(static_cast<std::int64_t>(to_petsc_int(most + 1, "rows")), most + 1);
    EXPECT_EQ(static_cast<std::int64_t>(to_petsc_ints({3, 4 * most}, "nodes").back()), 4 * most);
  } else {
    EXPECT_THROW(to_petsc_int(most + 1, "rows"), FormatError);
    EXPECT_THROW(to_petsc_ints({3, most + 1, 4}, "nodes"), FormatError);
  }
  const Array<std::int32_t> indices{0, 7, static_cast<std::int32_t>(most)};
  const PetscIndices as(indices);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(as.data()[i], indices[i]);
}

// Three nodes of a rank on a line, with a neighbour of another rank on either side.
GridStructure line_of_three(PetscInt first) {
  GridStructure s;
  s.owned.extents = {3, 1, 1};
  s.owned.dof = 2;
  s.owned.offsets = {{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}};
  s.first_node = first;
  s.ghosts = {first - 1, first + 3};
  s.boundary = {0, 2};
  s.begin = {0, 1, 2};
  s.ghost = {0, 1};
  s.reach = {1, 0, 0};
  s.diagonal_at = {0, 1, 2};
  return s;
}

TEST(LargeIndices, FindTheirPlacesOnAGrid) {
  const GridStructure near = line_of_three(10);
  const GridValues near_values(near, true);
  const GridBlocks near_blocks(near, near_values);
  if (!wide) GTEST_SKIP() << "PETSc's indices have 32 bits";
  const std::int64_t shift = 3 * most;  // nodes
  const GridStructure far = line_of_three(static_cast<PetscInt>(10 + shift));
  const GridValues far_values(far, true);
  const GridBlocks far_blocks(far, far_values);
  const auto moved = [&](PetscInt row) { return static_cast<PetscInt>(row + 2 * shift); };
  for (PetscInt row = 20; row < 26; ++row)
    for (PetscInt column = 14; column < 32; ++column)
      EXPECT_EQ(far_blocks.place_of(moved(row), moved(column)), near_blocks.place_of(row, column))
          << "row " << row << ", column " << column;
  std::vector<Block> blocks;
  far_blocks.all_of(2, blocks);
  ASSERT_EQ(blocks.size(), 3U);
  for (int k = 0; k < 3; ++k)
    EXPECT_EQ(static_cast<std::int64_t>(blocks[static_cast<std::size_t>(k)].node), 11 + k + shift);
}

// Memory of addresses alone, until it is written.
class Untouched {
 public:
  explicit Untouched(std::int64_t numbers) : bytes_(static_cast<std::size_t>(numbers) * sizeof(double)) {
    void* const place =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    data_ = place == MAP_FAILED ? nullptr : static_cast<double*>(place);
  }
  ~Untouched() {
    if (data_ != nullptr) munmap(data_, bytes_);
  }
  Untouched(const Untouched&) = delete;
  Untouched& operator=(const Untouched&) = delete;
  double* data() const { return data_; }

 private:
  std::size_t bytes_;
  double* data_ = nullptr;
};

// 2^31 - 1 rows of rank 0 and eight of each other one, which stand beyond 2^31 but for the first.
TEST(LargeIndices, AreGatheredFromOtherRanks) {
  if (!wide) GTEST_SKIP() << "PETSc's indices have 32 bits";
  if (ranks() == 1) GTEST_SKIP() << "on two ranks or more";
  const std::int64_t rows = rank() == 0 ? most : 8;
  const Untouched memory(rows);
  if (sum_over_ranks(std::int64_t{memory.data() == nullptr}) > 0)
    GTEST_SKIP() << "no addresses for 2^31 numbers";
  const Handle<Vec> vector = make<Vec>("VecCreateMPIWithArray", [&](Vec* v) {
    return VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, static_cast<PetscInt>(rows), PETSC_DECIDE,
                                 memory.data(), v);
  });
  memory.data()[rows - 1] = 100 + rank();
  if (rank() > 0) memory.data()[0] = 200 + rank();
  const std::int64_t first_of_last = most + 8 * (ranks() - 2);
  Gathering gathering(vector.get(), to_petsc_ints({most - 1, most + 7, first_of_last}, "rows"), 1);
  gathering.begin(vector.get());
  gathering.end(vector.get());
  double* seen = nullptr;
  QUADRILLE_PETSC(VecGetArray(gathering.local(), &seen));
  EXPECT_EQ(seen[0], 100);
  EXPECT_EQ(seen[1], 101);
  EXPECT_EQ(seen[2], 200 + ranks() - 1);
  seen[0] = seen[1] = seen[2] = 1;
  QUADRILLE_PETSC(VecRestoreArray(gathering.local(), &seen));
  gathering.add(vector.get());
  const double added = ranks() * (rank() < 2 ? 1 : 0);
  EXPECT_EQ(memory.data()[rows - 1], 100 + rank() + added);
}

}  // namespace
}  // namespace quadrille::petsc
