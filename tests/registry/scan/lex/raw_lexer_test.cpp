// RawLexer lexes most tokens without Clang and must agree with Clang. Compares them on snippets
// with difficult endings, on random strings of these, on the project's sources and on MXNet's (if
// tests/test_data.py finds them), unchanged and damaged.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/lex/raw_lexer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "registry/scan/lex/plain_lexer.h"
#include "tests/rounds.h"
#include "tests/test_data.h"

namespace opledger::scan {
namespace {

namespace fs = std::filesystem;

std::string Describe(const RawToken& token) {
  std::ostringstream text;
  text << clang::tok::getTokenName(token.kind) << ' ' << token.begin << ".." << token.end;
  if (token.starts_line) text << " starts line";
  if (token.spaced) text << " spaced";
  if (token.dirty) text << " dirty";
  return text.str();
}

// Clang's lexer, run once from the start, without seeking.
class Reference {
 public:
  explicit Reference(std::string_view text)
      : lexer_(clang::SourceLocation(), SourceLanguage(), text.data(), text.data(),
               text.data() + text.size()) {}
  RawToken Next() {
    clang::Token token;
    lexer_.LexFromRawLexer(token);
    const Offset end = lexer_.getCurrentBufferOffset();
    return {token.getKind(),         end - token.getLength(), end,
            token.isAtStartOfLine(), token.hasLeadingSpace(), token.needsCleaning()};
  }

