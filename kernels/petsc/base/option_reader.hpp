// Options of ours among PETSc's, with the prefix of what they are for. Words are taken in any case, as PETSc
// takes those of its enumerations; what cannot be is refused by a PetscOptionError that has the option and
// what was typed. Internal to kernels/petsc.
#pragma once

#include <petscsys.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/petsc/base/check.hpp"

namespace quadrille::petsc {

inline std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

class OptionReader {
 public:
  // All names begin with `start`: "-pc_quadrille_mg_".
  OptionReader(PetscOptions database, const char* prefix, std::string start)
      : database_(database), prefix_(prefix), start_(std::move(start)) {}

  // What was typed, which is empty where nothing was; none where the option is not given.
  std::optional<std::string> typed(const char* name) const;

  // Below, `found` stays where the option is not given, and `what` is for -help.

  void text(const char* name, std::string& found, const char* what = "");
  // Zero stands for none, which cannot be given.
  void number(const char* name, int least, int& found, const char* what = "");
  // Yes where nothing follows it.
  void yes_or_no(const char* name, bool& found, const char* what = "");
  // One of the words, whose places are those of the enumeration.
  template <class Kind, std::size_t count>
  void word(const char* name, const std::array<const char*, count>& words, Kind& found,
            const char* what = "") {
    const auto before = static_cast<std::size_t>(found), now = place(name, words.data(), count, before);
    found = static_cast<Kind>(now);
    note(name, words[now], words[before], what);
  }

  // Prints what was read where -help was asked for: the values, the ones without options, and `what`. Once
  // for a prefix, as PETSc's own lists.
  void list(MPI_Comm comm, const char* title) const;

 private:
  struct Line {
    std::string name, now, before, what;
  };
  std::size_t place(const char* name, const char* const* words, std::size_t count, std::size_t before) const;
  void note(const char* name, std::string now, std::string before, const char* what) {
    lines_.push_back({start_ + name, std::move(now), std::move(before), what});
  }
  [[noreturn]] void refuse(const char* name, const std::string& typed, const std::string& why) const;

  PetscOptions database_;
  const char* prefix_;
  std::string start_;
  std::vector<Line> lines_;
};

}  // namespace quadrille::petsc
