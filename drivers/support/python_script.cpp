#include "drivers/support/python_script.hpp"

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
#include "grid/error.hpp"

namespace quadrille {
namespace {

// A file without a name, gone when it is closed.
struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using Scratch = std::unique_ptr<std::FILE, Close>;

Scratch scratch_file(const std::string& content) {
  Scratch file(std::tmpfile());
  if (!file || std::fwrite(content.data(), 1, content.size(), file.get()) != content.size() ||
      std::fflush(file.get()) != 0)
    throw OutputError("no temporary file can be written; free some space in /tmp or set TMPDIR");
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
  std::string printed, complaint;
};

Outcome run(const std::vector<std::string>& words, const std::string& input) {
  const Scratch in = scratch_file(input), out = scratch_file(""), errors = scratch_file("");
  lseek(fileno(in.get()), 0, SEEK_SET);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, fileno(in.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, fileno(out.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, fileno(errors.get()), STDERR_FILENO);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return {};
  const ChildToEnd also(child);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, last_line(out.get()), last_line(errors.get())};
}

}  // namespace

std::string find_script(const PythonScript& script) {
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  const std::filesystem::path places[] = {
      (program / QUADRILLE_SCRIPTS_FROM_PROGRAM / script.name).lexically_normal(),
      std::filesystem::path(QUADRILLE_SCRIPTS_OF_TREE) / script.name};
  for (const auto& place : places)
    if (std::filesystem::exists(place, ignored)) return place.string();
  throw OutputError(script.asked + ": the script that draws is neither " + places[0].string() + " nor " +
                    places[1].string());
}

std::string run_script(const PythonScript& script, const std::vector<std::string>& arguments,
                       const std::string& input) {
  const std::string path = find_script(script);
  std::string missing;
  for (const char* python : {"/usr/bin/python3", "python3"}) {
    std::vector<std::string> words{python, "-B", path};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Outcome outcome = run(words, input);
    const std::string complaint = outcome.complaint.empty() ? path + " failed" : outcome.complaint;
    if (outcome.code == 0) return outcome.printed;
    if (outcome.code == script_input_bad) throw InputError(complaint);
    if (outcome.code != 127 && outcome.code != script_modules_missing)
      throw OutputError(script.asked + ": " + complaint);
    missing += (missing.empty() ? "" : ", ") + std::string(python) + " " +
               (outcome.code == 127 ? "does not start"
                                    : "says: " + outcome.complaint.substr(0, outcome.complaint.find(';')));
  }
  throw OutputError(script.asked + " needs Python with " +
                    script.modules.substr(0, script.modules.find(';')) + " (" + missing + ")" +
                    script.modules.substr(script.modules.find(';')) +
                    (script.otherwise.empty() ? "" : "; " + script.otherwise));
}

void check_figure_paths(const std::string& prefix) {
  for (const char* extension : {".png", ".svg"})
    if (!prefix.empty()) check_output_path(prefix + extension);
}

void draw_figure(const std::string& script, const std::string& report, const std::string& prefix) {
  const PythonScript by{script, "--plot", "matplotlib; install Debian's python3-matplotlib",
                        "with --json, " + script + " FILE.json PREFIX draws later"};
  try {
    run_script(by, {"--", "-", prefix}, report);
  } catch (const InputError& error) {  // the report is ours
    throw OutputError(std::string("--plot: ") + error.what());
  }
}

}  // namespace quadrille
