// Walks the schema as a tree. Follows references into "$defs" and collects the fields of all
// alternatives.
// SPDX-License-Identifier: Apache-2.0
#include "checker/docs/dialect_reference.h"

#include <algorithm>
#include <vector>

#include "registry/json/json.h"
#include "registry/platform/platform.h"
#include "registry/text/suggestion.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr std::string_view kDialect = "dialect";
constexpr int kDeepest = 8;  // limits recursion: a schema may refer to itself

struct FieldEntry {
  std::string path;  // such as "sinks[].prefix"
  std::string type;
  std::string description;
};

std::string StringOf(const JsonValue& value, std::string_view key) {
  const JsonValue* const found = value.Find(key);
  return found != nullptr && found->kind == JsonValue::Kind::kString ? found->string
                                                                     : std::string();
}

class SchemaWalk {
 public:
  explicit SchemaWalk(const JsonDocument& schema) : schema_(schema) {}

  std::vector<FieldEntry> Run() {
    Fields(schema_.root, "", 0);
    return std::move(entries_);
  }

 private:
  // Returns the schema that a "$ref" such as "#/$defs/globs" refers to, or `value` if it has none.
  const JsonValue& Resolved(const JsonValue& value) const {
    const std::string reference = StringOf(value, "$ref");
    const JsonValue* const all = schema_.root.Find("$defs");
    const std::size_t slash = reference.rfind('/');
    const JsonValue* const found =
        reference.empty() || all == nullptr ? nullptr : all->Find(reference.substr(slash + 1));
    return found == nullptr ? value : *found;
  }

  void Fields(const JsonValue& object, const std::string& path, int depth) {
    if (depth > kDeepest) return;
    if (const JsonValue* const properties = object.Find("properties")) {
      for (const JsonMember& member : properties->members) {
        if (!member.key.starts_with('$')) Field(member.value, path + member.key, depth);
      }
    }
    for (const char* const key : {"anyOf", "oneOf"}) {
      const JsonValue* const ways = object.Find(key);
      if (ways == nullptr) continue;
      for (const JsonValue& way : ways->items) Fields(Resolved(way), path, depth + 1);
    }
    if (const JsonValue* const more = object.Find("additionalProperties")) {
      Fields(Resolved(*more), path + "NAME.", depth + 1);
    }
  }

  void Field(const JsonValue& field, const std::string& path, int depth) {
    const JsonValue& resolved = Resolved(field);
    std::string description = StringOf(field, "description");
    if (description.empty()) description = StringOf(resolved, "description");
    const bool known = std::any_of(entries_.begin(), entries_.end(),
                                   [&](const FieldEntry& entry) { return entry.path == path; });
    if (!known) entries_.push_back({path, TypeOf(resolved), std::move(description)});
    if (const JsonValue* const items = resolved.Find("items")) {
      Fields(Resolved(*items), path + "[].", depth + 1);
    }
    Fields(resolved, path + ".", depth + 1);
  }

  std::string TypeOf(const JsonValue& value) const {
    if (const JsonValue* const choices = value.Find("enum")) {
      std::vector<std::string> names;
      for (const JsonValue& choice : choices->items) names.push_back('"' + choice.string + '"');
      return Join(names, ", ");
    }
    std::string type = StringOf(value, "type");
    if (const JsonValue* const items = value.Find("items"); items != nullptr && type == "array") {
      const std::string of = TypeOf(Resolved(*items));
      return "array of " + (of.find(" or ") == std::string::npos ? of : "(" + of + ")");
    }
    if (!type.empty()) return type;
    std::vector<std::string> ways;
    for (const char* const key : {"anyOf", "oneOf"}) {
      const JsonValue* const all = value.Find(key);
      if (all == nullptr) continue;
      for (const JsonValue& way : all->items) {
        std::string one = TypeOf(Resolved(way));
        if (std::find(ways.begin(), ways.end(), one) == ways.end()) ways.push_back(std::move(one));
      }
    }
    return ways.empty() ? "any value" : Join(ways, " or ");
  }

