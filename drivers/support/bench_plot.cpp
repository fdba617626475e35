#include "drivers/support/bench_plot.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

#include "drivers/fields/atomic_file.hpp"
#include "drivers/fields/on_signal.hpp"

namespace quadrille {
namespace {

constexpr int modules_missing = 3;  // exit code of the script

// A file without a name, gone when it is closed.
struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using Scratch = std::unique_ptr<std::FILE, Close>;

Scratch scratch_file(const std::string& content) {
  Scratch file(std::tmpfile());
  if (!file || std::fwrite(content.data(), 1, content.size(), file.get()) != content.size() ||
      std::fflush(file.get()) != 0)
    throw OutputError("--plot: no temporary file can be written; free some space in /tmp or set TMPDIR");
  return file;
}

std::string last_line(std::FILE* file) {
  std::rewind(file);
  std::string line;
  std::array<char, 4096> buffer;
  while (std::fgets(buffer.data(), buffer.size(), file) != nullptr) line = buffer.data();
  return line.substr(0, line.find('\n'));
}

struct Outcome {
  int code = 127;  // as a shell has it: 127, not started
  std::string words;
};

Outcome run(const std::vector<std::string>& words, const std::string& input) {
  const Scratch in = scratch_file(input), out = scratch_file("");
  lseek(fileno(in.get()), 0, SEEK_SET);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, fileno(in.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, fileno(out.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, fileno(out.get()), STDERR_FILENO);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return {};
  const ChildToEnd also(child);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, last_line(out.get())};
}

std::string find_script() {
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  const std::filesystem::path places[] = {
      (program / QUADRILLE_SCRIPTS_FROM_PROGRAM / "plot_bench.py").lexically_normal(),
      std::filesystem::path(QUADRILLE_SCRIPTS_OF_TREE) / "plot_bench.py"};
  for (const auto& place : places)
    if (std::filesystem::exists(place, ignored)) return place.string();
  throw OutputError("--plot: the script that draws is neither " + places[0].string() + " nor " +
                    places[1].string() + "; with --json, plot_bench.py FILE.json PREFIX draws later");
}

}  // namespace

void draw_bench(const std::string& json, const std::string& prefix) {
  const std::string script = find_script();
  std::string missing;
  for (const char* python : {"/usr/bin/python3", "python3"}) {
    const Outcome outcome = run({python, "-B", script, "--", "-", prefix}, json);
    if (outcome.code == 0) return;
    if (outcome.code != 127 && outcome.code != modules_missing)
      throw OutputError("--plot: " + (outcome.words.empty() ? script + " failed" : outcome.words));
    missing += (missing.empty() ? "" : ", ") + std::string(python) + " " +
               (outcome.code == 127 ? "does not start"
                                    : "says: " + outcome.words.substr(0, outcome.words.find(';')));
  }
  throw OutputError("--plot needs Python with matplotlib (" + missing +
                    "); install Debian's python3-matplotlib; with --json, " + script +
                    " FILE.json PREFIX draws later");
}

}  // namespace quadrille
