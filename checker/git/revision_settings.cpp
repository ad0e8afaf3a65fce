// Overlays today's files with the settings of a revision; nothing is copied.
// SPDX-License-Identifier: Apache-2.0
#include "checker/git/revision_settings.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "checker/filter/baseline.h"
#include "checker/git/revision_source.h"
#include "checker/project/list_choice.h"
#include "registry/dialect/dialect.h"
#include "registry/json/json.h"
#include "registry/project/contained_path.h"
#include "registry/project/project_dialects.h"
#include "registry/source/overlay_tree.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

// A header field of a list, and its value if the field is missing. nullptr: keep today's value.
struct HeaderField {
  const char* key;
  const char* nothing;
};
constexpr HeaderField kHeader[] = {{"framework", "\"\""},      {"target_dtype", "\"\""},
                                   {"device", "\"\""},         {"configuration", "\"\""},
                                   {"extends", "\"\""},        {"unlisted", "\"required\""},
                                   {"complete", "false"},      {"derived_from", nullptr},
                                   {"documented_in", nullptr}, {"tested_in", nullptr}};

// Returns the text of the span on one line.
std::string Slice(const JsonDocument& document, Span span) {
  std::string text = document.text.substr(span.begin, span.end - span.begin);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// Appends line ends so that the text has as many as the span that it replaces.
std::string InPlaceOf(const JsonDocument& document, Span span, std::string text) {
  const auto begin = document.text.begin() + static_cast<std::ptrdiff_t>(span.begin);
  const auto lines = std::count(begin, begin + static_cast<std::ptrdiff_t>(span.size()), '\n');
  return text.append(static_cast<std::size_t>(lines), '\n');
}

// Returns today's list with the header fields of the revision. Line numbers do not change.
std::string WithHeader(const std::string& path, const std::string& now, const std::string& then) {
  Diagnostics ignored;
  const auto is = ParseJson(path, now, ignored);
  const auto was = ParseJson(path, then, ignored);
  if (!was || !is || is->root.members.empty()) return was ? then : now;
  std::vector<std::pair<Span, std::string>> edits;
  std::string added;
  for (const HeaderField& field : kHeader) {
    const JsonValue* const new_value = is->root.Find(field.key);
    const JsonValue* const old_value = was->root.Find(field.key);
    if (old_value == nullptr && field.nothing == nullptr) continue;
    const std::string old_text = old_value ? Slice(*was, old_value->span) : field.nothing;
    if (new_value != nullptr && Slice(*is, new_value->span) == old_text) continue;
    if (new_value != nullptr) {
      edits.emplace_back(new_value->span, InPlaceOf(*is, new_value->span, old_text));
    } else if (old_value != nullptr) {
      added += '"' + std::string(field.key) + "\": " + old_text + ", ";
    }
  }
  std::sort(edits.begin(), edits.end(),
            [](const auto& a, const auto& b) { return a.first.begin > b.first.begin; });
  std::string text = now;
  for (const auto& [span, value] : edits) text.replace(span.begin, span.end - span.begin, value);
  return text.insert(is->root.span.begin + 1, added);
}

}  // namespace

RevisionSettings::RevisionSettings(const CheckOptions& options, const Project& repository,
                                   Source tree)
    : options_(options), repository_(repository), tree_(std::move(tree)) {
  project_file_ = "opledger.json";
  const std::string& choice = options.global.project_file;
  if (!choice.empty()) project_file_ = choice == "none" ? choice : repository.FromRoot(choice);
}

std::optional<std::string> RevisionSettings::FileThen(const std::string& path,
                                                      Diagnostics& diagnostics) const {
  if (!StaysBelow(path) || then_->Examine(path).kind == PathKind::kAbsent) return std::nullopt;
  return then_->Read(path, kLargestSetting, Reach::kBelow, diagnostics);
}

std::optional<std::string> RevisionSettings::FileNow(const std::string& path) const {
  return tree_.Read(path, kLargestSetting, Reach::kBelow);
}

bool RevisionSettings::Changed(const std::string& path) const {
  const auto file = files_.find(path);
  return file != files_.end() && file->second != FileNow(path);
}