  const JsonDocument& schema_;
  std::vector<FieldEntry> entries_;
};

std::optional<std::vector<FieldEntry>> ReadEntries(Diagnostics& diagnostics) {
  const std::optional<JsonDocument> schema =
      ReadJson(DataDirectory() + "/schemas/dialect.schema.json", diagnostics);
  if (!schema) return std::nullopt;
  return SchemaWalk(*schema).Run();
}

// Turns "sinks[].prefix" into "sinks.prefix".
std::string WithoutBrackets(std::string path) {
  for (std::size_t at; (at = path.find("[]")) != std::string::npos;) path.erase(at, 2);
  return path;
}

// Returns whether the field is a direct member of `of`.
bool IsDirectlyIn(const std::string& path, const std::string& of) {
  const std::string inside = WithoutBrackets(path);
  const std::string prefix = of.empty() ? of : WithoutBrackets(of) + ".";
  if (!inside.starts_with(prefix) || inside.size() == prefix.size()) return false;
  std::string rest = inside.substr(prefix.size());
  if (rest.starts_with("NAME.")) rest.erase(0, 5);
  return rest.find('.') == std::string::npos;
}

std::string Member(const FieldEntry& entry) {
  return "  " + entry.path + " (" + entry.type + ")\n      " + entry.description + '\n';
}

}  // namespace

bool IsDialectField(const std::string& name) {
  return name == kDialect || name.starts_with(std::string(kDialect) + ".");
}

std::optional<std::string> DialectFieldPage(const std::string& name, Diagnostics& diagnostics) {
  const std::optional<std::vector<FieldEntry>> entries = ReadEntries(diagnostics);
  if (!entries) return std::nullopt;
  const std::string path = name.size() > kDialect.size() ? name.substr(kDialect.size() + 1) : "";
  std::string text;
  std::string found;
  std::vector<std::string> known;
  for (const FieldEntry& entry : *entries) {
    known.push_back(std::string(kDialect) + '.' + WithoutBrackets(entry.path));
    if (path.empty() || WithoutBrackets(entry.path) != WithoutBrackets(path)) continue;
    found = entry.path;
    text = std::string(kDialect) + '.' + entry.path + " (" + entry.type + ")\n\n" +
           entry.description + '\n';
  }
  if (!path.empty() && found.empty()) {
    const std::string wanted = std::string(kDialect) + '.' + WithoutBrackets(path);
    const std::string hint = DidYouMean(wanted, known);
    return diagnostics.Error({}, "a dialect has no field '" + path + "'",
                             hint.empty() ? "`opledger explain dialect` lists the fields" : hint);
  }
  std::string members;
  for (const FieldEntry& entry : *entries) {
    if (IsDirectlyIn(entry.path, found)) members += Member(entry);
  }
  if (members.empty()) return text;
  return text + (text.empty() ? "A dialect is a JSON file with these fields:\n" : "\nFields:\n") +
         members;
}

std::optional<std::string> DialectReference(Diagnostics& diagnostics) {
  const std::optional<std::vector<FieldEntry>> entries = ReadEntries(diagnostics);
  if (!entries) return std::nullopt;
  std::string text =
      "# Fields of a dialect\n\n"
      "*`opledger explain dialect --markdown` writes this page from schemas/dialect.schema.json. "
      "`opledger explain dialect.FIELD` prints one entry. [README.md](README.md) says where to "
      "begin.*\n\n"
      "| field | type | meaning |\n|---|---|---|\n";
  const auto cell = [](std::string of) {
    for (std::size_t at = 0; (at = of.find('|', at)) != std::string::npos; at += 2) {
      of.insert(at, "\\");
    }
    return of;
  };
  for (const FieldEntry& entry : *entries) {
    text += "| `" + cell(entry.path) + "` | " + cell(entry.type) + " | " + cell(entry.description) +
            " |\n";
  }
  return text;
}

}  // namespace opledger
