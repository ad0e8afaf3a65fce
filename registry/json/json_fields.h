// Typed access to the fields of a JSON object, the layer above json.h. Each field is taken by name,
// a value of the wrong kind is an error with a caret, and Finish() reports fields that were not
// taken.
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

// Explains why a file with the schema `found` cannot be read as "NAME/VERSION", and what to do.
// ProblemOfSchema returns nullopt if it can be read.
struct SchemaProblem {
  std::string message;
  std::string hint;
};
std::optional<SchemaProblem> ProblemOfSchema(std::string_view found, std::string_view name,
                                             int version);

class JsonFields {
 public:
  // `what` names the object in messages. Reports one error if the value is not an object.
  JsonFields(const JsonDocument& document, const JsonValue& object, std::string_view what,
             Diagnostics& diagnostics);

  // Returns the value of `key`, or nullptr if absent. Marks the key as known for Finish(). The key
  // must live until then: use a literal or the key of a member.
  const JsonValue* Take(std::string_view key);
  const JsonValue* Require(std::string_view key);

  // Returns the fallback if the field is absent. Reports a value of the wrong kind and returns the
  // fallback.
  std::string String(std::string_view key, std::string fallback = {});
  std::string RequiredString(std::string_view key);  // absent or empty is an error
  // Returns a string from `choices`, or an empty string if the field is absent or wrong.
  std::string Choice(std::string_view key, const std::vector<std::string>& choices);
  bool Boolean(std::string_view key, bool fallback);
  std::int64_t Integer(std::string_view key, std::int64_t fallback, std::int64_t minimum,
                       std::int64_t maximum);
  std::vector<std::string> Strings(std::string_view key);
  // Returns the items of an array of objects. Reports other values and returns an empty array.
  const std::vector<JsonValue>& Objects(std::string_view key);
  // Checks "schema": "<name>/<version>" of generated files. Any other version is an error.
  bool Schema(std::string_view name, int version);

  void Error(Span span, std::string message, std::string hint = {});
  // Reports every member that was not taken, except "$schema" and "$comment". Returns whether this
  // object caused no error.
  bool Finish();

 private:
  const JsonDocument& document_;
  const JsonValue& object_;
  std::string what_;
  Diagnostics& diagnostics_;
  std::vector<std::string_view> known_;
  std::vector<bool> taken_;  // one per member
  // The member after the last one taken, since most readers follow file order.
  std::size_t next_ = 0;
  bool ok_ = true;
};

}  // namespace opledger
