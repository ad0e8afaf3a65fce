// Who is served: what the client can do, which folders it has open, and what it is told of us.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checker/lsp/position.h"
#include "registry/json/json.h"
#include "registry/json/json_write.h"

namespace opledger {

// By the parameters of `initialize`.
struct ClientAbilities {
  bool related = false;   // places beside that of a diagnostic
  bool versions = false;  // versions of documents in diagnostics
  bool versioned_edits = false;
  bool literal_actions = false;
  bool markdown = false;  // hovers
  bool watches = false;   // registers watchers of files when it is asked to
  bool progress = false;
};

ClientAbilities ReadAbilities(const JsonValue& params);

// UTF-8 where the client takes it, else UTF-16.
PositionEncoding ChooseEncoding(const JsonValue& params);

// The folders of `workspaceFolders`, else the one of older clients; absolute.
std::vector<std::string> ReadFolders(const JsonValue& params);

// The result of `initialize`.
void WriteCapabilities(JsonWriter& json, PositionEncoding encoding);

// The parameters of client/registerCapability: the files that a project is made of, as far as their
// names say so.
void WriteWatchers(JsonWriter& json);

}  // namespace opledger
