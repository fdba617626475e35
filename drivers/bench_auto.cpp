// `quadrille bench auto`: what --format auto chooses, by prediction and by --tune, against every format
// measured.
//
// The times that are compared are of products queued one after the other, as in a solver, and medians over
// rounds in which the formats of one operator take turns (of operators below 256 MiB): between single
// products, and between lines measured one after the other, a GPU varies more than good formats of a small
// matrix differ. ms_median is that of single ones.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>

#include "drivers/bench.hpp"
#include "drivers/support/cells.hpp"
#include "drivers/support/format_choice.hpp"
#include "drivers/support/json.hpp"
#include "drivers/support/operator_sweep.hpp"
#include "drivers/support/set_summary.hpp"
#include "kernels/tuning/measure_formats.hpp"

namespace quadrille {
namespace {

struct Pick {
  std::string format;  // empty for none
  double ms = 0;
};

// What came out for one operator.
struct Outcome {
  std::string name, precision;
  std::int64_t rows = 0, nnz = 0;
  Pick best, chosen, tuned,
      peer;  // of our own formats the fastest, the predicted, the tuned; the fastest peer
};

// Formats that bench auto looks at: all of ours, and of the peers those that any matrix has.
bool takes_part(const FormatEntry& entry, SpaceKind space) {
  if (entry.space != space) return false;
  return !entry.peer || entry.name == "cusparse_csr" || entry.name == "cusparse_sell" ||
         entry.name == "petsc_aij";
}

class AutoBench {
 public:
  explicit AutoBench(const Options& options) : options_(options), sweep_(options, "auto") {}

  BenchResult operator()() {
    sweep_([this](auto& formats, const Options& here) { visit(formats, here); });
    if (!options_.quiet) print();
    BenchResult result = sweep_.result();
    result.summary = summary_json();
    return result;
  }

 private:
  template <class T>
  void visit(FormatRun<T>& formats, const Options& here) {
    const std::vector<const FormatEntry*> named = bench_entries(here);
    const bool gpu = std::any_of(named.begin(), named.end(),
                                 [](const FormatEntry* e) { return e->space == SpaceKind::cuda; });
    ChoiceWishes wishes = wishes_of(here);
    wishes.space = gpu ? SpaceKind::cuda : SpaceKind::cpu;
    wishes.measure = true;
    wishes.cache_folder.clear();
    const auto check = [&](const T* y) { return formats.reference().compare(y).error_over_bound; };
    sweep_.say("choosing");
    const FormatChoice choice =
        choose_format<T>(formats.loaded().source, wishes, &formats.loaded().structure, &formats.x(), check);
    machines_ = {choice.machine};

    std::vector<Record> records;
    std::vector<const FormatEntry*> passed;
    for (const FormatEntry* entry : named) {
      if (!takes_part(*entry, *wishes.space)) continue;
      sweep_.say(entry->name + " on " + to_string(entry->space));
      records.push_back(formats.measure(*entry));
      const Record& record = records.back();
      if (record.error_over_bound && *record.error_over_bound <= 1) passed.push_back(entry);
    }
    sweep_.say("in turns");
    const std::vector<MeasuredFormat> turns =
        measure_formats<T>(formats.loaded().source, passed, wishes, formats.x(), check);
    add(std::move(records), passed, turns, choice);
  }

  void add(std::vector<Record> records, const std::vector<const FormatEntry*>& passed,
           const std::vector<MeasuredFormat>& turns, const FormatChoice& choice) {
    if (records.empty()) return;
    Outcome outcome{records.front().matrix,
                    records.front().precision,
                    records.front().rows,
                    records.front().nnz,
                    {},
                    {},
                    {},
                    {}};
    const std::string chosen = choice.predictions.front().format, tuned = choice.best().name;
    for (const MeasuredFormat& turn : turns) {  // the fastest first
      if (!turn.refused.empty()) continue;
      const auto entry = std::find_if(passed.begin(), passed.end(),
                                      [&](const FormatEntry* e) { return e->name == turn.format; });
      Pick& fastest = (*entry)->peer ? outcome.peer : outcome.best;
      if (fastest.format.empty()) fastest = {turn.format, turn.ms};
      if (turn.format == chosen) outcome.chosen = {turn.format, turn.ms};
      if (turn.format == tuned) outcome.tuned = {turn.format, turn.ms};
      times_[outcome.precision].push_back({outcome.name, turn.format, turn.ms});
    }
    for (Record& record : records) {
      const auto turn = std::find_if(turns.begin(), turns.end(), [&](const MeasuredFormat& m) {
        return m.format == record.format && m.refused.empty();
      });
      record.extra.push_back(turn == turns.end() ? ExtraField{"ms_in_turns", nullptr, ""}
                                                 : extra_field("ms_in_turns", turn->ms));
      for (const auto& [name, format] : {std::pair{"chosen", chosen}, {"tuned", tuned}})
        record.extra.push_back({name, format == record.format, CsvCell{}(format == record.format)});
      const Prediction* p = find_prediction(choice.predictions, record.format);
      record.extra.push_back(
          p != nullptr
              ? predicted_field(choice.machine, *p)
              : ExtraField{std::string("predicted_") + to_string(choice.machine.space), nullptr, ""});
      sweep_.add(std::move(record));
    }
    for (const auto& [way, pick] : {std::pair{"auto", outcome.chosen}, {"auto --tune", outcome.tuned}})
      if (!pick.format.empty()) times_[outcome.precision].push_back({outcome.name, way, pick.ms});
    if (!outcome.best.format.empty() && !outcome.chosen.format.empty())
      outcomes_.push_back(std::move(outcome));
  }

