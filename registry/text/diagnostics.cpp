// Collects diagnostics and formats them like Clang.
// SPDX-License-Identifier: Apache-2.0
#include "registry/text/diagnostics.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "registry/text/json_quote.h"
#include "registry/text/limit_hint.h"
#include "registry/text/utf8.h"

namespace opledger {
namespace {

// Width of the source text in a snippet; longer lines are cut around the caret.
constexpr std::size_t kSnippetWidth = 120;
constexpr std::size_t kSnippetBefore = 60;

void AppendEscapedByte(unsigned char byte, std::string& out) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  out += "\\x";
  out += kDigits[byte >> 4];
  out += kDigits[byte & 15];
}

// Appends the character at `offset` in printable form. Returns its length in bytes and adds its
// columns to `width`.
std::size_t AppendPrintable(std::string_view text, std::size_t offset, std::string& out,
                            std::size_t& width) {
  const Utf8Character character = DecodeUtf8(text, offset);
  const std::size_t length = std::max<std::size_t>(character.length, 1);
  if (character.length != 0 && !IsControl(character.code_point) && !OpensCommand(text, offset)) {
    out.append(text, offset, length);
    width += 1;
    return length;
  }
  for (std::size_t i = 0; i < length; ++i) {
    AppendEscapedByte(static_cast<unsigned char>(text[offset + i]), out);
    width += 4;
  }
  return length;
}

bool IsSpace(char32_t code_point) {
  return code_point == ' ' || code_point == 0xA0 || code_point == 0x1680 ||
         (code_point >= 0x2000 && code_point <= 0x200A) || code_point == 0x202F ||
         code_point == 0x205F || code_point == 0x3000;
}

// Returns the position of a leading "::", by which GitHub recognizes a command at the start of a
// line after optional spaces, or npos if there is none.
std::size_t FindLineCommand(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const Utf8Character character = DecodeUtf8(text, at);
    if (character.length == 0 || !IsSpace(character.code_point)) break;
    at += character.length;
  }
  return text.substr(at).starts_with("::") ? at : std::string_view::npos;
}

std::size_t CharacterStart(std::string_view text, std::size_t offset) {
  while (offset > 0 && offset < text.size() && (text[offset] & 0xC0) == 0x80) --offset;
  return offset;
}

// Formats a diagnostic by schemas/diagnostic.schema.json.
std::string DiagnosticLine(const Diagnostic& diagnostic) {
  const Location& location = diagnostic.location;
  std::string line = std::string("{\"severity\":\"") + SeverityName(diagnostic.severity) + '"';
  const auto field = [&](const char* name, const std::string& text) {
    if (text.empty()) return;
    line += std::string(",\"") + name + "\":";
    AppendJsonQuoted(text, line);
  };
  field("path", location.path);
  if (!location.path.empty() && location.line > 0) {
    line += ",\"line\":" + std::to_string(location.line) +
            ",\"column\":" + std::to_string(std::max(location.column, 1));
  }
  field("message", diagnostic.message);
  field("hint", diagnostic.hint);
  return line + "}\n";
}

std::string RenderDiagnostic(const Diagnostic& diagnostic) {
  if (DiagnosticsAreJson()) return DiagnosticLine(diagnostic);
  const Location& location = diagnostic.location;
  std::string text = location.path.empty() ? "opledger" : Printable(location.path);
  if (!location.path.empty() && location.line > 0) {
    text += ':' + std::to_string(location.line) + ':' + std::to_string(location.column);
  }
  text += std::string(": ") + SeverityName(diagnostic.severity) + ": ";
  text += Printable(diagnostic.message) + '\n';
  text += RenderSnippet(location, diagnostic.source_line);
  if (!diagnostic.hint.empty()) text += "hint: " + Printable(diagnostic.hint) + '\n';
  return text;
}

}  // namespace

const char* SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  return "error";
}

std::optional<Severity> ParseSeverity(std::string_view name) {
  for (const Severity severity : {Severity::kNote, Severity::kWarning, Severity::kError}) {
    if (name == SeverityName(severity)) return severity;
  }
  return std::nullopt;
}

