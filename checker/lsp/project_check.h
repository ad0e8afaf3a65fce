// A project as `opledger check` sees it, with the texts of the editor in the place of files.
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
  std::shared_ptr<const ComparedRevision>
      base;  // that `checked` is compared with; nullptr: with none
  CheckedProject checked;
  FilteredFindings filtered;
  Diagnostics messages;            // of the scanner, too; paths as seen from the root
  std::string root;                // absolute
  Source files = DiskSource("/");  // as they were checked, unsaved texts included
  bool opened = false;             // else there are messages only, and no index
  bool stopped = false;            // somebody did not want to wait: then there is nothing
  std::set<std::string> saved;  // files (absolute) that were checked as they are saved, since their
                                // texts cannot be read: `messages` says why
};

// `project_file` is absolute. `unsaved`: absolute paths, texts. `last`: the base of the check
// before. What a text makes impossible to read does not hide what else is found: it is left out.
std::unique_ptr<ProjectCheck> CheckProject(const CheckOptions& options,
                                           const std::string& project_file,
                                           const std::map<std::string, std::string>& unsaved,
                                           const SiblingStreams& streams,
                                           const std::shared_ptr<const ComparedRevision>& last);

}  // namespace opledger
