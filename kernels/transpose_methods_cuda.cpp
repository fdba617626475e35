// The GPU's half of the ways to both products of CSR and CSC, in builds with CUDA.
#include "formats/csc.hpp"
#include "kernels/converted_operator.hpp"
#include "kernels/transpose_methods.hpp"

namespace quadrille {
namespace {

// Format: Csr<T, Device> or Csc<T, Device>.
template <class Format, class T>
class NaiveOperator final : public SpmvOperator<T> {
 public:
  explicit NaiveOperator(Format format) : format_(std::move(format)) {}

  std::int64_t rows() const override { return format_.rows; }
  std::int64_t columns() const override { return format_.columns; }
  SpaceKind space() const override { return SpaceKind::cuda; }
  Traffic traffic() const override { return quadrille::traffic(format_); }
  void apply(const T* x, T* y) const override { cuda::spmv_naive(format_, x, y); }
  bool has_transpose() const override { return true; }
  void apply_transpose(const T* x, T* y) const override { cuda::spmv_transpose_naive(format_, x, y); }
  Csr<T> to_csr() const override {
    if constexpr (std::is_same_v<Format, Csr<T, Device>>)
      return transfer<Host>(format_);
    else
      return quadrille::to_csr(transfer<Host>(format_));
  }

 private:
  Format format_;
};

template <class T, class Format>
std::unique_ptr<SpmvOperator<T>> naive(const Format& format) {
  auto on_device = transfer<Device>(format);
  return std::make_unique<NaiveOperator<decltype(on_device), T>>(std::move(on_device));
}

template <class T>
std::unique_ptr<SpmvOperator<T>> converted(const Csr<T>& given, bool given_is_transposed) {
  return std::make_unique<ConvertedOperator<T, Device>>(
      std::make_shared<const Csr<T, Device>>(transfer<Device>(given)), given_is_transposed);
}

}  // namespace

std::vector<FormatEntry> cuda_transpose_methods() {
  std::vector<FormatEntry> all;
  const auto add = [&](const char* name, const char* summary, const auto& make) {
    all.push_back({name, SpaceKind::cuda, false, summary, make, make});
  };
  add("csr_naive", "CSR, one thread a row (Steinberger et al. 2016)",
      []<class T>(const Source<T>& s, const FormatOptions&) { return naive<T>(*csr_of(s)); });
  add("csc_naive", "CSC, one thread a column (Steinberger et al. 2016)",
      []<class T>(const Source<T>& s, const FormatOptions&) { return naive<T>(csc_from_csr(*csr_of(s))); });
  add("csr_converted", "CSR, converted to CSC for A^T x",
      []<class T>(const Source<T>& s, const FormatOptions&) { return converted(*csr_of(s), false); });
  add("csc_converted", "CSC, converted to CSR for A x",
      []<class T>(const Source<T>& s, const FormatOptions&) {
        return converted(transposed(*csr_of(s)), true);
      });
  return all;
}

}  // namespace quadrille
