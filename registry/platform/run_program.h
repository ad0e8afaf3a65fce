// Running another program to its end while its output is read: fork, exec, pipes, limits. For
// registry/platform alone; others call RunSibling (platform.h) and RunGit (run_git.h).
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

// Takes output as it comes. False: nothing more is wanted, and the program is ended.
using TakePiece = std::function<bool(std::string_view)>;

// Whose repository a program reads.
enum class GitOf : std::uint8_t { kNone, kHere, kElsewhere };

struct Child {
  std::string name;     // for messages
  std::string program;  // a path, or a name to be found in PATH
  GitOf git = GitOf::kNone;
  bool in_path = false;    // PATH is searched for it
  bool has_input = false;  // of its own; else it has our standard input
  SiblingStreams streams = {};
  std::string objects = {};  // of git: where more are, as GIT_ALTERNATE_OBJECT_DIRECTORIES has it
  SilenceLimit limit = {};
  // Of a program that has not answered for too long: what was asked, and the remedy.
  std::string asked = {};
  std::string remedy = {};
};

// Null-terminated, as exec wants it. Points into `words`.
std::vector<char*> ArgumentVector(std::vector<std::string>& words);

// In a process that was just forked: becomes the child. `input` and `errors` may be -1: as ours.
[[noreturn]] void Become(const Child& child, const std::vector<char*>& arguments, int input,
                         int output, int errors);

// Gives the exit status; nullopt where the program was stopped because nothing more was wanted, or,
// with an error, where it could not be run, was killed, did not answer, or its output could not be
// read.
std::optional<int> RunChild(const Child& child, std::vector<std::string> words,
                            const TakePiece& take, Diagnostics& diagnostics);

}  // namespace opledger
