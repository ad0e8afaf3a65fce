// JSON with positions: values, spans, limits.
// SPDX-License-Identifier: Apache-2.0
#include "registry/json/json.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/registry/scratch_folder.h"

namespace opledger {
namespace {

std::string SpanText(const JsonDocument& document, Span span) {
  return document.text.substr(span.begin, span.end - span.begin);
}

std::string Problem(const std::string& text) {
  Diagnostics diagnostics;
  const bool parsed = ParseJson("f.json", text, diagnostics).has_value();
  EXPECT_EQ(parsed, diagnostics.all().empty());
  if (diagnostics.all().empty()) return "none";
  const Diagnostic& first = diagnostics.all().front();
  return std::to_string(first.location.line) + ":" + std::to_string(first.location.column) + "-" +
         std::to_string(first.location.end_column) + " " + first.message;
}

TEST(JsonText, ValuesAndSpans) {
  const std::string text =
      " { \"a\" : [ 1 , -2.5e3,true,false , null ,\"x\\n\" ] ,\n \"b\":{\"c\":0}, \"d\" : 12 } ";
  Diagnostics diagnostics;
  const std::optional<JsonDocument> document = ParseJson("f.json", text, diagnostics);
  ASSERT_TRUE(document);
  const JsonValue& root = document->root;
  EXPECT_EQ(SpanText(*document, root.span), text.substr(1, text.size() - 2));
  ASSERT_EQ(root.members.size(), 3u);
  EXPECT_EQ(SpanText(*document, root.members[0].key_span), "\"a\"");
  const std::vector<JsonValue>& items = root.Find("a")->items;
  ASSERT_EQ(items.size(), 6u);
  const char* spans[] = {"1", "-2.5e3", "true", "false", "null", "\"x\\n\""};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(SpanText(*document, items[i].span), spans[i]);
  EXPECT_EQ(items[0].kind, JsonValue::Kind::kInteger);
  EXPECT_EQ(items[0].integer, 1);
  EXPECT_EQ(items[0].number, 1.0);
  EXPECT_EQ(items[1].kind, JsonValue::Kind::kFloat);
  EXPECT_EQ(items[1].number, -2500.0);
  EXPECT_TRUE(items[2].boolean);
  EXPECT_FALSE(items[3].boolean);
  EXPECT_EQ(items[4].kind, JsonValue::Kind::kNull);
  EXPECT_EQ(items[5].string, "x\n");
  EXPECT_EQ(SpanText(*document, root.Find("b")->span), "{\"c\":0}");
  EXPECT_EQ(SpanText(*document, root.Find("d")->span), "12");
  EXPECT_EQ(root.Find("e"), nullptr);
  EXPECT_EQ(items[0].Find("a"), nullptr);
  const Location place = document->At(root.Find("b")->span);
  EXPECT_EQ(place, (Location{"f.json", 2, 6, 2, 13}));
  EXPECT_EQ(document->Line(2), " \"b\":{\"c\":0}, \"d\" : 12 } ");
  EXPECT_EQ(document->Line(3), "");
}

// A number at the end of the file, where the parser must not read past the end.
TEST(JsonText, NumberAtTheEnd) {
  for (const std::string text : {"42", "42\n", "-0", "1.5", "1e5 "}) {
    Diagnostics diagnostics;
    const std::optional<JsonDocument> document = ParseJson("f", text, diagnostics);
    ASSERT_TRUE(document) << text;
    EXPECT_EQ(SpanText(*document, document->root.span),
              text.substr(0, text.find_last_not_of(" \n") + 1));
  }
}

TEST(JsonText, ByteOrderMarkTakesNoColumn) {
  Diagnostics diagnostics;
  const std::optional<JsonDocument> document = ParseJson("f", "\xEF\xBB\xBF[1]", diagnostics);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->At(document->root.items[0].span).column, 2);
  EXPECT_EQ(document->Line(1), "[1]");
  EXPECT_EQ(Problem("\xEF\xBB\xBF[x]"), "1:2-3 'x' is not a JSON value");
  EXPECT_EQ(Problem("\xEF\xBB\xBF"), "0:0-0 the file is empty");
  EXPECT_NE(Problem("\xEF\xBB\xBF\xEF\xBB\xBF[1]"), "none");
  EXPECT_NE(Problem("\xEF\xBB[1]"), "none");
}

TEST(JsonText, LineEnds) {
  Diagnostics diagnostics;
  const std::optional<JsonDocument> document = ParseJson("f", "[\r\n1,\r\n2]\r\n", diagnostics);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->Line(2), "1,");
  EXPECT_EQ(document->At(document->root.items[1].span), (Location{"f", 3, 1, 3, 2}));
}

