// Code actions: an operator gets a policy, exactly as `opledger classify` writes it; and the fixes
// that findings carry.
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
  std::string path;               // absolute, of the document
  Range range;                    // in it
  std::vector<std::string> only;  // kinds that are wanted; none: all
  bool versions = false;          // the client takes edits of versions of documents
};

// An array of CodeAction as JSON.
std::string CodeActions(const ActionRequest& request);

}  // namespace opledger
