// Findings, and what went wrong, as diagnostics of the protocol at their places.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "checker/lsp/documents.h"
#include "checker/lsp/project_check.h"

namespace opledger {

struct PlacedFinding {
  const Finding* finding = nullptr;  // of the check; nullptr: a message that says what went wrong
  std::string path;                  // absolute
  Range range;
  std::string json;  // the diagnostic
};

// A path of the check, absolute. Shipped lists are where they are installed; what has no path is of
// the project file.
std::string AbsolutePath(const ProjectCheck& check, const std::string& path);

// By path and place. `unsaved`: what the check was given. `related`: the client shows places beside
// that of a diagnostic; otherwise they are part of its message.
std::vector<PlacedFinding> PlaceFindings(const ProjectCheck& check, const std::string& project_file,
                                         const std::map<std::string, std::string>& unsaved,
                                         PositionEncoding encoding, bool related);

}  // namespace opledger
