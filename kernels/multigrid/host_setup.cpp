#include "kernels/multigrid/on_host.hpp"
#include "kernels/multigrid/parts.hpp"

namespace quadrille::multigrid {

QUADRILLE_SETUP(, OnHost, Host)

}  // namespace quadrille::multigrid
