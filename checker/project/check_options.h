// Options that several verbs share: which project to check, and how.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "registry/source/source.h"

namespace opledger {

struct SiblingStreams;

struct GlobalOptions {
  Source here = DiskSource("/");               // paths of the command line are relative to it
  std::string project_file;                    // --config: empty for the nearest, "none", or a path
  const char* project_file_from = "--config";  // the flag or variable that sets it
  std::string color = "auto";
  bool quiet = false;
};

struct CheckOptions {
  GlobalOptions global;
  std::vector<std::string> paths;
  std::string dialect;
  // The name of `dialect` in the project file if it is one of several, otherwise "".
  std::string one_of_dialects = {};
  std::string operators;
  std::vector<std::string> lists;
  std::string configuration;
  std::vector<std::string> formats;  // FMT or FMT=FILE; empty: from the environment, or text
  std::string fail_on = "warning";
  std::vector<std::string> severities;  // RULE=LEVEL
  std::vector<std::string> select;      // rules
  std::vector<std::string> ignore;
  std::string baseline;     // empty: from the project file, or the one next to it; "none"
  std::string evidence;     // measurements; empty: from the project file
  std::string against;      // a git revision whose findings do not count
  std::string policy_from;  // a git revision whose settings replace those of the tree
  bool staged = false;      // check what is staged instead of the tree
  bool fix = false;
  bool diff = false;
  bool statistics = false;  // print counts by rule, and times, to standard error
  // Passed to the scanner.
  std::string build;
  std::vector<std::string> defines;
  std::string jobs;
  std::string mode;
  bool no_cache = false;
  bool silent = false;                      // suppress the scanner's messages
  const SiblingStreams* scanner = nullptr;  // receives the scanner's output; may be nullptr
  bool allow_empty = false;  // accept a tree without operators, such as an early revision
  // Where to find a manifest, baseline or evidence file named on the command line. Other paths are
  // in the tree that is checked.
  std::map<std::string, Source> named_in = {};
};

}  // namespace opledger
