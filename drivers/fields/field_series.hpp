// A field file that grows by a step at a time, for runs that go on: after each step both files are whole, and
// closed, so that others may look at them. Steps that are written are not kept in memory.
#pragma once

#include <string>

#include "drivers/fields/field_file.hpp"

namespace quadrille {

class FieldSeries {
 public:
  // `head`: the grid, the options and the version; it has no steps. What stood at `path` is replaced by the
  // first step. Throws OutputError at once where check_field_path() does.
  FieldSeries(std::string path, FieldFile head);

  // All steps have the same fields. Throws OutputError, also before anything is written where the disk has no
  // room for the step. The .h5 grows in place: a process that is killed right then may leave it unreadable.
  void append(FieldStep step);

 private:
  void create(const std::string& path) const;
  void add_to(const std::string& path, const FieldStep& step) const;

  std::string path_;
  FieldFile written_;  // its fields are without values
};

}  // namespace quadrille
