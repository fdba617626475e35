#include "kernels/petsc/base/option_reader.hpp"

#include <charconv>
#include <set>
#include <string_view>

#include "kernels/petsc/base/petsc_error.hpp"

namespace quadrille::petsc {

std::optional<std::string> OptionReader::typed(const char* name) const {
  char text[256] = "";
  PetscBool given = PETSC_FALSE;
  QUADRILLE_PETSC(
      PetscOptionsGetString(database_, prefix_, (start_ + name).c_str(), text, sizeof text, &given));
  if (!given) return {};
  return std::string(text);
}

void OptionReader::refuse(const char* name, const std::string& typed, const std::string& why) const {
  throw PetscOptionError(start_ + name + (typed.empty() ? " without a value: " : " '" + typed + "': ") + why,
                         PETSC_ERR_USER_INPUT);
}

void OptionReader::text(const char* name, std::string& found, const char* what) {
  const std::string before = found;
  if (const std::optional<std::string> given = typed(name)) {
    if (given->empty()) refuse(name, *given, "give one");
    found = in_lower_case(*given);
  }
  note(name, found, before, what);
}

void OptionReader::number(const char* name, int least, int& found, const char* what) {
  constexpr int most = 1'000'000;
  const int before = found;
  if (const std::optional<std::string> given = typed(name)) {
    const char* const end = given->data() + given->size();
    const auto read = std::from_chars(given->data(), end, found);
    if (read.ec != std::errc() || read.ptr != end || found < least || found > most)
      refuse(name, *given, "give " + std::to_string(least) + " to " + std::to_string(most));
  }
  const auto shown = [&](int value) { return value < least ? "automatic" : std::to_string(value); };
  note(name, shown(found), shown(before), what);
}

void OptionReader::yes_or_no(const char* name, bool& found, const char* what) {
  constexpr std::string_view yes[] = {"", "true", "yes", "on", "1"}, no[] = {"false", "no", "off", "0"};
  const bool before = found;
  if (const std::optional<std::string> given = typed(name)) {
    const std::string word = in_lower_case(*given);
    found = std::find(std::begin(yes), std::end(yes), word) != std::end(yes);
    if (!found && std::find(std::begin(no), std::end(no), word) == std::end(no))
      refuse(name, *given, "give true or false");
  }
  note(name, found ? "true" : "false", before ? "true" : "false", what);
}

std::size_t OptionReader::place(const char* name, const char* const* words, std::size_t count,
                                std::size_t before) const {
  const std::optional<std::string> given = typed(name);
  if (!given) return before;
  const auto at = std::find(words, words + count, in_lower_case(*given));
  if (at != words + count) return static_cast<std::size_t>(at - words);
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += std::string(i == 0 ? "" : ", ") + words[i];
  refuse(name, *given, "choose one of " + all);
}

void OptionReader::list(MPI_Comm comm, const char* title) const {
  PetscBool asked = PETSC_FALSE;
  QUADRILLE_PETSC(PetscOptionsHasHelp(database_, &asked));
  static std::set<std::string> listed;
  const std::string dash = std::string("-") + (prefix_ != nullptr ? prefix_ : "");
  if (!asked || !listed.insert(dash + title).second) return;
  QUADRILLE_PETSC((*PetscHelpPrintf)(comm, "%s:\n", title));
  for (const Line& line : lines_)  // as PETSc's own are
    QUADRILLE_PETSC((*PetscHelpPrintf)(comm, "  %s%s: <now %s : formerly %s>: %s\n", dash.c_str(),
                                       line.name.c_str() + 1, line.now.c_str(), line.before.c_str(),
                                       line.what.c_str()));
}

}  // namespace quadrille::petsc
