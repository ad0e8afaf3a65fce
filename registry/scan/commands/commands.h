// Everything opledger-scan does besides a scan in one piece: explain how a file was read, verify a
// manifest against a list of names, merge shards, and scan in steps from file to file. Input:
// arguments, source trees and facts. Output: files, text and an exit status.
// May include: registry/dialect, registry/files, registry/json, registry/manifest,
// registry/project, registry/scan/*, registry/source, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/manifest/manifest.h"
#include "registry/scan/facts/facts.h"
#include "registry/scan/macros/macros.h"
#include "registry/scan/merge/merge_facts.h"
#include "registry/scan/tree/scan_context.h"
#include "registry/scan/workers/workers.h"
#include "registry/text/diagnostics.h"

namespace opledger::scan {

// Explains how one file was read: each candidate in file order, with what it registers or why it
// registers nothing.
//   src/a.cc:3:1: REGISTER_UNARY registers 'abs' (alias _abs; attributes 2)
//   src/a.cc:7:1: LOG_REGISTER registers no operator: the dialect exempts it
// `registrations`: all registrations that have a location in the file.
std::string ExplainFile(const MacroIndex& index, const SourceTree& tree, const Dialect& dialect,
                        const Manifest& manifest, const std::string& path,
                        const std::vector<Registration>& registrations);

// The result of comparing a manifest with an independent list of names.
//   ["Abs", "Add"] + operators Abs, Acos  ->  recall 0.500, precision 0.500, two locations
struct Verdict {
  bool equal = false;
  std::string text;  // human-readable: the differences with their locations, then a line of figures
};

// Compares the manifest with the JSON array of strings in `path`: names of operators or aliases, or
// all of them with a version ("Abs-13"). An exempt operator may be missing from the list. If
// `among` is not empty, so may an operator that is not registered in a file that one of these globs
// matches. Reports an error and returns nullopt if the file is not such an array.
std::optional<Verdict> Verify(const Manifest& manifest, const std::string& path,
                              const std::vector<std::string>& among, Diagnostics& diagnostics);

// Arguments of `opledger merge` (opledger-scan --merge).
struct MergeArguments {
  MergeRequest request;
  ScanContextRequest context;
  std::string output = "-";
  std::vector<std::string> defines;
};

// Writes operators.json and prints diagnostics to standard error. Returns the exit status: 0, 2 if
// it could not run, or 3 if facts are missing or wrong or the manifest is incomplete.
int RunMerge(MergeArguments& arguments);

// Parses the values of -D: "X" and "X=Y".
Defines DefinesOf(const std::vector<std::string>& flags);

// A scan in three steps, each from file to file, for build systems and clusters (ci/cmake) rather
// than for interactive use.
// opledger-scan --outline [PATH...] -o OUTLINES    what each file defines, includes and
//                                                  mentions: of the whole tree, or of these files
// opledger-scan --index OUTLINES... -o INDEX       the macro index. --tree writes the facts that do
//               --tree TREE.facts --parts FOLDER   not belong to a unit, --parts FOLDER/UNIT.part,
//                                                  which changes if the unit has to be read again
// opledger-scan --facts UNIT --index INDEX         the facts of one unit, which depend only on its
//               --part PART -o FACTS               bytes and its part of the index
// opledger-scan --facts --index INDEX -o FACTS     the facts of headers that register by themselves
// opledger-scan --merge TREE.facts HEADERS.facts --units FOLDER -o operators.json
// opledger-scan --list-units                       what a build needs when it is configured
// --list-units and --outline take --only FILE, with a path on each line, to ignore all other units.
// Outputs that would not change are not written. --depfile FILE records what was read.
enum class BuildStep { kList, kOutline, kIndex, kFacts };

struct BuildStepArguments {
  BuildStep step = BuildStep::kList;
  std::vector<std::string> files;    // of --outline and --facts
  std::vector<std::string> indexed;  // of --index
  std::string output;
  std::string depfile;
  std::string tree;
  std::string parts;
  std::string part;
  std::string only;
  std::string mode = "fast";
  ScanContextRequest context;
  PoolLimits limits;
};

// Prints diagnostics to standard error. Returns the exit status: 0, 2 if it could not run, or 3 if
// a unit could not be read.
int RunBuildStep(BuildStepArguments& arguments);

}  // namespace opledger::scan
