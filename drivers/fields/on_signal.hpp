// What becomes of a run that a signal ends.
#pragma once

#include <sys/types.h>

#include <string>

namespace quadrille {

// From now on, files that a FileToRemove names are gone when SIGINT, SIGTERM, SIGHUP or another signal ends
// the process, which it still does: the exit status says it. A signal that is ignored, or that somebody
// handles already, stays so.
void tidy_up_on_signals();

// From now on SIGINT and SIGTERM ask for the end, which stop_requested() tells; a second one ends the
// process.
void stop_on_signals();
bool stop_requested();

// From now on, to write into a pipe that nobody reads is an error of the write. For runs that have files to
// write as well, which would be lost.
void outlive_broken_pipes();
// Ends the process by SIGPIPE where there was such a write. For the end of the run.
void end_by_broken_pipe();

// A file that must not outlive the process. Made before the file is.
class FileToRemove {
 public:
  explicit FileToRemove(const std::string& path);
  ~FileToRemove();
  FileToRemove(const FileToRemove&) = delete;
  FileToRemove& operator=(const FileToRemove&) = delete;

 private:
  int slot_;
};

// A process of ours, which gets the signal that ends this one.
class ChildToEnd {
 public:
  explicit ChildToEnd(pid_t child);
  ~ChildToEnd();
  ChildToEnd(const ChildToEnd&) = delete;
  ChildToEnd& operator=(const ChildToEnd&) = delete;
};

}  // namespace quadrille
