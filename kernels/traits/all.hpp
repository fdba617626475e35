// Every format by name, in the order of the tables, and its description. Internal to kernels.
#pragma once

#include "kernels/format_traits.hpp"

#define QUADRILLE_FORMATS(X) \
  X(csr)                     \
  X(csc)                     \
  X(coo)                     \
  X(bcsr)                    \
  X(dia)                     \
  X(cds)                     \
  X(ell)                     \
  X(ellr_t)                  \
  X(rg_csr)                  \
  X(cmrs)                    \
  X(hyb)                     \
  X(compact)                 \
  X(stencil_table)

namespace quadrille {

#define QUADRILLE_DECLARE(name) FormatTraits name##_traits();
QUADRILLE_FORMATS(QUADRILLE_DECLARE)
#undef QUADRILLE_DECLARE

}  // namespace quadrille
