// Writing JSON as a stream, in the order given: what produced files need to be canonical.
//   JsonWriter json(out); json.BeginObject(); json.Key("name"); json.String("exp");
//   json.EndObject();
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opledger {

// `text` as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD; control
// characters, DEL, U+2028 and U+2029 are escaped.
std::string JsonQuote(std::string_view text);

class JsonWriter {
 public:
  // `indent` 0: everything on one line; else spaces per level.
  explicit JsonWriter(std::string& out, int indent = 0) : out_(out), indent_(indent) {}

  void BeginObject();
  void EndObject();
  void BeginArray();
  void EndArray();
  void Key(std::string_view key);
  void String(std::string_view value);
  void Integer(std::int64_t value);
  void Number(double value);  // shortest text that reads back; not finite: null
  void Boolean(bool value);
  void Null();
  // An array of texts.
  template <typename Texts>
  void Strings(const Texts& texts) {
    BeginArray();
    for (const auto& text : texts) String(text);
    EndArray();
  }
  // Until EndArray/EndObject of the next container: no line breaks inside (compact records).
  void CompactNext() { compact_next_ = true; }

  void Field(std::string_view key, std::string_view value) {
    Key(key);
    String(value);
  }
  void Field(std::string_view key, std::int64_t value) {
    Key(key);
    Integer(value);
  }

 private:
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
