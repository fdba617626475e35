#include "drivers/fields/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <random>
#include <system_error>

#include "drivers/fields/paths.hpp"

namespace quadrille {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, int code) {
  throw OutputError("cannot write " + path + ": " + std::generic_category().message(code));
}

// Closes on every way out; the last close is checked. Errors name `shown`.
void write_text(const std::string& path, const std::string& shown, std::string_view text, int flags) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags);
  if (file < 0) fail(shown, errno);
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::write(file, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int code = errno;
      ::close(file);
      fail(shown, code);
    }
    done += static_cast<std::size_t>(count);
  }
  if (::close(file) != 0) fail(shown, errno);
}

// The fsync of a file or a folder; errno on failure, else 0.
int sync_path(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  const int code = ::fsync(file) == 0 ? 0 : errno;
  ::close(file);
  return code;
}

// Devices, pipes and the process's own descriptors: there is nothing to replace.
bool written_in_place(const std::string& path) {
  for (const char* prefix : {"/dev/fd/", "/proc/self/fd/"})
    if (path.starts_with(prefix)) return true;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return path == "/dev/stdout" || path == "/dev/stderr" ||
         (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status));
}

// One that no other run has, known before the file is there.
std::string temporary_name() {
  std::random_device random;
  char name[40];
  std::snprintf(name, sizeof name, ".quadrille-tmp-%08x%08x", random(), random());
  return name;
}

}  // namespace

TemporaryFile::TemporaryFile(const std::string& final_path) : final_path_(final_target(final_path)) {
  std::error_code ignored;
  if (fs::is_symlink(final_path_, ignored)) fail(final_path, ELOOP);
  path_ = (fs::path(final_path_).parent_path() / temporary_name()).string();
  on_signal_.emplace(path_);
  const int file = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) fail(final_path_, errno);
  struct stat old {};
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(file, ::stat(final_path_.c_str(), &old) == 0 ? old.st_mode & 07777 : 0666 & ~mask);
  ::close(file);
}

TemporaryFile::~TemporaryFile() {
  if (on_signal_) ::unlink(path_.c_str());
}

void TemporaryFile::write(std::string_view text) const {
  write_text(path_, final_path_, text, O_TRUNC);
}

void TemporaryFile::sync() const {
  if (const int code = sync_path(path_)) fail(final_path_, code);
}

void TemporaryFile::rename_to_final() {
  if (::rename(path_.c_str(), final_path_.c_str()) != 0) fail(final_path_, errno);
  on_signal_.reset();
  const fs::path folder = fs::path(final_path_).parent_path();
  sync_path(folder.empty() ? "." : folder.string());  // some file systems cannot; the file itself is safe
}

void take_room(const std::string& path, const std::string& shown, std::int64_t bytes) {
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) fail(shown, errno);
  struct stat status {};
  int code = ::fstat(file, &status) == 0 ? 0 : errno;
  if (code == 0) code = ::posix_fallocate(file, status.st_size, bytes);
  if (code != 0 && ::ftruncate(file, status.st_size) != 0) code = errno;
  ::close(file);
  if (code != 0 && code != EOPNOTSUPP && code != EINVAL) fail(shown, code);
}

void write_text_file(const std::string& path, const std::string& text) {
  if (written_in_place(path)) {
    std::cout.flush();  // what went to standard output before stands before
    return write_text(path, path, text, O_APPEND);
  }
  if (::access(path.c_str(), F_OK) == 0 && ::access(path.c_str(), W_OK) != 0) fail(path, errno);
  TemporaryFile file(path);
  file.write(text);
  file.sync();
  file.rename_to_final();
}

void check_output_path(const std::string& path) {
  if (written_in_place(path)) return;
  const std::string target = final_target(path);
  const auto refuse = [&](const std::string& reason) {
    throw OutputError("cannot write " + path + (target == path ? "" : ", which is a link to " + target) +
                      ": " + reason);
  };
  std::error_code ignored;
  if (fs::is_symlink(target, ignored)) refuse(std::generic_category().message(ELOOP));
  const fs::path parent = fs::path(target).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0)
    refuse("folder " + folder + ": " + std::generic_category().message(errno));
  if (!S_ISDIR(status.st_mode)) refuse(folder + " is not a folder");
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    refuse("folder " + folder + ": " + std::generic_category().message(errno));
  if (fs::path(target).filename().string().size() > 255)
    refuse(std::generic_category().message(ENAMETOOLONG));
  if (::stat(target.c_str(), &status) != 0) return;  // nothing to replace
  if (S_ISDIR(status.st_mode)) refuse("it is a directory");
  if (::access(target.c_str(), W_OK) != 0) refuse(std::generic_category().message(errno));
}

void flush_standard_output() {
  std::cout.flush();
  if (std::cout && std::fflush(stdout) == 0) return;
  end_by_broken_pipe();
  throw OutputError("standard output cannot be written");
}

}  // namespace quadrille
