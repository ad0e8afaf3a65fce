// Edit distance compared with a plain reference, and the choice of a suggestion.
// SPDX-License-Identifier: Apache-2.0
#include "registry/text/suggestion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace opledger {
namespace {

// The textbook algorithm, without limit.
int PlainDistance(const std::string& a, const std::string& b) {
  std::vector<std::vector<int>> table(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = static_cast<int>(i + j);
        continue;
      }
      table[i][j] = std::min(
          {table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
      }
    }
  }
  return table[a.size()][b.size()];
}

TEST(EditDistance, Examples) {
  EXPECT_EQ(EditDistance("softmax", "softmax", 2), 0);
  EXPECT_EQ(EditDistance("sfotmax", "softmax", 2), 1);
  EXPECT_EQ(EditDistance("softmx", "softmax", 2), 1);
  EXPECT_EQ(EditDistance("", "ab", 2), 2);
  EXPECT_EQ(EditDistance("abc", "xyz", 2), 3);
  EXPECT_EQ(EditDistance("abc", "abcdefgh", 2), 3);
  EXPECT_EQ(EditDistance("ca", "abc", 5), 3);  // a swapped pair is not edited again
}

TEST(EditDistance, EqualsTheReference) {
  std::mt19937 random(5);
  const auto word = [&] {
    std::string text(random() % 8, ' ');
    for (char& c : text) c = static_cast<char>('a' + random() % 3);
    return text;
  };
  for (int i = 0; i < 20000; ++i) {
    const std::string a = word();
    const std::string b = word();
    const int limit = static_cast<int>(random() % 6);
    ASSERT_EQ(EditDistance(a, b, limit), std::min(PlainDistance(a, b), limit + 1))
        << a << ' ' << b << ' ' << limit;
  }
}

TEST(NearestName, Limits) {
  EXPECT_EQ(NearestName("Convolutoin", {"Pooling", "Convolution"}), "Convolution");
  EXPECT_EQ(NearestName("convolution", {"Convolutions", "Convolution"}), "Convolution");
  EXPECT_EQ(NearestName("exq", {"exp", "log"}), "exp");
  EXPECT_EQ(NearestName("eyq", {"exp"}), std::nullopt);  // two edits in three letters
  EXPECT_EQ(NearestName("softmaxxx", {"softmax"}), "softmax");
  EXPECT_EQ(NearestName("softmaxxxx", {"softmax"}), std::nullopt);
  EXPECT_EQ(NearestName("abcde", {"abcdx", "abcdy"}), "abcdx");
  EXPECT_EQ(NearestName("abc", {}), std::nullopt);
}

TEST(DidYouMean, Sentence) {
  EXPECT_EQ(DidYouMean("targt", {"target"}), "did you mean 'target'?");
  EXPECT_EQ(DidYouMean("zebra", {"target"}), "");
}

TEST(Proposal, PartsOfNames) {
  const std::vector<std::string> known = {"stale-entry", "near-miss-name", "target-low",
                                          "target-without-kernel", "moved-to-target"};
  EXPECT_EQ(Proposal("stale-entyr", known), "did you mean 'stale-entry'?");
  EXPECT_EQ(Proposal("STALE", known), "did you mean 'stale-entry'?");
  EXPECT_EQ(Proposal("target", known), "did you mean 'target-low' or 'target-without-kernel'?");
  EXPECT_EQ(Proposal("miss", known), "did you mean 'near-miss-name'?");
  EXPECT_EQ(Proposal("mis", known), "");  // not a whole word
  EXPECT_EQ(Proposal("st", known), "");   // two letters are too few
  EXPECT_EQ(Proposal("", known), "");
  EXPECT_EQ(Proposal("---", known), "");
  EXPECT_EQ(Proposal("abc", {"abc-one", "abc-two", "abc-four"}),
            "did you mean 'abc-one', 'abc-two' or 'abc-four'?");
  EXPECT_EQ(Proposal("abc", {"abc-one", "abc-two", "abc-four", "abc-five"}), "");  // too many
}

TEST(NearestName, IgnoresNamingPatterns) {
  EXPECT_EQ(NearestName("pnorm", {"norm", "p_norm"}), "p_norm");
  EXPECT_EQ(NearestName("SoftmaxCrossEntropyLoss", {"softmax", "softmax_cross_entropy_loss"}),
            "softmax_cross_entropy_loss");
  EXPECT_EQ(NearestName("layer_norm", {"layernorm2", "LayerNorm"}), "LayerNorm");
}

}  // namespace
}  // namespace opledger
