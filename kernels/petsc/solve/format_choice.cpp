#include "kernels/petsc/solve/format_choice.hpp"

#include <petscmat.h>

#include <exception>

#include "kernels/cuda/device.hpp"
#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/session.hpp"
#include "kernels/petsc/matrix/operator.hpp"

namespace quadrille::petsc {
namespace {

// PETSc's vectors can be in GPU memory.
bool has_gpu_vectors() {
  return has_cuda() && cuda::device_count() > 0;
}

SpaceKind wanted_space(const FormatWish& wish) {
  if (wish.space == "cpu") return SpaceKind::cpu;
  if (wish.space != "cuda" && wish.space != "auto")
    throw FormatError("the space '" + wish.space + "' is none of auto, cpu and cuda");
  if (wish.space == "cuda" && cuda::device_count() == 0)
    throw CudaError(
        "the operator was asked for on a GPU, and this machine has none; auto and cpu run anywhere");
  return wish.space == "cuda" || has_gpu_vectors() ? SpaceKind::cuda : SpaceKind::cpu;
}

std::string option(const char* name, const std::string& otherwise) {
  char text[64] = "";
  PetscBool given = PETSC_FALSE;
  QUADRILLE_PETSC(PetscOptionsGetString(nullptr, nullptr, name, text, sizeof text, &given));
  return given ? text : otherwise;
}

// Its place in registry().
int best_for(Mat matrix, const FormatWish& wish) {
  ChoiceWishes wishes;
  wishes.format_options = wish.options;
  wishes.space = wanted_space(wish);
  wishes.cpu = usual_cpu_model();
  FormatInput<double> source;
  source.hub = own_block_diagonals(matrix);
  return static_cast<int>(&choose_format_with_csr(source, wishes).best() - registry().data());
}

}  // namespace

GridFormat chosen_format(Mat matrix, const FormatWish& of_program) {
  FormatWish wish = of_program;
  wish.name = option("-mat_quadrille_format", wish.name);
  wish.space = option("-mat_quadrille_space", wish.space);
  if (wish.name != "auto") {
    SpaceKind space = wanted_space(wish);
    if (wish.space == "auto" && !has_format(wish.name, space)) space = SpaceKind::cpu;
    return {wish.name, space, wish.options};
  }
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(matrix));
  int rank = 0, place = -1;
  MPI_Comm_rank(comm, &rank);
  std::exception_ptr failed;
  if (rank == 0) {
    try {
      place = best_for(matrix, wish);
    } catch (...) {
      failed = std::current_exception();
    }
  }
  MPI_Bcast(&place, 1, MPI_INT, 0, comm);
  if (failed) std::rethrow_exception(failed);
  if (place < 0) throw FormatError("the first rank found no format for this operator");
  const FormatEntry& best = registry()[static_cast<std::size_t>(place)];
  return {best.name, best.space, wish.options};
}

}  // namespace quadrille::petsc
