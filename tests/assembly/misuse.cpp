// What is no coefficient functor, and what the compiler says of it: CTest compiles this for each MISUSE, and
// without one, where it is right (CMakeLists.txt has what is expected).
#include <vector>

#include "assembly/stencil_operator.hpp"
#include "kernels/registry.hpp"

namespace quadrille {

struct Good {
  double source_scale = 1;
  constexpr double operator()(const StencilNode&, const StencilNeighbour&, int, int) const { return 1; }
  constexpr double source(const StencilNode&, int) const { return source_scale; }
  constexpr double conductivity(const StencilNode&, int, int) const { return 2; }
};

struct Owning : Good {
  std::vector<double> values;
};

struct ByIndex {
  double operator()(std::int64_t node, std::int64_t neighbour) const { return node == neighbour ? 4 : -1; }
};

struct OldSource : Good {
  double source(const StencilNode&) const { return 1; }
};

struct OldConductivity : Good {
  double conductivity(const StencilNode&) const { return 1; }
};

struct NotLinear {
  constexpr auto operator()(const auto& u, int r) const { return u(r) * u(r); }
};

template <class T, class Coefficient>
void use(const Coefficient& coefficient, const Grid& grid = {}) {
  const Stencil stencil = star_stencil(2, 1);
  const Boundary boundary;
  assemble<T>(grid, stencil, boundary, coefficient);
}

void misuse() {
#if !defined(MISUSE)
  use<double>(Good{});
  use<float>(Good{});
#elif MISUSE == 1
  use<double>(Owning{});
#elif MISUSE == 2
  use<double>(ByIndex{});
#elif MISUSE == 3
  use<double>(OldSource{});
#elif MISUSE == 4
  use<double>(OldConductivity{});
#elif MISUSE == 5
  use<int>(Good{});
#elif MISUSE == 6
  FormatInput<int> input;
  (void)input;
#elif MISUSE == 7
  use<double>(NotLinear{});
#endif
}

}  // namespace quadrille
