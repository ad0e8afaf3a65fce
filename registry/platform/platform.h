// What the operating system provides: where the program is installed, running other programs
// (run_git.h: git), limits and sandboxes (process_limits.h, sandbox.h), the command line
// (command_line.h).
// In: paths, arguments. Out: the same, outputs of programs, errors as diagnostics.
// May include: registry/files, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/platform/child_watch.h"
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
  // One that gives no sign of life for so long is ended, with an error. A scan may take an hour,
  // but it works meanwhile.
  SilenceLimit limit;
};

// Runs the sibling `name` and collects its standard output, of 1 GiB at most. Gives the exit
// status, or none where it could not be run, was killed, did not answer or wrote more (an error
// says so), or was stopped (without an error).
std::optional<int> RunSibling(const std::string& name, const std::vector<std::string>& arguments,
                              std::string& output, Diagnostics& diagnostics,
                              const SiblingStreams& streams = {});

// Replaces this process by the sibling; returns only where that fails.
void ExecSibling(const std::string& name, const std::vector<std::string>& arguments,
                 Diagnostics& diagnostics);

}  // namespace opledger
