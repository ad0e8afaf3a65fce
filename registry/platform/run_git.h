// Running git, as PATH has it, with everything off by which a repository could make it run
// something or fetch. It is held to limits: one that says nothing for --git-timeout is ended, and
// its output is taken record by record or up to a size, so that a repository of any size, or a
// broken git, takes a known amount of time and memory. In: a folder and git's arguments. Out: its
// output and exit status, errors as diagnostics.
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

// Seconds after which a git that says nothing is ended; 0: never. Of this process; 60 before the
// first call.
void SetGitTimeout(double seconds);
double GitTimeout();

// Why reading ended with this error (errno): "Permission denied", or what is wrong with git if the
// bytes come from there.
std::string ReadErrorText(int error);

// Why git is not run again by this process: it did not answer, or not as git does. Every later run
// fails at once with this error. nullopt: it is run.
std::optional<Diagnostic> GitTrouble();
// Tries git again: for a process that goes on answering.
void ForgetGitTrouble();

// The git directory of the working tree whose top is `folder`: its .git, or what that file names.
// Empty: there is none.
std::string GitDirectoryOf(const std::string& folder);

// Runs git in `folder` (empty: the current one). It reads `input` on its standard input. Output of
// more than 16 MiB is an error. Gives the exit status; nullopt, with an error, where git could not
// be run, was killed, or did not answer.
std::optional<int> RunGit(const std::string& folder, const std::vector<std::string>& arguments,
                          const std::string& input, std::string& output, Diagnostics& diagnostics);

// Takes a record of git's output, without its end. False: no more is wanted.
using TakeRecord = std::function<bool(std::string_view)>;

// How a long output is made up.
struct GitRecords {
  char end = '\n';               // of each record
  std::size_t most = 1'000'000;  // records
};

// The same for long output: each record is given as it comes, and none is kept. Also nullopt,
// without an error, where `take` gave false. More records than `form` has, a record of more than
// 1 MiB, and output of more than 1 GiB are errors.
std::optional<int> ReadGit(const std::string& folder, const std::vector<std::string>& arguments,
                           GitRecords form, const TakeRecord& take, Diagnostics& diagnostics);

// The same in the repository whose folder is `git_dir`, of which the current folder is no part:
// nothing counts that the environment says of repositories, and git's complaints are not shown.
std::optional<int> RunGitOf(const std::string& git_dir, const std::vector<std::string>& arguments,
                            std::string& output, Diagnostics& diagnostics);
std::optional<int> ReadGitOf(const std::string& git_dir, const std::vector<std::string>& arguments,
                             GitRecords form, const TakeRecord& take, Diagnostics& diagnostics);

// Git in `folder` as above, going on while this lives. Its complaints are not shown.
class GitProcess {
 public:
  // `others`: git directories whose objects it has too.
  GitProcess(const std::string& folder, const std::vector<std::string>& arguments,
             const std::vector<std::string>& others);
  ~GitProcess();
  GitProcess(const GitProcess&) = delete;
  GitProcess& operator=(const GitProcess&) = delete;

  bool ok() const { return process_ > 0; }
  // False, with errno set, where it has ended.
  bool Write(std::string_view text);
  // What comes next, at most `size` bytes. 0: its output has ended; -1, with errno set: a failure,
  // ETIMEDOUT where git says nothing for too long. Then it is ended.
  long Read(char* bytes, std::size_t size);

 private:
  void End(bool at_once);

  std::unique_ptr<ChildWatch> watch_;  // null: there is no process
  int process_ = -1;
  int started_by_ = -1;
  int to_ = -1;
  int held_ = -1;  // the end that git reads: while it is open, writing raises no SIGPIPE
  int from_ = -1;
};

}  // namespace opledger
