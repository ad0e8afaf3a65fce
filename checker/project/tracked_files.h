// Finds files of a project's check that git does not have, because clones lack them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/project/project.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// Returns the existing files that a check needs, relative to the root: the project file, its lists,
// their sources, and its dialects. The baseline is not needed: without it, a check finds more.
std::vector<std::string> FilesOfProject(const Source& source, const ProjectFile& file);

struct IgnoredFiles {
  std::vector<std::string> paths;
  std::string rule;                // that ignores the first one, such as ".gitignore:3: *.json"
  std::vector<std::string> lines;  // to add to .gitignore here, such as "!/lists/float16.json"
};

// Returns the files, relative to the source's root, that git ignores. Empty if there is no
// repository.
IgnoredFiles FindIgnored(const Source& source, const std::vector<std::string>& paths);

// Returns "git ignores 2 files of the project (.gitignore:1: *.json), so a clone does not have
// them".
std::string IgnoredText(const IgnoredFiles& ignored);
// Returns "add to .gitignore: !/opledger.json !/lists/a.json".
std::string IgnoredHint(const IgnoredFiles& ignored);

}  // namespace opledger
