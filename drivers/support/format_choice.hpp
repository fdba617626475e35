// --format auto: what the options ask of the choice, and how it is told.
#pragma once

#include <iosfwd>

#include "drivers/support/options.hpp"
#include "drivers/support/report.hpp"
#include "kernels/tuning/choose_format.hpp"

namespace quadrille {

// What is remembered belongs to this commit.
ChoiceWishes wishes_of(const Options& options);

// "predicted_<space>" of a record: machine, ms (with the product's part of the set-up where products are
// counted), set-up and what the time of the product is made of; the ms alone in CSV. null where the format is
// refused.
ExtraField predicted_field(const MachineModel& machine, const Prediction& prediction);

// {"gpu": {"name": ..., "basis": ...}, "cpu": {...}}: what predictions rest on.
Json to_json(const std::vector<MachineModel>& machines);

// The prediction for a format; null where there is none.
const Prediction* find_prediction(const std::vector<Prediction>& predictions, const std::string& format);

// One line, and one for each note.
void print_choice(std::ostream& out, const FormatChoice& choice);

}  // namespace quadrille
