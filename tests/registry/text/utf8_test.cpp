// Which byte sequences are UTF-8, and which characters must not reach a terminal.
// SPDX-License-Identifier: Apache-2.0
#include "registry/text/utf8.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/registry/scratch_folder.h"

namespace opledger {
namespace {

TEST(Utf8, DecodesEveryLength) {
  EXPECT_EQ(DecodeUtf8("a", 0).code_point, U'a');
  EXPECT_EQ(DecodeUtf8("\xC3\xA9", 0).code_point, U'\u00E9');
  EXPECT_EQ(DecodeUtf8("\xE2\x82\xAC", 0).code_point, U'\u20AC');
  EXPECT_EQ(DecodeUtf8("\xF0\x9F\x98\x80", 0).code_point, U'\U0001F600');
  EXPECT_EQ(DecodeUtf8("\xF4\x8F\xBF\xBF", 0).length, 4u);
}

TEST(Utf8, RefusesWhatIsNot) {
  for (const std::string bytes :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC3", "\xC3(", "\xE0\x80\x80", "\xE0\x9F\xBF",
        "\xED\xA0\x80", "\xED\xBF\xBF", "\xE2\x82", "\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFE", "\xFF"}) {
    EXPECT_EQ(DecodeUtf8(bytes, 0).length, 0u) << testing::PrintToString(bytes);
  }
}

// All code points, encoded independently, decode to themselves.
TEST(Utf8, RoundTrip) {
  for (char32_t c = 1; c <= 0x10FFFF; c += c < 0x3000 ? 1 : 61) {
    std::string bytes;
    if (c < 0x80) {
      bytes = {static_cast<char>(c)};
    } else if (c < 0x800) {
      bytes = {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 63))};
    } else if (c < 0x10000) {
      bytes = {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 63)),
               static_cast<char>(0x80 | (c & 63))};
    } else {
      bytes = {static_cast<char>(0xF0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 63)),
               static_cast<char>(0x80 | (c >> 6 & 63)), static_cast<char>(0x80 | (c & 63))};
    }
    const bool surrogate = c >= 0xD800 && c < 0xE000;
    const Utf8Character character = DecodeUtf8(bytes, 0);
    ASSERT_EQ(character.length, surrogate ? 0 : bytes.size()) << std::uint32_t{c};
    if (!surrogate) {
      ASSERT_EQ(character.code_point, c);
    }
  }
}

TEST(Utf8, Controls) {
  for (const char32_t c : {U'\0', U'\n', U'\x1b', U'\x7f', U'\x9b', U'\u2028', U'\u202E', U'\u2066',
                           U'\u200B', U'\uFEFF'}) {
    EXPECT_TRUE(IsControl(c)) << std::uint32_t{c};
  }
  for (const char32_t c : {U'\u00AD', U'\u034F', U'\u115F', U'\u180F', U'\u3164', U'\uFE0F',
                           U'\uFFA0', U'\U0001D17A', U'\U000E0001', U'\U000E0FFF'}) {
    EXPECT_TRUE(IsControl(c)) << std::uint32_t{c};
  }
  for (const char32_t c : {U' ', U'~', U'\u00A0', U'\u20AC'}) EXPECT_FALSE(IsControl(c));
}

// Perl has its own tables, of Unicode 14 in Debian 12. Characters that a later version gives the
// property must be added to opledger's table.
TEST(Utf8, IgnorableAgreesWithPerl) {
  const ScratchFolder folder;
  const std::string program =
      folder.Write("list.pl",
                   "no warnings; for my $c (0 .. 0x10FFFF) { next if $c >= 0xD800 && $c < 0xE000;\n"
                   "  print $c, \"\\n\" if chr($c) =~ /\\p{Default_Ignorable_Code_Point}/ }\n");
  const std::string command = "perl " + program + " >" + folder.Path("said") + " 2>/dev/null";
  if (std::system(command.c_str()) != 0) GTEST_SKIP() << "perl is missing";
  std::string ours;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (IsIgnorable(c)) ours += std::to_string(std::uint32_t{c}) + '\n';
  }
  EXPECT_EQ(folder.Read("said"), ours);
}

}  // namespace
}  // namespace opledger
