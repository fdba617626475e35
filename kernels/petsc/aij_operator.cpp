#include "kernels/petsc/aij_operator.hpp"

#include <utility>

#include "kernels/petsc/aij_matrix.hpp"

namespace quadrille::petsc {
namespace {

class AijOperator final : public SpmvOperator<double> {
 public:
  explicit AijOperator(std::shared_ptr<const Csr<double>> csr) : csr_(std::move(csr)), matrix_(*csr_) {}

  std::int64_t rows() const override { return csr_->rows; }
  std::int64_t columns() const override { return csr_->columns; }
  SpaceKind space() const override { return SpaceKind::cpu; }
  Traffic traffic() const override { return quadrille::traffic(*csr_); }
  void apply(const double* x, double* y) const override { matrix_.multiply(x, y); }
  bool has_transpose() const override { return true; }
  void apply_transpose(const double* x, double* y) const override { matrix_.multiply_transpose(x, y); }
  Csr<double> to_csr() const override { return transfer<Host>(*csr_); }

 private:
  std::shared_ptr<const Csr<double>> csr_;
  AijMatrix matrix_;
};

}  // namespace

std::unique_ptr<SpmvOperator<double>> make_aij_operator(std::shared_ptr<const Csr<double>> csr) {
  return std::make_unique<AijOperator>(std::move(csr));
}

}  // namespace quadrille::petsc
