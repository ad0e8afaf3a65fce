// Compares positions with a model without bytes: lines of characters, each with its code units.
// SPDX-License-Identifier: Apache-2.0
#include "checker/lsp/position.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "checker/lsp/documents.h"
#include "checker/lsp/message.h"
#include "tests/rounds.h"

namespace opledger {
namespace {

const std::vector<std::string> kPieces = {
    "a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\n", "\r\n", "\r", "\t", "\xEF\xBB\xBF"};

std::size_t ModelUnits(const std::string& character, PositionEncoding encoding) {
  if (encoding == PositionEncoding::kUtf8) return character.size();
  return character.size() == 4 ? 2 : 1;
}

bool EndsLine(const std::string& character) {
  return character == "\n" || character == "\r\n" || character == "\r";
}

// A text as its characters; "\r\n" is one.
using Characters = std::vector<std::string>;

Characters CharactersOf(const std::string& text) {
  Characters all;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    std::size_t length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    if (text.compare(at, 2, "\r\n") == 0) length = 2;
    all.push_back(text.substr(at, length));
    at += length;
  }
  return all;
}

std::string TextOfCharacters(const Characters& all) {
  std::string text;
  for (const std::string& each : all) text += each;
  return text;
}

// Returns the number of characters before the position.
std::size_t ModelIndex(const Characters& all, Position position, PositionEncoding encoding) {
  std::size_t line = 0;
  std::size_t units = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool end = EndsLine(all[i]);
    if (line == position.line) {
      if (end) return i;
      units += ModelUnits(all[i], encoding);
      if (units > position.character) return i;
    }
    if (end) ++line;
  }
  return all.size();
}

TEST(Positions, AgreeWithAModel) {
  std::mt19937 random(7);
  const auto up_to = [&](std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most)(random);
  };
  for (int round = 0; round < Rounds(3000); ++round) {
    const auto encoding = round % 2 == 0 ? PositionEncoding::kUtf16 : PositionEncoding::kUtf8;
    std::string text;
    for (std::size_t left = up_to(20); left > 0; --left) text += kPieces[up_to(kPieces.size() - 1)];
    const Characters all = CharactersOf(text);
    const DocumentLines lines(text, encoding);
    const Position position = {up_to(6), up_to(9)};
    const std::size_t index = ModelIndex(all, position, encoding);
    const std::string before =
        TextOfCharacters({all.begin(), all.begin() + static_cast<long>(index)});
    ASSERT_EQ(lines.OffsetOf(position), before.size()) << JsonQuote(text);
    // Round trip.
    ASSERT_EQ(lines.OffsetOf(lines.PositionOf(before.size())), before.size()) << JsonQuote(text);
  }
}

TEST(Positions, ChangesAgreeWithAModel) {
  std::mt19937 random(11);
  const auto up_to = [&](std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most)(random);
  };
  for (int round = 0; round < Rounds(300); ++round) {
    const auto encoding = round % 2 == 0 ? PositionEncoding::kUtf16 : PositionEncoding::kUtf8;
    std::string text;
    std::string model;
    for (int step = 0; step < 12; ++step) {
      Range range = {{up_to(4), up_to(8)}, {up_to(4), up_to(8)}};
      if (range.end < range.start) std::swap(range.start, range.end);
      std::string inserted;
      for (std::size_t left = up_to(6); left > 0; --left) {
        inserted += kPieces[up_to(kPieces.size() - 1)];
      }
      const std::string change = JsonText([&](JsonWriter& json) {
        json.BeginObject();
        WriteRange(json, "range", range);
        json.Field("text", inserted);
        json.EndObject();
      });
      Diagnostics diagnostics;
      const auto document = ParseJson("", change, diagnostics);
      ASSERT_TRUE(document && ApplyChange(document->root, encoding, text));
      const Characters all = CharactersOf(model);
      const auto begin = static_cast<long>(ModelIndex(all, range.start, encoding));
      const auto end = static_cast<long>(ModelIndex(all, range.end, encoding));
      model = TextOfCharacters({all.begin(), all.begin() + begin}) + inserted +
              TextOfCharacters({all.begin() + end, all.end()});
      ASSERT_EQ(text, model) << change;
    }
  }
}

TEST(Positions, OfLocations) {
  const std::string text =
      "\xEF\xBB\xBF"
      "ab\rc\n\xF0\x9F\x98\x80xy";
  const DocumentLines lines(text, PositionEncoding::kUtf16);
  const auto span = lines.SpanOf({"a", 2, 5, 2, 7});
  EXPECT_EQ(text.substr(span.begin, span.size()), "xy");
  EXPECT_EQ(lines.PositionOf(span.begin), (Position{2, 2}));
  EXPECT_EQ(lines.SpanOf({"a", 1, 1, 1, 3}), (Span{3, 5}));
  EXPECT_EQ(lines.SpanOf({}), (Span{0, 0}));
  EXPECT_EQ(lines.SpanOf({"a", 99, 1, 99, 2}), (Span{text.size(), text.size()}));
  EXPECT_EQ(lines.SpanOf({"a", 2, 9999, 1, 1}), (Span{text.size(), text.size()}));
}

TEST(Positions, InvalidOnes) {
  for (const char* const bad : {"{}", "{\"line\": 1}", "{\"line\": -1, \"character\": 0}",
                                "{\"line\": 1.5, \"character\": 0}", "[]", "null"}) {
    Diagnostics diagnostics;
    EXPECT_FALSE(ReadPosition(ParseJson("", bad, diagnostics)->root)) << bad;
  }
}

TEST(Uri, ThereAndBack) {
  for (const char* const path : {"/", "/a", "/a b/\xC3\xBC%25?#[]", "/a+b@c:d/~x", "/\x01\xFF"}) {
    EXPECT_EQ(PathOfUri(UriOfPath(path)), path);
  }
  EXPECT_EQ(UriOfPath("/a b/\xC3\xBC"), "file:///a%20b/%C3%BC");
  EXPECT_EQ(PathOfUri("FILE://localhost/a/./b/../c/"), "/a/c");
  for (const char* const bad : {"", "file:", "file://host/a", "http:///a", "/a", "file:///%",
                                "file:///%1", "file:///%0g", "file:///a%00"}) {
    EXPECT_FALSE(PathOfUri(bad)) << bad;
  }
}

}  // namespace
}  // namespace opledger
