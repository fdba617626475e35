#include "drivers/support/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace quadrille {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, int code) {
  throw OutputError("cannot write " + path + ": " + std::generic_category().message(code));
}

// Closes on every way out; the last close is checked. Errors name `shown`.
void write_text(const std::string& path, const std::string& shown, std::string_view text, int flags) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
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

bool written_in_place(const std::string& path) {
  if (path.rfind("/dev/", 0) == 0 || path.rfind("/proc/", 0) == 0) return true;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

}  // namespace

TemporaryFile::TemporaryFile(const std::string& final_path) {
  std::error_code ignored;
  const bool link = fs::is_symlink(fs::symlink_status(final_path, ignored));
  const fs::path target = link ? fs::weakly_canonical(final_path, ignored) : fs::path(final_path);
  final_path_ = target.empty() ? final_path : target.string();
  path_ = final_path_ + ".tmp-" + std::to_string(::getpid());
}

TemporaryFile::~TemporaryFile() {
  if (!renamed_) ::unlink(path_.c_str());
}

void TemporaryFile::write(std::string_view text) const {
  write_text(path_, final_path_, text, O_TRUNC);
}

void TemporaryFile::sync() const {
  if (const int code = sync_path(path_)) fail(final_path_, code);
}

void TemporaryFile::rename_to_final() {
  if (::rename(path_.c_str(), final_path_.c_str()) != 0) fail(final_path_, errno);
  renamed_ = true;
  const fs::path folder = fs::path(final_path_).parent_path();
  sync_path(folder.empty() ? "." : folder.string());  // some file systems cannot; the file itself is safe
}

void write_text_file(const std::string& path, const std::string& text) {
  if (written_in_place(path)) return write_text(path, path, text, O_APPEND);
  if (::access(path.c_str(), F_OK) == 0 && ::access(path.c_str(), W_OK) != 0) fail(path, errno);
  TemporaryFile file(path);
  file.write(text);
  file.sync();
  file.rename_to_final();
}

void check_output_path(const std::string& path) {
  if (written_in_place(path)) return;
  const auto refuse = [&](const std::string& reason) {
    throw OutputError("cannot write " + path + ": " + reason);
  };
  const fs::path parent = fs::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0)
    refuse("folder " + folder + ": " + std::generic_category().message(errno));
  if (!S_ISDIR(status.st_mode)) refuse(folder + " is not a folder");
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    refuse("folder " + folder + ": " + std::generic_category().message(errno));
  if (::stat(path.c_str(), &status) != 0) return;  // nothing to replace
  if (S_ISDIR(status.st_mode)) refuse("it is a directory");
  if (::access(path.c_str(), W_OK) != 0) refuse(std::generic_category().message(errno));
}

}  // namespace quadrille
