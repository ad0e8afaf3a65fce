// What git's plumbing prints, as bytes: the names in it are those of files that anybody committed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checker/git/git.h"

namespace opledger {

// Of `ls-tree -r -z` "100644 blob ID\tPATH", of `ls-files --stage -z` "100644 ID 0\tPATH", where
// another number than 0 is one side of a conflict; sorted by path. What is no file, and what leads
// elsewhere, is left out.
std::vector<TreeFile> ParseListing(std::string_view listing, bool is_index);
// Of the same, "160000 commit ID\tPATH" and "160000 ID 0\tPATH": the submodules.
std::vector<Submodule> ParseSubmodules(std::string_view listing, bool is_index);

}  // namespace opledger
