// Which kernel of the GPU multiplies by a format, and how it reads x.
#pragma once

namespace quadrille {

// Ours, or the one that the format's paper describes, to measure the paper's claims with: csr and csc
// (Steinberger et al. 2016), cds (Godwin et al. 2012), ellr_t (Vazquez et al. 2011), rg_csr (Oberhuber et al.
// 2010), cmrs (Koza et al. 2012). The other formats have one kernel.
enum class Kernel { ours, paper };

// How the papers' kernels read x: through the read-only path, which was the texture cache of their GPUs and
// is a part of L1 today; through L1 like other data; or past it, from L2.
enum class CachePath { read_only, l1, l2 };

}  // namespace quadrille
