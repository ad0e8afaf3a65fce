// Checks a project as `opledger check` does, with the editor's texts instead of files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "checker/filter/filter.h"
#include "checker/lsp/compared_revision.h"
#include "checker/project/checked_project.h"
#include "registry/platform/platform.h"

namespace opledger {

struct ProjectCheck {
  // The revision that `checked` is compared with; may be nullptr.
  std::shared_ptr<const ComparedRevision> base;
  CheckedProject checked;
  FilteredFindings filtered;
  Diagnostics messages;            // includes the scanner's; paths relative to the root
  std::string root;                // absolute
  Source files = DiskSource("/");  // the checked files, including unsaved texts
  bool opened = false;             // otherwise there are only messages and no index
  bool stopped = false;            // interrupted: there are no results
  // Absolute paths of files whose saved version was checked, because the editor's text cannot be
  // read. `messages` says why.
  std::set<std::string> saved;
};

// `project_file` is absolute. `unsaved` maps absolute paths to texts, and `last` is the revision of
// the previous check. If a text cannot be read, checks its saved file instead.
std::unique_ptr<ProjectCheck> CheckProject(const CheckOptions& options,
                                           const std::string& project_file,
                                           const std::map<std::string, std::string>& unsaved,
                                           const SiblingStreams& streams,
                                           const std::shared_ptr<const ComparedRevision>& last);

}  // namespace opledger
