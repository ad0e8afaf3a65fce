// rdjson: reviewdog's Diagnostic Format (proto/rdf/reviewdog.proto there), for comments on a pull
// request. Reviewdog requires that a suggestion replaces whole lines, and those of its diagnostic.
// A suggestion for another file, such as the classification of an operator, is a separate
// diagnostic.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "checker/reports/reports.h"
#include "registry/json/json_write.h"

namespace opledger {
namespace {

// Reviewdog's names of severities.
const char* RdjsonSeverity(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "ERROR";
    case Severity::kWarning:
      return "WARNING";
    case Severity::kNote:
      break;
  }
  return "INFO";
}

// Replaces the lines `first` to `last` by `text`.
struct LineEdit {
  int first = 0;
  int last = 0;
  std::string text;
};

LineEdit LinesOf(const Edit& edit, std::string_view bytes) {
  const std::size_t from = std::min(edit.offset, bytes.size());
  const std::size_t to = std::min(from + edit.length, bytes.size());
  const std::size_t newline = from == 0 ? std::string_view::npos : bytes.rfind('\n', from - 1);
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  const std::size_t end = std::min(bytes.find('\n', to), bytes.size());
  const auto line = [&](std::size_t offset) {
    return 1 + static_cast<int>(std::count(bytes.begin(), bytes.begin() + offset, '\n'));
  };
  LineEdit lines = {line(begin), line(to), std::string(bytes.substr(begin, from - begin))};
  lines.text += edit.text;
  lines.text += bytes.substr(to, end - to);
  if (lines.text.ends_with('\r')) lines.text.pop_back();
  return lines;
}

void WriteRdjsonPosition(const char* key, int line, int column, JsonWriter& json) {
  json.BeginCompactObject(key);
  json.Field("line", line);
  if (column > 0) json.Field("column", column);
  json.EndObject();
}

void WriteLines(const LineEdit& lines, JsonWriter& json) {
  json.BeginObject("range");
  WriteRdjsonPosition("start", lines.first, 0, json);
  WriteRdjsonPosition("end", lines.last, 0, json);
  json.EndObject();
}

// `lines` are the lines that a suggestion replaces, or nullptr.
void WriteRdjsonLocation(const Location& location, const LineEdit* lines, JsonWriter& json) {
  json.BeginObject("location");
  // Use the project file for findings without a file.
  json.Field("path", location.path.empty() ? "opledger.json" : Printable(location.path));
  if (lines != nullptr) {
    WriteLines(*lines, json);
  } else if (location.line > 0) {
    json.BeginObject("range");
    WriteRdjsonPosition("start", location.line, location.column, json);
    if (location.end_line > 0)
      WriteRdjsonPosition("end", location.end_line, location.end_column, json);
    json.EndObject();
  }
  json.EndObject();
}

void WriteRelatedPlaces(const Finding& finding, JsonWriter& json) {
  json.BeginArray("related_locations");
  for (const Related& related : finding.related) {
    if (related.location.path.empty() || related.location == finding.location) continue;
    json.BeginObject();
    json.Field("message", Printable(related.message));
    WriteRdjsonLocation(related.location, nullptr, json);
    json.EndObject();
  }
  json.EndArray();
}

// Includes the notes at the same place and the commands.
std::string MessageOf(const Finding& finding) {
  std::string message = Printable(finding.message);
  for (const Related& related : finding.related) {
    if (related.location == finding.location) message += '\n' + Printable(related.message);
  }
  for (const Suggestion& suggestion : finding.suggestions) {
    if (!suggestion.command.empty()) message += "\nfix: " + suggestion.command;
  }
  return message;
}

void WriteDiagnostic(const Finding& finding, const std::string& message, const Location& location,
                     const LineEdit* lines, JsonWriter& json) {
  json.BeginObject();
  json.Field("message", message);
  WriteRdjsonLocation(location, lines, json);
  json.Field("severity", RdjsonSeverity(finding.severity));
  json.BeginCompactObject("code");
  json.Field("value", finding.rule);
  json.EndObject();
  if (lines != nullptr) {
    json.BeginArray("suggestions");
    json.BeginObject();
    WriteLines(*lines, json);
    json.Field("text", lines->text);
    json.EndObject();
    json.EndArray();
  }
  WriteRelatedPlaces(finding, json);
  json.EndObject();
}

// Returns the only edit of a suggestion if it is in the file of the finding, otherwise nullptr.
const Edit* EditThere(const Finding& finding) {
  for (const Suggestion& suggestion : finding.suggestions) {
    if (suggestion.edits.size() != 1) continue;
    const Edit& edit = suggestion.edits.front();
    if (edit.path == finding.location.path) return &edit;
  }
  return nullptr;
}

std::string RenderRdjson(const ReportInput& input) {
  std::string text;
  JsonWriter json(text, 1);
  json.BeginObject();
  json.BeginCompactObject("source");
  json.Field("name", "opledger");
  json.EndObject();
  json.BeginArray("diagnostics");
  for (std::size_t i = 0; i < input.findings.size(); ++i) {
    const Finding& finding = input.findings[i];
    std::optional<LineEdit> lines;
    if (const Edit* const edit = EditThere(finding)) {
      lines = LinesOf(*edit, input.lines.Bytes(edit->path));
    }
    WriteDiagnostic(finding, MessageOf(finding), finding.location, lines ? &*lines : nullptr, json);
    if (i >= input.classifications.size() || input.classifications[i].path.empty()) continue;
    const Edit& edit = input.classifications[i];
    const LineEdit classified = LinesOf(edit, input.lines.Bytes(edit.path));
    const std::string policy = PolicyName(finding.candidates.front().policy);
    WriteDiagnostic(finding, Printable(finding.message) + "; this makes it '" + policy + "'",
                    {edit.path, classified.first, 0, classified.last, 0}, &classified, json);
  }
  json.EndArray();
  json.EndObject();
  return text + '\n';
}

}  // namespace

extern const ReportFormat kRdjsonReport = {
    "rdjson", "reviewdog's format, with suggestions to commit", RenderRdjson, true, true};

}  // namespace opledger
