// Writes JSON as a stream, in the order of the calls, so that generated files are canonical.
//   JsonWriter json(out); json.BeginObject(); json.Field("name", "exp"); json.EndObject();
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "registry/text/json_quote.h"

namespace opledger {

class JsonWriter {
 public:
  // `indent`: spaces per level; 0: everything on one line.
  explicit JsonWriter(std::string& out, int indent = 0) : out_(out), indent_(indent) {}

  void BeginObject() { Open('{'); }
  void BeginObject(std::string_view key) { Keyed(key).BeginObject(); }
  void EndObject() { Close('}'); }
  void BeginArray() { Open('['); }
  void BeginArray(std::string_view key) { Keyed(key).BeginArray(); }
  void EndArray() { Close(']'); }
  // Like the above, but without line breaks inside.
  void BeginCompactObject() { Compact().BeginObject(); }
  void BeginCompactObject(std::string_view key) { Keyed(key).BeginCompactObject(); }
  void BeginCompactArray() { Compact().BeginArray(); }
  void BeginCompactArray(std::string_view key) { Keyed(key).BeginCompactArray(); }

  void Key(std::string_view key);
  void String(std::string_view value);
  void Integer(std::int64_t value);
  void Number(double value);  // shortest text that reads back exactly; null if not finite
  void Boolean(bool value);
  void Null();

  // Writes a string, a number, a Boolean, or an optional of one of them; null if it is empty.
  template <typename T>
  void Value(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      Boolean(value);
    } else if constexpr (std::is_integral_v<T>) {
      Integer(static_cast<std::int64_t>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      Number(value);
    } else if constexpr (requires { value.has_value(); }) {
      value ? Value(*value) : Null();
    } else {
      String(value);
    }
  }
  template <typename T>
  void Field(std::string_view key, const T& value) {
    Keyed(key).Value(value);
  }

  // Writes an array of values.
  template <typename Items>
  void Array(std::string_view key, const Items& items) {
    Array(key, items, [this](const auto& item) { this->Value(item); });
  }
  template <typename Items>
  void CompactArray(std::string_view key, const Items& items) {
    Keyed(key).Compact().BeginArray();
    for (const auto& item : items) Value(item);
    EndArray();
  }
  // Writes an array whose items `write` writes.
  template <typename Items, typename Write>
  void Array(std::string_view key, const Items& items, const Write& write) {
    BeginArray(key);
    for (const auto& item : items) write(item);
    EndArray();
  }
  // Writes an array of compact objects whose fields `write` writes.
  template <typename Items, typename Write>
  void Records(std::string_view key, const Items& items, const Write& write) {
    Array(key, items, [&](const auto& item) {
      BeginCompactObject();
      write(item);
      EndObject();
    });
  }

 private:
  JsonWriter& Keyed(std::string_view key) {
    Key(key);
    return *this;
  }
  JsonWriter& Compact() {
    compact_next_ = true;
    return *this;
  }
  void BeforeValue();
  void Open(char bracket);
  void Close(char bracket);
  void NewLine();

  struct Level {
    bool empty = true;
    bool compact = false;
  };
  std::string& out_;
  int indent_;
  bool after_key_ = false;
  bool compact_next_ = false;
  std::vector<Level> levels_;
};

}  // namespace opledger
