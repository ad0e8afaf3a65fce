// Converts byte columns to positions in the checked text, which the editor holds.
// SPDX-License-Identifier: Apache-2.0
#include "checker/lsp/placed_finding.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>

#include "checker/lsp/message.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kShipped = "share/opledger/";

// Computes positions in the files of one check, reading each file once.
class FilePositions {
 public:
  FilePositions(const ProjectCheck& check, PositionEncoding encoding)
      : check_(check), encoding_(encoding) {}

  Range RangeOf(const Location& location) {
    const DocumentLines& lines = *LinesOf(location.path).lines;
    return lines.RangeOf(lines.SpanOf(location));
  }

 private:
  struct File {
    std::string text;
    std::unique_ptr<DocumentLines> lines;
  };

  File& LinesOf(const std::string& path) {
    const auto [found, fresh] = files_.try_emplace(path);
    File& file = found->second;
    if (!fresh) return file;
    constexpr std::size_t kLargest = std::size_t{256} << 20U;
    SourceLines* const known = check_.checked.lines.get();
    if (known != nullptr) {
      file.text = known->Peek(path);
    } else {
      const std::string absolute = AbsolutePath(check_, path);
      file.text = check_.files.Read(absolute, kLargest, Reach::kAnywhere).value_or("");
    }
    file.lines = std::make_unique<DocumentLines>(file.text, encoding_);
    return file;
  }

  const ProjectCheck& check_;
  PositionEncoding encoding_;
  std::map<std::string, File> files_;
};

int SeverityNumber(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return 1;
    case Severity::kWarning:
      return 2;
    case Severity::kNote:
      return 3;
  }
  return 1;
}

// Returns the message, with the notes of the text report unless `related` is true.
std::string MessageOf(const Finding& finding, bool related) {
  std::string text = Printable(finding.message);
  if (!related) {
    for (const Related& each : finding.related) text += "\nnote: " + Printable(each.message);
  }
  bool any = false;
  for (const Suggestion& suggestion : finding.suggestions) {
    const std::string fix = FixText(finding, suggestion);
    if (!fix.empty()) text += "\nfix: " + fix;
    any = any || !fix.empty();
  }
  return any ? text : text + "\nmore: opledger explain " + finding.rule;
}

void WriteRelated(JsonWriter& json, const ProjectCheck& check, const Finding& finding,
                  FilePositions& positions) {
  json.Records("relatedInformation", finding.related, [&](const Related& related) {
    const Location& place = related.location.path.empty() ? finding.location : related.location;
    json.BeginObject("location");
    json.Field("uri", UriOfPath(AbsolutePath(check, place.path)));
    WriteRange(json, "range", positions.RangeOf(place));
    json.EndObject();
    json.Field("message", Printable(related.message));
  });
}

// `rule` may be empty. `more` writes additional fields.
std::string DiagnosticText(const Range& range, Severity severity, std::string_view rule,
                           const std::string& message,
                           const std::function<void(JsonWriter&)>& more = {}) {
  return JsonText([&](JsonWriter& json) {
    json.BeginObject();
    WriteRange(json, "range", range);
    json.Field("severity", SeverityNumber(severity));
    if (!rule.empty()) json.Field("code", rule);
    json.Field("source", "opledger");
    json.Field("message", message);
    if (more) more(json);
    json.EndObject();
  });
}

}  // namespace

std::string AbsolutePath(const ProjectCheck& check, const std::string& path) {
  const fs::path inside = fs::path(check.root) / path;  // absolute paths do not change
  if (path.starts_with(kShipped) && check.files.Examine(path).kind == PathKind::kAbsent) {
    return (fs::path(DataDirectory()) / path.substr(kShipped.size())).lexically_normal().string();
  }
  return inside.lexically_normal().string();
}

std::vector<PlacedFinding> PlaceFindings(const ProjectCheck& check, const std::string& project_file,
                                         const std::map<std::string, std::string>& unsaved,
                                         PositionEncoding encoding, bool related) {
  std::vector<PlacedFinding> placed;
  FilePositions positions(check, encoding);
  const auto path_of = [&](const Location& location) {
    return location.path.empty() ? project_file : AbsolutePath(check, location.path);
  };
  for (const Finding& finding : check.filtered.counted) {
    const std::string path = path_of(finding.location);
    // Its locations refer to the saved text, which the editor does not show.
    if (!check.saved.empty() && check.saved.contains(RealPath(path))) continue;
    const Range range = positions.RangeOf(finding.location);
    const auto more = [&](JsonWriter& json) {
      if (related && !finding.related.empty()) WriteRelated(json, check, finding, positions);
    };
    placed.push_back(
        {&finding, path, range,
         DiagnosticText(range, finding.severity, finding.rule, MessageOf(finding, related), more)});
  }
  for (const Diagnostic& each : check.messages.all()) {
    const std::string path = path_of(each.location);
    const auto text = check.saved.empty() ? unsaved.end() : unsaved.find(RealPath(path));
    Range range;
    if (text != unsaved.end() && check.saved.contains(text->first)) {
      const DocumentLines lines(text->second, encoding);
      range = lines.RangeOf(lines.SpanOf(each.location));
    } else {
      range = positions.RangeOf(each.location);
    }
    const std::string hint = each.hint.empty() ? "" : "\nhint: " + Printable(each.hint);
    placed.push_back({nullptr, path, range,
                      DiagnosticText(range, each.severity, {}, Printable(each.message) + hint)});
  }
  std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) {
    return a.path != b.path ? a.path < b.path : a.range.start < b.range.start;
  });
  return placed;
}

}  // namespace opledger
