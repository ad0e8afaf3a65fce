// Reading operators.json, strictly: what this version does not know, it refuses.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <climits>
#include <set>
#include <unordered_map>

#include "registry/json/json_fields.h"
#include "registry/manifest/kernel_json.h"
#include "registry/manifest/manifest.h"

namespace opledger {
namespace {

using JsonKind = JsonValue::Kind;

class ManifestReader {
 public:
  ManifestReader(const JsonDocument& document, Diagnostics& diagnostics)
      : document_(document), diagnostics_(diagnostics) {}

  std::optional<Manifest> Read() {
    JsonFields fields(document_, document_.root, "operators file", diagnostics_);
    // What a newer version holds would only give errors that mislead.
    if (!fields.Schema("opledger-operators", 1)) return std::nullopt;
    manifest_.dialect = fields.RequiredString("dialect");
    manifest_.configuration = fields.String("configuration", "union");
    ReadConfigurations(fields.Take("configurations"));
    manifest_.default_configuration = fields.String("default_configuration");
    ReadRelations(fields.Take("relations"));
    manifest_.files = static_cast<int>(fields.Integer("files", 0, 0, INT_MAX));
    fields.Require("operators");
    ReadOperators(fields.Objects("operators"));
    for (const JsonValue& item : fields.Objects("dynamic")) ReadDynamic(item);
    for (const JsonValue& item : fields.Objects("incomplete")) ReadIncomplete(item);
    if (!fields.Finish() || !ok_) return std::nullopt;
    std::sort(manifest_.dynamic.begin(), manifest_.dynamic.end());
    std::sort(manifest_.incomplete.begin(), manifest_.incomplete.end());
    manifest_.text = document_.text;
    return std::move(manifest_);
  }

 private:
  void Error(Span span, std::string message, std::string hint = {}) {
    ErrorAt(document_, span, std::move(message), std::move(hint), diagnostics_);
    ok_ = false;
  }

  void Finish(JsonFields& fields) { ok_ = fields.Finish() && ok_; }

  static int Number(JsonFields& fields, std::string_view key) {
    return static_cast<int>(fields.Integer(key, 0, 0, INT_MAX));
  }

  static void ReadPlace(JsonFields& fields, Location& location) {
    location.line = Number(fields, "line");
    location.column = Number(fields, "column");
    location.end_line = Number(fields, "end_line");
    location.end_column = Number(fields, "end_column");
  }

  // A few hundred different conditions stand at thousands of places.
  Condition ReadCondition(JsonFields& fields) {
    const std::string text = fields.String("condition");
    if (text.empty()) return {};
    const auto [found, is_new] = conditions_.try_emplace(text);
    if (is_new) found->second = Condition::FromExpression(text);
    return found->second;
  }

  void ReadConfigurations(const JsonValue* configurations) {
    if (configurations == nullptr) return;
    if (configurations->kind != JsonKind::kObject) {
      return Error(configurations->span, std::string("'configurations' must be an object, not ") +
                                             JsonKindName(configurations->kind));
    }
    for (const JsonMember& member : configurations->members) {
      Defines& defines = manifest_.configurations[member.key];
      JsonFields macros(document_, member.value, "configuration", diagnostics_);
      for (const JsonMember& macro : member.value.members) {
        defines[macro.key] = macros.String(macro.key);
      }
      Finish(macros);
    }
  }

  void ReadRelations(const JsonValue* value) {
    if (value == nullptr) return;
    JsonFields fields(document_, *value, "relations", diagnostics_);
    manifest_.relations.version = fields.String("version");
    manifest_.relations.gradient = fields.String("gradient");
    Finish(fields);
  }

  void ReadOperators(const std::vector<JsonValue>& items) {
    std::vector<std::pair<Operator, Span>> operators;
    operators.reserve(items.size());
    for (const JsonValue& item : items) {
      const JsonValue* name = item.Find("name");
      operators.emplace_back(ReadOperator(item), name == nullptr ? item.span : name->span);
    }
    std::stable_sort(operators.begin(), operators.end(),
                     [](const auto& a, const auto& b) { return a.first.name < b.first.name; });
    manifest_.operators.reserve(operators.size());
    for (auto& [op, span] : operators) {
      if (!manifest_.operators.empty() && manifest_.operators.back().name == op.name) {
        Error(span, "operator '" + op.name + "' stands here twice", "merge the facts again");
      }
      manifest_.operators.push_back(std::move(op));
    }
  }

  Operator ReadOperator(const JsonValue& item) {
    JsonFields fields(document_, item, "operator", diagnostics_);
    Operator op;
    op.name = fields.RequiredString("name");
    op.exempt = fields.String("exempt");
    const std::vector<std::string> listed = fields.Strings("aliases");
    const std::set<std::string> names(listed.begin(), listed.end());
    for (const JsonValue& site : fields.Objects("alias_sites")) ReadAlias(site, op, names);
    AddPlacelessAliases(names, op);
    fields.Require("sites");
    op.since = Number(fields, "since");
    op.sites = ReadSites(fields);
    ReadFields(fields.Take("fields"), op.fields);
    for (const JsonValue& kernel : fields.Objects("kernels")) {
      op.kernels.push_back(ReadOneKernel(kernel));
    }
    std::sort(op.kernels.begin(), op.kernels.end());
    for (const JsonValue& version : fields.Objects("earlier")) {
      op.earlier.push_back(ReadVersion(version));
    }
    Finish(fields);
    std::sort(op.aliases.begin(), op.aliases.end());
    return op;
  }

