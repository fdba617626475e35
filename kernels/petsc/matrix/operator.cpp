#include "kernels/petsc/matrix/operator.hpp"

#include <petscdevice.h>

#include <algorithm>
#include <exception>
#include <vector>

#include "formats/compact.hpp"
#include "formats/csr.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/make_operator.hpp"
#include "kernels/petsc/aij/all_products.hpp"
#include "kernels/petsc/base/device_work.hpp"
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

// Products of `rounded`; all else that tells values is that of `exact`.
class RoundedProducts final : public SpmvOperator<double> {
 public:
  using Operator = std::shared_ptr<const SpmvOperator<double>>;
  RoundedProducts(Operator rounded, Operator exact)
      : rounded_(std::move(rounded)), exact_(std::move(exact)) {}
  std::int64_t rows() const override { return rounded_->rows(); }
  std::int64_t columns() const override { return rounded_->columns(); }
  SpaceKind space() const override { return rounded_->space(); }
  Traffic traffic() const override { return rounded_->traffic(); }
  std::int64_t entries() const override { return rounded_->entries(); }
  double value_error() const override { return rounded_->value_error(); }
  void multiply(Queue queue, const double* x, const Output<double>& y) const override {
    rounded_->multiply(queue, x, y);
  }
  bool has_transpose() const override { return rounded_->has_transpose(); }
  void multiply_transposed(Queue queue, const double* x, const Output<double>& y) const override {
    rounded_->multiply_transposed(queue, x, y);
  }
  void multiply_several(Queue queue, const double* x, const Output<double>& y, int count) const override {
    rounded_->multiply_several(queue, x, y, count);
  }
  bool prepare_dot() const override { return rounded_->prepare_dot(); }
  bool multiply_with_dot(Queue queue, const double* x, double* y, double* dots) const override {
    return rounded_->multiply_with_dot(queue, x, y, dots);
  }
  Csr<double> to_csr() const override { return exact_->to_csr(); }
  Array<double> diagonal_blocks(int size) const override { return exact_->diagonal_blocks(size); }

 private:
  Operator rounded_, exact_;
};

// Throws FormatError for a value that V cannot hold.
template <class V>
void round_values(Array<double>& values, ValuePrecision precision) {
  bool well = true;
  for (std::int64_t i = 0; i < values.size(); ++i) {
    well = well && rounds_well<V>(values[i]);
    values[i] = static_cast<double>(rounded<V>(values[i]));
  }
  if (!well) throw_not_stored(precision);
}

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
  source.few_rows = parts.few_rows;
  source.csr = parts.csr;
  PetscInt block_size = 1;
  QUADRILLE_PETSC(MatGetBlockSize(owner, &block_size));
  FormatOptions of_format = options.of_format;
  of_format.block_size = to_index32(std::max<PetscInt>(block_size, 1), "rows of a block");
  try {
    auto made = make_operator(options.format, space, source, of_format);
    if (made->value_error() == 0) return made;
    return std::make_shared<const RoundedProducts>(std::move(made), exact_operator(parts));
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

std::shared_ptr<const SpmvOperator<double>> exact_operator(const LocalParts& parts) {
  FormatInput<double> source;
  source.hub = parts.hub;
  source.device_hub = parts.device_hub;
  source.csr = parts.csr;
  return make_operator(parts.hub ? TypeOptions{}.format : any_matrix,
                       parts.device_hub ? SpaceKind::cuda : SpaceKind::cpu, source, {});
}

void round_ghosts(const TypeOptions& options, LocalParts& parts) {
  const ValuePrecision precision = options.of_format.value_precision;
  if (precision == ValuePrecision::own || !parts.ghost || !is_the_hub(options.format)) return;
  auto ghost = std::make_shared<Csr<double>>(parts.device_ghost ? copy_to<Host>(*parts.device_ghost)
                                                                : copy_of(*parts.ghost));
  precision == ValuePrecision::fp32 ? round_values<float>(ghost->value, precision)
                                    : round_values<Bf16>(ghost->value, precision);
  if (parts.device_ghost) {
    log_copy(ghost->value.bytes(), false);
    log_copy(ghost->value.bytes(), true);
    parts.device_ghost = std::make_shared<const Csr<double, Device>>(copy_to<Device>(*ghost));
  } else {
    parts.ghost = std::move(ghost);
  }
}

}  // namespace quadrille::petsc
