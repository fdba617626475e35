#include "drivers/fields/field_values.hpp"

#include <hdf5.h>
#include <unistd.h>

#include <optional>

#include "drivers/fields/field_checks.hpp"
#include "drivers/fields/field_datasets.hpp"

#ifndef H5_HAVE_PARALLEL
#error "HDF5 must be one for MPI: hdf5-openmpi"
#endif

namespace quadrille {
namespace {

using namespace hdf5;

// One rank needs no MPI for it, and Open MPI complains of a process that mpiexec did not start.
Handle file_access(const Ranks& ranks) {
  const hid_t list = check(H5Pcreate(H5P_FILE_ACCESS), "file properties");
  if (ranks.count() > 1) H5Pset_fapl_mpio(list, ranks.comm, MPI_INFO_NULL);
  return Handle(list, H5Pclose, "file properties");
}

Handle transfer(const Ranks& ranks) {
  const hid_t list = check(H5Pcreate(H5P_DATASET_XFER), "transfer properties");
  if (ranks.count() > 1) H5Pset_dxpl_mpio(list, H5FD_MPIO_COLLECTIVE);
  return Handle(list, H5Pclose, "transfer properties");
}

// Where a write fails on one rank, the others are in the next one: what is collective goes on to its end.
void write_all(const std::string& path, const FieldFile& content, std::size_t first) {
  const Handle access = file_access(content.ranks), list = transfer(content.ranks);
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, access), H5Fclose, "opening the file");
  std::optional<Hdf5Error> failed;
  for (std::size_t step = 0; step < content.steps.size(); ++step)
    for (const Field& field : content.steps[step].fields) {
      try {
        content.matrix ? write_vector(file, field) : write_box(file, content, field, first + step, list);
      } catch (const Hdf5Error& error) {
        if (!failed) failed = error;
      }
    }
  file.close("closing the file");
  if (failed) throw Hdf5Error(*failed);
}

}  // namespace

void write_values(const std::string& path, const std::string& shown, const FieldFile& content,
                  std::size_t first) {
  on_each<OutputError>(content.ranks, [&] {
    if (::access(path.c_str(), R_OK | W_OK) != 0)
      cannot_write(shown, "not all ranks see the file; its folder must be one that they share");
  });
  on_each<OutputError>(content.ranks, [&] { writing(shown, [&] { write_all(path, content, first); }); });
}

}  // namespace quadrille