  // Of one precision, what a way to choose gave: ratios of its times.
  struct Quality {
    int operators = 0, within = 0, with_peer = 0, as_fast_as_peer = 0;
    double log_sum = 0, matching_sum = 0, worst = 1;
    std::string worst_name;

    void add(const Outcome& o, const Pick& pick) {
      const double ratio = pick.ms / o.best.ms;
      ++operators;
      within += ratio <= 1.05;
      log_sum += std::log(ratio);
      matching_sum += 1 / ratio;
      if (ratio >= worst) worst = ratio, worst_name = o.name + ": " + pick.format + " for " + o.best.format;
      if (o.peer.format.empty()) return;
      ++with_peer;
      as_fast_as_peer += pick.ms <= o.peer.ms;
    }
    double share(int count) const { return operators == 0 ? 0 : static_cast<double>(count) / operators; }
    double mean() const { return operators == 0 ? 1 : std::exp(log_sum / operators); }
    double matching() const { return operators == 0 ? 1 : matching_sum / operators; }
    double peer_share() const {
      return with_peer == 0 ? 0 : static_cast<double>(as_fast_as_peer) / with_peer;
    }
  };

  Quality quality(const std::string& precision, Pick Outcome::*pick) const {
    Quality q;
    for (const Outcome& o : outcomes_)
      if (o.precision == precision && !(o.*pick).format.empty()) q.add(o, o.*pick);
    return q;
  }

  std::vector<std::string> precisions() const {
    std::vector<std::string> names;
    for (const Outcome& o : outcomes_)
      if (std::find(names.begin(), names.end(), o.precision) == names.end()) names.push_back(o.precision);
    return names;
  }

  static constexpr std::pair<const char*, Pick Outcome::*> ways[] = {
      {"predicted", &Outcome::chosen}, {"tuned", &Outcome::tuned}, {"best", &Outcome::best}};

  void print() const {
    for (const std::string& precision : precisions()) {
      std::printf("\nauto, %s\n%-24s %10s %10s  %-8s %9s  %-8s %7s  %-8s %7s  %-13s %9s\n", precision.c_str(),
                  "operator", "rows", "non-zeros", "best", "ms", "chosen", "/best", "tuned", "/best", "peer",
                  "best/peer");
      for (const Outcome& o : outcomes_) {
        if (o.precision != precision) continue;
        std::printf("%-24.24s %10lld %10lld  %-8s %9.4f  %-8s %7.3f  %-8s %7.3f  %-13s", o.name.c_str(),
                    static_cast<long long>(o.rows), static_cast<long long>(o.nnz), o.best.format.c_str(),
                    o.best.ms, o.chosen.format.c_str(), o.chosen.ms / o.best.ms, o.tuned.format.c_str(),
                    o.tuned.format.empty() ? 0.0 : o.tuned.ms / o.best.ms, o.peer.format.c_str());
        if (o.peer.format.empty())
          std::printf("\n");
        else
          std::printf(" %9.3f\n", o.best.ms / o.peer.ms);
      }
      for (const auto& [name, pick] : ways) {
        const Quality q = quality(precision, pick);
        std::printf(
            "%-9s %d operators: within 1.05 of the best on %.1f %%, mean %.3f of the best's time, matching "
            "%.1f %%, "
            "worst %.3f (%s)",
            name, q.operators, 100 * q.share(q.within), q.mean(), 100 * q.matching(), q.worst,
            q.worst_name.c_str());
        if (q.with_peer > 0) std::printf("; as fast as the fastest peer on %.1f %%", 100 * q.peer_share());
        std::printf("\n");
      }
    }
    if (!machines_.empty()) std::printf("Predictions rest on %s.\n", machines_.front().basis.c_str());
    std::fflush(stdout);
  }

  static Json to_json(const Quality& q) {
    return Json{{"operators", q.operators},
                {"within_5_percent", json_value(q.share(q.within))},
                {"mean_ratio", json_value(q.mean())},
                {"matching", json_value(q.matching())},
                {"worst_ratio", json_value(q.worst)},
                {"worst", q.worst_name},
                {"as_fast_as_peer", q.with_peer > 0 ? json_value(q.peer_share()) : Json()}};
  }

  static Json to_json(const Pick& pick) {
    if (pick.format.empty()) return nullptr;
    return Json{{"format", pick.format}, {"ms", json_value(pick.ms)}};
  }

  static Json to_json(const Outcome& o) {
    return Json{{"matrix", o.name},
                {"rows", o.rows},
                {"nnz", o.nnz},
                {"best", to_json(o.best)},
                {"chosen", to_json(o.chosen)},
                {"tuned", to_json(o.tuned)},
                {"peer", to_json(o.peer)}};
  }

  // For each precision the common summary over the set, with the two choices as methods, and the members
  // "machine", "choices", "predicted", "tuned" and "best" beside.
  Json summary_json() const {
    Json all = Json::array();
    for (const std::string& precision : precisions()) {
      Json json = quadrille::to_json(summarize(precision, times_.at(precision), "csr"));
      json["machine"] = quadrille::to_json(machines_);
      json["choices"] = Json::array();
      for (const Outcome& o : outcomes_)
        if (o.precision == precision) json["choices"].push_back(to_json(o));
      for (const auto& [name, pick] : ways) json[name] = to_json(quality(precision, pick));
      all.push_back(std::move(json));
    }
    return all;
  }

  const Options& options_;
  OperatorSweep sweep_;
  std::vector<Outcome> outcomes_;
  std::map<std::string, std::vector<MethodTime>> times_;  // by precision
  std::vector<MachineModel> machines_;
};

}  // namespace

BenchResult bench_auto(const Options& options) {
  return AutoBench(options)();
}

}  // namespace quadrille
