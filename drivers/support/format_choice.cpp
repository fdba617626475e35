#include "drivers/support/format_choice.hpp"

#include <ostream>

#include "drivers/support/json.hpp"
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

ExtraField predicted_field(const MachineModel& machine, const Prediction& p) {
  const std::string name = std::string("predicted_") + to_string(machine.space);
  if (!p.refused.empty()) return {name, "null", ""};
  const auto term = [](const char* what, double value) {
    return std::string(", \"") + what + "\": " + json_number(value);
  };
  const ProductWork& w = p.work;
  return {name,
          "{\"machine\": " + json_string(machine.name) + term("ms", p.ms) +
              ", \"bytes_exact\": " + (p.bytes_exact ? "true" : "false") + term("set_up_ms", p.set_up_ms) +
              term("streamed_bytes", w.streamed_bytes) + term("gathered_bytes", w.gathered_bytes) +
              term("entries", w.entries) + term("steps", w.steps) + term("atomics", w.atomics) + "}",
          plain_number(p.ms)};
}

std::string to_json(const std::vector<MachineModel>& machines) {
  std::string text;
  for (const MachineModel& m : machines)
    text += (text.empty() ? "" : ", ") + json_string(to_string(m.space)) +
            ": {\"name\": " + json_string(m.name) + ", \"basis\": " + json_string(m.basis) + "}";
  return "{" + text + "}";
}

const Prediction* find_prediction(const std::vector<Prediction>& predictions, const std::string& format) {
  for (const Prediction& p : predictions)
    if (p.format == format) return &p;
  return nullptr;
}

void print_choice(std::ostream& out, const FormatChoice& choice) {
  for (const std::string& note : choice.notes) out << "note: " << note << "\n";
  out << explain(choice) << "\n";
}

}  // namespace quadrille
