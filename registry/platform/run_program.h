// Runs another program to its end while reading its output: fork, exec, pipes, limits. Only for
// registry/platform; others call RunSibling (platform.h) and RunGit (run_git.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/platform/child_watch.h"
#include "registry/platform/platform.h"

namespace opledger {

// Receives output as it arrives. Returns false if no more is wanted; the program is then ended.
using TakePiece = std::function<bool(std::string_view)>;

// Which repository a program reads.
enum class GitOf : std::uint8_t { kNone, kHere, kElsewhere };

struct Child {
  std::string name;     // for messages
  std::string program;  // a path, or a name to look up in PATH
  GitOf git = GitOf::kNone;
  bool in_path = false;    // whether to search PATH
  bool has_input = false;  // its own input; otherwise it inherits standard input
  SiblingStreams streams = {};
  std::string objects = {};  // for git: value of GIT_ALTERNATE_OBJECT_DIRECTORIES
  SilenceLimit limit = {};
  // For the message about a timeout: what was asked, and the remedy.
  std::string asked = {};
  std::string remedy = {};
};

// Returns the message about a silent program: "git has not answered for 60 s".
std::string NoAnswerText(const std::string& name, double seconds);

// Returns a null-terminated array for exec that points into `words`.
std::vector<char*> ArgumentVector(std::vector<std::string>& words);

// Turns a process that was just forked into the child. `input` and `errors` may be -1 to inherit.
[[noreturn]] void Become(const Child& child, const std::vector<char*>& arguments, int input,
                         int output, int errors);

// Runs a program and returns its exit status. Returns nullopt without an error if it was stopped
// because no more output was wanted. Returns nullopt and reports an error if it could not be run,
// was killed, did not answer, or its output could not be read.
std::optional<int> RunChild(const Child& child, std::vector<std::string> words,
                            const TakePiece& take, Diagnostics& diagnostics);

}  // namespace opledger
