// Writing JSON: layout, escapes, numbers that are read back unchanged.
// SPDX-License-Identifier: Apache-2.0
#include "registry/json/json_write.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include "registry/json/json.h"

namespace opledger {
namespace {

void WriteSample(JsonWriter& json) {
  json.BeginObject();
  json.Field("a", "x");
  json.BeginArray("b");
  json.Integer(-1);
  json.Boolean(true);
  json.Null();
  json.BeginCompactObject();
  json.Field("c", 2);
  json.BeginArray("d");
  json.EndArray();
  json.EndObject();
  json.EndArray();
  json.BeginObject("e");
  json.EndObject();
  json.EndObject();
}

TEST(JsonWriter, Layouts) {
  std::string text;
  JsonWriter compact(text);
  WriteSample(compact);
  EXPECT_EQ(text, R"({"a":"x","b":[-1,true,null,{"c":2,"d":[]}],"e":{}})");
  text.clear();
  JsonWriter indented(text, 2);
  WriteSample(indented);
  EXPECT_EQ(text,
            "{\n  \"a\": \"x\",\n  \"b\": [\n    -1,\n    true,\n    null,\n"
            "    {\"c\":2,\"d\":[]}\n  ],\n  \"e\": {}\n}");
}

TEST(JsonWriter, FieldsAndArrays) {
  std::string text;
  JsonWriter json(text, 1);
  json.BeginObject();
  json.Field("flag", true);
  json.Field("size", std::size_t{3});
  json.Field("half", 0.5);
  json.Field("none", std::optional<int>());
  json.Field("some", std::optional<int>(4));
  json.CompactArray("texts", std::vector<std::string>{"a", "b"});
  json.Array("counts", std::vector<int>{1});
  json.Records("records", std::vector<int>{1, 2}, [&](int n) { json.Field("n", n); });
  json.EndObject();
  EXPECT_EQ(text,
            "{\n \"flag\": true,\n \"size\": 3,\n \"half\": 0.5,\n \"none\": null,\n"
            " \"some\": 4,\n \"texts\": [\"a\",\"b\"],\n \"counts\": [\n  1\n ],\n"
            " \"records\": [\n  {\"n\":1},\n  {\"n\":2}\n ]\n}");
}

TEST(JsonWriter, Numbers) {
  const auto written = [](double value) {
    std::string text;
    JsonWriter(text).Number(value);
    return text;
  };
  EXPECT_EQ(written(0.1), "0.1");
  EXPECT_EQ(written(-3), "-3");
  EXPECT_EQ(written(std::nan("")), "null");
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "null");
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    const double value =
        std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 1900) - 1000);
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(std::stod(written(value)), value);
  }
}

TEST(JsonQuote, Escapes) {
  EXPECT_EQ(JsonQuote("a\"\\/\n\t\r"), R"("a\"\\/\n\t\r")");
  EXPECT_EQ(JsonQuote("\x01\x7f"), R"("\u0001\u007f")");
  EXPECT_EQ(JsonQuote("\xC2\x85\xE2\x80\xA8\xE2\x80\xAE"), R"("\u0085\u2028\u202e")");
  EXPECT_EQ(JsonQuote("\xC2\xAD\xF3\xA0\x81\xA1"), R"("\u00ad\udb40\udc61")");
  EXPECT_EQ(JsonQuote("\xC3\xA9\xF0\x9F\x98\x80"), "\"\xC3\xA9\xF0\x9F\x98\x80\"");
  EXPECT_EQ(JsonQuote("\xFF"
                      "a\xC3"),
            "\"\xEF\xBF\xBD"
            "a\xEF\xBF\xBD\"");
  EXPECT_EQ(JsonQuote(std::string_view("\0", 1)), R"("\u0000")");
}

// Any bytes yield readable output, and valid text is read back unchanged.
TEST(JsonQuote, AlwaysReadable) {
  std::mt19937 random(3);
  for (int i = 0; i < 3000; ++i) {
    std::string bytes(random() % 12, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() % (i % 2 == 0 ? 256 : 128));
    Diagnostics diagnostics;
    const std::optional<JsonDocument> document = ParseJson("f", JsonQuote(bytes), diagnostics);
    ASSERT_TRUE(document) << testing::PrintToString(bytes);
    if (i % 2 == 1) {
      ASSERT_EQ(document->root.string, bytes);
    }
    ASSERT_EQ(JsonQuote(document->root.string), JsonQuote(bytes));
  }
}

}  // namespace
}  // namespace opledger
