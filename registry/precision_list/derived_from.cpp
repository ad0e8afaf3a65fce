// Reads "derived_from". File names are relative to the project's root, even in lists in a
// subfolder, because dialects use the same syntax.
// SPDX-License-Identifier: Apache-2.0
#include "registry/precision_list/derived_from.h"

#include "registry/json/json_fields.h"
#include "registry/text/suggestion.h"

namespace opledger {
namespace {

struct NamedFormat {
  const char* name;
  ListFormat format;
};

constexpr NamedFormat kFormats[] = {
    {"python", ListFormat::kPython},
    {"cpp", ListFormat::kCpp},
    {"x-macro", ListFormat::kXMacro},
    {"yaml", ListFormat::kYaml},
};

class OriginReader {
 public:
  OriginReader(const JsonDocument& document, const JsonValue& item, Diagnostics& diagnostics)
      : document_(document), item_(item), diagnostics_(diagnostics) {}

  bool Read(ListOrigin& origin) {
    JsonFields fields(document_, item_, "source of a list", diagnostics_);
    if (item_.kind != JsonValue::Kind::kObject) return fields.Finish();
    origin.location = document_.At(item_.span);
    origin.field = fields.String("registrations");
    if (origin.field.empty()) {
      ReadFile(fields, origin);
    } else {
      origin.device = fields.String("device");
      origin.may_be_empty = fields.Boolean("may_be_empty", false);
    }
    return fields.Finish() && ok_;
  }

 private:
  void Error(Span span, std::string message, std::string hint = {}) {
    ErrorAt(document_, span, std::move(message), std::move(hint), diagnostics_);
    ok_ = false;
  }

  void ReadFile(JsonFields& fields, ListOrigin& origin) {
    origin.file = fields.RequiredString("file");
    const JsonValue* const file = item_.Find("file");
    if (file != nullptr && !origin.file.empty() &&
        (origin.file.front() == '/' || origin.file.find('\0') != std::string::npos)) {
      Error(file->span, "'file' must be a path relative to the project's root");
    }
    std::vector<std::string> names;
    for (const NamedFormat& each : kFormats) names.emplace_back(each.name);
    fields.Require("format");
    const std::string format = fields.Choice("format", names);
    for (const NamedFormat& each : kFormats) {
      if (each.name == format) origin.format = each.format;
    }
    origin.prefix = fields.String("prefix");
    origin.feature = fields.String("feature");
    const JsonValue* const feature = item_.Find("feature");
    if (feature != nullptr && origin.feature.find("{}") == std::string::npos) {
      Error(feature->span,
            "'feature' must contain {}, the placeholder for the name of the feature");
    }
    if (const JsonValue* const map = fields.Require("map")) ReadMap(*map, origin);
  }

  void ReadMap(const JsonValue& map, ListOrigin& origin) {
    if (map.kind != JsonValue::Kind::kObject) {
      return Error(map.span, "'map' must be an object that maps names of lists to policies");
    }
    bool entries = false;
    for (const JsonMember& member : map.members) {
      if (member.key == "$comment") continue;
      const std::optional<ListRole> role = ParseListRole(member.value.string);
      if (member.value.kind != JsonValue::Kind::kString || !role) {
        Error(member.value.span, "invalid role of a list",
              ChoiceHint(member.value.string, ListRoleNames()));
        continue;
      }
      entries = entries || role->HasEntries();
      origin.map.push_back({member.key, *role, document_.At(member.key_span)});
    }
    if (ok_ && !entries) {
      Error(map.span, "'map' does not give any list a policy",
            "add the name of a list and its policy");
    }
  }

  const JsonDocument& document_;
  const JsonValue& item_;
  Diagnostics& diagnostics_;
  bool ok_ = true;
};

}  // namespace

const char* ListFormatName(ListFormat format) {
  for (const NamedFormat& each : kFormats) {
    if (each.format == format) return each.name;
  }
  return "registrations";
}

bool ReadListOrigins(const JsonDocument& document, const JsonValue& array,
                     std::vector<ListOrigin>& origins, Diagnostics& diagnostics) {
  if (array.kind != JsonValue::Kind::kArray || array.items.empty()) {
    return ErrorAt(document, array.span, "'derived_from' must be an array of at least one object",
                   "use [{\"file\": ..., \"format\": \"python\", \"map\": {NAME: POLICY}}]",
                   diagnostics);
  }
  bool ok = true;
  for (const JsonValue& item : array.items) {
    ListOrigin& origin = origins.emplace_back();
    ok = OriginReader(document, item, diagnostics).Read(origin) && ok;
  }
  return ok;
}

}  // namespace opledger
