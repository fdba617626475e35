#include "kernels/tuning/choice_cache.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>
#include <utility>

namespace quadrille {
namespace {

namespace fs = std::filesystem;

constexpr const char* header = "quadrille format choices 1";
constexpr std::uintmax_t largest_file = 4 << 20;  // bytes; ours is far smaller

std::string why(int code) {
  return std::generic_category().message(code);
}

std::string cleaned(std::string key) {
  for (char& c : key)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return key;
}

using Line = std::pair<std::string, RememberedChoice>;  // key, choice

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  for (std::size_t begin = 0;;) {
    const std::size_t end = line.find('\t', begin);
    fields.push_back(line.substr(begin, end == std::string::npos ? end : end - begin));
    if (end == std::string::npos) return fields;
    begin = end + 1;
  }
}

template <class Number>
bool read_number(const std::string& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

std::optional<Line> parsed(const std::string& text) {
  const std::vector<std::string> fields = fields_of(text);
  if (fields.size() != 5 || fields[0].empty() || fields[1].empty()) return std::nullopt;
  RememberedChoice choice{fields[1], fields[2], 0, 0};
  if (!read_number(fields[3], choice.ms) || !(choice.ms >= 0) || std::isinf(choice.ms) ||
      !read_number(fields[4], choice.when_s) || (choice.space != "cpu" && choice.space != "cuda"))
    return std::nullopt;
  return Line{fields[0], choice};
}

struct Content {
  std::vector<Line> lines;
  std::string wrong;  // what, and where; the good lines are there all the same
};

Content read_file(const std::string& path) {
  Content content;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return content;
  if (!fs::is_regular_file(status)) return {{}, "is not a file"};
  if (const std::uintmax_t size = fs::file_size(path, error); error || size > largest_file)
    return {{}, "is too large"};
  std::ifstream file(path, std::ios::binary);
  std::string line;
  if (!file) return {{}, why(errno)};
  if (!std::getline(file, line) || line != header)
    return {{}, "does not begin with '" + std::string(header) + "'"};
  for (int number = 2; std::getline(file, line); ++number) {
    if (std::optional<Line> good = parsed(line))
      content.lines.push_back(std::move(*good));
    else if (content.wrong.empty())
      content.wrong = "line " + std::to_string(number) + " is broken";
  }
  return content;
}

std::string text_of(const std::vector<Line>& lines) {
  std::string text = std::string(header) + "\n";
  for (const auto& [key, choice] : lines) {
    char ms[32];
    const char* const end = std::to_chars(ms, ms + sizeof ms, choice.ms).ptr;
    text += key + "\t" + choice.format + "\t" + choice.space + "\t" +
            std::string(ms, static_cast<std::size_t>(end - ms)) + "\t" + std::to_string(choice.when_s) + "\n";
  }
  return text;
}

// The reason why not; "" when all is written.
std::string write_beside_and_rename(const std::string& folder, const std::string& path,
                                    const std::string& text) {
  std::string temporary = folder + "/.choices-XXXXXX";
  const int file = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (file < 0) return why(errno);
  int code = 0;
  for (std::size_t done = 0; code == 0 && done < text.size();) {
    const ssize_t count = ::write(file, text.data() + done, text.size() - done);
    if (count >= 0)
      done += static_cast<std::size_t>(count);
    else if (errno != EINTR)
      code = errno;
  }
  ::fchmod(file, 0644);
  if (::close(file) != 0 && code == 0) code = errno;
  if (code == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) code = errno;
  if (code != 0) ::unlink(temporary.c_str());
  return code == 0 ? "" : why(code);
}

// Holds the lock of a folder's file while it lives; goes on without one after a second, or where there are
// none.
class Lock {
 public:
  explicit Lock(const std::string& path) : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (file_ < 0) return;
    for (int tries = 0; ::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK && tries < 200;
         ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ~Lock() {
    if (file_ >= 0) ::close(file_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int file_;
};

}  // namespace

ChoiceCache::ChoiceCache(std::string folder)
    : folder_(std::move(folder)), path_(folder_.empty() ? "" : folder_ + "/format_choices.txt") {}

std::string ChoiceCache::default_folder() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  if (const std::string own = variable("QUADRILLE_CACHE"); !own.empty()) return own;
  if (const std::string xdg = variable("XDG_CACHE_HOME"); xdg.starts_with("/")) return xdg + "/quadrille";
  const std::string home = variable("HOME");
  return home.empty() ? "" : home + "/.cache/quadrille";
}

void ChoiceCache::note(const std::string& what) {
  notes_.push_back(path_ + ": " + what);
}

std::vector<std::string> ChoiceCache::take_notes() {
  return std::exchange(notes_, {});
}

std::optional<RememberedChoice> ChoiceCache::find(const std::string& key) {
  if (path_.empty()) return std::nullopt;
  const Content content = read_file(path_);
  if (!content.wrong.empty()) note(content.wrong + "; that is ignored");
  const std::string wanted = cleaned(key);
  const auto found = std::find_if(content.lines.rbegin(), content.lines.rend(),
                                  [&](const Line& line) { return line.first == wanted; });
  if (found == content.lines.rend()) return std::nullopt;
  return found->second;
}

void ChoiceCache::remember(const std::string& key, const RememberedChoice& choice) {
  replace(key, &choice);
}

void ChoiceCache::forget(const std::string& key) {
  if (find(key)) replace(key, nullptr);
}

void ChoiceCache::replace(const std::string& key, const RememberedChoice* choice) {
  if (path_.empty()) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) return note("the choice is not remembered: " + error.message());
  const Lock lock(folder_ + "/format_choices.lock");
  Content content = read_file(path_);
  const std::string wanted = cleaned(key);
  std::erase_if(content.lines, [&](const Line& line) { return line.first == wanted; });
  if (choice != nullptr) content.lines.emplace_back(wanted, *choice);
  if (content.lines.size() > most_lines)
    content.lines.erase(content.lines.begin(), content.lines.end() - static_cast<std::ptrdiff_t>(most_lines));
  if (const std::string reason = write_beside_and_rename(folder_, path_, text_of(content.lines));
      !reason.empty())
    note("the choice is not remembered: " + reason);
}

}  // namespace quadrille
