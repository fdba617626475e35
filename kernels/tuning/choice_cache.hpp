// What --tune found, kept on disk: one small text file that any number of processes share.
//
//   quadrille format choices 1
//   <key> TAB <format> TAB <space> TAB <ms> TAB <seconds since 1970>
//
// with the latest line last. It is written beside and renamed, under a lock where the file system has locks,
// so a reader never sees half a file and no choice gets lost. Whatever is wrong with it (unreadable, broken,
// of another version, a folder that cannot be written) is a note, never an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace quadrille {

struct RememberedChoice {
  std::string format, space;  // "cds", "cuda"
  double ms = 0;              // as it was measured
  std::int64_t when_s = 0;    // seconds since 1970
};

class ChoiceCache {
 public:
  static constexpr std::size_t most_lines = 2000;  // the oldest go first; some 300 KB

  // A file in this folder, which need not exist; an empty name remembers nothing.
  explicit ChoiceCache(std::string folder);
  // $QUADRILLE_CACHE, $XDG_CACHE_HOME/quadrille or ~/.cache/quadrille; "" where none of them is set.
  static std::string default_folder();

  const std::string& path() const { return path_; }
  // Tabs and line breaks in a key are blanks to it.
  std::optional<RememberedChoice> find(const std::string& key);
  void remember(const std::string& key, const RememberedChoice& choice);
  void forget(const std::string& key);

  // What went wrong since the last call, for people, one sentence each.
  std::vector<std::string> take_notes();

 private:
  void note(const std::string& what);
  void replace(const std::string& key, const RememberedChoice* choice);

  std::string folder_, path_;
  std::vector<std::string> notes_;
};

}  // namespace quadrille
