// Safe fixes: the edits that --fix makes, and what they make of a project.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "checker/filter/filter.h"
#include "checker/project/checked_project.h"

namespace opledger {

struct FixedFile {
  std::string before;
  std::string after;
};

struct Fixes {
  std::map<std::string, FixedFile> files;  // by path
  int findings = 0;                        // that are gone
};

// Makes every safe fix in memory, again while there is one, and filters anew: `checked` and
// `judged` are then as if the files had been so. Files that opledger ships are left alone. None,
// with errors, where a list does not read any more, which would be a bug of ours.
std::optional<Fixes> MakeFixes(CheckedProject& checked, FilteredFindings& filtered,
                               Diagnostics& diagnostics);

// Those of the safe edits of a file that can be made at once, by offset: of neighbours in an array
// only every other one, since each takes a comma along.
std::vector<Edit> EditsAtOnce(const std::vector<Finding>& findings, const std::string& path,
                              std::string_view text);

}  // namespace opledger
