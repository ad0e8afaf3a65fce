// The operating system: installed programs and data, running other programs (run_git.h: git),
// limits and sandboxes (process_limits.h, sandbox.h), command lines (command_line.h).
// In: paths, arguments. Out: paths, outputs of programs, errors as diagnostics.
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

// Returns the folder that holds dialects/ and lists/: $OPLEDGER_DATA_DIR, or ../share/opledger
// relative to the folder of the running program. Does not use PATH.
std::string DataDirectory();

// Returns the shipped precision lists of a dialect, sorted. Reports an error if they cannot be
// listed.
std::vector<std::string> ShippedLists(const std::string& dialect, Diagnostics& diagnostics);

// Returns the path of a sibling program ("opledger-scan"), in the folder of /proc/self/exe.
std::string SiblingProgram(const std::string& name);

// How a sibling runs, besides its arguments.
struct SiblingStreams {
  bool silent = false;  // discards its standard error
  std::string input;    // its standard input; empty: inherited
  // Called with each line of standard error. Not set: standard error is inherited.
  std::function<void(std::string_view line)> said;
  // With `said`: `go_on` is called when this descriptor can be read (-1: never). If it returns
  // false, the sibling is stopped.
  int wake = -1;
  std::function<bool()> go_on;
  // A sibling that is inactive for this long is ended with an error. A scan may take an hour, but
  // is active all that time.
  SilenceLimit limit;
};

// Runs the sibling `name` and collects up to 1 GiB of its standard output. Returns the exit status.
// Returns nullopt and reports an error if it could not be run, was killed, was inactive or wrote
// more. Returns nullopt without an error if it was stopped.
std::optional<int> RunSibling(const std::string& name, const std::vector<std::string>& arguments,
                              std::string& output, Diagnostics& diagnostics,
                              const SiblingStreams& streams = {});

// Replaces this process with the sibling; returns only on failure.
void ExecSibling(const std::string& name, const std::vector<std::string>& arguments,
                 Diagnostics& diagnostics);

}  // namespace opledger
