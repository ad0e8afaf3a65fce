// What the operating system provides: where the program is installed, running other programs;
// in files.h whole files read and written, in command_line.h options, in sha256.h digests.
// In: paths, arguments, bytes. Out: the same, errors as diagnostics.
// May include: registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/text/diagnostics.h"

namespace opledger {

// The folder that holds dialects/ and lists/: PROGRAM/../share/opledger, PROGRAM being the place of
// the running program, never PATH.
std::string DataDirectory();

// The shipped precision lists of a dialect, sorted. An error where not all can be listed.
std::vector<std::string> ShippedLists(const std::string& dialect, Diagnostics& diagnostics);

// The path of a sibling program ("opledger-scan"), beside /proc/self/exe.
std::string SiblingProgram(const std::string& name);

// How a sibling runs, beside its arguments.
struct SiblingStreams {
  bool silent = false;  // what it says on standard error goes nowhere
  std::string input;    // what it reads; empty: our standard input
  // Takes each line of standard error as it comes; none: they pass through.
  std::function<void(std::string_view line)> said;
  // With `said`: asked whenever this descriptor can be read (-1: never); false stops the sibling.
  int wake = -1;
  std::function<bool()> go_on;
};

// Runs the sibling `name` and collects its standard output. Gives the exit status, or none where it
// could not be run or was killed (an error says so), or was stopped (without an error).
std::optional<int> RunSibling(const std::string& name, const std::vector<std::string>& arguments,
                              std::string& output, Diagnostics& diagnostics,
                              const SiblingStreams& streams = {});

// The git directory of the working tree whose top is `folder`: its .git, or what that file names.
// Empty: there is none.
std::string GitDirectoryOf(const std::string& folder);

// Runs git, as PATH has it, in `folder` (empty: the current one), with everything off by which a
// repository could make it run something or fetch. It reads `input` on its standard input. As
// RunSibling otherwise.
std::optional<int> RunGit(const std::string& folder, const std::vector<std::string>& arguments,
                          const std::string& input, std::string& output, Diagnostics& diagnostics);

// The same in the repository whose folder is `git_dir`, of which the current folder is no part:
// nothing counts that the environment says of repositories, and git's complaints are not shown.
std::optional<int> RunGitOf(const std::string& git_dir, const std::vector<std::string>& arguments,
                            std::string& output, Diagnostics& diagnostics);

// Git in `folder` as above, going on while this lives: it reads what is written to `to`, and writes
// to `from`. Its complaints are not shown.
class GitProcess {
 public:
  // `others`: git directories whose objects it has too.
  GitProcess(const std::string& folder, const std::vector<std::string>& arguments,
             const std::vector<std::string>& others);
  ~GitProcess();
  GitProcess(const GitProcess&) = delete;
  GitProcess& operator=(const GitProcess&) = delete;

  bool ok() const { return process_ > 0; }
  int to() const { return to_; }
  int from() const { return from_; }

 private:
  int process_ = -1;
  int started_by_ = -1;
  int to_ = -1;
  int held_ = -1;  // the end that git reads: while it is open, writing raises no SIGPIPE
  int from_ = -1;
};

// Replaces this process by the sibling; returns only where that fails.
void ExecSibling(const std::string& name, const std::vector<std::string>& arguments,
                 Diagnostics& diagnostics);

}  // namespace opledger
