// Reads "documented_in" and "tested_in", which have the same form.
// SPDX-License-Identifier: Apache-2.0
#include "registry/precision_list/naming_file.h"

#include "registry/json/json_fields.h"

namespace opledger {
namespace {

bool ReadMap(const JsonDocument& document, const JsonValue& map, NamingFile& named,
             Diagnostics& diagnostics) {
  if (map.kind != JsonValue::Kind::kObject || map.members.empty()) {
    return ErrorAt(document, map.span,
                   "'map' must be an object that maps titles of sections to policies", "",
                   diagnostics);
  }
  bool ok = true;
  for (const JsonMember& member : map.members) {
    if (member.key == "$comment") continue;
    const std::optional<Policy> policy = ParsePolicy(member.value.string);
    if (member.value.kind != JsonValue::Kind::kString || !policy) {
      ok = ErrorAt(document, member.value.span, "invalid policy",
                   "use one of target, fp32, widest, conditional, either", diagnostics);
      continue;
    }
    named.map.push_back({member.key, *policy, document.At(member.key_span)});
  }
  return ok;
}

}  // namespace

bool ReadNamingFiles(const JsonDocument& document, const JsonValue& array, const char* key,
                     std::vector<NamingFile>& files, Diagnostics& diagnostics) {
  if (array.kind != JsonValue::Kind::kArray || array.items.empty()) {
    return ErrorAt(document, array.span,
                   "'" + std::string(key) + "' must be an array of at least one object",
                   "use [{\"file\": ..., \"map\": {SECTION: POLICY}}]", diagnostics);
  }
  bool ok = true;
  for (const JsonValue& item : array.items) {
    JsonFields fields(document, item, "file that names operators", diagnostics);
    NamingFile& named = files.emplace_back();
    named.file = fields.RequiredString("file");
    const JsonValue* const file = item.Find("file");
    if (file != nullptr) named.location = document.At(file->span);
    if (file != nullptr && !named.file.empty() &&
        (named.file.front() == '/' || named.file.find('\0') != std::string::npos)) {
      ok = ErrorAt(document, file->span, "'file' must be a path relative to the project's root", "",
                   diagnostics);
    }
    if (const JsonValue* const map = fields.Require("map")) {
      ok = ReadMap(document, *map, named, diagnostics) && ok;
    }
    ok = fields.Finish() && ok;
  }
  return ok;
}

}  // namespace opledger
