// The steps of `opledger check` with the text report: open, run the rules, filter, suggest.
// SPDX-License-Identifier: Apache-2.0
#include "checker/lsp/project_check.h"

#include <filesystem>
#include <utility>

#include "checker/candidates/candidates.h"
#include "checker/lsp/documents.h"
#include "registry/json/json.h"
#include "registry/source/overlay_tree.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

// Adds a line of the scanner's output (schemas/diagnostic.schema.json).
void AddScannerMessage(std::string_view line, Diagnostics& messages) {
  Diagnostics ignored;
  const auto document = ParseJson("", std::string(line), ignored);
  const JsonValue* const message = document ? document->root.Find("message") : nullptr;
  if (message == nullptr) {
    const bool is_progress = document && document->root.Find("progress") != nullptr;
    if (!is_progress && !line.empty()) messages.Warning({}, std::string(line));
    return;
  }
  const auto text = [&](const char* key) {
    const JsonValue* const value = document->root.Find(key);
    return value == nullptr ? std::string() : value->string;
  };
  const auto number = [&](const char* key) {
    const JsonValue* const value = document->root.Find(key);
    return value == nullptr ? 0 : static_cast<int>(value->integer);
  };
  const int line_number = number("line");
  const int column = number("column");
  messages.Add({ParseSeverity(text("severity")).value_or(Severity::kError),
                {text("path"), line_number, column, line_number, column},
                message->string,
                text("hint"),
                {}});
}

std::unique_ptr<ProjectCheck> CheckOnce(const CheckOptions& asked, const std::string& project_file,
                                        const std::map<std::string, std::string>& unsaved,
                                        SiblingStreams streams,
                                        const std::shared_ptr<const ComparedRevision>& last) {
  auto check = std::make_unique<ProjectCheck>();
  CheckOptions options = asked;
  options.global.project_file = project_file;
  if (!unsaved.empty()) {
    const Source& disk = asked.global.here;
    OverlayTree::Texts texts(unsaved.begin(), unsaved.end());
    options.global.here = {std::make_shared<OverlayTree>(disk.files(), std::move(texts)),
                           disk.root()};
  }
  options.scanner = &streams;
  check->root = fs::path(project_file).parent_path().string();
  check->files = options.global.here.At(check->root);
  Diagnostics said;
  streams.said = [&said, outer = std::move(streams.said)](std::string_view line) {
    AddScannerMessage(line, said);
    if (outer) outer(line);
  };
  streams.go_on = [&check, outer = std::move(streams.go_on)] {
    check->stopped = outer && !outer();
    return !check->stopped;
  };
  check->opened = OpenCheckedProject(options, check->checked, check->messages);
  for (const Diagnostic& each : said.all()) check->messages.Add(each);
  if (!check->opened) return check;
  ReportSuppressionsOnce({&check->checked});
  CheckedProject& checked = check->checked;
  check->base = FindComparedRevision(options, *checked.project, last, check->messages);
  if (check->stopped) return check;
  if (check->base != nullptr && check->base->check != nullptr) {
    checked.index->CompareWith(check->base->check->checked.index.get());
  }
  check->filtered = FindingsOf(checked);
  AddCandidates(*checked.index, check->filtered.counted, check->messages);
  return check;
}

}  // namespace

std::unique_ptr<ProjectCheck> CheckProject(const CheckOptions& options,
                                           const std::string& project_file,
                                           const std::map<std::string, std::string>& unsaved,
                                           const SiblingStreams& streams,
                                           const std::shared_ptr<const ComparedRevision>& last) {
  auto check = CheckOnce(options, project_file, unsaved, streams, last);
  if (check->opened || check->stopped || unsaved.empty()) return check;
  std::map<std::string, std::string> readable = unsaved;
  for (const Diagnostic& each : check->messages.all()) {
    const std::string path = RealPath((fs::path(check->root) / each.location.path.text()).string());
    if (each.severity == Severity::kError && readable.erase(path) > 0) check->saved.insert(path);
  }
  if (check->saved.empty()) return check;
  auto again = CheckOnce(options, project_file, readable, streams, last);
  if (!again->opened) return again->stopped ? std::move(again) : std::move(check);
  for (const Diagnostic& each : check->messages.all()) again->messages.Add(each);
  again->saved = std::move(check->saved);
  return again;
}

}  // namespace opledger
