#include "drivers/fields/field_recovery.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "drivers/fields/field_checks.hpp"
#include "drivers/fields/hdf5_reading.hpp"

namespace quadrille {
namespace {

std::string mark_of(const std::string& path) {
  return path + ".incomplete";
}

// Whether the file knows where each chunk of a step is, for one that it does not know would read as zeros,
// and all of them lie before `end`, of what it says it has.
bool has_all_chunks(hid_t dataset, std::size_t step, haddr_t end) {
  const std::vector<hsize_t> extents = hdf5::extents_of(dataset);
  if (extents.size() != 5 || extents[0] <= step) return false;
  const hdf5::Handle list(H5Dget_create_plist(dataset), H5Pclose, "the chunks");
  std::array<hsize_t, 5> chunk{}, at{step, 0, 0, 0, 0};
  if (H5Pget_layout(list) != H5D_CHUNKED || H5Pget_chunk(list, 5, chunk.data()) != 5) return false;
  for (at[1] = 0; at[1] < extents[1]; at[1] += chunk[1])
    for (at[2] = 0; at[2] < extents[2]; at[2] += chunk[2])
      for (at[3] = 0; at[3] < extents[3]; at[3] += chunk[3]) {
        unsigned filters = 0;
        haddr_t address = HADDR_UNDEF;
        hsize_t size = 0;
        hdf5::check(H5Dget_chunk_info_by_coord(dataset, at.data(), &filters, &address, &size),
                    "a chunk's place");
        if (address == HADDR_UNDEF || address + size > end) return false;
      }
  return true;
}

}  // namespace

void mark_incomplete(const std::string& path) {
  if (!std::ofstream(mark_of(path))) cannot_write(path, "cannot make " + mark_of(path) + " beside it");
}

bool is_marked_incomplete(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(mark_of(path), ignored);
}

void unmark_incomplete(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove(mark_of(path), ignored);
}

FieldContents whole_steps(const std::string& path, const std::vector<Field>& fields, double until_s) {
  FieldContents contents = with_texts(path, field_contents(path));
  const hdf5::SilentErrors silent;
  const hdf5::Handle file = hdf5::opened(path);
  haddr_t end = 0;
  hdf5::check(H5Fget_eoa(file, &end), "the file's end");
  std::vector<double>& times = contents.times_s;
  std::size_t whole = 0;
  while (whole < times.size() && times[whole] <= until_s && (whole == 0 || times[whole - 1] < times[whole]))
    ++whole;
  for (const Field& field : fields) {
    const hdf5::Handle dataset = hdf5::dataset_of(file, field.name);
    for (std::size_t step = 0; step < whole; ++step)
      if (!has_all_chunks(dataset, step, end)) whole = step;
  }
  times.resize(whole);
  return contents;
}

}  // namespace quadrille
