// What opledger-scan does besides a scan in one piece: explain how a file was read, hold a
// manifest against a list, merge shards, scan in steps from file to file. In: arguments, source
// trees, facts; out: files, texts, an exit status.
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

// How one file was read: every candidate in the order of the file, and what came of it or why
// nothing did.
//   src/a.cc:3:1: REGISTER_UNARY registers 'abs' (alias _abs; attributes 2)
//   src/a.cc:7:1: LOG_REGISTER registers no operator: the dialect exempts it
// `registrations`: those of all facts that have a place in the file.
std::string ExplainFile(const MacroIndex& index, const SourceTree& tree, const Dialect& dialect,
                        const Manifest& manifest, const std::string& path,
                        const std::vector<Registration>& registrations);

// Holds a manifest against a list of names that somebody else made: what is missing, what is extra.
//   ["Abs", "Add"] + operators Abs, Acos  ->  recall 0.500, precision 0.500, two places
struct Verdict {
  bool equal = false;
  std::string text;  // for people: the differences with their places, then a line of figures
};

// `path` holds a JSON array of strings: operators or aliases, or all of them with a version
// ("Abs-13"). An exempt operator may be in the list, and need not be; nor need one that is not
// registered in a file of `among` (globs), where there are any. None, with a diagnostic, where the
// file is no such array.
std::optional<Verdict> Verify(const Manifest& manifest, const std::string& path,
                              const std::vector<std::string>& among, Diagnostics& diagnostics);

// What `opledger merge` does: opledger-scan --merge.
struct MergeArguments {
  MergeRequest request;
  ScanContextRequest context;
  std::string output = "-";
  std::vector<std::string> defines;
  bool quiet = false;  // tells no more than messages, as always
};

// Writes operators.json; problems go to standard error. Exit status: 0, 2 could not run, 3 facts
// are missing or wrong, or the manifest is incomplete.
int RunMerge(MergeArguments& arguments);

// "X" and "X=Y" of -D.
Defines DefinesOf(const std::vector<std::string>& flags);

// A scan in three steps, each from file to file, for build systems and clusters (ci/cmake), not for
// people to type.
// opledger-scan --outline [PATH...] -o OUTLINES    what each file defines, includes, mentions: of
//                                                  the whole tree, or of these files alone
// opledger-scan --index OUTLINES... -o INDEX       the macro index, and beside it
//               --tree TREE.facts --parts FOLDER   what the tree says apart from its units, and
//                                                  FOLDER/UNIT.part: what of the index counts
// opledger-scan --facts UNIT --index INDEX         the facts of one unit, which depend on nothing
//               --part PART -o FACTS               but its bytes and its part of the index
// opledger-scan --facts --index INDEX -o FACTS     the facts of headers that register by themselves
// opledger-scan --merge TREE.facts HEADERS.facts --units FOLDER -o operators.json
// opledger-scan --list-units                       what a build has to know before
// --only FILE, of --list-units and --outline: a path per line; no other unit counts.
// Every output stays untouched where it would not change; --depfile FILE tells what was read.
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

// Problems go to standard error. Exit status: 0, 2 could not run, 3 a unit could not be read.
int RunBuildStep(BuildStepArguments& arguments);

}  // namespace opledger::scan
