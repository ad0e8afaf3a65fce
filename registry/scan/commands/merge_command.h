// What `opledger merge` does: opledger-scan --merge.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/scan/merge/merge_facts.h"
#include "registry/scan/tree/scan_context.h"

namespace opledger::scan {

struct MergeArguments {
  MergeRequest request;
  StandingRequest standing;
  std::string output = "-";
  std::string directory;  // to change to first; may be empty
  std::vector<std::string> defines;
};

// Writes operators.json; problems go to standard error. Exit status: 0, 2 could not run, 3 facts
// are missing or wrong, or the manifest is incomplete.
int RunMerge(MergeArguments& arguments);

// "X" and "X=Y" of -D.
Defines DefinesOf(const std::vector<std::string>& flags);

}  // namespace opledger::scan