  void ReadAlias(const JsonValue& item, Operator& op, const std::set<std::string>& names) {
    JsonFields fields(document_, item, "alias", diagnostics_);
    Alias alias;
    alias.name = fields.RequiredString("alias");
    alias.location.path = fields.String("path");
    ReadPlace(fields, alias.location);
    alias.condition = ReadCondition(fields);
    if (names.count(alias.name) == 0) {
      fields.Error(item.span, "alias '" + alias.name + "' is not among the 'aliases'");
    }
    Finish(fields);
    op.aliases.push_back(std::move(alias));
  }

  static void AddPlacelessAliases(const std::set<std::string>& names, Operator& op) {
    std::set<std::string> placed;
    for (const Alias& alias : op.aliases) placed.insert(alias.name);
    for (const std::string& name : names) {
      if (placed.count(name) > 0) continue;
      op.aliases.push_back({.name = name, .location = {}, .condition = {}});
    }
  }

  OperatorVersion ReadVersion(const JsonValue& item) {
    JsonFields fields(document_, item, "version", diagnostics_);
    OperatorVersion version;
    version.since = Number(fields, "since");
    fields.Require("sites");
    version.sites = ReadSites(fields);
    ReadFields(fields.Take("fields"), version.fields);
    Finish(fields);
    return version;
  }

  std::vector<Site> ReadSites(JsonFields& fields) {
    std::vector<Site> sites;
    for (const JsonValue& site : fields.Objects("sites")) sites.push_back(ReadSite(site));
    std::sort(sites.begin(), sites.end());
    return sites;
  }

  Site ReadSite(const JsonValue& item) {
    JsonFields fields(document_, item, "site", diagnostics_);
    Site site;
    site.location.path = fields.RequiredString("path");
    ReadPlace(fields, site.location);
    site.condition = ReadCondition(fields);
    site.macro = fields.String("macro");
    site.call = site.location;
    if (const JsonValue* call = fields.Take("call"); call != nullptr) {
      JsonFields place(document_, *call, "call", diagnostics_);
      site.call.path = place.String("path", site.location.path);
      ReadPlace(place, site.call);
      Finish(place);
    }
    Finish(fields);
    return site;
  }

  void ReadFields(const JsonValue* value, Fields& into) {
    if (value == nullptr) return;
    JsonFields names(document_, *value, "table of fields", diagnostics_);
    for (const JsonMember& member : value->members) {
      std::vector<FieldValue>& values = into[member.key];
      for (const JsonValue& item : names.Objects(member.key)) {
        JsonFields fields(document_, item, "value", diagnostics_);
        FieldValue field;
        field.key = fields.String("key");
        field.value = fields.String("value");
        field.condition = ReadCondition(fields);
        if (const JsonValue* details = fields.Take("details")) {
          JsonFields texts(document_, *details, "details", diagnostics_);
          for (const JsonMember& detail : details->members) {
            field.details[detail.key] = texts.String(detail.key);
          }
          Finish(texts);
        }
        Finish(fields);
        values.push_back(std::move(field));
      }
    }
    Finish(names);
  }

  Kernel ReadOneKernel(const JsonValue& item) {
    JsonFields fields(document_, item, "kernel", diagnostics_);
    Kernel kernel;
    ok_ = ReadKernel(document_, fields, kernel, diagnostics_) && ok_;
    kernel.location = ReadPoint(fields);
    kernel.condition = ReadCondition(fields);
    Finish(fields);
    return kernel;
  }

  static Location ReadPoint(JsonFields& fields) {
    Location location;
    location.path = fields.String("path");
    ReadPlace(fields, location);
    return location;
  }

  void ReadDynamic(const JsonValue& item) {
    JsonFields fields(document_, item, "dynamic registration", diagnostics_);
    DynamicRegistration registration;
    registration.location = ReadPoint(fields);
    registration.expression = fields.String("expression");
    registration.reason = fields.String("reason");
    Finish(fields);
    manifest_.dynamic.push_back(std::move(registration));
  }

  void ReadIncomplete(const JsonValue& item) {
    JsonFields fields(document_, item, "incomplete record", diagnostics_);
    Incomplete record;
    record.location = ReadPoint(fields);
    record.stage = fields.String("stage");
    record.detail = fields.String("detail");
    Finish(fields);
    manifest_.incomplete.push_back(std::move(record));
  }

  const JsonDocument& document_;
  Diagnostics& diagnostics_;
  Manifest manifest_;
  std::unordered_map<std::string, Condition> conditions_;
  bool ok_ = true;
};

std::optional<Manifest> ManifestOf(const std::optional<JsonDocument>& document,
                                   Diagnostics& diagnostics) {
  if (!document) return std::nullopt;
  return ManifestReader(*document, diagnostics).Read();
}

}  // namespace

std::optional<Manifest> ReadManifest(const std::string& path, Diagnostics& diagnostics) {
  return ManifestOf(ReadJson(path, diagnostics), diagnostics);
}

std::optional<Manifest> ParseManifest(std::string path, std::string text,
                                      Diagnostics& diagnostics) {
  return ManifestOf(ParseJson(std::move(path), std::move(text), diagnostics), diagnostics);
}

}  // namespace opledger
