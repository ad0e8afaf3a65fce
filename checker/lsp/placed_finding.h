// Converts findings and errors to diagnostics of the protocol.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "checker/lsp/documents.h"
#include "checker/lsp/project_check.h"

namespace opledger {

struct PlacedFinding {
  const Finding* finding = nullptr;  // of the check; nullptr: an error or warning message
  std::string path;                  // absolute
  Range range;
  std::string json;  // the diagnostic as JSON
};

// Returns the absolute path of a path in the check. Shipped lists are in the installation.
std::string AbsolutePath(const ProjectCheck& check, const std::string& path);

// Returns the diagnostics sorted by path and place. `unsaved` are the texts that were checked.
// `related`: the client shows related locations; otherwise they are part of the message.
std::vector<PlacedFinding> PlaceFindings(const ProjectCheck& check, const std::string& project_file,
                                         const std::map<std::string, std::string>& unsaved,
                                         PositionEncoding encoding, bool related);

}  // namespace opledger
