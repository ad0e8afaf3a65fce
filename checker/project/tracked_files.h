// Whether git has the files that a project's check reads: a clone has no others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/project/project.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// The project file and the lists and the dialect that it names: those that are there, seen from the
// root. Without a baseline more is found, not less, so that is none of them.
std::vector<std::string> FilesOfProject(const Source& source, const ProjectFile& file);

struct IgnoredFiles {
  std::vector<std::string> paths;
  std::string rule;                // that ignores the first: ".gitignore:3: *.json"
  std::vector<std::string> lines;  // for .gitignore here: "!/lists/float16.json"
};

// Those of the files, seen from the source's root, that git neither tracks nor would add. None
// where there is no repository.
IgnoredFiles FindIgnored(const Source& source, const std::vector<std::string>& paths);

// "git ignores 2 files of the project (.gitignore:1: *.json), so a clone has none"
std::string IgnoredText(const IgnoredFiles& ignored);
// "add to .gitignore: !/opledger.json !/lists/a.json"
std::string IgnoredHint(const IgnoredFiles& ignored);

}  // namespace opledger
