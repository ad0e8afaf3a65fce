// Classifying changes nothing but the entry: on generated list files, and byte for byte on selected
// ones.
// SPDX-License-Identifier: Apache-2.0
#include "checker/edit/classify.h"

#include <gtest/gtest.h>

#include <map>
#include <string_view>

#include "checker/edit/edit.h"
#include "tests/checker/generated_list.h"

namespace opledger {
namespace {

PrecisionList Parse(const std::string& text) {
  Diagnostics diagnostics;
  std::optional<PrecisionList> list = ParsePrecisionList("l.json", text, diagnostics);
  EXPECT_TRUE(list) << RenderDiagnostics(diagnostics) << text;
  return list ? std::move(*list) : PrecisionList();
}

Classified MustClassify(const std::string& text, const Classification& wanted) {
  Diagnostics diagnostics;
  std::optional<Classified> result = Classify(Parse(text), wanted, diagnostics);
  EXPECT_TRUE(result) << RenderDiagnostics(diagnostics) << text;
  return result ? std::move(*result) : Classified();
}

Classification Wanted(const std::string& op, Policy policy) {
  Classification wanted;
  wanted.op = op;
  wanted.policy = policy;
  if (policy == Policy::kConditional) {
    wanted.attribute = "b";
    wanted.values = {"y", "z"};
  }
  return wanted;
}

// Returns policy -> the item texts of all other operators, in order.
std::map<Policy, std::vector<std::string>> Others(const std::string& text, const std::string& op) {
  const PrecisionList list = Parse(text);
  std::map<Policy, std::vector<std::string>> others;
  for (const ListEntry& entry : list.entries) {
    if (entry.op == op) continue;
    others[entry.policy].push_back(
        text.substr(entry.item.begin, entry.item.end - entry.item.begin));
  }
  return others;
}

std::size_t Count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// Returns how many bytes of `before` a single replacement that yields `after` touches.
std::size_t Touched(const std::string& before, const std::string& after) {
  const std::size_t shorter = std::min(before.size(), after.size());
  std::size_t prefix = 0;
  while (prefix < shorter && before[prefix] == after[prefix]) ++prefix;
  std::size_t suffix = 0;
  while (suffix < shorter - prefix &&
         before[before.size() - 1 - suffix] == after[after.size() - 1 - suffix]) {
    ++suffix;
  }
  return before.size() - prefix - suffix;
}

TEST(Classify, ChangesNothingElseInGeneratedFiles) {
  ListGenerator generator(1);
  std::map<EntryChange, int> seen;
  for (int round = 0; round < 1000; ++round) {
    const std::string before = generator.Generate();
    SCOPED_TRACE(before);
    const std::string op = "op_" + std::to_string(generator.random()() % 44);
    const Policy policy = kPolicies[generator.random()() % 5];
    Classification wanted = Wanted(op, policy);
    if (generator.Chance(4)) wanted.note = "why \"so\"";
    const Classified result = MustClassify(before, wanted);
    ASSERT_FALSE(result.text.empty());
    ++seen[result.change];

    ASSERT_EQ(Others(before, op), Others(result.text, op));
    // Uniform line ends stay uniform.
    const bool crlf = before.find("\r\n") != std::string::npos;
    EXPECT_EQ(Count(result.text, "\n"),
              crlf ? Count(result.text, "\r\n") : Count(result.text, "\n"));
    EXPECT_EQ(Count(result.text, "\r"), Count(result.text, "\r\n"));
    EXPECT_EQ(result.text.starts_with("\xEF\xBB\xBF"), before.starts_with("\xEF\xBB\xBF"));
    EXPECT_EQ(result.text.ends_with("\n"), before.ends_with("\n"));
    if (result.change == EntryChange::kAdded) {
      EXPECT_LE(Touched(before, result.text), 1U);  // the blank in "[ ]"
      EXPECT_LE(Count(result.text, "\n"), Count(before, "\n") + 3);
    }
    if (result.change == EntryChange::kNone) {
      EXPECT_EQ(result.text, before);
    }

    const Classified again = MustClassify(result.text, wanted);
    EXPECT_EQ(again.change, EntryChange::kNone);
    EXPECT_EQ(again.text, result.text);
  }
  EXPECT_GT(seen[EntryChange::kAdded], 100);
  EXPECT_GT(seen[EntryChange::kMoved], 100);
  EXPECT_GT(seen[EntryChange::kChanged], 10);
  EXPECT_GT(seen[EntryChange::kNone], 10);
}

TEST(Classify, KeepsASortedArraySorted) {
  const std::string head = R"({"framework": "d", "target_dtype": "float16", "fp32": )";
  EXPECT_EQ(MustClassify(head + R"(["b", "d"]})", Wanted("a", Policy::kFp32)).text,
            head + R"(["a", "b", "d"]})");
  EXPECT_EQ(MustClassify(head + R"(["b", "d"]})", Wanted("c", Policy::kFp32)).text,
            head + R"(["b", "c", "d"]})");
  EXPECT_EQ(MustClassify(head + R"(["b", "d"]})", Wanted("e", Policy::kFp32)).text,
            head + R"(["b", "d", "e"]})");
  EXPECT_EQ(MustClassify(head + R"(["d", "b"]})", Wanted("c", Policy::kFp32)).text,
            head + R"(["d", "b", "c"]})");
  EXPECT_EQ(MustClassify(head + R"(["a", "B", "d"]})", Wanted("c", Policy::kFp32)).text,
            head + R"(["a", "B", "c", "d"]})");
}

TEST(Classify, FillsEmptyAndMissingArrays) {
  const std::string head = "{\n  \"framework\": \"d\",\n  \"target_dtype\": \"float16\",\n";
  EXPECT_EQ(MustClassify(head + "  \"fp32\": []\n}\n", Wanted("a", Policy::kFp32)).text,
            head + "  \"fp32\": [\n    \"a\"\n  ]\n}\n");
  EXPECT_EQ(MustClassify(head + "  \"fp32\": [\"b\"]\n}\n", Wanted("a", Policy::kWidest)).text,
            head + "  \"fp32\": [\"b\"],\n  \"widest\": [\"a\"]\n}\n");
  EXPECT_EQ(MustClassify(head + "  \"fp32\": [\"b\"]\n}\n", Wanted("a", Policy::kTarget)).text,
            head + "  \"target\": [\"a\"],\n  \"fp32\": [\"b\"]\n}\n");
}

TEST(Classify, MovesAnObjectWithItsFields) {
  const std::string before =
      R"({"framework": "d", "target_dtype": "float16", "fp32": [{"op": "a", "accumulate": "float32"}],
 "target": ["b"]})";
  EXPECT_EQ(MustClassify(before, Wanted("a", Policy::kTarget)).text,
            R"({"framework": "d", "target_dtype": "float16", "fp32": [],
 "target": [{"op": "a", "accumulate": "float32"}, "b"]})");
}

