// Values by coordinates (MatSetPreallocationCOO, MatSetValuesCOO) against AIJ's, with values in host and in
// GPU memory.
#include <algorithm>
#include <random>

#include "comparison.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/base/session.hpp"
#include "tests/petsc_error_text.hpp"

namespace quadrille::type_test {
namespace {

struct Entries {
  std::vector<PetscInt> rows, columns;
  void add(PetscInt row, PetscInt column) {
    rows.push_back(row);
    columns.push_back(column);
  }
};

// Places of the stencil up to `repeats` times each, in an order of their own; some in rows of other ranks,
// some left out by negative numbers.
Entries draw(Mat filled, unsigned seed, int repeats) {
  std::mt19937 random(seed);
  Entries sorted, result;
  PetscInt first = 0, last = 0;
  CALL(MatGetOwnershipRange(filled, &first, &last));
  for (PetscInt i = first; i < last; ++i) {
    PetscInt count = 0;
    const PetscInt* column = nullptr;
    CALL(MatGetRow(filled, i, &count, &column, nullptr));
    for (PetscInt k = 0; k < count; ++k) {
      const bool ours = column[k] >= first && column[k] < last;
      for (int n = static_cast<int>(random() % (repeats + 1u)); n > 0; --n) sorted.add(i, column[k]);
      if (!ours && random() % 2 == 0) sorted.add(column[k], i);  // the stencil is symmetric
    }
    CALL(MatRestoreRow(filled, i, &count, &column, nullptr));
    if (random() % 5 == 0) sorted.add(-1, i);
    if (random() % 5 == 0) sorted.add(i, -1);
  }
  std::vector<std::size_t> order(sorted.rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  for (const std::size_t i : order) result.add(sorted.rows[i], sorted.columns[i]);
  return result;
}

// Numbers in host memory, or in the GPU's where the tests run there and PETSc has CUDA.
class Numbers {
 public:
  Numbers(std::size_t size, unsigned salt) : on_gpu_(space() == SpaceKind::cuda && petsc::has_cuda()) {
    vector_ = make<Vec>("VecCreate", [](Vec* v) { return VecCreate(PETSC_COMM_SELF, v); });
    CALL(VecSetSizes(vector_.get(), static_cast<PetscInt>(size), PETSC_DECIDE));
    CALL(VecSetType(vector_.get(), on_gpu_ ? VECCUDA : VECSEQ));
    PetscScalar* data = nullptr;
    CALL(VecGetArrayWrite(vector_.get(), &data));
    for (std::size_t i = 0; i < size; ++i) data[i] = value_at(static_cast<std::int64_t>(i), 17, salt);
    host_.assign(data, data + size);
    CALL(VecRestoreArrayWrite(vector_.get(), &data));
    if (size == 0) return;
    PetscMemType type = PETSC_MEMTYPE_HOST;
    CALL(VecGetArrayReadAndMemType(vector_.get(), &there_, &type));
    EXPECT_EQ(PetscMemTypeDevice(type), on_gpu_);
  }
  ~Numbers() {
    if (there_ != nullptr) (void)VecRestoreArrayReadAndMemType(vector_.get(), &there_);
  }
  const PetscScalar* on_host() const { return host_.data(); }
  const PetscScalar* there() const { return there_; }

 private:
  bool on_gpu_;
  Handle<Vec> vector_;
  std::vector<PetscScalar> host_;
  const PetscScalar* there_ = nullptr;
};

void prepare(Mat m, Entries entries) {
  CALL(MatSetPreallocationCOO(m, static_cast<PetscCount>(entries.rows.size()), entries.rows.data(),
                              entries.columns.data()));
}

// Ours from the memory under test, AIJ's from the host.
void set(const Pair& p, const Numbers& numbers, InsertMode mode) {
  CALL(MatSetValuesCOO(p.ours.get(), numbers.there(), mode));
  CALL(MatSetValuesCOO(p.theirs.get(), numbers.on_host(), mode));
}

TEST_F(MatrixType, CoordinatesAreSummedAndSentToTheirRanks) {
  unsigned salt = 0;
  for (const Case& c : cases(6, 10)) {
    SCOPED_TRACE(c.name());
    for (const int repeats : {1, 3}) {
      SCOPED_TRACE(repeats);
      const Pair p = filled_pair(c, "cds");
      const Entries entries = draw(p.theirs.get(), ++salt, repeats);
      p.both([&](Mat m) { prepare(m, entries); });
      const Numbers a(entries.rows.size(), 1), b(entries.rows.size(), 2);
      set(p, a, ADD_VALUES);  // to zeros
      expect_same(p.ours.get(), p.theirs.get());
      set(p, b, INSERT_VALUES);
      set(p, a, ADD_VALUES);
      expect_same(p.ours.get(), p.theirs.get());
      p.both([](Mat m) { CALL(MatZeroEntries(m)); });
      set(p, a, ADD_VALUES);
      expect_same(p.ours.get(), p.theirs.get());
      CALL(MatSetValuesCOO(p.ours.get(), a.on_host(), ADD_VALUES));  // of host memory, wherever the matrix is
      CALL(MatSetValuesCOO(p.theirs.get(), a.on_host(), ADD_VALUES));
      expect_same(p.ours.get(), p.theirs.get());
      CALL(MatSetValuesCOO(p.ours.get(), nullptr, INSERT_VALUES));  // zeros
      CALL(MatZeroEntries(p.theirs.get()));
      expect_same(p.ours.get(), p.theirs.get());
    }
  }
}

// What changes values on the host, between changes on the GPU where the tests run there.
TEST_F(MatrixType, CoordinatesGoWithEveryOtherChange) {
  for (const Case& c : cases(16, 6)) {
    SCOPED_TRACE(c.name());
    const Pair p = filled_pair(c, "cds");
    const Entries entries = draw(p.theirs.get(), 5, 2);
    // AIJ keeps the places of coordinates alone: it gets all of the stencil's, each once more.
    Entries all = entries;
    PetscInt first = 0, last = 0;
    CALL(MatGetOwnershipRange(p.theirs.get(), &first, &last));
    for (PetscInt i = first; i < last; ++i) {
      PetscInt count = 0;
      const PetscInt* column = nullptr;
      CALL(MatGetRow(p.theirs.get(), i, &count, &column, nullptr));
      for (PetscInt k = 0; k < count; ++k) all.add(i, column[k]);
      CALL(MatRestoreRow(p.theirs.get(), i, &count, &column, nullptr));
    }
    p.both([&](Mat m) { prepare(m, all); });
    const Numbers a(all.rows.size(), 3), b(all.rows.size(), 4);
    const auto same_after = [&](const char* what, const std::function<void(Mat)>& change) {
      SCOPED_TRACE(what);
      set(p, b, INSERT_VALUES);
      p.both(change);
      expect_same(p.ours.get(), p.theirs.get());
      set(p, a, ADD_VALUES);
      expect_same(p.ours.get(), p.theirs.get());
    };
    same_after("scale", [](Mat m) { CALL(MatScale(m, -1.5)); });
    same_after("single values", [&](Mat m) {
      CALL(MatSetValue(m, first, first, 3.5, INSERT_VALUES));
      CALL(MatAssemblyBegin(m, MAT_FINAL_ASSEMBLY));
      CALL(MatAssemblyEnd(m, MAT_FINAL_ASSEMBLY));
    });
    same_after("filling", [&](Mat m) { fill(m, p.grid.get(), c, Filling::off_process, 6); });
    same_after("shift", [](Mat m) { CALL(MatShift(m, 2.25)); });
    set(p, b, INSERT_VALUES);
    const auto duplicate = [](Mat m) {
      return make<Mat>("MatDuplicate", [=](Mat* to) { return MatDuplicate(m, MAT_COPY_VALUES, to); });
    };
    const Pair copy{make_grid(c), duplicate(p.ours.get()), duplicate(p.theirs.get())};
#if PETSC_VERSION_LT(3, 21, 0)
    prepare(copy.theirs.get(), all);  // AIJ's copies did not know the coordinates
#endif
    set(copy, a, INSERT_VALUES);
    set(copy, b, ADD_VALUES);
    expect_same(copy.ours.get(), copy.theirs.get());
    expect_same(p.ours.get(), p.theirs.get());
  }
}

TEST_F(MatrixType, CoordinatesFillEveryFormat) {
  for (const char* format : {"csr", "dia", "ell"}) {
    SCOPED_TRACE(format);
    const Case c = cases(26, 1).front();
    const Pair p = filled_pair(c, format);
    const Entries entries = draw(p.theirs.get(), 8, 2);
    p.both([&](Mat m) { prepare(m, entries); });
    const Numbers a(entries.rows.size(), 5), b(entries.rows.size(), 6);
    const Handle<Vec> x = random_vector(p.theirs.get(), 3);
    const Handle<Vec> ours = random_vector(p.theirs.get(), 4), theirs = random_vector(p.theirs.get(), 5);
    for (const Numbers* const numbers : {&a, &b}) {
      set(p, *numbers, INSERT_VALUES);
      CALL(MatMult(p.ours.get(), x.get(), ours.get()));
      CALL(MatMult(p.theirs.get(), x.get(), theirs.get()));
      expect_near(ours.get(), theirs.get(), "MatMult");
    }
  }
}

TEST_F(MatrixType, CoordinatesNeedNoGrid) {
  const auto tridiagonal = [](MatType type, Entries& entries) {
    Handle<Mat> m = make<Mat>("MatCreate", [](Mat* created) { return MatCreate(PETSC_COMM_WORLD, created); });
    CALL(MatSetSizes(m.get(), PETSC_DECIDE, PETSC_DECIDE, 48, 48));
    CALL(MatSetType(m.get(), type));
    CALL(MatSetUp(m.get()));
    PetscInt first = 0, last = 0;
    CALL(MatGetOwnershipRange(m.get(), &first, &last));
    entries = {};
    for (PetscInt i = first; i < last; ++i)
      for (const PetscInt j : {i - 1, i, i + 1}) {
        if (j >= 48) continue;
        entries.add(i, j);
        entries.add(j, i);
      }
    return m;
  };
  CALL(PetscOptionsSetValue(nullptr, "-mat_quadrille_format", "cds"));
  Pair p;
  Entries entries;
  p.ours = tridiagonal("quadrille", entries);
  p.theirs = tridiagonal(MATAIJ, entries);
  p.both([&](Mat m) { prepare(m, entries); });
  const Numbers a(entries.rows.size(), 1), b(entries.rows.size(), 2);
  for (const Numbers* const numbers : {&a, &b}) {
    set(p, *numbers, INSERT_VALUES);
    set(p, a, ADD_VALUES);
    expect_same(p.ours.get(), p.theirs.get());
  }
}

void expect_in(const std::string& part, const std::string& text) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

TEST_F(MatrixType, CoordinatesOutsideTheStencilMustBeZero) {
  Case c;
  c.dimension = 2;
  c.size = {12, 12, 1};
  const Pair p = filled_pair(c, "cds");
  PetscInt first = 0;
  CALL(MatGetOwnershipRange(p.ours.get(), &first, nullptr));
  Entries entries;
  entries.add(first, first);
  entries.add(first, first + 3);  // three nodes further, in one line
  p.both([&](Mat m) { prepare(m, entries); });
  Numbers one(2, 1);
  const std::vector<PetscScalar> zero{2.5, 0};
  for (const Mat m : {p.ours.get(), p.theirs.get()}) CALL(MatSetValuesCOO(m, zero.data(), INSERT_VALUES));
  expect_same(p.ours.get(), p.theirs.get());
  const std::string text = error_of(MatSetValuesCOO(p.ours.get(), one.there(), INSERT_VALUES));
  expect_in("row " + std::to_string(first) + " ", text);
  expect_in("column " + std::to_string(first + 3) + " ", text);
  expect_in("the star stencil of width 1", text);
}

TEST_F(MatrixType, WrongCoordinatesAreErrors) {
  Case c;
  const Pair p = filled_pair(c, "cds");
  PetscInt first = 0, last = 0, size = 0;
  CALL(MatGetOwnershipRange(p.ours.get(), &first, &last));
  CALL(MatGetSize(p.ours.get(), &size, nullptr));
  const double value = 1;
  expect_in("call MatSetPreallocationCOO() first",
            error_of(MatSetValuesCOO(p.ours.get(), &value, INSERT_VALUES)));
  for (const auto& [row, column] : {std::pair{size, first}, std::pair{first, size}}) {
    PetscInt i = row, j = column;
    expect_in((row == size ? "row " : "column ") + std::to_string(size) + " is beyond the matrix",
              error_of(MatSetPreallocationCOO(p.ours.get(), 1, &i, &j)));
  }
  if (ranks() == 1) return;
  const PetscInt other = last % size;
  PetscInt i = other, j = other;
  CALL(MatSetOption(p.ours.get(), MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
  expect_in("row " + std::to_string(other) + " belongs to another rank",
            error_of(MatSetPreallocationCOO(p.ours.get(), 1, &i, &j)));
  CALL(MatSetOption(p.ours.get(), MAT_NO_OFF_PROC_ENTRIES, PETSC_FALSE));
  p.both([&](Mat m) {
    CALL(MatSetOption(m, MAT_IGNORE_OFF_PROC_ENTRIES, PETSC_TRUE));
    Entries entries;
    entries.add(other, other);
    entries.add(first, first);
    prepare(m, entries);
    const double values[] = {4, 2};
    CALL(MatSetValuesCOO(m, values, INSERT_VALUES));
  });
  expect_same(p.ours.get(), p.theirs.get());
}

#if defined(PETSC_HAVE_CUDA)
TEST_F(MatrixType, CoordinatesOnTheGpuStayThere) {
  if (space() != SpaceKind::cuda) GTEST_SKIP() << "no GPU in this run";
  if (ranks() > 1) GTEST_SKIP() << "entries of other ranks cross the bus";
  Case c;
  c.size = {9, 8, 7};
  c.dof = 2;
  const Pair p = filled_pair(c, "cds");
  const Entries entries = draw(p.theirs.get(), 5, 2);
  CALL(PetscOptionsSetValue(nullptr, "-mat_quadrille_verify", "0"));  // which reads rows
  CALL(MatSetFromOptions(p.ours.get()));
  p.both([&](Mat m) { prepare(m, entries); });
  const Numbers a(entries.rows.size(), 1), b(entries.rows.size(), 2);
  Vec x_vector = nullptr, y_vector = nullptr;
  CALL(MatCreateVecs(p.ours.get(), &x_vector, &y_vector));
  const Handle<Vec> x(x_vector), y(y_vector);
  CALL(VecSet(x.get(), 1));
  set(p, a, INSERT_VALUES);
  CALL(MatMult(p.ours.get(), x.get(), y.get()));
  const PetscLogDouble to_gpu = petsc_ctog_sz, to_host = petsc_gtoc_sz;
  for (int i = 0; i < 3; ++i) {
    CALL(MatSetValuesCOO(p.ours.get(), b.there(), INSERT_VALUES));
    CALL(MatSetValuesCOO(p.ours.get(), a.there(), ADD_VALUES));
    CALL(MatMult(p.ours.get(), x.get(), y.get()));
    CALL(MatZeroEntries(p.ours.get()));
    CALL(MatSetValuesCOO(p.ours.get(), b.there(), ADD_VALUES));
    CALL(MatMult(p.ours.get(), x.get(), y.get()));
  }
  EXPECT_EQ(petsc_ctog_sz, to_gpu);
  EXPECT_EQ(petsc_gtoc_sz, to_host);
  CALL(MatSetValuesCOO(p.theirs.get(), b.on_host(), INSERT_VALUES));
  expect_same(p.ours.get(), p.theirs.get());
  EXPECT_GT(petsc_gtoc_sz, to_host);  // read on the host: the count counts
}
#endif

}  // namespace
}  // namespace quadrille::type_test
