// MatView and MatLoad with binary files, as AIJ writes and reads them.
#include <petscviewer.h>
#include <unistd.h>

#include "comparison.hpp"
#include "tests/petsc_error_text.hpp"

namespace quadrille::type_test {
namespace {

// A file for the time of a test; its name is the same on all ranks.
class File {
 public:
  explicit File(const std::string& name) {
    int id = static_cast<int>(getpid());
    MPI_Bcast(&id, 1, MPI_INT, 0, PETSC_COMM_WORLD);
    path_ = testing::TempDir() + "quadrille_" + name + "_" + std::to_string(id);
  }
  ~File() {
    MPI_Barrier(PETSC_COMM_WORLD);
    std::remove(path_.c_str());
    std::remove((path_ + ".info").c_str());
  }
  void view(Mat m) const {
    with(FILE_MODE_WRITE, [=](PetscViewer viewer) { return MatView(m, viewer); });
  }
  void load(Mat m) const {
    with(FILE_MODE_READ, [=](PetscViewer viewer) { return MatLoad(m, viewer); });
  }
  void with(PetscFileMode mode, const std::function<PetscErrorCode(PetscViewer)>& act) const {
    PetscViewer viewer = nullptr;
    CALL(PetscViewerBinaryOpen(PETSC_COMM_WORLD, path_.c_str(), mode, &viewer));
    CALL(act(viewer));
    CALL(PetscViewerDestroy(&viewer));
  }

 private:
  std::string path_;
};

Handle<Mat> empty(MatType type) {
  Handle<Mat> m = make<Mat>("MatCreate", [](Mat* made) { return MatCreate(PETSC_COMM_WORLD, made); });
  CALL(MatSetType(m.get(), type));
  return m;
}

bool is_ours(Mat m) {
  PetscBool ours = PETSC_FALSE;
  CALL(
      PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(m), &ours, "seqquadrille", "mpiquadrille", ""));
  return ours == PETSC_TRUE;
}

// Without a DMDA: sizes, rows of ranks and structure from the file.
TEST_F(MatrixType, FilesOfAijAreLoaded) {
  for (const Case& c : cases(31, 4)) {
    SCOPED_TRACE(c.name());
    const Pair p = filled_pair(c, "cds");
    const auto file_of_copy = [&](const char* name, double factor) {
      CALL(MatScale(p.ours.get(), factor));
      // A copy has no DMDA, and is written in its own order.
      const Handle<Mat> copy = make<Mat>(
          "MatConvert", [&](Mat* m) { return MatConvert(p.ours.get(), MATAIJ, MAT_INITIAL_MATRIX, m); });
      auto file = std::make_unique<File>(name);
      file->view(copy.get());
      return file;
    };
    const auto first = file_of_copy("first", 1), second = file_of_copy("second", -2.5);
    for (const char* format : {"csr", "cds"}) {
      SCOPED_TRACE(format);
      CALL(PetscOptionsSetValue(nullptr, "-mat_quadrille_format", format));
      const Handle<Mat> ours = empty("quadrille"), theirs = empty(MATAIJ);
      for (const auto& file : {first.get(), second.get()}) {  // the second over what is there
        file->load(ours.get());
        file->load(theirs.get());
        expect_same(ours.get(), theirs.get());
      }
      EXPECT_TRUE(is_ours(ours.get()));
      const File again("again");
      again.view(ours.get());
      const Handle<Mat> back = empty(MATAIJ);
      again.load(back.get());
      expect_same(ours.get(), back.get());
    }
  }
}

// Matrices of a DMDA are written in natural order on several ranks. There PETSc's own way of reading them
// makes AIJ and loses what stood in the matrix before, so that AIJ reads them here.
TEST_F(MatrixType, FilesOfGridsAreThoseOfAij) {
  for (const Case& c : cases(32, 4)) {
    SCOPED_TRACE(c.name());
    const Pair p = filled_pair(c, "cds");
    const File ours("ours"), theirs("theirs");
    ours.view(p.ours.get());
    theirs.view(p.theirs.get());
    const DM grid = p.grid.get();
    const auto empty_one = [=] {
      if (ranks() == 1) return make_matrix(grid, "cds");
      CALL(DMSetMatType(grid, MATAIJ));
      return make<Mat>("DMCreateMatrix", [=](Mat* m) { return DMCreateMatrix(grid, m); });
    };
    const Handle<Mat> from_ours = empty_one(), from_theirs = empty_one();
    ours.load(from_ours.get());
    theirs.load(from_theirs.get());
    if (ranks() == 1) {
      EXPECT_TRUE(is_ours(from_ours.get()));
    }
    expect_same(from_ours.get(), p.theirs.get());
    expect_same(from_theirs.get(), p.theirs.get());
  }
}

TEST_F(MatrixType, AFileWithoutAMatrixIsAnError) {
  const Pair p = filled_pair({}, "cds");
  const File file("vector");
  const Handle<Vec> x = random_vector(p.ours.get(), 1);
  file.with(FILE_MODE_WRITE, [&](PetscViewer viewer) { return VecView(x.get(), viewer); });
  const Handle<Mat> m = empty("quadrille");
  file.with(FILE_MODE_READ, [&](PetscViewer viewer) {
    const std::string text = error_of(MatLoad(m.get(), viewer));
    EXPECT_NE(text.find("MatLoad_Quadrille"), std::string::npos) << text;
    EXPECT_NE(text.find("Not a matrix object in file"), std::string::npos) << text;
    return static_cast<PetscErrorCode>(0);
  });
}

}  // namespace
}  // namespace quadrille::type_test
