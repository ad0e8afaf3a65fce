// Finds and reads the project file.
// SPDX-License-Identifier: Apache-2.0
#include "registry/project/project.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "registry/json/json_fields.h"
#include "registry/project/contained_path.h"
#include "registry/project/project_dialects.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;
using JsonKind = JsonValue::Kind;

constexpr const char* kFileName = "opledger.json";

class ProjectReader {
 public:
  ProjectReader(const JsonDocument& document, const Source& source, std::string folder,
                Diagnostics& diagnostics)
      : document_(document),
        root_(source.At(folder)),
        diagnostics_(diagnostics),
        fields_(document, document.root, "project file", diagnostics) {
    project_.directory = std::move(folder);
  }

  std::optional<ProjectFile> Read() {
    project_.path = document_.path;
    ReadDialectSettings(document_.root, fields_, project_);
    ReadDialects();
    project_.lists = ReadPaths(document_.root, "lists", fields_);
    CheckCount();
    project_.baseline = fields_.String("baseline");
    if (const JsonValue* baseline = document_.root.Find("baseline")) CheckPath(*baseline);
    project_.evidence = fields_.String("evidence");
    if (const JsonValue* evidence = document_.root.Find("evidence")) CheckPath(*evidence);
    ReadSeverities();
    ReadIgnoreRules();
    ReadGuidelines();
    if (!fields_.Finish() || !ok_) return std::nullopt;
    return std::move(project_);
  }

 private:
  void Error(Span span, std::string message, std::string hint = {}) {
    ErrorAt(document_, span, std::move(message), std::move(hint), diagnostics_);
    ok_ = false;
  }

  // Returns the value of a member that must be an object, or nullptr if it is absent or not an
  // object.
  const JsonValue* TakeObject(std::string_view key, JsonFields& fields) {
    const JsonValue* value = fields.Take(key);
    if (value == nullptr || value->kind == JsonKind::kObject) return value;
    Error(value->span,
          "'" + std::string(key) + "' must be an object, not " + JsonKindName(value->kind));
    return nullptr;
  }

  void CheckPath(const JsonValue& value) {
    if (value.kind != JsonKind::kString || StaysBelow(value.string)) return;
    if (value.string.empty()) return Error(value.span, "the path is empty");
    Error(value.span, "'" + value.string + "' is outside the project",
          "use a path relative to the folder of " + std::string(kFileName));
  }

  // `may_climb`: allows ".." to leave the project; the scan confines such paths to the repository.
  std::vector<std::string> ReadPaths(const JsonValue& object, std::string_view key,
                                     JsonFields& fields, bool may_climb = false) {
    std::vector<std::string> paths = fields.Strings(key);
    const JsonValue* value = object.Find(key);
    if (value != nullptr && value->kind == JsonKind::kArray) {
      for (const JsonValue& item : value->items) {
        if (!may_climb || !IsRelative(item.string)) CheckPath(item);
      }
    }
    return paths;
  }

  // Limits the number of lists, because each is compared with all others.
  void CheckCount() {
    constexpr std::size_t kMaxLists = 1000;
    if (project_.lists.size() <= kMaxLists) return;
    Error(document_.root.Find("lists")->span, "more than " + std::to_string(kMaxLists) + " lists",
          "use one list per type and device");
  }

  // Reads the settings of the file, or of one of its dialects.
  void ReadDialectSettings(const JsonValue& object, JsonFields& fields, ProjectDialect& settings) {
    settings.dialect = fields.String("dialect");
    CheckDialect(object);
    settings.sources = ReadPaths(object, "sources", fields);
    settings.exclude = ReadPaths(object, "exclude", fields);
    settings.include_directories = ReadPaths(object, "include_directories", fields, true);
    if (const JsonValue* configurations = fields.Take("configurations")) {
      ok_ = ReadConfigurations(document_, *configurations, settings.configurations, diagnostics_) &&
            ok_;
    }
    settings.default_configuration = fields.String("default_configuration");
    ReadDocs(fields, settings);
  }

