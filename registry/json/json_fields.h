// Typed reading of one JSON object, the upper layer over json.h: each field is taken by name,
// the wrong kind is an error with a caret, and Finish() refuses what was not taken.
//   JsonFields fields(document, value, "precision list", diagnostics);
//   list.framework = fields.RequiredString("framework");
//   fields.Finish();   // unknown field 'framwork' ... did you mean 'framework'?
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/json/json.h"

namespace opledger {

// Why a produced file that opens with "`found`" cannot be read where "NAME/VERSION" is, and what to
// do.
struct SchemaProblem {
  std::string message;
  std::string hint;
};
std::optional<SchemaProblem> ProblemOfSchema(std::string_view found, std::string_view name,
                                             int version);

class JsonFields {
 public:
  // `what` names the object in messages. A value that is no object is an error, once.
  JsonFields(const JsonDocument& document, const JsonValue& object, std::string_view what,
             Diagnostics& diagnostics);

  // The value of `key`, or nullptr where absent. Taking it makes it known to Finish(), until which
  // the text of every key must live: it is a literal, or the key of a member.
  const JsonValue* Take(std::string_view key);
  const JsonValue* Require(std::string_view key);

  // Absent: the fallback. Wrong kind: an error, and the fallback.
  std::string String(std::string_view key, std::string fallback = {});
  std::string RequiredString(std::string_view key);  // absent or empty is an error
  // A string that is one of `choices`; absent or wrong: empty.
  std::string Choice(std::string_view key, const std::vector<std::string>& choices);
  bool Boolean(std::string_view key, bool fallback);
  std::int64_t Integer(std::string_view key, std::int64_t fallback, std::int64_t minimum,
                       std::int64_t maximum);
  std::vector<std::string> Strings(std::string_view key);
  // The items of an array of objects; a non-array is an error and gives none.
  const std::vector<JsonValue>& Objects(std::string_view key);
  // Checks "schema": "<name>/<version>" of produced files; another version is an error.
  bool Schema(std::string_view name, int version);

  void Error(Span span, std::string message, std::string hint = {});
  // Reports every member that was not read ("$schema" and "$comment" are known everywhere).
  // True if this object caused no error.
  bool Finish();

 private:
  const JsonDocument& document_;
  const JsonValue& object_;
  std::string what_;
  Diagnostics& diagnostics_;
  std::vector<std::string_view> known_;
  std::vector<bool> taken_;  // by member
  std::size_t next_ = 0;     // the member after the last one taken: most readers go in file order
  bool ok_ = true;
};

}  // namespace opledger