TEST(JsonText, Malformed) {
  EXPECT_EQ(Problem(""), "0:0-0 the file is empty");
  EXPECT_EQ(Problem(" \n"), "0:0-0 the file is empty");
  EXPECT_EQ(Problem("[1,]"), "1:4-5 expected a value, not ']'");
  EXPECT_EQ(Problem("{\"a\":1,\n}"), "2:1-2 expected a field name in double quotes, not '}'");
  EXPECT_EQ(Problem("[1 2]"), "1:4-5 expected ',' or ']', not a number");
  EXPECT_EQ(Problem("[\"a\" \"b\"]"), "1:6-9 expected ',' or ']', not a string");
  EXPECT_EQ(Problem("{\"a\" 1}"), "1:6-7 expected ':', not a number");
  EXPECT_EQ(Problem("{a:1}"), "1:2-3 expected a field name in double quotes");
  EXPECT_EQ(Problem("[01]"), "1:3-4 expected ',' or ']', not a number");
  EXPECT_EQ(Problem("[1.]"), "1:2-4 invalid number: expected digit after '.'");
  EXPECT_EQ(Problem("[-]"), "1:2-3 invalid number: expected digit after '-'");
  EXPECT_EQ(Problem("[1e]"), "1:2-4 invalid number: expected '+', '-', or digit after exponent");
  EXPECT_EQ(Problem("[+1]"), "1:2-4 '+1' is not a JSON value");
  EXPECT_EQ(Problem("[NaN]"), "1:2-5 'NaN' is not a JSON value");
  EXPECT_EQ(Problem("// x\n[]"), "1:1-3 JSON does not support comments");
  EXPECT_EQ(Problem("['a']"), "1:2-5 strings must use double quotes");
  EXPECT_EQ(Problem("[\"a\n]"), "1:2-4 unterminated string");
  EXPECT_EQ(Problem("[\"a"), "1:2-4 unterminated string");
  EXPECT_EQ(Problem("[\"\t\"]").substr(0, 16), "1:3-4 bad string");
  EXPECT_EQ(Problem("[\"a\xFF\"]"), "1:4-5 the string is not valid UTF-8");
  EXPECT_EQ(Problem("[\"\\ud800\"]").substr(0, 16), "1:9-10 bad strin");
  EXPECT_EQ(Problem("[\"\\x\"]").substr(0, 16), "1:4-5 bad string");
  EXPECT_EQ(Problem("[]]"), "1:3-4 expected the end of the file, not ']'");
  EXPECT_EQ(Problem("{}\n{}"), "2:1-2 expected the end of the file, not '{'");
  EXPECT_EQ(Problem("[1"), "1:3-3 expected ',' or ']', not the end of the file");
  EXPECT_EQ(Problem("{\"a\":\n\n"), "1:6-6 expected a value, not the end of the file");
  EXPECT_EQ(Problem(std::string("[1]\0[2]", 7)), "1:4-5 NUL byte");
  EXPECT_EQ(Problem(std::string("[\"\0\"]", 5)), "1:3-4 NUL byte");
}

TEST(JsonText, DuplicateKeys) {
  EXPECT_EQ(Problem("{\"a\":1,\n \"a\":2}"), "2:2-5 duplicate field 'a', first at 1:2");
  EXPECT_EQ(Problem("{\"\\u0061\":1,\"a\":2}"), "1:13-16 duplicate field 'a', first at 1:2");
  EXPECT_EQ(Problem("[{\"k\":{\"x\":1,\"x\":1}}]"), "1:14-17 duplicate field 'x', first at 1:8");
  EXPECT_EQ(Problem("{\"a\":{\"a\":1}}"), "none");
}

TEST(JsonText, DuplicateKeysOfLargeObjects) {
  std::string text = "{";
  for (int i = 0; i < 50; ++i) text += "\"k" + std::to_string(i) + "\":0,\n";
  EXPECT_EQ(Problem(text + "\"k7\":1, \"k7\":2}"), "51:1-5 duplicate field 'k7', first at 8:1");
  Diagnostics diagnostics;
  ParseJson("f", text + "\"k7\":1, \"k7\":2, \"k9\":1}", diagnostics);
  EXPECT_EQ(diagnostics.all().size(), 3u);
}

TEST(JsonText, Integers) {
  EXPECT_EQ(Problem("9223372036854775807"), "none");
  EXPECT_EQ(Problem("-9223372036854775808"), "none");
  EXPECT_EQ(Problem("[9223372036854775808]"), "1:2-21 the integer does not fit into 64 bits");
  EXPECT_EQ(Problem("-9223372036854775809"), "1:1-21 the integer does not fit into 64 bits");
  EXPECT_EQ(Problem("18446744073709551616"), "1:1-21 the integer does not fit into 64 bits");
  EXPECT_EQ(Problem("9223372036854775808.0"), "none");
  EXPECT_EQ(Problem("[1e999]"), "1:2-7 the number is too large");
}

TEST(JsonText, Depth) {
  const std::string deepest = std::string(128, '[') + std::string(128, ']');
  EXPECT_EQ(Problem(deepest), "none");
  EXPECT_EQ(Problem("[" + deepest + "]"), "1:129-130 nested more than 128 deep");
  EXPECT_EQ(Problem(std::string(1'000'000, '[')), "1:129-130 nested more than 128 deep");
  std::string objects;
  for (int i = 0; i < 1'000'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(Problem(objects), "1:641-642 nested more than 128 deep");
}

TEST(JsonText, NulMayBeEscaped) {
  Diagnostics diagnostics;
  const std::optional<JsonDocument> document = ParseJson("f", "\"a\\u0000b\"", diagnostics);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->root.string, std::string("a\0b", 3));
}

std::string ReadProblem(const std::string& path) {
  Diagnostics diagnostics;
  if (ReadJson(path, diagnostics)) return "none";
  EXPECT_EQ(diagnostics.all().size(), 1u);
  EXPECT_EQ(diagnostics.all().front().location.path, path);
  return diagnostics.all().front().message;
}

TEST(JsonText, Files) {
  const ScratchFolder folder;
  EXPECT_EQ(ReadProblem(folder.Write("good.json", "{}")), "none");
  EXPECT_EQ(ReadProblem(folder.Path("missing.json")), "cannot read: No such file or directory");
  EXPECT_EQ(ReadProblem(folder.Path()), "not a regular file");
  EXPECT_EQ(ReadProblem("/dev/zero"), "not a regular file");
  const std::string pipe = folder.Path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(ReadProblem(pipe), "not a regular file");
  const std::string huge = folder.Write("huge.json", "");
  std::filesystem::resize_file(huge, (256u << 20) + 1);
  EXPECT_EQ(ReadProblem(huge), "larger than 256 MB");
}

}  // namespace
}  // namespace opledger
