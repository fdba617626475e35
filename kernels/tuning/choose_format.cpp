#include "kernels/tuning/choose_format.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>

#include "kernels/cpu/machine.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/tuning/fingerprint.hpp"
#include "kernels/tuning/measure_formats.hpp"

namespace quadrille {
namespace {

// The parameters that change what a format is.
std::string options_text(const FormatOptions& o) {
  return "kernel=" + std::to_string(static_cast<int>(o.kernel)) + "," +
         std::to_string(static_cast<int>(o.x_cache)) + " block=" + std::to_string(o.block_size) +
         " csr=" + std::to_string(o.csr_lanes) + " ellr_t=" + std::to_string(o.ellr_t_threads) + "," +
         std::to_string(o.ellr_t_block) + "," + std::to_string(static_cast<int>(o.ellr_t_model)) +
         " rg_csr=" + std::to_string(o.rg_csr_group) + "," +
         std::to_string(static_cast<int>(o.rg_csr_ordering)) + "," + std::to_string(o.rg_csr_threads) +
         " cmrs=" + std::to_string(o.cmrs_height) + "," + std::to_string(o.cmrs_reorder ? 1 : 0) + "," +
         std::to_string(o.cmrs_block) + "," + std::to_string(o.cmrs_aligned ? 1 : 0) + "," +
         std::to_string(static_cast<int>(o.cmrs_split)) + " products=" + std::to_string(o.products) +
         (o.by_fill ? " by_fill" : "") + (o.few_rows ? " few_rows" : "");
}

std::string product_text(const Product& product) {
  return product.transposed ? "transposed" : std::to_string(product.vectors) + " vectors";
}

template <class T>
std::string cache_key(const FormatInput<T>& source, const ChoiceWishes& wishes, const FormatChoice& choice) {
  const bool gpu = choice.machine.space == SpaceKind::cuda;
  const std::string machine =
      gpu ? choice.machine.name : cpu::name() + ", " + std::to_string(choice.machine.threads) + " threads";
  return machine + "|" + wishes.version + "|" + (sizeof(T) == 8 ? "fp64" : "fp32") + "|" +
         product_text(wishes.product) + "|" + options_text(wishes.format_options) + "|" +
         fingerprint(source, choice.sparsity);
}

// Puts `format` first among the entries, or does nothing where it is not there.
void prefer(const std::string& format, FormatChoice& choice) {
  const auto at = std::find_if(choice.entries.begin(), choice.entries.end(), [&](const FormatEntry* entry) {
    return entry->name == format && entry->space == choice.machine.space;
  });
  if (at != choice.entries.end()) std::rotate(choice.entries.begin(), at, at + 1);
}

template <class T>
void predict_in(SpaceKind space, const ChoiceWishes& wishes, FormatChoice& choice) {
  MachineModel machine = space == SpaceKind::cuda ? gpu_model(wishes.device)
                         : wishes.cpu             ? *wishes.cpu
                                                  : cpu_model();
  std::vector<Prediction> predictions =
      ranked(predict(choice.sparsity, machine, wishes.format_options, wishes.product));
  std::erase_if(predictions, [&](const Prediction& p) {
    const FormatTraits& format = find_format(p.format);
    return !has_format(p.format, space) ||
           (wishes.values_change && format.follows_values && !format.follows_fill);
  });
  for (const Prediction& p : predictions) choice.entries.push_back(&find_format(p.format, space));
  if (predictions.empty() || !choice.predictions.empty()) return;
  choice.predictions = std::move(predictions);
  choice.machine = std::move(machine);
  choice.ms = choice.predictions.front().ms;
}

std::int64_t now_s() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

template <class T>
void measure_best(const FormatInput<T>& source, const ChoiceWishes& wishes, const std::vector<T>* given_x,
                  const ProductCheckFunction<T>& given_check, FormatChoice& choice) {
  std::vector<const FormatEntry*> few;
  for (const Prediction& p : choice.predictions)
    if (static_cast<int>(few.size()) < wishes.most_measured &&
        p.ms <= wishes.within * choice.predictions.front().ms)
      few.push_back(&find_format(p.format, p.space));
  const std::int64_t size = wishes.product.transposed ? choice.sparsity.rows : choice.sparsity.columns;
  const std::vector<T> own_x = given_x ? std::vector<T>{} : random_vectors<T>(size, wishes.product.vectors);
  const std::vector<T>& x = given_x ? *given_x : own_x;
  const ProductCheckFunction<T> check = given_check ? given_check : own_check(source, wishes.product, x);
  if (!check) {
    choice.notes.push_back("nothing is measured, for the product of this operator cannot be checked here");
    return;
  }
  choice.measured = measure_formats(source, few, wishes, x, check);
  for (const MeasuredFormat& m : choice.measured)
    if (!m.refused.empty()) choice.notes.push_back(m.refused);
  if (choice.measured.empty() || !choice.measured.front().refused.empty()) return;
  choice.basis = ChoiceBasis::measured;
  choice.ms = choice.measured.front().ms;
  prefer(choice.measured.front().format, choice);
}

std::string milliseconds(double ms) {
  char text[32];
  std::snprintf(text, sizeof text, ms < 0.1 ? "%.4f ms" : ms < 10 ? "%.3f ms" : "%.1f ms", ms);
  return text;
}

std::string date_of(std::int64_t when_s) {
  const std::time_t when = static_cast<std::time_t>(when_s);
  std::tm parts{};
  char text[32] = "an unknown day";
  if (gmtime_r(&when, &parts) != nullptr) std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

}  // namespace

std::string ChoiceWishes::library_version() {
  return QUADRILLE_VERSION;
}

template <class T>
FormatChoice choose_format(const FormatInput<T>& source, const ChoiceWishes& given,
                           const BlockStructure* structure, const std::vector<T>* x,
                           const ProductCheckFunction<T>& check) {
  ChoiceWishes wishes = given;
  wishes.format_options.of_transpose = wishes.product.transposed;
  wishes.format_options.by_fill = wishes.values_change;
  FormatChoice choice;
  choice.products = wishes.format_options.products;
  choice.sparsity = sparsity_of(source, wishes.format_options, structure, !wishes.values_change);
  const bool gpu = cuda::device_count() > 0;
  if (wishes.space != SpaceKind::cpu && gpu) predict_in<T>(SpaceKind::cuda, wishes, choice);
  if (wishes.space != SpaceKind::cuda && (source.csr || source.hub || source.few_rows))
    predict_in<T>(SpaceKind::cpu, wishes, choice);
  if (choice.entries.empty()) throw FormatError("no format can hold this operator here");

  ChoiceCache cache(wishes.cache_folder);
  const bool named =
      !cache.path().empty() && !wishes.format_options.rg_csr_order;  // an order of rows is no name
  const std::string key = named ? cache_key(source, wishes, choice) : "";
  if (named && wishes.again) cache.forget(key);
  if (const std::optional<RememberedChoice> known = named ? cache.find(key) : std::nullopt;
      known && std::any_of(choice.entries.begin(), choice.entries.end(), [&](const FormatEntry* entry) {
        return entry->name == known->format && to_string(entry->space) == known->space;
      })) {
    choice.basis = ChoiceBasis::remembered;
    choice.ms = known->ms;
    choice.remembered_when_s = known->when_s;
    prefer(known->format, choice);
  } else if (wishes.measure || wishes.again) {
    measure_best(source, wishes, x, check, choice);
    if (named && choice.basis == ChoiceBasis::measured)
      cache.remember(key, {choice.best().name, to_string(choice.machine.space), choice.ms, now_s()});
  }
  for (std::string& note : cache.take_notes()) choice.notes.push_back(std::move(note));
  return choice;
}

std::int64_t csr_bytes_of(const FormatChoice& choice) {
  return csr_bytes(choice.sparsity.rows, choice.sparsity.nnz, choice.sparsity.value_bytes);
}

bool csr_is_smaller(const FormatChoice& choice) {
  return std::all_of(choice.predictions.begin(), choice.predictions.end(),
                     [&](const Prediction& p) { return p.traffic.stored_bytes > csr_bytes_of(choice); });
}

std::string explain(const FormatChoice& choice) {
  std::string text = "auto: " + choice.best().name + " on " + to_string(choice.best().space);
  if (choice.products > 0)
    text += " for " + std::to_string(choice.products) + (choice.products == 1 ? " product" : " products");
  if (choice.basis == ChoiceBasis::predicted) {
    text += ", predicted " + milliseconds(choice.ms) + " on " + choice.machine.name;
    if (choice.predictions.size() > 1)
      text += ", next " + choice.predictions[1].format + " " + milliseconds(choice.predictions[1].ms);
    return text;
  }
  if (choice.basis == ChoiceBasis::remembered)
    return text + ", remembered from " + date_of(choice.remembered_when_s) + ", when it took " +
           milliseconds(choice.ms) + " on " + choice.machine.name;
  text += ", measured " + milliseconds(choice.ms);
  for (std::size_t i = 1; i < choice.measured.size(); ++i)
    if (choice.measured[i].refused.empty())
      text +=
          (i == 1 ? ", next " : ", ") + choice.measured[i].format + " " + milliseconds(choice.measured[i].ms);
  return text;
}

#define QUADRILLE_INSTANTIATE(T)                                                                         \
  template FormatChoice choose_format(const FormatInput<T>&, const ChoiceWishes&, const BlockStructure*, \
                                      const std::vector<T>*, const ProductCheckFunction<T>&);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
