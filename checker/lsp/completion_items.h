// What can stand at a place of a precision list or a project file: by its schema, fields and
// values; by the manifest, operators (those without a policy first), attributes and their values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "checker/lsp/position.h"
#include "checker/lsp/project_check.h"
#include "registry/json/json.h"

namespace opledger {

// A CompletionList as JSON. `path` is as seen from the root, `text` what the editor holds, `schema`
// that of the file. `check`: nullptr where nothing is known of the project yet.
std::string CompletionList(const ProjectCheck* check, const std::string& path,
                           std::string_view text, Position position, PositionEncoding encoding,
                           const JsonValue& schema);

}  // namespace opledger
