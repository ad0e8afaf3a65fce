// Completions in a precision list or a project file: fields and values from its schema; operators
// (unclassified ones first), attributes and their values from the manifest.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "checker/lsp/position.h"
#include "checker/lsp/project_check.h"
#include "registry/json/json.h"

namespace opledger {

// Returns a CompletionList as JSON. `path` is relative to the root, `text` is what the editor
// holds, and `schema` is that of the file. `check` is nullptr if the project has not been checked
// yet.
std::string CompletionList(const ProjectCheck* check, const std::string& path,
                           std::string_view text, Position position, PositionEncoding encoding,
                           const JsonValue& schema);

}  // namespace opledger
