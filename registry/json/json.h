// JSON with positions: a tree whose keys and values have spans, so that errors have carets and
// edits touch nothing else. json_fields.h is the layer above. Strict JSON: duplicate keys, nesting
// over 128 levels and invalid UTF-8 are errors.
// In: text. Out: a tree, or errors with positions; json_write.h: text.
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
  Span span;  // including the quotes of strings and the brackets of arrays and objects
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;  // set for kInteger too
  std::string string;
  std::vector<JsonValue> items;
  std::vector<JsonMember> members;  // in file order

  // Returns the value of the member, or nullptr if there is none or this is not an object.
  const JsonValue* Find(std::string_view key) const;
};

struct JsonMember {
  std::string key;
  Span key_span;  // including the quotes
  JsonValue value;
};

struct JsonDocument {
  InternedString path;  // as displayed
  std::string text;
  JsonValue root;
  LineIndex lines;
  // Whether errors may quote the text. A file outside the tree, or one that a link leads to, may
  // belong to someone else.
  bool quotable = true;

  Location At(Span span) const;
  std::string Line(int line) const;  // without the line end
};

// Reads a regular file. Reports an error if it is unreadable, over 256 MB or malformed.
std::optional<JsonDocument> ReadJson(const Source& source, const std::string& path, Reach reach,
                                     Diagnostics& diagnostics);
// Reads a file on disk that belongs to no tree. It may be quoted unless a link leads to it.
std::optional<JsonDocument> ReadJson(const std::string& path, Diagnostics& diagnostics);

// Parses `text`; `path` is used only in messages. Accepts a leading byte-order mark. Returns
// nullopt, with an error, if the text is malformed.
std::optional<JsonDocument> ParseJson(std::string path, std::string text, Diagnostics& diagnostics);

// Returns whether errors may quote the file: it is inside the root, and no part of its path is a
// link.
bool IsQuotable(const Source& source, const std::string& path);

// Adds an error at `span` of `document`, with its source line for the caret. If the document may
// not be quoted, quoted text in the message is replaced by its kind.
Failure ErrorAt(const JsonDocument& document, Span span, std::string message, std::string hint,
                Diagnostics& diagnostics);

// Returns "an object", "a string", etc. for messages.
const char* JsonKindName(JsonValue::Kind kind);

}  // namespace opledger
