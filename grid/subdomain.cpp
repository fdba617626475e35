#include "grid/subdomain.hpp"

#include "grid/partition.hpp"

namespace quadrille {

Planes owned_planes(std::int64_t planes, int ranks, int rank) {
  const std::vector<std::int64_t> cuts = even_cuts(planes, ranks);
  return {cuts[rank], cuts[rank + 1] - cuts[rank]};
}

}  // namespace quadrille