void Diagnostics::Add(Diagnostic diagnostic) {
  has_errors_ |= diagnostic.severity == Severity::kError;
  if (!full()) return all_.push_back(std::move(diagnostic));
  ++omitted_;
  if (diagnostic.severity != Severity::kError) return;
  // Errors explain why the program fails, so they replace warnings.
  const auto warning = std::find_if(all_.rbegin(), all_.rend(), [](const Diagnostic& kept) {
    return kept.severity != Severity::kError;
  });
  if (warning == all_.rend()) return;
  all_.erase(std::next(warning).base());
  all_.push_back(std::move(diagnostic));
}

Failure Diagnostics::Error(Location location, std::string message, std::string hint) {
  std::string of_limit = LimitHint(message);
  if (!of_limit.empty()) hint = std::move(of_limit);
  Add({Severity::kError, location, std::move(message), std::move(hint), {}});
  return {};
}

void Diagnostics::Warning(Location location, std::string message, std::string hint) {
  Add({Severity::kWarning, location, std::move(message), std::move(hint), {}});
}

bool DiagnosticsAreJson() {
  static const char* const kFormat = std::getenv("OPLEDGER_DIAGNOSTICS");
  return kFormat != nullptr && std::string_view(kFormat) == "json";
}

std::string RenderDiagnostics(const Diagnostics& diagnostics) {
  const auto order = [](const Diagnostic* a, const Diagnostic* b) {
    return std::tie(a->location, a->message) < std::tie(b->location, b->message);
  };
  std::vector<const Diagnostic*> sorted;
  for (const Diagnostic& diagnostic : diagnostics.all()) sorted.push_back(&diagnostic);
  std::stable_sort(sorted.begin(), sorted.end(), order);
  std::string text;
  std::string previous;  // an error in a base that two lists extend is shown once
  for (const Diagnostic* diagnostic : sorted) {
    std::string rendered = RenderDiagnostic(*diagnostic);
    if (rendered == previous) continue;
    text += rendered;
    previous = std::move(rendered);
  }
  if (diagnostics.omitted() > 0) {
    text += RenderDiagnostic({Severity::kNote,
                              {},
                              std::to_string(diagnostics.omitted()) + " more are not shown",
                              {},
                              {}});
  }
  return text;
}

std::string PrintableWithin(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size();) i += AppendPrintable(text, i, out, width);
  return out;
}

std::string Printable(std::string_view text) {
  std::string out = PrintableWithin(text);
  // Leading spaces are kept.
  if (const std::size_t command = FindLineCommand(out); command != std::string::npos) {
    out.replace(command, 1, "\\x3A");
  }
  return out;
}

std::string RenderSnippet(const Location& location, const std::string& source_line) {
  if (location.line <= 0 || source_line.empty()) return {};
  const std::size_t size = source_line.size();
  const std::size_t caret = std::min<std::size_t>(std::max(location.column, 1) - 1, size);
  std::size_t caret_end = location.end_line > location.line ? size : location.end_column - 1;
  caret_end = location.end_column <= 0 ? caret : std::clamp(caret_end, caret, size);

  std::size_t begin = 0;
  if (size > kSnippetWidth && caret > kSnippetBefore) {
    begin = CharacterStart(source_line, caret - kSnippetBefore);
  }
  std::string shown = begin > 0 ? "..." : "";
  std::string carets(shown.size(), ' ');
  std::size_t i = begin;
  while (i < size && i - begin < kSnippetWidth) {
    std::size_t width = 0;
    const bool tab = source_line[i] == '\t';
    const bool marked = i == caret || (i > caret && i < caret_end);
    const char mark = i == caret ? '^' : marked ? '~' : ' ';
    if (tab) {
      shown += ' ';
      width = 1;
      ++i;
    } else {
      i += AppendPrintable(source_line, i, shown, width);
    }
    carets += mark;
    carets.append(width - 1, marked ? '~' : ' ');
  }
  if (i < size) shown += "...";
  if (caret >= size) carets += '^';
  carets.erase(carets.find_last_not_of(' ') + 1);

  std::string number = std::to_string(location.line);
  if (number.size() < 5) number.insert(0, 5 - number.size(), ' ');
  return number + " | " + shown + '\n' + std::string(number.size(), ' ') + " | " + carets + '\n';
}

}  // namespace opledger