  // Checks a dialect that looks like a path. Otherwise it is the name of a shipped dialect.
  void CheckDialect(const JsonValue& object) {
    const JsonValue* value = object.Find("dialect");
    if (value == nullptr || value->kind != JsonKind::kString) return;
    if (value->string.empty()) return Error(value->span, "'dialect' is empty");
    if (IsDialectFile(value->string)) CheckPath(*value);
  }

  void ReadDialects() {
    for (const JsonValue& item : fields_.Objects("dialects")) {
      JsonFields fields(document_, item, "dialect of the project", diagnostics_);
      NamedDialect own;
      fields.Require("dialect");
      ReadDialectSettings(item, fields, own);
      ok_ = fields.Finish() && ok_;
      own.name = NameOf(own.dialect);
      const auto same = [&own](const NamedDialect& each) { return each.name == own.name; };
      if (ok_ && std::any_of(project_.dialects.begin(), project_.dialects.end(), same)) {
        Error(item.span, "the project already has a dialect '" + own.name + "'",
              "list the sources of both under one");
      }
      for (const std::string& file : own.docs) {
        if (!documents_.insert(file).second) {
          Error(item.span, "'" + file + "' is the documentation of several dialects",
                "use one file per dialect");
        }
      }
      project_.dialects.push_back(std::move(own));
    }
    const JsonMember* const all = FindMember("dialects");
    if (all == nullptr) return;
    if (project_.dialects.empty() && ok_) Error(all->key_span, "'dialects' is empty");
    for (const char* key : {"dialect", "sources", "docs"}) {
      const JsonMember* const member = FindMember(key);
      if (member == nullptr) continue;
      Error(member->key_span, "'" + std::string(key) + "' cannot be combined with \"dialects\"",
            "move it into one of the dialects");
    }
  }

  const JsonMember* FindMember(std::string_view key) const {
    for (const JsonMember& member : document_.root.members) {
      if (member.key == key) return &member;
    }
    return nullptr;
  }

  // Returns the name in a dialect's file, or its path if it cannot be read; reading the dialect
  // reports why.
  std::string NameOf(const std::string& dialect) const {
    if (!IsDialectFile(dialect) || !StaysBelow(dialect)) return dialect;
    Diagnostics ignored;
    const auto document = ReadJson(root_, dialect, Reach::kBelow, ignored);
    const JsonValue* const name = document ? document->root.Find("name") : nullptr;
    const bool has_name = name != nullptr && name->kind == JsonKind::kString;
    return has_name && !name->string.empty() ? name->string : dialect;
  }

  void ReadSeverities() {
    const JsonValue* severities = TakeObject("severities", fields_);
    if (severities == nullptr) return;
    JsonFields choices(document_, *severities, "table of severities", diagnostics_);
    for (const JsonMember& member : severities->members) {
      if (member.key == "$comment") continue;
      const std::string severity = choices.Choice(member.key, {"error", "warning", "note", "off"});
      if (severity.empty()) continue;
      project_.severities[member.key] = severity;
      project_.severity_locations[member.key] = document_.At(member.key_span);
    }
    ok_ = choices.Finish() && ok_;
  }

  void ReadIgnoreRules() {
    for (const JsonValue& item : fields_.Objects("ignore")) {
      JsonFields fields(document_, item, "ignore rule", diagnostics_);
      IgnoreRule rule;
      rule.rule = fields.String("rule");
      rule.op = fields.String("operator");
      rule.path = fields.String("path");
      rule.reason = fields.RequiredString("reason");
      rule.location = document_.At(item.span);
      const bool finished = fields.Finish();
      if (finished && rule.rule.empty() && rule.op.empty() && rule.path.empty()) {
        Error(item.span, "this ignore rule would suppress all findings",
              "add 'rule', 'operator' or 'path'");
      }
      ok_ = ok_ && finished;
      project_.ignore.push_back(std::move(rule));
    }
  }

  void ReadGuidelines() {
    const JsonValue* value = document_.root.Find("guidelines");
    if (value == nullptr || value->kind != JsonKind::kString) {
      project_.guidelines = fields_.Strings("guidelines");
      return;
    }
    fields_.Take("guidelines");
    for (const std::string_view line : SplitAt(value->string, '\n')) {
      project_.guidelines.emplace_back(line);
    }
    // A line end after the last line does not start another line.
    if (value->string.ends_with('\n')) project_.guidelines.pop_back();
  }

