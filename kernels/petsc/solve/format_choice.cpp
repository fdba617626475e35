#include "kernels/petsc/solve/format_choice.hpp"

#include <petscmat.h>

#include <exception>

#include "kernels/cuda/device.hpp"
#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/host_share.hpp"
#include "kernels/petsc/base/option_reader.hpp"
#include "kernels/petsc/base/session.hpp"
#include "kernels/petsc/matrix/operator.hpp"

namespace quadrille::petsc {
namespace {

// PETSc's vectors can be in GPU memory.
bool has_gpu_vectors() {
  return has_cuda() && cuda::device_count() > 0;
}

// CSR and what is made from it, and that of the other ranks of this host.
bool has_room_for_csr(const FormatChoice& choice) {
  return csr_bytes_of(choice) < memory::available_host_bytes() / 4 / host_share().ranks;
}

FormatChoice best_for(Mat matrix, const FormatWish& wish) {
  ChoiceWishes wishes;
  wishes.format_options = wish.options;
  wishes.space = space_of(wish);
  wishes.values_change = true;
  wishes.format_options.products = wish.products;
  wishes.device = wish.device;
  wishes.version = wish.version;
  wishes.cpu = usual_cpu_model();
  FormatInput<double> source;
  const BlockStructure* structure = nullptr;
  source.few_rows = own_few_rows(matrix);
  if (source.few_rows)
    structure = &source.few_rows->a, wishes.format_options.few_rows = true;
  else if (values_are_on_gpu(matrix))
    source.device_hub = own_block_diagonals_on_device(matrix);
  else
    source.hub = own_block_diagonals(matrix);
  FormatChoice choice = choose_format(source, wishes, structure);
  const bool from_csr = wish.products == 0 && csr_is_smaller(choice) && has_room_for_csr(choice);
  if (!from_csr && !wish.measure) return choice;
  source.hub = own_block_diagonals(matrix);
  if (from_csr) source.csr = std::make_shared<const Csr<double>>(to_csr(*source.hub));
  wishes.measure = wish.measure;
  wishes.again = wish.again;
  if (wish.measure) wishes.cpu.reset();
  return choose_format(source, wishes);
}

std::string text_of(const FormatChoice& choice) {
  std::string text;
  for (const std::string& note : choice.notes) text += "note: " + note + "\n";
  return text + explain(choice) + "\n";
}

}  // namespace

FormatWish with_options(FormatWish wish) {
  OptionReader read(nullptr, nullptr, "-mat_quadrille_");
  read.text("format", wish.format);
  read.text("space", wish.space);
  read_value_precision(read, wish.options);
  require_value_precision(wish.options.value_precision, wish.format);
  return wish;
}

SpaceKind space_of(const FormatWish& wish) {
  if (wish.space == "cpu") return SpaceKind::cpu;
  if (wish.space != "cuda" && wish.space != "auto")
    throw FormatError("-mat_quadrille_space '" + wish.space + "' is none of auto, cpu and cuda");
  if (wish.space == "cuda" && cuda::device_count() == 0)
    throw CudaError(
        "the operator was asked for on a GPU, and this machine has none; auto and cpu run anywhere");
  return wish.space == "cuda" || has_gpu_vectors() ? SpaceKind::cuda : SpaceKind::cpu;
}

GridFormat named_format(const FormatWish& wish) {
  SpaceKind space = space_of(wish);
  if (wish.space == "auto" && !has_format(wish.format, space)) space = SpaceKind::cpu;
  return {wish.format, space, wish.options};
}

ChosenFormat chosen_format(Mat matrix, const FormatWish& of_program) {
  const FormatWish wish = with_options(of_program);
  if (wish.format != "auto") return {named_format(wish)};
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(matrix));
  int rank = 0, place = -1;
  ChosenFormat chosen;
  MPI_Comm_rank(comm, &rank);
  std::exception_ptr failed;
  if (rank == 0) {
    try {
      const FormatChoice choice = best_for(matrix, wish);
      place = static_cast<int>(&choice.best() - registry().data());
      chosen.reason = text_of(choice);
    } catch (...) {
      failed = std::current_exception();
    }
  }
  MPI_Bcast(&place, 1, MPI_INT, 0, comm);
  if (failed) std::rethrow_exception(failed);
  if (place < 0) throw FormatError("the first rank found no format for this operator");
  const FormatEntry& best = registry()[static_cast<std::size_t>(place)];
  chosen.format = {best.name, best.space, wish.options};
  chosen.format.options.by_fill = true;
  return chosen;
}

}  // namespace quadrille::petsc
