#include "kernels/multigrid/levels.hpp"

namespace quadrille::multigrid {

QUADRILLE_INSTANTIATE_LEVELS(double, OnHost, Host)

}  // namespace quadrille::multigrid
