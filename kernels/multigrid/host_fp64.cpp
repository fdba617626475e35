#include "kernels/multigrid/levels.hpp"

namespace quadrille::multigrid {

QUADRILLE_SETUP(extern, OnHost, Host)

QUADRILLE_INSTANTIATE_LEVELS(double, OnHost, Host)

}  // namespace quadrille::multigrid
