#include "kernels/petsc/matrix/operator.hpp"

#include <petscdevice.h>

#include <algorithm>
#include <exception>
#include <vector>

#include "formats/csr.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/make_operator.hpp"
#include "kernels/petsc/aij/all_products.hpp"
#include "kernels/petsc/base/host_share.hpp"
#include "kernels/petsc/base/session.hpp"
#include "kernels/tuning/choose_format.hpp"
#include "kernels/tuning/machine_model.hpp"

namespace quadrille::petsc {
namespace {

// Of a rank without rows.
class NoRows final : public SpmvOperator<double> {
 public:
  explicit NoRows(SpaceKind space) : space_(space) {}
  std::int64_t rows() const override { return 0; }
  std::int64_t columns() const override { return 0; }
  SpaceKind space() const override { return space_; }
  Traffic traffic() const override { return {}; }
  void multiply(Queue, const double*, const Output<double>&) const override {}
  bool has_transpose() const override { return true; }
  void multiply_transposed(Queue, const double*, const Output<double>&) const override {}
  Csr<double> to_csr() const override { return {0, 0, Array<std::int32_t>(1, 0), {}, {}}; }
  Array<double> diagonal_blocks(int) const override { return {}; }

 private:
  SpaceKind space_;
};

SpaceKind space_of(const TypeOptions& options) {
  if (options.space == "cpu") return SpaceKind::cpu;
  if (options.space == "cuda") {
    if (cuda::device_count() == 0)
      throw FormatError("-mat_quadrille_space cuda: " +
                        std::string(!has_format(options.format, SpaceKind::cuda, all_products())
                                        ? "this Quadrille was built without CUDA"
                                        : "no GPU was found") +
                        "; auto and cpu run anywhere");
    return SpaceKind::cuda;
  }
  // Vectors in host memory would cross the bus twice a product: without a PETSc with CUDA, nobody wants that
  // unasked.
  const bool gpu =
      has_cuda() && cuda::device_count() > 0 && has_format(options.format, SpaceKind::cuda, all_products());
  return gpu ? SpaceKind::cuda : SpaceKind::cpu;
}

// Ranks of one host share its GPUs. Where PETSc has CUDA it chooses, when it first needs a GPU: before our
// first allocation, or that would be in another GPU's memory. A program that says where may have chosen
// itself.
void choose_device([[maybe_unused]] bool by_program) {
  static bool chosen = false;
  if (std::exchange(chosen, true) || cuda::device_count() == 0) return;
#if defined(PETSC_HAVE_CUDA)
  QUADRILLE_PETSC(PetscDeviceInitialize(PETSC_DEVICE_CUDA));
#else
  if (!by_program) cuda::use_device(host_share().rank % cuda::device_count());
#endif
}

std::int64_t owned_rows(const LocalParts& parts) {
  return parts.hub ? parts.hub->rows() : parts.csr->rows;
}

}  // namespace

std::string format_list() {
  std::string names;
  for (const std::string& name : format_names(all_products())) names += (names.empty() ? "" : ", ") + name;
  return names;
}

std::shared_ptr<const SpmvOperator<double>> make_operator(const std::string& format, SpaceKind space,
                                                          const FormatInput<double>& source,
                                                          const FormatOptions& options) {
  if (source.hub && source.hub->rows() == 0) {
    find_format(format, space, all_products());
    return std::make_shared<const NoRows>(space);
  }
  return quadrille::make_operator(format, space, source, options, all_products());
}

bool fits_block_diagonals(const Csr<double>& csr, PetscInt block_size) {
  const std::int64_t block = std::max<std::int64_t>(block_size, 1);
  if (csr.rows != csr.columns || csr.rows % block != 0) return false;
  const std::int64_t nodes = csr.rows / block, bytes_of_one = csr.rows * block * std::int64_t{sizeof(double)};
  const std::int64_t most =
      csr_bytes(csr.rows, csr.nnz(), sizeof(double)) / std::max<std::int64_t>(bytes_of_one, 1);
  std::vector<bool> seen(static_cast<std::size_t>(2 * nodes + 1));
  std::int64_t diagonals = 0;
  for (std::int64_t i = 0; i < csr.rows && diagonals <= most; ++i)
    for (std::int32_t k = csr.row_ptr[i]; k < csr.row_ptr[i + 1]; ++k) {
      auto place = seen[static_cast<std::size_t>(csr.column[k] / block - i / block + nodes)];
      if (!place) ++diagonals;
      place = true;
    }
  return diagonals <= most;
}

SpaceKind choose_space(const TypeOptions& options) {
  const SpaceKind space = space_of(options);
  if (space == SpaceKind::cuda) choose_device(options.by_program);
  return space;
}

std::string best_format(Mat owner, const TypeOptions& options, const LocalParts& parts) {
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(owner));
  constexpr int no_rows = -1, failure = -2;
  int rank = 0, place = no_rows;
  MPI_Comm_rank(comm, &rank);
  std::exception_ptr failed;
  if (rank == 0 && owned_rows(parts) > 0) try {
      ChoiceWishes wishes;
      PetscInt block = 1;
      QUADRILLE_PETSC(MatGetBlockSize(owner, &block));
      wishes.format_options = options.of_format;
      wishes.format_options.block_size = static_cast<int>(block);
      wishes.format_options.products = 100;
      wishes.space = choose_space(options);
      wishes.cpu = usual_cpu_model();
      wishes.values_change = options.of_format.by_fill;
      FormatInput<double> source;
      source.hub = parts.hub, source.csr = parts.hub ? nullptr : parts.csr;
      source.device_hub = parts.device_hub;
      place = static_cast<int>(&choose_format(source, wishes).best() - registry().data());
    } catch (...) {
      failed = std::current_exception();
      place = failure;
    }
  MPI_Bcast(&place, 1, MPI_INT, 0, comm);
  if (failed) std::rethrow_exception(failed);
  if (place == failure) throw FormatError("the first rank found no format for this matrix");
  if (place == no_rows) return options.format;
  return registry()[static_cast<std::size_t>(place)].name;
}

std::shared_ptr<const SpmvOperator<double>> make_own_operator(Mat owner, const TypeOptions& options,
                                                              const LocalParts& parts) {
  const SpaceKind space = choose_space(options);
  FormatInput<double> source;
  source.hub = parts.hub;
  source.device_hub = parts.device_hub;
  source.csr = parts.csr;
  PetscInt block_size = 1;
  QUADRILLE_PETSC(MatGetBlockSize(owner, &block_size));
  FormatOptions of_format = options.of_format;
  of_format.block_size = to_index32(std::max<PetscInt>(block_size, 1), "rows of a block");
  try {
    return make_operator(options.format, space, source, of_format);
  } catch (const FormatError& error) {
    throw FormatError(
        "-mat_quadrille_format " + options.format + ": " + error.what() +
        (parts.hub || options.format == any_matrix
             ? ""
             : "; this matrix has no DMDA, so its structure was sought in its sparsity with blocks of " +
                   std::to_string(block_size) + ": -mat_quadrille_format " + any_matrix +
                   " holds any matrix"));
  }
}

}  // namespace quadrille::petsc
