// Code actions: classify operators as `opledger classify` does, and apply the fixes of findings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checker/lsp/documents.h"
#include "checker/lsp/placed_finding.h"
#include "checker/lsp/project_check.h"

namespace opledger {

struct ActionRequest {
  const ProjectCheck& check;
  const std::vector<PlacedFinding>& findings;
  const Documents& documents;
  std::string path;               // absolute path of the document
  Range range;                    // in the document
  std::vector<std::string> only;  // requested kinds; empty: all
  bool versions = false;          // the client supports edits of document versions
};

// Returns a JSON array of CodeAction.
std::string CodeActions(const ActionRequest& request);

}  // namespace opledger
