// Runs git from PATH, with all features disabled that let a repository execute programs or fetch. A
// git that prints nothing for --git-timeout is ended, and its output is limited, so that
// repositories of any size, or a broken git, take a bounded amount of time and memory. In: a folder
// and git's arguments. Out: its output and exit status, errors as diagnostics.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/platform/child_watch.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// The number of seconds after which a silent git is ended; 0: never. Applies to this process; 60 by
// default.
void SetGitTimeout(double seconds);
double GitTimeout();

// Returns the message for an errno of a read: "Permission denied", or what is wrong with git if git
// supplies the bytes.
std::string ReadErrorText(int error);

// Returns the error for which this process no longer runs git: it did not answer, or its output was
// invalid. Later runs fail immediately with this error. nullopt: git is run.
std::optional<Diagnostic> GitTrouble();
// Lets this process run git again. For long-running processes.
void ForgetGitTrouble();

// Returns the git directory of the working tree whose top is `folder`: its .git folder, or the
// folder that its .git file names. Empty if there is none.
std::string GitDirectoryOf(const std::string& folder);

// Runs git in `folder` (empty: the current one) with `input` as its standard input. More than 16
// MiB of output are an error. Returns the exit status. Returns nullopt and reports an error if git
// could not be run, was killed, or did not answer.
std::optional<int> RunGit(const std::string& folder, const std::vector<std::string>& arguments,
                          const std::string& input, std::string& output, Diagnostics& diagnostics);

// Receives one record of git's output, without its end. Returns false if no more is wanted.
using TakeRecord = std::function<bool(std::string_view)>;

// The format of long output.
struct GitRecords {
  char end = '\n';               // the character that ends each record
  std::size_t most = 1'000'000;  // maximum number of records
};

// Runs git and passes each record of its output to `take` without storing it. Returns nullopt
// without an error if `take` returned false. More records than `form.most`, a record over 1 MiB,
// and output over 1 GiB are errors.
std::optional<int> ReadGit(const std::string& folder, const std::vector<std::string>& arguments,
                           GitRecords form, const TakeRecord& take, Diagnostics& diagnostics);

// Like RunGit and ReadGit, in the repository with the folder `git_dir`, to which the current folder
// does not belong. Environment variables about repositories are ignored, and git's error messages
// are not shown.
std::optional<int> RunGitOf(const std::string& git_dir, const std::vector<std::string>& arguments,
                            std::string& output, Diagnostics& diagnostics);
std::optional<int> ReadGitOf(const std::string& git_dir, const std::vector<std::string>& arguments,
                             GitRecords form, const TakeRecord& take, Diagnostics& diagnostics);

// A git that runs in `folder` as long as this object exists. Its error messages are not shown.
class GitProcess {
 public:
  // `others`: git directories whose objects are also available.
  GitProcess(const std::string& folder, const std::vector<std::string>& arguments,
             const std::vector<std::string>& others);
  ~GitProcess();
  GitProcess(const GitProcess&) = delete;
  GitProcess& operator=(const GitProcess&) = delete;

  bool ok() const { return process_ > 0; }
  // Returns false and sets errno if git has ended.
  bool Write(std::string_view text);
  // Reads up to `size` bytes. Returns 0 at the end of the output. On failure, ends git, sets errno
  // (ETIMEDOUT if git was silent for too long) and returns -1.
  long Read(char* bytes, std::size_t size);

 private:
  void End(bool at_once);

  std::unique_ptr<ChildWatch> watch_;  // null: there is no process
  int process_ = -1;
  int started_by_ = -1;
  int to_ = -1;
  int held_ = -1;  // git's end of the pipe: while it is open, writing does not raise SIGPIPE
  int from_ = -1;
};

}  // namespace opledger
