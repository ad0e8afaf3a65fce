// A scan in three steps, each from file to file, for build systems and clusters (ci/cmake) and for
// nobody to type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/scan/tree/scan_context.h"
#include "registry/scan/workers/workers.h"

namespace opledger::scan {

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
  std::string directory;  // to change to first; may be empty
  std::string mode = "fast";
  StandingRequest standing;
  PoolLimits limits;
};

// Problems go to standard error. Exit status: 0, 2 could not run, 3 a unit could not be read.
int RunBuildStep(BuildStepArguments& arguments);

}  // namespace opledger::scan
