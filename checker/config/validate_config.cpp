// Reads the project file and the files that it names, and checks that they fit together, which the
// reader of a single file cannot do.
// SPDX-License-Identifier: Apache-2.0
#include "checker/config/validate_config.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>

#include "checker/filter/baseline.h"
#include "checker/filter/severities.h"
#include "checker/project/project.h"
#include "checker/project/tracked_files.h"
#include "checker/rules/rules.h"
#include "checker/terminal/source_link.h"
#include "registry/dialect/dialect.h"
#include "registry/project/contained_path.h"
#include "registry/project/project_dialects.h"
#include "registry/text/suggestion.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

class ConfigValidator {
 public:
  ConfigValidator(Source root, Diagnostics& diagnostics)
      : root_(std::move(root)), diagnostics_(diagnostics) {}

  std::vector<std::string> Run(const std::string& path) {
    looked_at_.push_back(path);
    document_ = ReadProjectJson(root_, path, diagnostics_);
    if (!document_) return looked_at_;
    if (const std::optional<ProjectFile> file = ReadProjectFile(root_, path, diagnostics_)) {
      Severities severities;
      severities.AddProject(*file, diagnostics_);
      configurations_ = file->configurations;
      for (const NamedDialect& each : file->dialects) {
        own_configurations_[each.name] = each.configurations;
      }
    } else {
      CheckRules();
    }
    // The syntax tree exists even if the file has mistakes.
    CheckDialects();
    CheckDefault();
    CheckSourceUrl();
    CheckBaseline();
    const JsonValue* const lists = document_->root.Find("lists");
    if (lists != nullptr) {
      for (const JsonValue& item : lists->items) {
        if (item.kind == JsonValue::Kind::kString) CheckList(item);
      }
    }
    CheckGit();
    return looked_at_;
  }

 private:
  void CheckGit() {
    const IgnoredFiles ignored = FindIgnored(root_, looked_at_);
    if (ignored.paths.empty()) return;
    diagnostics_.Warning({ignored.paths.front(), 0, 0, 0, 0}, IgnoredText(ignored),
                         IgnoredHint(ignored));
  }

  // Returns the member if it is a string, otherwise nullptr.
  const JsonValue* Text(std::string_view key) const { return Text(document_->root, key); }
  static const JsonValue* Text(const JsonValue& object, std::string_view key) {
    const JsonValue* const value = object.Find(key);
    return value != nullptr && value->kind == JsonValue::Kind::kString ? value : nullptr;
  }

  void Error(const JsonDocument& document, const JsonValue& value, const std::string& message,
             const std::string& hint) {
    ErrorAt(document, value.span, message, hint, diagnostics_);
  }

  // Checks rule names in a file that could not be read completely.
  void CheckRules() {
    if (const JsonValue* const severities = document_->root.Find("severities")) {
      for (const JsonMember& member : severities->members) {
        if (member.key == "$comment" || FindRule(member.key) != nullptr) continue;
        ErrorAt(*document_, member.key_span, "unknown rule '" + member.key + "'",
                RuleHint(member.key), diagnostics_);
      }
    }
    const JsonValue* const ignore = document_->root.Find("ignore");
    if (ignore == nullptr) return;
    for (const JsonValue& item : ignore->items) {
      const JsonValue* const rule = item.Find("rule");
      if (rule == nullptr || rule->kind != JsonValue::Kind::kString) continue;
      if (FindRule(rule->string) != nullptr) continue;
      Error(*document_, *rule, "unknown rule '" + rule->string + "'", RuleHint(rule->string));
    }
  }

  void CheckDialects() {
    CheckDialect(Text("dialect"));
    const JsonValue* const several = document_->root.Find("dialects");
    if (several == nullptr) return;
    for (const JsonValue& item : several->items) {
      const JsonValue* const name = Text(item, "dialect");
      const std::size_t before = dialects_.size();
      CheckDialect(name);
      if (dialects_.size() == before) continue;
      CheckConfiguration(*document_, Text(item, "default_configuration"), dialects_.back().name);
    }
  }

  void CheckDialect(const JsonValue* name) {
    if (name == nullptr || name->string.empty()) return;
    std::optional<Dialect> dialect;
    if (IsDialectFile(name->string)) {
      if (!StaysBelow(name->string)) return;
      looked_at_.push_back(name->string);
      dialect = ReadDialect(root_, name->string, Reach::kBelow, diagnostics_);
    } else {
      Diagnostics unplaced;  // reported as for a flag, without a place
      dialect = FindDialect(root_, name->string, Reach::kBelow, unplaced);
      for (const Diagnostic& each : unplaced.all()) {
        if (each.location.path.empty()) {
          Error(*document_, *name, each.message, each.hint);
        } else {  // already has a place in the dialect file
          diagnostics_.Add(each);
        }
      }
      if (unplaced.incomplete()) diagnostics_.MarkIncomplete();
    }
    all_read_ = all_read_ && dialect.has_value();
    if (dialect) dialects_.push_back(std::move(*dialect));
  }

