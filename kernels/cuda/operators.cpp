#include "kernels/cuda/operators.hpp"

#include <utility>

#include "formats/cds.hpp"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {
namespace {

// CDS in device memory, with the hub's structure on the host.
class CdsOperator final : public SpmvOperator<double> {
 public:
  explicit CdsOperator(BlockDiagonals<double, Device> blocks) : blocks_(std::move(blocks)) {}

  std::int64_t rows() const override { return blocks_.rows(); }
  std::int64_t columns() const override { return blocks_.rows(); }
  SpaceKind space() const override { return SpaceKind::cuda; }
  Traffic traffic() const override { return quadrille::traffic(blocks_); }
  void apply(const double* x, double* y) const override { spmv(blocks_, x, y); }
  Csr<double> to_csr() const override {
    BlockDiagonals<double> host;
    static_cast<BlockStructure&>(host) = blocks_;
    host.values = to_host(blocks_.values);
    return quadrille::to_csr(host);
  }

 private:
  BlockDiagonals<double, Device> blocks_;
};

std::unique_ptr<SpmvOperator<double>> make_cds(const Source<double>& source, const FormatOptions& options) {
  if (source.hub) return std::make_unique<CdsOperator>(to_device(*source.hub));
  return std::make_unique<CdsOperator>(to_device(block_diagonals_from_csr(*source.csr, options.block_size)));
}

}  // namespace

std::vector<FormatEntry> formats() {
  return {{"cds", SpaceKind::cuda, false, "column diagonal storage (Godwin et al. 2012)", make_cds, nullptr}};
}

}  // namespace quadrille::cuda