void RevisionSettings::Take(const std::string& path, std::optional<std::string> then) {
  differ_ = differ_ || then != FileNow(path);
  files_[path] = std::move(then);
}

void RevisionSettings::TakeList(const std::string& path, Diagnostics& diagnostics) {
  if (!StaysBelow(path) || files_.contains(path)) return;
  const std::optional<std::string> then = FileThen(path, diagnostics);
  const std::optional<std::string> now = FileNow(path);
  if (!then && !now) return;
  // A new list has no settings in the revision.
  Take(path, then && now ? WithHeader(path, *now, *then) : then ? then : now);
  Diagnostics ignored;
  const auto list = ParseJson(path, *files_[path], ignored);
  const JsonValue* const extends = list ? list->root.Find("extends") : nullptr;
  if (extends == nullptr || extends->string.empty()) return;
  TakeList((fs::path(path).parent_path() / extends->string).lexically_normal().string(),
           diagnostics);
}

bool RevisionSettings::Read(const std::string& revision, Diagnostics& diagnostics) {
  if (project_file_ == "none") return true;
  const auto opened = OpenRevision(repository_.root(), revision, !options_.no_cache, diagnostics);
  if (!opened) return false;
  then_ = opened->source;
  std::optional<std::string> text = FileThen(project_file_, diagnostics);
  if (diagnostics.has_errors()) return false;
  if (!text) return true;
  Diagnostics ignored;
  file_ = ReadProjectFile(*then_, project_file_, ignored);
  if (!file_) return true;  // a broken project file has no settings
  found_ = true;
  Take(project_file_, std::move(text));
  std::vector<std::string> dialects = DialectFiles(*file_);
  if (IsDialectFile(options_.dialect)) dialects = {repository_.FromRoot(options_.dialect)};
  for (const std::string& path : dialects) Take(path, FileThen(path, diagnostics));
  const std::string baseline = file_->baseline.empty() ? kBaselineFile : file_->baseline;
  Take(baseline, FileThen(baseline, diagnostics));
  for (const std::string& list : file_->lists) TakeList(list, diagnostics);
  for (const std::string& list : ListsFromRoot(options_.lists, repository_)) {
    if (IsListFile(list)) TakeList(list, diagnostics);
  }
  return !diagnostics.has_errors();
}

std::vector<std::string> RevisionSettings::Dialects() const {
  if (!file_) return {};
  if (file_->dialects.empty()) return {file_->dialect};
  std::vector<std::string> names;
  for (const NamedDialect& each : file_->dialects) names.push_back(each.name);
  return names;
}

CheckOptions RevisionSettings::OptionsFor(const std::string& dialect) const {
  CheckOptions there = OptionsThere();
  there.dialect = file_ && !file_->dialects.empty() ? dialect : std::string();
  return there;
}

CheckOptions RevisionSettings::OptionsThere() const {
  CheckOptions there = options_;
  // Files that the command line names are not part of the change, so they are used as they are.
  const auto outside = [&](const std::string& path) {
    if (path.empty() || path == "none") return path;
    std::string seen = repository_.FromRoot(path);
    const bool in_tree = tree_.Examine(seen).kind != PathKind::kAbsent;
    there.named_in.insert_or_assign(seen, in_tree ? tree_ : repository_.source());
    return seen;
  };
  there.paths.clear();
  there.build.clear();
  there.staged = false;
  there.global.project_file = project_file_;
  there.operators = outside(options_.operators);
  there.evidence = outside(options_.evidence);
  there.baseline = outside(options_.baseline);
  there.lists = ListsFromRoot(options_.lists, repository_);
  if (IsDialectFile(there.dialect)) there.dialect = repository_.FromRoot(there.dialect);
  OverlayTree::Texts texts;
  for (const auto& [path, text] : files_) texts[tree_.Absolute(path)] = text;
  there.global.here = {std::make_shared<OverlayTree>(tree_.files(), std::move(texts)),
                       tree_.root()};
  return there;
}

}  // namespace opledger