  // Accepts "union" and the configurations of the project and its dialects, or only of `dialect` if
  // it is given. Accepts everything if no dialect could be read.
  void CheckConfiguration(const JsonDocument& document, const JsonValue* name,
                          const std::string& dialect = {}) {
    if (name == nullptr || name->kind != JsonValue::Kind::kString || dialects_.empty()) return;
    std::vector<std::string> known = {"union"};
    for (const Dialect& of : dialects_) {
      if (!dialect.empty() && of.name != dialect) continue;
      for (const auto& [each, defines] : of.configurations) known.push_back(each);
      for (const auto& [each, defines] : own_configurations_[of.name]) known.push_back(each);
    }
    for (const auto& [each, defines] : configurations_) known.push_back(each);
    for (const std::string& each : known) {
      if (each == name->string) return;
    }
    Error(document, *name, "unknown configuration '" + name->string + "'",
          ChoiceHint(name->string, known));
  }

  void CheckDefault() { CheckConfiguration(*document_, Text("default_configuration")); }

  void CheckSourceUrl() {
    const JsonValue* const docs = document_->root.Find("docs");
    const JsonValue* const url = docs == nullptr ? nullptr : docs->Find("source_url");
    if (url == nullptr || url->kind != JsonValue::Kind::kString) return;
    if (const std::optional<std::string> problem = SourceUrlProblem(url->string)) {
      Error(*document_, *url, "this is not a valid template: " + *problem,
            "for example https://github.com/OWNER/NAME/blob/main/{path}#L{line}");
    }
  }

  void CheckBaseline() {
    const JsonValue* const named = Text("baseline");
    const std::string path = named == nullptr ? kBaselineFile : named->string;
    if (root_.Examine(path).kind == PathKind::kAbsent) return;
    if (!root_.Holds(path)) {  // files outside the project are not read
      if (errno != 0) ReportUnread(path, errno, 0, diagnostics_);
      return;
    }
    looked_at_.push_back(path);
    static_cast<void>(ReadBaseline(root_, path, Reach::kBelow, diagnostics_));
  }

  void CheckList(const JsonValue& item) {
    const std::string& path = item.string;
    if (!StaysBelow(path)) return;  // ReadProjectFile() reports it
    Diagnostics outside;
    ErrorAt(*document_, item.span, "this list is outside the project", "copy it into the project",
            outside);
    if (!root_.MustHold(path, outside.all().front(), diagnostics_)) return;
    if (root_.Examine(path).kind == PathKind::kAbsent) {
      return Error(*document_, item, "there is no list '" + path + "'", NearestFile(path));
    }
    looked_at_.push_back(path);
    const std::optional<PrecisionList> list = ReadPrecisionList(root_, path, diagnostics_);
    if (!list) return;
    const JsonValue* const framework = list->document.root.Find("framework");
    const bool known = std::any_of(dialects_.begin(), dialects_.end(), [&](const Dialect& each) {
      return each.name == list->framework;
    });
    CheckConfiguration(list->document, list->document.root.Find("configuration"),
                       known ? list->framework : std::string());
    if (!known && all_read_ && !dialects_.empty() && framework != nullptr) {
      const std::string names =
          Join(dialects_, "', '", [](const Dialect& each) { return each.name; });
      Error(list->document, *framework,
            "this list is for '" + list->framework + "', but the project's dialect" +
                (dialects_.size() == 1 ? " is '" : "s are '") + names + "'",
            "");
    }
  }

  std::string NearestFile(const std::string& path) const {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    std::vector<std::string> names;
    std::vector<FolderEntry> entries;
    root_.List(folder.string(), entries);  // may be incomplete after an error
    for (const FolderEntry& entry : entries) {
      if (entry.name.ends_with(".json")) names.push_back((folder / entry.name).string());
    }
    return DidYouMean(path, names);
  }

  Source root_;
  Diagnostics& diagnostics_;
  std::optional<JsonDocument> document_;
  std::vector<Dialect> dialects_;  // those that could be read
  bool all_read_ = true;
  Configurations configurations_;
  std::map<std::string, Configurations> own_configurations_;  // by dialect, for several dialects
  std::vector<std::string> looked_at_;
};

}  // namespace

std::vector<std::string> ValidateConfig(const Source& here, const std::string& project_file,
                                        Diagnostics& diagnostics) {
  const std::filesystem::path path = here.Absolute(project_file);
  return ConfigValidator(here.At(path.parent_path().string()), diagnostics)
      .Run(path.filename().string());
}

}  // namespace opledger
