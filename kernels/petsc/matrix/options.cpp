#include "kernels/petsc/matrix/options.hpp"

#include <algorithm>

#include "formats/format.hpp"
#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/matrix/operator.hpp"

namespace {

// Outside our namespace: PETSc's macros call its function PetscError by that name.
PetscErrorCode show_options(quadrille::petsc::OptionItems PetscOptionsObject,
                            const quadrille::petsc::TypeOptions& now, const std::string& formats) {
  char text[256];
  PetscBool value = PETSC_FALSE;
  PetscFunctionBeginUser;
  PetscOptionsHeadBegin(PetscOptionsObject, "Quadrille matrix options");
  PetscCall(PetscOptionsString("-mat_quadrille_format", formats.c_str(), "quadrille", now.format.c_str(),
                               text, sizeof text, nullptr));
  PetscCall(PetscOptionsString("-mat_quadrille_space", "Where products run: auto, cpu, cuda", "quadrille",
                               now.space.c_str(), text, sizeof text, nullptr));
  PetscCall(PetscOptionsString(
      "-mat_quadrille_value_precision", "Bits of the values in products of cds and compact: own, fp32, bf16",
      "quadrille", quadrille::to_string(now.of_format.value_precision), text, sizeof text, nullptr));
  PetscCall(PetscOptionsBool("-mat_quadrille_verify", "Compare a product with AIJ's at every assembly",
                             "quadrille", now.verify ? PETSC_TRUE : PETSC_FALSE, &value, nullptr));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(static_cast<PetscErrorCode>(0));
}

}  // namespace

namespace quadrille::petsc {

void declare_options(OptionItems items, const TypeOptions& now) {
  const std::string formats = "Storage format: auto, " + format_list();
  QUADRILLE_PETSC(show_options(items, now, formats));
}

void read_value_precision(OptionReader& read, FormatOptions& options) {
  constexpr std::array words{"own", "fp32", "bf16"};
  read.word("value_precision", words, options.value_precision);
}

bool takes_value_precision(const std::string& format) {
  const auto takes = [&](const FormatTraits& traits) {
    return traits.name == format &&
           std::find(traits.options.begin(), traits.options.end(), "value-precision") != traits.options.end();
  };
  return std::any_of(format_traits().begin(), format_traits().end(), takes);
}

void require_value_precision(ValuePrecision precision, const std::string& format) {
  if (precision == ValuePrecision::own || takes_value_precision(format)) return;
  std::string those;
  for (const FormatTraits& traits : format_traits())
    if (takes_value_precision(traits.name)) those += (those.empty() ? "" : " or ") + traits.name;
  throw FormatError(
      std::string("-mat_quadrille_value_precision ") + to_string(precision) + ": " +
      (format == "auto" ? "auto takes what is exact" : format + " keeps its values as they are") +
      "; -mat_quadrille_format " + those + " may round them");
}

void read_options(Mat matrix, TypeOptions& options) {
  const char* prefix = nullptr;
  PetscOptions database = nullptr;
  QUADRILLE_PETSC(MatGetOptionsPrefix(matrix, &prefix));
  QUADRILLE_PETSC(PetscObjectGetOptions(reinterpret_cast<PetscObject>(matrix), &database));
  OptionReader read(database, prefix, "-mat_quadrille_");
  if (read.typed("format")) {
    std::string format;
    read.text("format", format);
    options.format_auto = format == "auto";
    if (!options.format_auto) options.format = format;
    options.format_given = true;
  }
  read.text("space", options.space);
  read_value_precision(read, options.of_format);
  require_value_precision(options.of_format.value_precision, options.format_auto ? "auto" : options.format);
  read.yes_or_no("verify", options.verify);
  if (options.space != "auto" && options.space != "cpu" && options.space != "cuda")
    throw FormatError("-mat_quadrille_space " + options.space + ": there are auto, cpu and cuda");
}

}  // namespace quadrille::petsc