  // Documentation files must have known extensions, so that no other files are overwritten.
  void ReadDocs(JsonFields& of, ProjectDialect& settings) {
    const JsonValue* docs = TakeObject("docs", of);
    if (docs == nullptr) return;
    JsonFields fields(document_, *docs, "table of documentation", diagnostics_);
    settings.docs = fields.Strings("files");
    settings.source_url = fields.String("source_url");
    const JsonValue* files = docs->Find("files");
    if (files != nullptr && files->kind == JsonKind::kArray) {
      for (const JsonValue& item : files->items) CheckDocsFile(item);
    }
    ok_ = fields.Finish() && ok_;
  }

  void CheckDocsFile(const JsonValue& item) {
    CheckPath(item);
    if (item.kind != JsonKind::kString || item.string.empty()) return;
    for (const char* extension : {".md", ".html", ".json", ".svg"}) {
      if (item.string.ends_with(extension)) return;
    }
    Error(item.span, "'" + item.string + "' is not the name of a documentation file",
          "use a name that ends with .md, .html, .json or .svg");
  }

  const JsonDocument& document_;
  Source root_;
  Diagnostics& diagnostics_;
  JsonFields fields_;
  ProjectFile project_;
  std::set<std::string> documents_;  // of dialects
  bool ok_ = true;
};

}  // namespace

bool IsRepository(const Source& source, const std::string& folder) {
  // A .git that cannot be examined exists too.
  return source.ExamineLink((fs::path(folder) / ".git").string()).kind != PathKind::kAbsent;
}

std::vector<std::string> FoldersUpwards(const Source& source, const std::string& folder) {
  fs::path at = fs::path(source.Absolute(folder)).lexically_normal();
  if (!at.has_filename()) at = at.parent_path();
  std::vector<std::string> folders;
  for (;; at = at.parent_path()) {
    folders.push_back(at.string());
    if (IsRepository(source, at.string())) return folders;
    if (at == at.root_path()) break;
  }
  // Outside a repository, stops at the current folder.
  const auto given = std::find(folders.begin(), folders.end(), source.Canonical("."));
  folders.resize(given == folders.end() ? 1
                                        : static_cast<std::size_t>(given - folders.begin()) + 1);
  return folders;
}

std::string FindProjectFile(const Source& source, const std::string& folder) {
  for (const std::string& each : FoldersUpwards(source, folder)) {
    std::string candidate = (fs::path(each) / kFileName).string();
    // A file that cannot be examined exists too; reading it reports why.
    if (source.ExamineLink(candidate).kind != PathKind::kAbsent) return candidate;
  }
  return {};
}

std::string ProjectFileOfEnvironment() {
  const char* const set = std::getenv(kProjectFileVariable);
  return set == nullptr ? "" : set;
}

std::optional<JsonDocument> ReadProjectJson(const Source& source, const std::string& path,
                                            Diagnostics& diagnostics) {
  const fs::path absolute = source.Absolute(path);
  const Source folder = source.At(absolute.parent_path().string());
  Diagnostics seen_from_there;
  const std::string name = absolute.filename().string();
  std::optional<JsonDocument> document = ReadJson(folder, name, Reach::kBelow, seen_from_there);
  for (Diagnostic each : seen_from_there.all()) {
    each.location.path = path;
    diagnostics.Add(std::move(each));
  }
  if (seen_from_there.incomplete()) diagnostics.MarkIncomplete();
  if (document) document->path = path;
  return document;
}

std::optional<ProjectFile> ReadProjectFile(const Source& source, const std::string& path,
                                           Diagnostics& diagnostics) {
  const std::optional<JsonDocument> document = ReadProjectJson(source, path, diagnostics);
  if (!document) return std::nullopt;
  const fs::path folder = fs::path(source.Absolute(path)).parent_path();
  return ProjectReader(*document, source, folder.lexically_normal().string(), diagnostics).Read();
}

}  // namespace opledger
