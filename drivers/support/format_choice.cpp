#include "drivers/support/format_choice.hpp"

#include <ostream>

#include "revision.hpp"

namespace quadrille {

ChoiceWishes wishes_of(const Options& options) {
  ChoiceWishes wishes;
  wishes.format_options = options.format_options;
  wishes.product = {options.product.transposed, options.product.vectors};
  if (options.space != "auto") wishes.space = options.space == "cuda" ? SpaceKind::cuda : SpaceKind::cpu;
  wishes.device = options.device;
  wishes.measure = options.tune;
  wishes.again = options.retune;
  wishes.version = QUADRILLE_REVISION;
  return wishes;
}

void print_choice(std::ostream& out, const FormatChoice& choice) {
  for (const std::string& note : choice.notes) out << "note: " << note << "\n";
  out << explain(choice) << "\n";
}

}  // namespace quadrille
