// Reads the fields of one JSON object.
// SPDX-License-Identifier: Apache-2.0
#include "registry/json/json_fields.h"

#include <algorithm>
#include <charconv>

#include "registry/text/suggestion.h"

namespace opledger {
namespace {

using JsonKind = JsonValue::Kind;

// If an object has more unknown fields than this, it is a different kind of file.
constexpr int kMaximumUnknown = 20;

std::string WrongKind(std::string_view key, const char* wanted, JsonKind found) {
  return "'" + std::string(key) + "' must be " + wanted + ", not " + JsonKindName(found);
}

}  // namespace

JsonFields::JsonFields(const JsonDocument& document, const JsonValue& object, std::string_view what,
                       Diagnostics& diagnostics)
    : document_(document),
      object_(object),
      what_(what),
      diagnostics_(diagnostics),
      taken_(object.members.size()) {
  known_.reserve(10);
  if (object_.kind != JsonKind::kObject) {
    Error(object_.span, "the " + what_ + " must be an object, not " + JsonKindName(object_.kind));
  }
}

const JsonValue* JsonFields::Take(std::string_view key) {
  known_.push_back(key);
  const std::vector<JsonMember>& members = object_.members;
  // Tries the next member, then the one just taken, then all of them.
  std::size_t index = next_;
  if (index >= members.size() || members[index].key != key) --index;
  if (index >= members.size() || members[index].key != key) {
    index = 0;
    while (index < members.size() && members[index].key != key) ++index;
    if (index == members.size()) return nullptr;
  }
  taken_[index] = true;
  next_ = index + 1;
  return &members[index].value;
}

const JsonValue* JsonFields::Require(std::string_view key) {
  const JsonValue* value = Take(key);
  if (value == nullptr && object_.kind == JsonKind::kObject) {
    Error({object_.span.begin, object_.span.begin + 1},
          "this " + what_ + " has no field '" + std::string(key) + "'");
  }
  return value;
}

std::string JsonFields::String(std::string_view key, std::string fallback) {
  const JsonValue* value = Take(key);
  if (value == nullptr) return fallback;
  if (value->kind == JsonKind::kString) return value->string;
  Error(value->span, WrongKind(key, "a string", value->kind));
  return fallback;
}

std::string JsonFields::RequiredString(std::string_view key) {
  const JsonValue* value = Require(key);
  if (value == nullptr) return {};
  if (value->kind != JsonKind::kString) {
    Error(value->span, WrongKind(key, "a string", value->kind));
    return {};
  }
  if (value->string.empty()) Error(value->span, "'" + std::string(key) + "' is empty");
  return value->string;
}

std::string JsonFields::Choice(std::string_view key, const std::vector<std::string>& choices) {
  const JsonValue* value = Take(key);
  if (value == nullptr) return {};
  if (value->kind != JsonKind::kString) {
    Error(value->span, WrongKind(key, "a string", value->kind));
    return {};
  }
  if (std::find(choices.begin(), choices.end(), value->string) != choices.end()) {
    return value->string;
  }
  Error(value->span, "'" + value->string + "' is not a value of '" + std::string(key) + "'",
        ChoiceHint(value->string, choices));
  return {};
}

bool JsonFields::Boolean(std::string_view key, bool fallback) {
  const JsonValue* value = Take(key);
  if (value == nullptr) return fallback;
  if (value->kind == JsonKind::kBoolean) return value->boolean;
  Error(value->span, WrongKind(key, "true or false", value->kind));
  return fallback;
}

std::int64_t JsonFields::Integer(std::string_view key, std::int64_t fallback, std::int64_t minimum,
                                 std::int64_t maximum) {
  const JsonValue* value = Take(key);
  if (value == nullptr) return fallback;
  if (value->kind != JsonKind::kInteger) {
    Error(value->span, WrongKind(key, "an integer", value->kind));
    return fallback;
  }
  if (value->integer < minimum || value->integer > maximum) {
    Error(value->span, "'" + std::string(key) + "' must be from " + std::to_string(minimum) +
                           " to " + std::to_string(maximum));
    return fallback;
  }
  return value->integer;
}

std::vector<std::string> JsonFields::Strings(std::string_view key) {
  const JsonValue* value = Take(key);
  std::vector<std::string> strings;
  if (value == nullptr) return strings;
  if (value->kind != JsonKind::kArray) {
    Error(value->span, WrongKind(key, "an array of strings", value->kind));
    return strings;
  }
  for (const JsonValue& item : value->items) {
    if (item.kind == JsonKind::kString) {
      strings.push_back(item.string);
    } else {
      Error(item.span,
            "'" + std::string(key) + "' must hold strings, not " + JsonKindName(item.kind));
    }
  }
  return strings;
}

const std::vector<JsonValue>& JsonFields::Objects(std::string_view key) {
  static const std::vector<JsonValue> kNone;
  const JsonValue* value = Take(key);
  if (value == nullptr) return kNone;
  if (value->kind == JsonKind::kArray) return value->items;
  Error(value->span, WrongKind(key, "an array", value->kind));
  return kNone;
}

std::optional<SchemaProblem> ProblemOfSchema(std::string_view found, std::string_view name,
                                             int version) {
  const std::string prefix = std::string(name) + "/";
  const std::string wanted = prefix + std::to_string(version);
  if (found == wanted) return std::nullopt;
  const SchemaProblem other = {"'schema' must be \"" + wanted + "\"",
                               "check that this is the right file"};
  if (!found.starts_with(prefix)) return other;
  int number = 0;
  const char* end = found.data() + found.size();
  const auto parsed = std::from_chars(found.data() + prefix.size(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || number == version) return other;
  const bool newer = number > version;
  return SchemaProblem{"'" + std::string(found) + "' is " + (newer ? "newer" : "older") +
                           " than this program, which supports '" + wanted + "'",
                       newer ? "use a newer opledger, or recreate the file with this one"
                             : "recreate the file with this opledger"};
}

bool JsonFields::Schema(std::string_view name, int version) {
  const JsonValue* value = Require("schema");
  if (value == nullptr) return false;
  const bool is_text = value->kind == JsonKind::kString;
  const auto problem = ProblemOfSchema(is_text ? value->string : "", name, version);
  if (problem) Error(value->span, problem->message, problem->hint);
  return !problem;
}

void JsonFields::Error(Span span, std::string message, std::string hint) {
  ErrorAt(document_, span, std::move(message), std::move(hint), diagnostics_);
  ok_ = false;
}

bool JsonFields::Finish() {
  int unknown = 0;
  for (std::size_t i = 0; i < taken_.size() && unknown < kMaximumUnknown; ++i) {
    const JsonMember& member = object_.members[i];
    if (taken_[i] || member.key == "$schema" || member.key == "$comment") continue;
    ++unknown;
    Error(member.key_span, "unknown field '" + member.key + "' in this " + what_,
          DidYouMean(member.key, {known_.begin(), known_.end()}));
  }
  return ok_;
}

}  // namespace opledger
