#include "kernels/gather_sum.hpp"

#include "formats/format.hpp"

namespace quadrille {
namespace {

// The place of an entry, or -1.
struct PlaceOf {
  std::span<const std::int64_t> place;
  std::int64_t first, places;
  std::int64_t operator()(std::size_t i) const {
    const std::int64_t p = place[i] - first;
    return place[i] >= 0 && p >= 0 && p < places ? p : -1;
  }
};

}  // namespace

GatherSum<> plan_gather_sum(std::int64_t columns, std::int64_t rows, std::span<const std::int64_t> place,
                            std::int64_t first) {
  to_index32(static_cast<std::int64_t>(place.size()), "entries by coordinates of one rank");
  const PlaceOf place_of{place, first, checked_product(columns, rows, "places of entries by coordinates")};
  GatherSum<> g{columns, rows, {}, Array<std::int32_t>(place_of.places, -1)};
  bool several = false;
  for (std::size_t i = 0; i < place.size() && !several; ++i) {
    const std::int64_t p = place_of(i);
    if (p < 0) continue;
    several = g.entry[p] >= 0;
    g.entry[p] = static_cast<std::int32_t>(i);
  }
  if (!several) return g;

  // Counts, sums of them, and the entries in their order; begin[p] ends as the end of place p.
  g.entry = {};
  Array<std::int32_t> end(place_of.places + 1, 0);
  for (std::size_t i = 0; i < place.size(); ++i)
    if (const std::int64_t p = place_of(i); p >= 0) ++end[p + 1];
  for (std::int64_t p = 0; p < place_of.places; ++p) end[p + 1] += end[p];
  g.entry = Array<std::int32_t>(end[place_of.places]);
  for (std::size_t i = 0; i < place.size(); ++i)
    if (const std::int64_t p = place_of(i); p >= 0) g.entry[end[p]++] = static_cast<std::int32_t>(i);
  for (std::int64_t p = place_of.places; p > 0; --p) end[p] = end[p - 1];
  end[0] = 0;
  g.begin = std::move(end);
  return g;
}

}  // namespace quadrille
