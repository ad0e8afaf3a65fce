// Diagnostics: problems with the input, such as unreadable files, malformed JSON and wrong usage.
// Findings about operators are not diagnostics (checker/findings/findings.h).
//   lists/float16.json:3:5: error: unknown field 'targt'
//       3 |     "targt": [],
//         |     ^~~~~~~
//   hint: did you mean 'target'?
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/text/location.h"

namespace opledger {

enum class Severity { kNote, kWarning, kError };

// "note", "warning" or "error".
const char* SeverityName(Severity severity);
std::optional<Severity> ParseSeverity(std::string_view name);

struct Diagnostic {
  Severity severity = Severity::kError;
  Location location;             // an empty path: the command line
  std::string message;           // one sentence, lower case, without a period
  std::string hint = {};         // the remedy; may be empty
  std::string source_line = {};  // the line at the location, for the caret; may be empty
};

// The result of a function that failed: converts to false or nullopt.
struct Failure {
  template <std::same_as<bool> Bool>
  operator Bool() const {  // NOLINT(google-explicit-constructor): to be returned
    return false;
  }
  template <typename T>
  operator std::optional<T>() const {  // NOLINT(google-explicit-constructor)
    return std::nullopt;
  }
};

// Collects diagnostics; does not print them.
class Diagnostics {
 public:
  void Add(Diagnostic diagnostic);
  // Returns a Failure, so that `return diagnostics.Error(...)` reports the error and fails.
  Failure Error(Location location, std::string message, std::string hint = {});
  void Warning(Location location, std::string message, std::string hint = {});

  bool has_errors() const { return has_errors_; }
  // Records that something existing could not be read or examined, so that results are incomplete.
  void MarkIncomplete() { incomplete_ = true; }
  bool incomplete() const { return incomplete_; }
  const std::vector<Diagnostic>& all() const { return all_; }
  // Returns whether further diagnostics are only counted: a hostile file may contain millions of
  // errors.
  bool full() const { return all_.size() >= kMaximum; }
  std::size_t omitted() const { return omitted_; }

 private:
  static constexpr std::size_t kMaximum = 1000;
  std::vector<Diagnostic> all_;
  std::size_t omitted_ = 0;
  bool has_errors_ = false;
  bool incomplete_ = false;
};

// Returns whether standard error is read by a program: OPLEDGER_DIAGNOSTICS=json formats each
// diagnostic as a line of JSON (schemas/diagnostic.schema.json).
bool DiagnosticsAreJson();

// Formats diagnostics like Clang, sorted by location, each with a final newline, or as JSON.
// Control characters are shown as \xNN, so that names cannot forge lines of output.
std::string RenderDiagnostics(const Diagnostics& diagnostics);

// Escapes control characters, DEL, characters that reorder or hide text, bytes that are not UTF-8,
// and CI commands as \xNN. The result is safe at the start of a line.
std::string Printable(std::string_view text);
// Like Printable(), for text that never starts a line, where "::" does not start a command.
std::string PrintableWithin(std::string_view text);

// Returns the source line and the caret line below it, indented as above; empty if `line` is
// unknown. Long lines are cut around the caret; a tab is shown as one space.
std::string RenderSnippet(const Location& location, const std::string& source_line);

}  // namespace opledger
