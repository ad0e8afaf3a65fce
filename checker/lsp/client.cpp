// Reads and writes capabilities as JSON.
// SPDX-License-Identifier: Apache-2.0
#include "checker/lsp/client.h"

#include <algorithm>
#include <filesystem>

#include "checker/lsp/documents.h"
#include "checker/lsp/message.h"
#include "registry/project/version.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWatched =
    "**/*.{c,cc,cpp,cxx,cu,cuh,h,hh,hpp,inc,inl,td,def,py,json,yaml,yml}";

bool Contains(const JsonValue& array, std::string_view text) {
  return std::any_of(array.items.begin(), array.items.end(),
                     [&](const JsonValue& item) { return item.string == text; });
}

}  // namespace

ClientAbilities ReadAbilities(const JsonValue& params) {
  const JsonValue& all = ValueAt(params, {"capabilities"});
  ClientAbilities client;
  client.related = FlagAt(all, {"textDocument", "publishDiagnostics", "relatedInformation"});
  client.versions = FlagAt(all, {"textDocument", "publishDiagnostics", "versionSupport"});
  client.versioned_edits = FlagAt(all, {"workspace", "workspaceEdit", "documentChanges"});
  client.literal_actions =
      all.Find("textDocument") != nullptr &&
      ValueAt(all, {"textDocument", "codeAction"}).Find("codeActionLiteralSupport") != nullptr;
  client.markdown = Contains(ValueAt(all, {"textDocument", "hover", "contentFormat"}), "markdown");
  client.watches = FlagAt(all, {"workspace", "didChangeWatchedFiles", "dynamicRegistration"});
  client.progress = FlagAt(all, {"window", "workDoneProgress"});
  return client;
}

PositionEncoding ChooseEncoding(const JsonValue& params) {
  const JsonValue& known = ValueAt(params, {"capabilities", "general", "positionEncodings"});
  return Contains(known, "utf-8") ? PositionEncoding::kUtf8 : PositionEncoding::kUtf16;
}

std::vector<std::string> ReadFolders(const JsonValue& params) {
  std::vector<std::string> folders;
  for (const JsonValue& folder : ValueAt(params, {"workspaceFolders"}).items) {
    if (const auto path = PathOfUri(TextAt(folder, {"uri"}))) folders.push_back(*path);
  }
  if (!folders.empty()) return folders;
  if (const auto path = PathOfUri(TextAt(params, {"rootUri"}))) return {*path};
  const std::string& path = TextAt(params, {"rootPath"});
  if (path.starts_with('/')) folders.push_back(fs::path(path).lexically_normal().string());
  return folders;
}

void WriteCapabilities(JsonWriter& json, PositionEncoding encoding) {
  json.BeginObject();
  json.BeginObject("capabilities");
  json.Field("positionEncoding", encoding == PositionEncoding::kUtf8 ? "utf-8" : "utf-16");
  json.BeginObject("textDocumentSync");
  json.Field("openClose", true);
  json.Field("change", 2);  // incremental changes
  json.BeginObject("save");
  json.Field("includeText", false);
  json.EndObject();
  json.EndObject();
  json.Field("hoverProvider", true);
  json.BeginObject("completionProvider");
  json.Array("triggerCharacters", std::vector<std::string>{"\"", "["});
  json.EndObject();
  json.BeginObject("codeActionProvider");
  json.Array("codeActionKinds",
             std::vector<std::string>{"quickfix", "refactor.rewrite", "source.fixAll.opledger"});
  json.EndObject();
  json.BeginObject("workspace");
  json.BeginObject("workspaceFolders");
  json.Field("supported", true);
  json.Field("changeNotifications", true);
  json.EndObject();
  json.EndObject();
  json.EndObject();
  json.BeginObject("serverInfo");
  json.Field("name", "opledger");
  json.Field("version", Version());
  json.EndObject();
  json.EndObject();
}

void WriteWatchers(JsonWriter& json) {
  json.BeginObject();
  json.BeginArray("registrations");
  json.BeginObject();
  json.Field("id", "opledger-files");
  json.Field("method", "workspace/didChangeWatchedFiles");
  json.BeginObject("registerOptions");
  json.BeginArray("watchers");
  json.BeginObject();
  json.Field("globPattern", kWatched);
  json.EndObject();
  json.EndArray();
  json.EndObject();
  json.EndObject();
  json.EndArray();
  json.EndObject();
}

}  // namespace opledger
