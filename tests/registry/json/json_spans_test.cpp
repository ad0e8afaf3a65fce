// Properties of spans on random documents: a span's text is the value, and replacing it changes
// only that value. Carets, `classify` and `--fix` rely on this.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "registry/json/json.h"
#include "registry/json/json_write.h"

namespace opledger {
namespace {

// Writes random JSON with all kinds of spacing.
class RandomJson {
 public:
  explicit RandomJson(unsigned seed) : random_(seed) {}

  std::string Document() {
    text_ = Pick(10) == 0 ? "\xEF\xBB\xBF" : "";
    Space();
    Value(0);
    Space();
    return std::move(text_);
  }

 private:
  unsigned Pick(unsigned count) { return static_cast<unsigned>(random_() % count); }

  void Space() {
    static const char* const kSpaces[] = {"", "", "", " ", "\n", "\r\n", "\t", "  \n  "};
    text_ += kSpaces[Pick(8)];
  }

  void String() {
    static const char* const kParts[] = {"a",
                                         "op",
                                         ",",
                                         ":",
                                         "[",
                                         "}",
                                         "\\\"",
                                         "\\u00e9",
                                         "\xC3\xA9",
                                         "\\n",
                                         "//",
                                         "\\\\",
                                         "\xF0\x9F\x98\x80",
                                         "\\ud83d\\ude00",
                                         " "};
    text_ += '"';
    for (unsigned i = Pick(6); i > 0; --i) text_ += kParts[Pick(15)];
    text_ += '"';
  }

  void Value(int depth) {
    static const char* const kScalars[] = {
        "0",  "-1",   "12345", "1.5",  "-0.25e-3",           "1E+9",
        "-0", "true", "false", "null", "9223372036854775807"};
    const unsigned kind = Pick(depth > 4 ? 2 : 4);
    if (kind == 0) {
      text_ += kScalars[Pick(11)];
    } else if (kind == 1) {
      String();
    } else {
      Container(kind == 2, depth);
    }
  }

  void Container(bool object, int depth) {
    text_ += object ? '{' : '[';
    Space();
    const unsigned count = Pick(5);
    for (unsigned i = 0; i < count; ++i) {
      if (i > 0) {
        text_ += ',';
        Space();
      }
      if (object) {
        String();
        text_.insert(text_.size() - 1, std::to_string(i));  // no duplicates
        Space();
        text_ += ':';
        Space();
      }
      Value(depth + 1);
      Space();
    }
    text_ += object ? '}' : ']';
  }

  std::mt19937 random_;
  std::string text_;
};

// Returns the whole tree as text; shows `edited`, if given, as the string "EDITED".
std::string Dump(const JsonValue& value, const JsonValue* edited = nullptr) {
  JsonValue replacement;
  replacement.kind = JsonValue::Kind::kString;
  replacement.string = "EDITED";
  if (&value == edited) return Dump(replacement);
  std::string out = JsonKindName(value.kind);
  out += ' ' + std::to_string(value.boolean) + ' ' + std::to_string(value.integer) + ' ' +
         std::to_string(value.number) + ' ' + JsonQuote(value.string) + '(';
  for (const JsonValue& item : value.items) out += Dump(item, edited) + ',';
  for (const JsonMember& member : value.members) {
    out += JsonQuote(member.key) + ':' + Dump(member.value, edited) + ',';
  }
  return out + ')';
}

JsonDocument ParseDocument(std::string text) {
  Diagnostics diagnostics;
  std::optional<JsonDocument> document = ParseJson("f", text, diagnostics);
  EXPECT_TRUE(document) << text << '\n' << RenderDiagnostics(diagnostics);
  return document ? std::move(*document) : JsonDocument();
}

template <typename Function>
void ForEachValue(const JsonValue& value, const Function& function) {
  function(value);
  for (const JsonValue& item : value.items) ForEachValue(item, function);
  for (const JsonMember& member : value.members) ForEachValue(member.value, function);
}

std::string Text(const JsonDocument& document, Span span) {
  return document.text.substr(span.begin, span.end - span.begin);
}

TEST(JsonSpans, ASpanIsTheValue) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    const JsonDocument document = ParseDocument(RandomJson(seed).Document());
    ForEachValue(document.root, [&](const JsonValue& value) {
      const std::string text = Text(document, value.span);
      ASSERT_EQ(Dump(ParseDocument(text).root), Dump(value)) << text;
      ASSERT_EQ(text.find_first_of(" \t\r\n"), text.find_first_of(" \t\r\n", 1));
      ASSERT_EQ(std::string(" \t\r\n").find(text.back()), std::string::npos);
      for (const JsonMember& member : value.members) {
        ASSERT_EQ(ParseDocument(Text(document, member.key_span)).root.string, member.key);
      }
    });
  }
}

TEST(JsonSpans, LocationsPointAtTheBytes) {
  for (unsigned seed = 1000; seed < 1200; ++seed) {
    const JsonDocument document = ParseDocument(RandomJson(seed).Document());
    ForEachValue(document.root, [&](const JsonValue& value) {
      const Location place = document.At(value.span);
      const std::string line = document.Line(place.line);
      ASSERT_LE(static_cast<std::size_t>(place.column), line.size());
      ASSERT_EQ(line[place.column - 1], document.text[value.span.begin]);
      if (place.line == place.end_line) {
        ASSERT_EQ(line.substr(place.column - 1, place.end_column - place.column),
                  Text(document, value.span));
      }
    });
  }
}

TEST(JsonSpans, AnEditChangesOneValue) {
  for (unsigned seed = 2000; seed < 2200; ++seed) {
    const JsonDocument document = ParseDocument(RandomJson(seed).Document());
    ForEachValue(document.root, [&](const JsonValue& value) {
      std::string edited = document.text;
      edited.replace(value.span.begin, value.span.end - value.span.begin, "\"EDITED\"");
      ASSERT_EQ(Dump(ParseDocument(edited).root), Dump(document.root, &value)) << document.text;
    });
  }
}

}  // namespace
}  // namespace opledger