 private:
  clang::Lexer lexer_;
};

// Returns "", or where the two differ.
std::string Difference(const std::string& text) {
  Reference reference(text);
  RawLexer lexer(text);
  for (;;) {
    const RawToken expected = reference.Next();
    const RawToken token = lexer.Next();
    if (Describe(token) != Describe(expected)) {
      const std::size_t from = expected.begin < 60 ? 0 : expected.begin - 60;
      return "Clang: " + Describe(expected) + "\nRawLexer: " + Describe(token) +
             "\nabout: " + text.substr(from, 120);
    }
    if (expected.Is(clang::tok::eof)) return {};
  }
}

const std::vector<std::string>& Snippets() {
  // clang-format off
  static const std::vector<std::string> snippets = {
      "a", "x1", "u8", "L", "R", "u", "U", "LR", "u8R", "_$", "$", "namespace", "0", "1.5e+3",
      "0x1p-2", "1'000", "0b1", ".5", "1e", "2p", "1.", "09az_", "\"", "'", "\"abc\"", "\"a\\\"b\"",
      "'c'", "'\\''", "\"\\\\\"", "''", "\"\"", "R\"(x)\"", "R\"d(y)\" )d\"", "_s", "s", "(", ")",
      "{", "}", "[", "]", ";", ",", "~", "?", "?\?/", "?\?=", ".", "..", "...", ".*", ":", "::",
      "<", "<<", "<<=", "<=", "<=>", "<:", "<%", "<::", ">", ">>", ">>=", ">=", "<<<", ">>>", "-",
      "--", "->", "->*", "-=", "+", "++", "+=", "*", "*=", "/", "/=", "//", "// c\n", "//\\\n",
      "// \\ \n", "// c\r\n", "//\r", "/*", "*/", "/* c */", "/**/", "/*/", "/* \n */",
      "/* *\\\n/", "/***/", "%", "%=", "%:", "%>", "%:%:", "&", "&&", "&=", "|", "||", "|=", "^",
      "^^", "^=", "=", "==", "=>", "!", "!=", "#", "##", "#@", "@", "`", "\\", "\\\n", "\\\r\n",
      "\\ \n", "\\u00e9", "\n", "\r", "\r\n", "\n\r", " ", "  ", "\t", "\f", "\v", "\n  ", " \n",
      "\xc3\xa9", "\xff", "\xe2\x80\x8b", "\xef\xbb\xbf", std::string(1, '\0'), "\x01", "\x7f",
      "<<<<<<<", "=======", ">>>>>>>", "|||||||", "#define X(a) a##b\n", "import x;",
      "\"PRI\"PRIx64", "1_km", "\"a\"_s"};
  // clang-format on
  return snippets;
}

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<fs::path> SourcesBelow(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    for (const char* known : {".h", ".cc", ".cpp", ".cu", ".cuh", ".hpp", ".c", ".inc"}) {
      if (entry.is_regular_file() && extension == known) paths.push_back(entry.path());
    }
  }
  return paths;
}

std::string Damaged(std::string text, std::mt19937& random) {
  for (int i = 0; i < 20 && !text.empty(); ++i) {
    const std::size_t at = random() % text.size();
    const std::string& piece = Snippets()[random() % Snippets().size()];
    if (random() % 2 == 0) text.erase(at, random() % 3);
    text.insert(std::min(at, text.size()), piece);
  }
  return text;
}

void CompareAll(const fs::path& folder, int damaged) {
  std::mt19937 random(7);
  std::size_t files = 0;
  for (const fs::path& path : SourcesBelow(folder)) {
    const std::string text = ReadFile(path);
    ASSERT_EQ(Difference(text), "") << path;
    for (int i = 0; i < damaged; ++i) ASSERT_EQ(Difference(Damaged(text, random)), "") << path;
    ++files;
  }
  EXPECT_GT(files, 50U);
}

TEST(RawLexer, LexesEveryPairAsClangDoes) {
  for (const std::string& one : Snippets()) {
    ASSERT_EQ(Difference(one), "");
    for (const std::string& other : Snippets()) {
      ASSERT_EQ(Difference(one + other), "");
      ASSERT_EQ(Difference("a" + one + other + "b"), "");
      ASSERT_EQ(Difference(one + other + "\n#x"), "");
    }
  }
}

TEST(RawLexer, LexesRandomTextAsClangDoes) {
  std::mt19937 random(1);
  for (int round = 0; round < Rounds(60'000); ++round) {
    std::string text;
    for (unsigned i = 1 + random() % 12; i > 0; --i)
      text += Snippets()[random() % Snippets().size()];
    ASSERT_EQ(Difference(text), "") << "round " << round;
  }
}

TEST(RawLexer, LexesRandomBytesAsClangDoes) {
  static constexpr char kBytes[] = "\"'\\/*\n\r \tRuL8(){}<:%>=-+.eEpP0x1_$a#?\x80\xc3\xa9";
  std::mt19937 random(2);
  for (int round = 0; round < Rounds(100'000); ++round) {
    std::string text;
    for (unsigned i = random() % 24; i > 0; --i) {
      text.push_back(kBytes[random() % (sizeof kBytes)]);  // including its NUL
    }
    ASSERT_EQ(Difference(text), "") << "round " << round;
  }
}

TEST(RawLexer, LexesOurOwnSourcesAsClangDoes) {
  CompareAll(fs::path(OPLEDGER_SOURCE_DIR) / "registry", std::max(1, Rounds(5)));
}

TEST(RawLexer, LexesMxnetAsClangDoes) {
  const fs::path folder = TestData("source mxnet-b84609d3");
  if (folder.empty()) GTEST_SKIP() << "missing: mxnet-b84609d3; ci/test-data gets what is missing";
  CompareAll(folder, 1);
}

// The plain lexer is for speed: it must not leave ordinary text to Clang.
TEST(RawLexer, LeavesLittleToClang) {
  std::size_t plain = 0;
  std::size_t all = 0;
  for (const fs::path& path : SourcesBelow(fs::path(OPLEDGER_SOURCE_DIR) / "registry")) {
    const std::string text = ReadFile(path);
    RawLexer lexer(text);
    PlainLexer plain_lexer(text, text.data());
    for (RawToken token = lexer.Next(); !token.Is(clang::tok::eof); token = lexer.Next()) {
      RawToken same;
      plain += plain_lexer.Next(same);
      ++all;
      plain_lexer.MoveTo(token.end);
    }
  }
  EXPECT_GT(100 * plain, 99 * all) << plain << " of " << all;
}

}  // namespace
}  // namespace opledger::scan
