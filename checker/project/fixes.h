// Makes safe fixes, as --fix does, and applies them to a project in memory.
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
  int findings = 0;                        // number of findings that were fixed
};

// Applies all safe fixes in memory, repeatedly, and filters again: `checked` and `filtered` are
// then as if the files had been fixed. Skips shipped files. Returns nullopt, with errors, if a list
// cannot be read afterwards, which would be a bug.
std::optional<Fixes> MakeFixes(CheckedProject& checked, FilteredFindings& filtered,
                               Diagnostics& diagnostics);

// Returns the safe edits of a file that can be applied together, by offset. Of adjacent entries in
// an array, takes every other one, because each removes a comma.
std::vector<Edit> EditsAtOnce(const std::vector<Finding>& findings, const std::string& path,
                              std::string_view text);

}  // namespace opledger
