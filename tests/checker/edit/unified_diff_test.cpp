// Applying a unified diff to its old text yields the new text.
// SPDX-License-Identifier: Apache-2.0
#include "checker/edit/unified_diff.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "tests/rounds.h"

namespace opledger {
namespace {

std::vector<std::string> SplitInLines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    lines.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return lines;
}

// Applies the diff as `patch` does, comparing every context line.
std::string Apply(const std::string& before, const std::string& diff) {
  const std::vector<std::string> old = SplitInLines(before);
  const std::vector<std::string> lines = SplitInLines(diff);
  std::string after;
  std::size_t at = 0;
  for (std::size_t i = 2; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (line.starts_with("@@")) {
      int begin = 0;
      int count = 0;
      EXPECT_EQ(std::sscanf(line.c_str(), "@@ -%d,%d", &begin, &count), 2);
      const auto first = static_cast<std::size_t>(count == 0 ? begin : begin - 1);
      while (at < first) after += old[at++];
      continue;
    }
    if (line.starts_with('\\')) {
      after.pop_back();
      continue;
    }
    const std::string text = line.substr(1);
    if (line[0] != '+') {
      const bool last = i + 1 < lines.size() && lines[i + 1].starts_with('\\');
      EXPECT_EQ(old[at], last ? text.substr(0, text.size() - 1) : text);
      ++at;
    }
    if (line[0] != '-') {
      after += text;
    } else if (i + 1 < lines.size() && lines[i + 1].starts_with('\\')) {
      ++i;
    }
  }
  while (at < old.size()) after += old[at++];
  return after;
}

TEST(UnifiedDiff, GivesTheOtherTextWhenApplied) {
  std::mt19937 random(7);
  for (int round = 0; round < Rounds(3000); ++round) {
    std::string before;
    std::string after;
    const unsigned lines = random() % 40;
    const unsigned rate = 2 + random() % 12;
    for (unsigned i = 0; i < lines; ++i) {
      const std::string line(1, static_cast<char>('a' + random() % 4));
      if (random() % rate != 0) before += line + '\n';
      if (random() % rate != 0) after += line + '\n';
    }
    if (!before.empty() && random() % 5 == 0) before.pop_back();
    if (!after.empty() && random() % 5 == 0) after.pop_back();
    const std::string diff = UnifiedDiff("f", before, after);
    ASSERT_EQ(diff.empty(), before == after);
    if (diff.empty()) continue;
    ASSERT_EQ(Apply(before, diff), after) << diff;
  }
}

TEST(UnifiedDiff, NeedsNoMoreThanTwoLinesForOneChange) {
  const std::string text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  std::string other = text;
  other[8] = 'x';
  EXPECT_EQ(UnifiedDiff("f", text, other),
            "--- a/f\n+++ b/f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n");
}

TEST(UnifiedDiff, OfTextsWithNothingInCommonEndsSoon) {
  std::string before;
  std::string after;
  for (int i = 0; i < 20'000; ++i) {
    before += "a" + std::to_string(i) + '\n';
    after += "b" + std::to_string(i) + '\n';
  }
  EXPECT_EQ(Apply(before, UnifiedDiff("f", before, after)), after);
}

}  // namespace
}  // namespace opledger
