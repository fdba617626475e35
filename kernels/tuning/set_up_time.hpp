// What comes before the first product of a format, predicted: the conversion on the host, and on the GPU the
// plan that shares out the segments among the blocks (kernels/segment_plan.hpp) and the copy. A pure function
// of the operator's statistics.
//
//   ms = converted / conversion speed + copied / copy speed + 2 gathered / speed of memory + look + plan
//   plan = fixed + segments * time of a segment
//
// where
//   converted   bytes that the conversion reads and writes. A matrix comes as CSR, an operator on a grid as
//               CDS, from which its CSR and DIA are made; the other formats are made from CSR
//   copied      bytes of the format, for the GPU; none of CDS and DIA that are assembled there
//   gathered    in place of both, of compact by the fill from CDS in GPU memory
//   look        fixed, where that looks at values: the host decides by what the GPU found
//   segments       of formats with a plan: rows of CSR and BCSR, columns of CSC, strips of CMRS
//
// The speeds are those of machine_model.cpp. Of N products each then takes ms / N longer.
#pragma once

#include <string>

#include "kernels/registry.hpp"
#include "kernels/tuning/machine_model.hpp"
#include "kernels/tuning/sparsity.hpp"

namespace quadrille {

struct SetUpWork {
  double converted_bytes = 0, copied_bytes = 0, planned_segments = 0;
  double gathered_bytes = 0;  // read and written on the GPU, at half the speed of its memory
  bool planned = false, looks = false;
};

// For products of this kind.
SetUpWork set_up_work(const FormatTraits& format, const Sparsity& sparsity, const Traffic& traffic,
                      int products, bool transposed, SpaceKind space);
// Whether this product adds up segments of a compressed format, rather than to scatter them.
bool gathers_segments(const FormatTraits& format, bool transposed);
// The time of that work, in ms.
double set_up_ms(const SetUpWork& work, const MachineModel& machine);

// What a product that gathers takes longer without a plan, in ms: a warp has a segment to itself that a plan
// would share out.
double without_plan_ms(std::int64_t longest_segment);

// Whether CSR (CSC) gets a plan in GPU memory: for many products (0) always, for a number of them where it
// saves more time than it takes. Products that scatter, A^T x of CSR and A x of CSC, can do without.
bool plan_pays(std::int64_t segments, std::int64_t longest_segment, bool gathers, int products);
// The same of the segments ptr[i] .. ptr[i+1] - 1.
bool plan_pays(const Array<std::int32_t>& ptr, bool gathers, int products);

}  // namespace quadrille
