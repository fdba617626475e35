// Files that are whole or not there: written beside their final name and renamed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "drivers/fields/on_signal.hpp"
#include "grid/error.hpp"

namespace quadrille {

// A file under a temporary name of its own in the folder of its final one, with the access rights of the file
// it replaces. What was not renamed is removed by the destructor, and by a signal that ends the process;
// SIGKILL leaves a .quadrille-tmp-* file.
class TemporaryFile {
 public:
  // Symbolic links are followed, so that the link survives and its target is replaced. Throws OutputError.
  explicit TemporaryFile(const std::string& final_path);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }
  // Makes `text` its whole content. Throws OutputError.
  void write(std::string_view text) const;
  // Brings the file to the disk (fsync). Throws OutputError.
  void sync() const;
  // Gives the file its final name. Throws OutputError.
  void rename_to_final();

 private:
  std::string final_path_, path_;
  std::optional<FileToRemove> on_signal_;  // until it is renamed
};

// Takes room on the disk for so many bytes behind what a file has: what is written there cannot meet a full
// disk then. The file is as long as that afterwards. Throws OutputError, which names `shown`, where there is
// no room; then the file is as it was. Where the file system cannot tell, nothing happens.
void take_room(const std::string& path, const std::string& shown, std::int64_t bytes);

// Writes beside `path` and renames, so that the old file survives any failure. Throws OutputError.
// Devices, pipes and descriptors (/dev/stdout) are written in place.
void write_text_file(const std::string& path, const std::string& text);

// Throws OutputError at once, before any work, when `path` could not be written: no such folder, no
// permission, or a directory of that name.
void check_output_path(const std::string& path);

// Throws OutputError when what was printed so far did not arrive.
void flush_standard_output();

}  // namespace quadrille
