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
  if (!p.refused.empty()) return {name, nullptr, ""};
  const ProductWork& w = p.work;
  return {name,
          Json{{"machine", machine.name},
               {"ms", json_value(p.ms)},
               {"bytes_exact", p.bytes_exact},
               {"set_up_ms", json_value(p.set_up_ms)},
               {"streamed_bytes", json_value(w.streamed_bytes)},
               {"gathered_bytes", json_value(w.gathered_bytes)},
               {"entries", json_value(w.entries)},
               {"steps", json_value(w.steps)},
               {"atomics", json_value(w.atomics)}},
          plain_number(p.ms)};
}

Json to_json(const std::vector<MachineModel>& machines) {
  Json json = Json::object();
  for (const MachineModel& m : machines)
    json[to_string(m.space)] = Json{{"name", m.name}, {"basis", m.basis}};
  return json;
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
