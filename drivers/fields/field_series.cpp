#include "drivers/fields/field_series.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include "drivers/fields/field_checks.hpp"
#include "drivers/fields/field_datasets.hpp"
#include "drivers/fields/field_layout.hpp"
#include "drivers/fields/field_recovery.hpp"
#include "drivers/fields/field_source.hpp"
#include "drivers/fields/field_values.hpp"
#include "drivers/fields/hdf5_reading.hpp"
#include "drivers/fields/paths.hpp"
#include "drivers/fields/xdmf.hpp"

namespace quadrille {
namespace {

namespace fs = std::filesystem;

FieldStep without_values(const FieldStep& step) {
  FieldStep result{step.time_s, {}};
  for (const Field& field : step.fields)
    result.fields.push_back({field.name, field.long_name, field.units, {}});
  return result;
}

// The steps that end after `until_s` are gone from the file.
void cut_off(const std::string& path, const FieldStep& like, double until_s) {
  const hdf5::SilentErrors silent;
  hdf5::opened(path);  // says what is wrong with it
  hdf5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "opening the file");
  const std::vector<double> times = hdf5::times_of(file);
  const auto after = std::find_if(times.begin(), times.end(), [&](double t) { return t > until_s; });
  const auto kept = static_cast<std::size_t>(after - times.begin());
  for (const Field& field : like.fields)
    if (const auto extents = hdf5::extents_of(hdf5::dataset_of(file, field.name));
        extents.size() != 5 || extents[0] < kept)
      hdf5::refuse("'" + field.name + "' has not all of its steps");
  for (const Field& field : like.fields) make_room(file, field.name, kept);
  make_room(file, "time", kept);
  file.close("closing the file");
}

// Even shares of the longest axis.
NodeBox share_of(const Grid& grid, const Ranks& ranks) {
  NodeBox box = whole_box(grid.extents);
  if (ranks.alone()) return box;
  int rank = 0;
  MPI_Comm_rank(ranks.comm, &rank);
  const auto axis = std::max_element(box.size.begin(), box.size.end()) - box.size.begin();
  const std::vector<std::int64_t> cuts = even_cuts(grid.extents[axis], ranks.count());
  box.first[axis] = cuts[rank];
  box.size[axis] = cuts[rank + 1] - cuts[rank];
  return box;
}

}  // namespace

FieldSeries::FieldSeries(std::string path, FieldFile head)
    : path_(std::move(path)), written_(std::move(head)) {
  on_first<OutputError>(written_.ranks, [&] { check_field_path(path_); });
}

void FieldSeries::check(const FieldFile& alone) const {
  check_content(path_, alone);
  if (written_.steps.empty()) return;
  const std::vector<Field>&before = written_.steps.front().fields, &here = alone.steps.front().fields;
  bool same = before.size() == here.size();
  for (std::size_t i = 0; i < before.size() && same; ++i) same = before[i].name == here[i].name;
  if (!same) cannot_write(path_, "every step must have the same fields");
}

// The first step is whole before the file has its name.
void FieldSeries::create(const FieldFile& alone) const {
  const Ranks& ranks = alone.ranks;
  std::optional<TemporaryFile> h5;
  on_first<OutputError>(ranks, [&] {
    h5.emplace(path_);
    writing(path_, [&] {
      lay_out(*h5, written_, true);
      add_room(h5->path(), path_, written_, 0, true);
    });
  });
  write_values(from_first(ranks, h5 ? h5->path() : ""), path_, alone, 0);
  on_first<OutputError>(ranks, [&] {
    h5->sync();
    h5->rename_to_final();
    unmark_incomplete(path_);  // of what stood there
  });
}

void FieldSeries::add(const FieldFile& alone) const {
  const std::size_t place = written_.steps.size() - 1;
  on_first<OutputError>(alone.ranks, [&] {
    mark_incomplete(path_);
    writing(path_, [&] { add_room(path_, path_, written_, place, true); });
  });
  write_values(path_, path_, alone, place);
  on_first<OutputError>(alone.ranks, [&] { unmark_incomplete(path_); });
}

void FieldSeries::append(FieldStep step, std::optional<NodeBox> part) {
  FieldFile alone;
  alone.grid = written_.grid;
  alone.part = part;
  alone.ranks = written_.ranks;
  alone.steps.push_back(std::move(step));
  on_each<OutputError>(alone.ranks, [&] { check(alone); });
  written_.steps.push_back(without_values(alone.steps.front()));
  try {
    written_.steps.size() > 1 ? add(alone) : create(alone);
  } catch (...) {
    written_.steps.pop_back();
    throw;
  }
  write_xdmf();
}

void FieldSeries::write_xdmf() const {
  on_first<OutputError>(written_.ranks, [&] {
    write_text_file(xdmf_path(path_), xdmf_text(written_, fs::path(path_).filename().string()));
  });
}

// The steps that are whole, each rank's part of them.
void FieldSeries::take(const FieldContents& from, const FieldStep& like, FieldSeries& into) const {
  const Ranks& ranks = written_.ranks;
  const NodeBox mine = share_of(from.grid, ranks);
  for (std::size_t i = 0; i < from.times_s.size(); ++i) {
    FieldStep step{from.times_s[i], like.fields};
    on_each<InputError>(ranks, [&] {
      for (Field& field : step.fields) {
        field.values.resize(static_cast<std::size_t>(mine.nodes() * from.grid.dof));
        read_box(path_, from, field.name, i, mine, field.values.data(), from.grid.dof);
      }
    });
    into.append(std::move(step), mine);
  }
}

// After a process that was killed while it wrote: what is whole in a new file, in the old one's place.
// Whether there are such steps.
bool FieldSeries::recover(const FieldStep& like, double until_s) const {
  const Ranks& ranks = written_.ranks;
  FieldContents whole;
  on_each<InputError>(ranks, [&] { whole = whole_steps(path_, like.fields, until_s); });
  FieldSeries copy(fs::path(path_).replace_extension("recovered.h5").string(), written_);
  take(whole, like, copy);
  const bool any = !whole.times_s.empty();
  on_first<OutputError>(ranks, [&] {
    if (any) {
      std::error_code ignored, failed;
      fs::remove(xdmf_path(copy.path_), ignored);
      fs::rename(copy.path_, final_target(path_), failed);
      if (failed) cannot_write(path_, failed.message());
    }
    unmark_incomplete(path_);
  });
  return any;
}

std::optional<double> FieldSeries::go_on(const FieldStep& like, double until_s) {
  const bool torn = written_.ranks.is_first() && is_marked_incomplete(path_);
  if (!from_first(written_.ranks, torn ? "yes" : "").empty() && !recover(like, until_s)) return std::nullopt;
  FieldContents contents;
  on_first<InputError>(written_.ranks, [&] {
    try {
      contents = field_contents(path_);
      if (contents.grid.extents != written_.grid.extents || contents.grid.dof != written_.grid.dof)
        hdf5::refuse("its fields are of another grid");
      cut_off(path_, like, until_s);
    } catch (const std::runtime_error& error) {  // of the file, or HDF5's
      throw InputError("cannot go on with " + path_ + ": " + error.what());
    }
  });
  on_each<InputError>(written_.ranks, [&] { contents = field_contents(path_); });
  for (const double time_s : contents.times_s) written_.steps.push_back({time_s, like.fields});
  if (contents.times_s.empty()) return std::nullopt;
  write_xdmf();
  return contents.times_s.back();
}

}  // namespace quadrille
