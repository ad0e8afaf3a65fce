// What a command line says of the project to look at: flags that several verbs share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "registry/source/source.h"

namespace opledger {

struct SiblingStreams;

struct GlobalOptions {
  Source here = DiskSource("/");               // what paths of the command line are seen from
  std::string project_file;                    // --config: empty for the nearest, "none", or a path
  const char* project_file_from = "--config";  // what says so: the flag, or a variable
  std::string color = "auto";
  bool quiet = false;
};

struct CheckOptions {
  GlobalOptions global;
  std::vector<std::string> paths;
  std::string dialect;
  // How the project file names `dialect` where it is one of several; empty: it is not.
  std::string one_of_dialects = {};
  std::string operators;
  std::vector<std::string> lists;
  std::string configuration;
  std::vector<std::string> formats;  // FMT or FMT=FILE; empty: the environment's, or text
  std::string fail_on = "warning";
  std::vector<std::string> severities;  // RULE=LEVEL
  std::vector<std::string> select;      // rules
  std::vector<std::string> ignore;
  std::string baseline;     // empty: the project file's, else the one beside it; "none"
  std::string evidence;     // what was measured; empty: the project file's
  std::string against;      // a git revision: what was found there does not count
  std::string policy_from;  // a git revision whose settings hold, in place of the tree's
  bool staged = false;      // what is staged for a commit, not the tree
  bool fix = false;
  bool diff = false;
  bool statistics = false;  // counts of each rule, and times, on standard error
  // Handed to the scanner.
  std::string build;
  std::vector<std::string> defines;
  std::string jobs;
  std::string mode;
  bool no_cache = false;
  bool silent = false;                      // the scanner says nothing of what it cannot do
  const SiblingStreams* scanner = nullptr;  // who listens to the scanner; nullptr: nobody
  bool allow_empty = false;  // no operator is no error: of a revision before the first one
  // Where a manifest, a baseline or an evidence file is that the command line names; of other
  // paths: in the tree that is checked.
  std::map<std::string, Source> named_in = {};
};

}  // namespace opledger
