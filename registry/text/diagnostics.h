// What stopped or disturbed the work: unreadable files, malformed JSON, bad usage. Findings about
// operators are not diagnostics (checker/findings/finding.h).
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
  Location location;             // an empty path: about the command line
  std::string message;           // one sentence, lower case, no full stop
  std::string hint = {};         // what to do about it; may be empty
  std::string source_line = {};  // text of the line, for the caret; may be empty
};

// What a function that could not do its work returns: false, or an empty optional.
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

// Collects diagnostics; never prints by itself.
class Diagnostics {
 public:
  void Add(Diagnostic diagnostic);
  // Gives a Failure, so that `return diagnostics.Error(...)` reports and ends.
  Failure Error(Location location, std::string message, std::string hint = {});
  void Warning(Location location, std::string message, std::string hint = {});

  bool has_errors() const { return has_errors_; }
  // That something could not be read or examined which is there: what was done without it is
  // incomplete.
  void MarkIncomplete() { incomplete_ = true; }
  bool incomplete() const { return incomplete_; }
  const std::vector<Diagnostic>& all() const { return all_; }
  // Whether further ones are only counted: a hostile file may hold millions of mistakes.
  bool full() const { return all_.size() >= kMaximum; }
  std::size_t omitted() const { return omitted_; }

 private:
  static constexpr std::size_t kMaximum = 1000;
  std::vector<Diagnostic> all_;
  std::size_t omitted_ = 0;
  bool has_errors_ = false;
  bool incomplete_ = false;
};

// Whether a program reads standard error: OPLEDGER_DIAGNOSTICS=json, which makes each diagnostic a
// line of JSON (schemas/diagnostic.schema.json).
bool DiagnosticsAreJson();

// Text in clang's shape, sorted by location, each ending in a newline. Control characters are
// shown as \xNN, so that no name can forge a line of output. Or lines of JSON, as above.
std::string RenderDiagnostics(const Diagnostics& diagnostics);

// `text` with control characters (and DEL, marks that reorder or hide text, bytes that are not
// UTF-8, and what pipelines would take for a command) written as \xNN: a line may begin with it.
std::string Printable(std::string_view text);
// The same for what never begins a line, where "::" opens no command.
std::string PrintableWithin(std::string_view text);

// The source line and the caret line below it, indented as above; empty where `line` is unknown.
// Long lines are cut around the caret; a tab is shown as one space.
std::string RenderSnippet(const Location& location, const std::string& source_line);

}  // namespace opledger