TEST(Classify, DropsConditionsThatNoLongerHold) {
  const std::string before =
      R"({"framework": "d", "target_dtype": "float16", "fp32": [], "conditional":
 [{"op": "a", "attribute": "t", "values": ["x"], "then": "fp32", "reason": "numeric"}]})";
  EXPECT_EQ(MustClassify(before, Wanted("a", Policy::kFp32)).text,
            R"({"framework": "d", "target_dtype": "float16", "fp32": ["a"], "conditional":
 []})");
}

TEST(Classify, LeavesOneOfManyEntries) {
  const std::string before =
      R"({"framework": "d", "target_dtype": "float16", "fp32": ["a", "a"], "target": ["a", "b"]})";
  EXPECT_EQ(MustClassify(before, Wanted("a", Policy::kTarget)).text,
            R"({"framework": "d", "target_dtype": "float16", "fp32": [], "target": ["a", "b"]})");
  EXPECT_EQ(MustClassify(before, Wanted("a", Policy::kFp32)).text,
            R"({"framework": "d", "target_dtype": "float16", "fp32": ["a"], "target": ["b"]})");
}

TEST(Classify, ChangesReasonAndNoteInPlace) {
  Classification wanted = Wanted("a", Policy::kFp32);
  wanted.reason = "loss";
  EXPECT_EQ(MustClassify(R"({"framework": "d", "target_dtype": "float16", "fp32":
 [{"op": "a", "note": "n", "reason": "numeric"}]})",
                         wanted)
                .text,
            R"({"framework": "d", "target_dtype": "float16", "fp32":
 [{"op": "a", "reason": "loss", "note": "n"}]})");
}

TEST(EditBetween, CutsNoCharacterAndNoLineEnd) {
  const std::vector<std::string> texts = {"",
                                          "a",
                                          "\xC3\xA9",
                                          "\xC3\xA8",
                                          "x\r\ny",
                                          "x\r\n\r\ny",
                                          "x\ny",
                                          "\xF0\x9F\x98\x80",
                                          "aa",
                                          "aaa",
                                          "\xF0\x9F\x98\x81\xF0\x9F\x98\x80",
                                          "\xC3\xA9\xC3\xA9",
                                          "\xE2\x82\xAC\xC3\xA9",
                                          "\r\n",
                                          "\n"};
  const auto whole = [](std::string_view text) {
    const auto within = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
    return text.empty() || (!within(text.front()) && text.front() != '\n');
  };
  for (const std::string& before : texts) {
    for (const std::string& after : texts) {
      const Edit edit = EditBetween("f", before, after);
      EXPECT_EQ(ApplyEdit(before, edit), after);
      const bool starts_line = edit.offset == 0 || before[edit.offset - 1] != '\r';
      EXPECT_TRUE(starts_line || whole(edit.text)) << before << " -> " << after;
      const std::string_view rest = std::string_view(before).substr(edit.offset + edit.length);
      const bool cut = !rest.empty() && (static_cast<unsigned char>(rest.front()) & 0xC0U) == 0x80U;
      EXPECT_FALSE(cut) << before << " -> " << after;
      EXPECT_EQ(edit.length == 0 && edit.text.empty(), before == after);
    }
  }
}

}  // namespace
}  // namespace opledger
