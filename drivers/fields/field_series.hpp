// A field file that grows by a step at a time, for runs that go on: after each step both files are whole, and
// closed, so that others may look at them. Steps that are written are not kept in memory.
#pragma once

#include <optional>
#include <string>

#include "drivers/fields/field_file.hpp"
#include "drivers/fields/field_source.hpp"

namespace quadrille {

class FieldSeries {
 public:
  // `head`: the grid, the ranks, the options and the version; it has no steps. What stood
  // at `path` is replaced by the first step. Collective, as append(). Throws OutputError at once, on all
  // ranks, where check_field_path() does.
  FieldSeries(std::string path, FieldFile head);

  // The numbers of a part of the grid, as FieldFile has it. All steps have the same fields. Throws
  // OutputError on all ranks, before anything is written where the disk has no room for the step. The .h5
  // grows in place: of a process that is killed right then go_on() takes the steps before into a new file.
  void append(FieldStep step, std::optional<NodeBox> part = {});

  // Before the first step: what the file at the path has of the same fields, until then and right then,
  // stays, and steps come behind it. Returns the time of its last step, or nothing where none stays.
  // Collective. Throws InputError on all ranks where it cannot be read or is of other fields.
  std::optional<double> go_on(const FieldStep& without_values, double until_s);

 private:
  void check(const FieldFile& alone) const;
  void create(const FieldFile& alone) const;
  void add(const FieldFile& alone) const;
  bool recover(const FieldStep& like, double until_s) const;
  void take(const FieldContents& from, const FieldStep& like, FieldSeries& into) const;
  void write_xdmf() const;

  std::string path_;
  FieldFile written_;  // its fields are without values
};

}  // namespace quadrille
