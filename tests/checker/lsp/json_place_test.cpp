// Finds the JSON place of a cursor, in complete text and in every prefix of it.
// SPDX-License-Identifier: Apache-2.0
#include "checker/lsp/json_place.h"

#include <gtest/gtest.h>

#include "registry/text/text.h"

namespace opledger {
namespace {

// Returns the place at '|': "fp32/[]/op = ex" or, for a key, "fp32/[] key = o".
std::string PlaceAt(std::string text) {
  const std::size_t cursor = text.find('|');
  text.erase(cursor, 1);
  const JsonPlace place = JsonPlaceAt(text, cursor);
  return Join(place.keys, "/", [](const auto& key) { return key.empty() ? "[]" : key; }) +
         (place.is_key ? " key = " : " = ") + place.value;
}

TEST(JsonPlaceAt, KeysAndValues) {
  EXPECT_EQ(PlaceAt("|"), " = ");
  EXPECT_EQ(PlaceAt("{|"), " key = ");
  EXPECT_EQ(PlaceAt("{\"fr|amework\": 1}"), " key = framework");
  EXPECT_EQ(PlaceAt("{\"fp32\": |"), "fp32 = ");
  EXPECT_EQ(PlaceAt("{\"fp32\": [|"), "fp32/[] = ");
  EXPECT_EQ(PlaceAt("{\"fp32\": [\"a\", \"ex|"), "fp32/[] = ex");
  EXPECT_EQ(PlaceAt("{\"fp32\": [\"a\", ex|]}"), "fp32/[] = ex");
  EXPECT_EQ(PlaceAt("{\"fp32\": [{\"op\": \"e|xp\"}]}"), "fp32/[]/op = exp");
  EXPECT_EQ(PlaceAt("{\"fp32\": [{\"op\": \"exp\", |"), "fp32/[] key = ");
  EXPECT_EQ(PlaceAt("{\"a\": [1, {\"b\": 2}], \"c\": \"|"), "c = ");
  EXPECT_EQ(PlaceAt("{\"a\\n\\\"b\": \"x\\\"|y\"}"), "a\n\"b = x\"y");
  // Unclosed strings end with their line; superfluous closing brackets are ignored.
  EXPECT_EQ(PlaceAt("{\"fp32\": [\"ex,\n \"lo|g\""), "fp32/[] = log");
  EXPECT_EQ(PlaceAt("}]{\"a\": \"|\""), "a = ");
}

TEST(JsonPlaceAt, EveryBeginningAndPlace) {
  const std::string text =
      "{\"fp32\": [\"a\", {\"op\": \"\xC3\xA9\\u0041\", \"n\": [1, true]}],\r\n \"b\": {}} x";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    for (std::size_t at = 0; at <= size; ++at) {
      const JsonPlace place = JsonPlaceAt(std::string_view(text).substr(0, size), at);
      EXPECT_LE(place.span.begin, at);
      EXPECT_LE(at, place.span.end);
      EXPECT_LE(place.span.end, size);
    }
  }
}

TEST(JsonPlaceAt, Deep) {
  const std::string deep(100'000, '[');
  EXPECT_EQ(JsonPlaceAt(deep, deep.size()).keys.size(), 128U);
  const std::string closed = deep + std::string(100'000, ']') + "{\"a\": ";
  EXPECT_EQ(JsonPlaceAt(closed, closed.size()).keys, (std::vector<std::string>{"a"}));
}

}  // namespace
}  // namespace opledger
