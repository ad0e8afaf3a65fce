// JSON with positions, the lower of two layers of reading (json_fields.h is the upper): a tree
// whose keys and values have the spans of their bytes, so that errors carry carets and edits
// touch nothing else. Strict JSON; duplicate keys, depth over 128 and bad UTF-8 are errors.
// In: text. Out: a tree, or errors with places; json_write.h: text.
// May include: registry/files, registry/source, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/source/source.h"
#include "registry/text/diagnostics.h"
#include "registry/text/location.h"
#include "registry/text/text.h"

namespace opledger {

struct JsonMember;

struct JsonValue {
  enum class Kind { kNull, kBoolean, kInteger, kFloat, kString, kArray, kObject };
  Kind kind = Kind::kNull;
  Span span;  // strings with their quotes, arrays and objects with their brackets
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;  // set for kInteger too
  std::string string;
  std::vector<JsonValue> items;
  std::vector<JsonMember> members;  // in file order

  // The member's value, or nullptr; also nullptr for anything but an object.
  const JsonValue* Find(std::string_view key) const;
};

struct JsonMember {
  std::string key;
  Span key_span;  // with the quotes
  JsonValue value;
};

struct JsonDocument {
  InternedString path;  // as it is to be shown
  std::string text;
  JsonValue root;
  LineIndex lines;
  // Whether errors may quote the text: a file that lies outside of the tree, or that a link leads
  // to, may be anybody's.
  bool quotable = true;

  Location At(Span span) const;
  std::string Line(int line) const;  // without the line end
};

// Reads a regular file. Errors (unreadable, over 256 MB, malformed) go to `diagnostics`.
std::optional<JsonDocument> ReadJson(const Source& source, const std::string& path, Reach reach,
                                     Diagnostics& diagnostics);
// The same for a file on disk that is of no tree: it may be quoted unless a link leads to it.
std::optional<JsonDocument> ReadJson(const std::string& path, Diagnostics& diagnostics);

// Parses `text`; `path` is only for messages. A leading byte-order mark is accepted.
std::optional<JsonDocument> ParseJson(std::string path, std::string text, Diagnostics& diagnostics);

// Whether errors may quote the file: it lies in the root, and no part of its path is a link.
bool IsQuotable(const Source& source, const std::string& path);

// Adds an error at `span` of `document`, with its source line for the caret. Of a document that may
// not be quoted, what the message quotes is replaced by the kind of what stands there.
Failure ErrorAt(const JsonDocument& document, Span span, std::string message, std::string hint,
                Diagnostics& diagnostics);

// "an object", "a string", ... for messages.
const char* JsonKindName(JsonValue::Kind kind);

}  // namespace opledger
