// Typed reading of an object: kinds, ranges, unknown fields, schema versions.
// SPDX-License-Identifier: Apache-2.0
#include "registry/json/json_fields.h"

#include <gtest/gtest.h>

namespace opledger {
namespace {

// Runs `read` on the object in `text`; returns "COLUMN MESSAGE" of every error.
template <typename Function>
std::vector<std::string> Errors(const std::string& text, Function read) {
  Diagnostics diagnostics;
  const std::optional<JsonDocument> document = ParseJson("f", text, diagnostics);
  EXPECT_TRUE(document);
  if (!document) return {};
  JsonFields fields(*document, document->root, "thing", diagnostics);
  read(fields);
  const bool ok = fields.Finish();
  EXPECT_EQ(ok, diagnostics.all().empty());
  std::vector<std::string> errors;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    errors.push_back(std::to_string(diagnostic.location.column) + " " + diagnostic.message +
                     (diagnostic.hint.empty() ? "" : "; " + diagnostic.hint));
  }
  return errors;
}

using FieldNames = std::vector<std::string>;

TEST(JsonFields, TakesWhatIsThere) {
  const FieldNames errors = Errors(
      R"({"$schema": 1, "s": "x", "b": true, "i": 7, "l": ["p", "q"], "o": [{}, {}], "$comment": 2})",
      [](JsonFields& fields) {
        EXPECT_EQ(fields.Integer("i", 0, 0, 10), 7);
        EXPECT_EQ(fields.String("s"), "x");
        EXPECT_TRUE(fields.Boolean("b", false));
        EXPECT_EQ(fields.Strings("l"), (FieldNames{"p", "q"}));
        EXPECT_EQ(fields.Objects("o").size(), 2u);
        EXPECT_EQ(fields.String("s"), "x");  // reading it twice is allowed
        EXPECT_EQ(fields.String("absent", "y"), "y");
        EXPECT_EQ(fields.Integer("absent", 3, 0, 10), 3);
        EXPECT_TRUE(fields.Strings("absent").empty());
      });
  EXPECT_EQ(errors, FieldNames{});
}

TEST(JsonFields, WrongKinds) {
  const auto read = [](JsonFields& fields) {
    EXPECT_EQ(fields.String("a", "z"), "z");
    EXPECT_EQ(fields.Integer("b", 4, 0, 9), 4);
    EXPECT_FALSE(fields.Boolean("c", false));
    EXPECT_EQ(fields.Strings("d"), FieldNames{"x"});
    EXPECT_TRUE(fields.Objects("e").empty());
  };
  EXPECT_EQ(
      Errors(R"({"a":1,"b":1.5,"c":"true","d":["x",2],"e":{}})", read),
      (FieldNames{
          "6 'a' must be a string, not an integer", "12 'b' must be an integer, not a number",
          "20 'c' must be true or false, not a string", "36 'd' must hold strings, not an integer",
          "43 'e' must be an array, not an object"}));
}

TEST(JsonFields, Ranges) {
  for (const char* text : {R"({"i":10})", R"({"i":-1})", R"({"i":4294967296})"}) {
    const FieldNames errors =
        Errors(text, [](JsonFields& fields) { EXPECT_EQ(fields.Integer("i", 5, 0, 9), 5); });
    EXPECT_EQ(errors, FieldNames{"6 'i' must be from 0 to 9"});
  }
}

TEST(JsonFields, Required) {
  const auto read = [](JsonFields& fields) { fields.RequiredString("name"); };
  EXPECT_EQ(Errors("{}", read), FieldNames{"1 this thing has no field 'name'"});
  EXPECT_EQ(Errors(R"({"name":""})", read), FieldNames{"9 'name' is empty"});
  EXPECT_EQ(Errors(R"({"name":null})", read), FieldNames{"9 'name' must be a string, not null"});
}

TEST(JsonFields, Choices) {
  const auto read = [](JsonFields& fields) { fields.Choice("c", {"numeric", "loss"}); };
  EXPECT_EQ(Errors(R"({"c":"loss"})", read), FieldNames{});
  EXPECT_EQ(Errors(R"({})", read), FieldNames{});
  EXPECT_EQ(Errors(R"({"c":"numeirc"})", read),
            FieldNames{"6 'numeirc' is not a value of 'c'; did you mean 'numeric'?"});
  EXPECT_EQ(Errors(R"({"c":"speed"})", read),
            FieldNames{"6 'speed' is not a value of 'c'; it can be numeric or loss"});
}

TEST(JsonFields, UnknownFields) {
  const auto read = [](JsonFields& fields) { fields.String("framework"); };
  EXPECT_EQ(Errors(R"({"framwork":"x","zebra":1})", read),
            (FieldNames{"2 unknown field 'framwork' in this thing; did you mean 'framework'?",
                        "17 unknown field 'zebra' in this thing"}));
}

TEST(JsonFields, NoObject) {
  const auto read = [](JsonFields& fields) {
    EXPECT_EQ(fields.RequiredString("name"), "");
    EXPECT_FALSE(fields.Schema("thing", 1));
  };
  EXPECT_EQ(Errors("[1]", read), FieldNames{"1 the thing must be an object, not an array"});
}

TEST(JsonFields, Schema) {
  const auto read = [](JsonFields& fields) { fields.Schema("opledger-x", 2); };
  EXPECT_EQ(Errors(R"({"schema":"opledger-x/2"})", read), FieldNames{});
  EXPECT_EQ(
      Errors(R"({"schema":"opledger-x/3"})", read),
      FieldNames{"11 'opledger-x/3' is newer than this program, which supports 'opledger-x/2'; "
                 "use a newer opledger, or recreate the file with this one"});
  EXPECT_EQ(Errors(R"({"schema":"opledger-x/1"})", read),
            FieldNames{"11 'opledger-x/1' is older than this program, which supports "
                       "'opledger-x/2'; recreate the file with this opledger"});
  for (const char* wrong :
       {R"({"schema":"opledger-x/3x"})", R"({"schema":"opledger-y/3"})", R"({"schema":2})"}) {
    EXPECT_EQ(
        Errors(wrong, read),
        FieldNames{"11 'schema' must be \"opledger-x/2\"; check that this is the right file"});
  }
  EXPECT_EQ(Errors("{}", read), FieldNames{"1 this thing has no field 'schema'"});
}

}  // namespace
}  // namespace opledger
