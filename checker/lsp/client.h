// The client's capabilities and folders, and the server's capabilities.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checker/lsp/position.h"
#include "registry/json/json.h"
#include "registry/json/json_write.h"

namespace opledger {

// What the editor supports, by the parameters of `initialize`.
struct ClientAbilities {
  bool related = false;   // shows related locations of diagnostics
  bool versions = false;  // versions of documents in diagnostics
  bool versioned_edits = false;
  bool literal_actions = false;
  bool markdown = false;  // in hovers
  bool watches = false;   // registers file watchers on request
  bool progress = false;
};

ClientAbilities ReadAbilities(const JsonValue& params);

// Returns UTF-8 if the client supports it, otherwise UTF-16.
PositionEncoding ChooseEncoding(const JsonValue& params);

// Returns the absolute paths of `workspaceFolders`, otherwise the root of older clients.
std::vector<std::string> ReadFolders(const JsonValue& params);

// Writes the result of `initialize`.
void WriteCapabilities(JsonWriter& json, PositionEncoding encoding);

// Writes the parameters of client/registerCapability. Watches file names that may belong to a
// project.
void WriteWatchers(JsonWriter& json);

}  // namespace opledger
