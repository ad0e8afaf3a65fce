// Well-formed lists: every kind of entry, the order of arrays, and bases. Malformed ones are in
// malformed_test.cpp.
// SPDX-License-Identifier: Apache-2.0
#include "registry/precision_list/precision_list.h"

#include <gtest/gtest.h>

#include "tests/registry/scratch_folder.h"

namespace opledger {
namespace {

constexpr const char* kFull = R"({
  "$schema": "../precision-list.schema.json",
  "framework": "mxnet", "target_dtype": "bfloat16", "device": "cpu", "configuration": "cpu+onednn",
  "target": ["Convolution",
             {"op": "dot", "accumulate": "float32", "keep_fp32_inputs": ["bias", 2],
              "evidence": "evidence/dot.json", "$comment": "measured"}],
  "fp32": [{"op": "exp", "reason": "numeric", "note": "overflows above 11.09"}],
  "widest": [],
  "conditional": [
    {"op": "LeakyReLU", "attribute": "act_type", "values": ["selu", "gelu"], "then": "fp32",
     "otherwise": "target", "reason": "numeric"},
    {"op": "norm", "clauses": [
      {"attribute": "ord", "range": [1, null], "then": "fp32"},
      {"attribute": "axis", "values": ["None"], "then": "widest"}]}],
  "either": ["reshape"]
})";

std::optional<PrecisionList> ParsedList(const std::string& text) {
  Diagnostics diagnostics;
  std::optional<PrecisionList> list = ParsePrecisionList("list.json", text, diagnostics);
  EXPECT_EQ(RenderDiagnostics(diagnostics), "");
  return list;
}

TEST(PrecisionList, Fields) {
  const std::optional<PrecisionList> list = ParsedList(kFull);
  ASSERT_TRUE(list);
  EXPECT_EQ(list->path, "list.json");
  EXPECT_EQ(list->framework, "mxnet");
  EXPECT_EQ(list->target_dtype, Dtype::kBfloat16);
  EXPECT_EQ(list->device, "cpu");
  EXPECT_EQ(list->configuration, "cpu+onednn");
  EXPECT_EQ(list->Label(), "bfloat16-cpu");
  ASSERT_EQ(list->entries.size(), 6u);
  EXPECT_TRUE(list->inherited.empty());
  EXPECT_EQ(list->document.text, kFull);
}

TEST(PrecisionList, PlainEntries) {
  const std::optional<PrecisionList> list = ParsedList(kFull);
  ASSERT_TRUE(list);
  const ListEntry& convolution = list->entries[0];
  EXPECT_EQ(convolution.op, "Convolution");
  EXPECT_EQ(convolution.policy, Policy::kTarget);
  EXPECT_EQ(convolution.location, (Location{"list.json", 4, 14, 4, 27}));
  EXPECT_EQ(list->document.text.substr(convolution.item.begin, 13), "\"Convolution\"");
  const ListEntry& dot = list->entries[1];
  EXPECT_EQ(dot.op, "dot");
  EXPECT_EQ(dot.accumulate, Dtype::kFloat32);
  EXPECT_EQ(dot.keep_fp32_inputs, (std::vector<std::string>{"bias", "2"}));
  EXPECT_EQ(dot.evidence, "evidence/dot.json");
  EXPECT_EQ(dot.location, (Location{"list.json", 5, 21, 5, 26}));
  EXPECT_EQ(list->document.text[dot.item.begin], '{');
  EXPECT_EQ(list->document.text[dot.item.end - 1], '}');
  const ListEntry& exp = list->entries[2];
  EXPECT_EQ(exp.policy, Policy::kFp32);
  EXPECT_EQ(exp.reason, "numeric");
  EXPECT_EQ(exp.note, "overflows above 11.09");
  EXPECT_EQ(list->entries[5].policy, Policy::kEither);
}

TEST(PrecisionList, ConditionalEntries) {
  const std::optional<PrecisionList> list = ParsedList(kFull);
  ASSERT_TRUE(list);
  const ListEntry& one = list->entries[3];
  ASSERT_EQ(one.clauses.size(), 1u);
  EXPECT_EQ(one.clauses[0].attribute, "act_type");
  EXPECT_EQ(one.clauses[0].values, (std::vector<std::string>{"selu", "gelu"}));
  EXPECT_FALSE(one.clauses[0].is_range);
  EXPECT_EQ(one.clauses[0].then, Policy::kFp32);
  EXPECT_EQ(one.clauses[0].location, (Location{"list.json", 10, 38, 10, 48}));
  EXPECT_EQ(one.clauses[0].then_location, (Location{"list.json", 10, 86, 10, 92}));
  EXPECT_EQ(one.otherwise, Policy::kTarget);
  EXPECT_EQ(one.reason, "numeric");
  const ListEntry& two = list->entries[4];
  ASSERT_EQ(two.clauses.size(), 2u);
  EXPECT_TRUE(two.clauses[0].is_range);
  EXPECT_EQ(two.clauses[0].minimum, 1.0);
  EXPECT_EQ(two.clauses[0].maximum, std::nullopt);
  EXPECT_EQ(two.clauses[1].then, Policy::kWidest);
  EXPECT_EQ(two.otherwise, Policy::kEither);
}

TEST(PrecisionList, TheOrderOfArraysDoesNotMatter) {
  const std::optional<PrecisionList> list = ParsedList(
      R"({"either": ["a"], "target": ["b"], "target_dtype": "float16", "fp32": ["c"],
          "framework": "f"})");
  ASSERT_TRUE(list);
  ASSERT_EQ(list->entries.size(), 3u);
  EXPECT_EQ(list->entries[0].policy, Policy::kEither);
  EXPECT_EQ(list->entries[1].policy, Policy::kTarget);
  EXPECT_EQ(list->entries[2].policy, Policy::kFp32);
  EXPECT_EQ(list->Label(), "float16");
}

TEST(PrecisionList, DuplicateOperatorsAreForTheChecker) {
  const std::optional<PrecisionList> list = ParsedList(
      R"({"framework": "f", "target_dtype": "float16", "fp32": ["a", "a"], "either": ["a"]})");
  ASSERT_TRUE(list);
  EXPECT_EQ(list->entries.size(), 3u);
}

std::string List(const std::string& extends, const std::string& arrays) {
  return R"({"framework":"f","target_dtype":"float16","extends":")" + extends + "\"," + arrays +
         "}";
}

class Extends : public testing::Test {
 protected:
  // Reads `name`; returns errors as "LINE:COLUMN MESSAGE".
  std::optional<PrecisionList> Read(const std::string& name) {
    Diagnostics diagnostics;
    std::optional<PrecisionList> list =
        ReadPrecisionList(DiskSource(folder_.Path("root")), folder_.Path(name), diagnostics);
    EXPECT_EQ(list.has_value(), diagnostics.all().empty());
    problems_.clear();
    for (const Diagnostic& diagnostic : diagnostics.all()) {
      problems_.push_back(std::to_string(diagnostic.location.column) + " " + diagnostic.message);
    }
    return list;
  }

  const std::string base_ =
      R"({"framework":"f","target_dtype":"bfloat16","target":["a","b"],"fp32":["c"]})";
  ScratchFolder folder_;
  std::vector<std::string> problems_;
};

TEST_F(Extends, OwnEntriesWin) {
  folder_.Write("root/lists/base.json", base_);
  folder_.Write("root/lists/middle.json", List("base.json", R"("fp32":["a","d"])"));
  folder_.Write("root/top.json", List("lists/middle.json", R"("either":["c"])"));
  const std::optional<PrecisionList> list = Read("root/top.json");
  ASSERT_TRUE(list);
  EXPECT_EQ(list->target_dtype, Dtype::kFloat16);
  ASSERT_EQ(list->entries.size(), 1u);
  std::vector<std::string> inherited;
  for (const ListEntry& entry : list->inherited) {
    inherited.push_back(entry.op + "=" + PolicyName(entry.policy));
  }
  EXPECT_EQ(inherited, (std::vector<std::string>{"a=fp32", "d=fp32", "b=target"}));
  EXPECT_EQ(list->inherited[2].location.path, folder_.Path("root/lists/base.json"));
}

TEST_F(Extends, StaysInTheRoot) {
  folder_.Write("outside.json", base_);
  folder_.Write("root/l.json", List("../outside.json", R"("fp32":[])"));
  EXPECT_FALSE(Read("root/l.json"));
  const std::string outside = "'extends' points outside the root '" + folder_.Path("root") + "'";
  EXPECT_EQ(problems_, std::vector<std::string>{"53 " + outside});
  std::filesystem::create_symlink("../outside.json", folder_.Path("root/link.json"));
  folder_.Write("root/l.json", List("link.json", R"("fp32":[])"));
  EXPECT_FALSE(Read("root/l.json"));
  EXPECT_EQ(problems_, std::vector<std::string>{"53 " + outside});
  folder_.Write("root/l.json", List("/etc/passwd", R"("fp32":[])"));
  EXPECT_FALSE(Read("root/l.json"));
  EXPECT_EQ(problems_,
            std::vector<std::string>{"53 'extends' must be a path relative to this file"});
}

// A shipped list is outside of every project, and so is the list that it extends.
TEST_F(Extends, AListFromElsewhereMayExtendItsNeighbour) {
  folder_.Write("shipped/base.json", base_);
  folder_.Write("shipped/l.json", List("base.json", R"("fp32":[])"));
  EXPECT_TRUE(Read("shipped/l.json"));
  folder_.Write("base.json", base_);
  folder_.Write("shipped/l.json", List("../base.json", R"("fp32":[])"));
  EXPECT_FALSE(Read("shipped/l.json"));
}

TEST_F(Extends, Cycles) {
  folder_.Write("root/a.json", List("b.json", R"("fp32":[])"));
  folder_.Write("root/b.json", List("./a.json", R"("fp32":[])"));
  EXPECT_FALSE(Read("root/a.json"));
  ASSERT_EQ(problems_.size(), 2u);
  EXPECT_EQ(problems_[0],
            "53 'extends' forms a cycle through '" + folder_.Path("root/a.json") + "'");
  EXPECT_EQ(problems_[1], "53 the list that this one extends is invalid");
  folder_.Write("root/a.json", List("a.json", R"("fp32":[])"));
  EXPECT_FALSE(Read("root/a.json"));
  EXPECT_EQ(problems_.size(), 1u);
  for (int i = 0; i < 40; ++i) {
    folder_.Write("root/" + std::to_string(i) + ".json",
                  List(std::to_string(i + 1) + ".json", R"("fp32":[])"));
  }
  EXPECT_FALSE(Read("root/0.json"));
  EXPECT_EQ(problems_[0], "53 more than 32 lists extend each other");
}

TEST_F(Extends, BadBases) {
  folder_.Write("root/l.json", List("missing.json", R"("fp32":[])"));
  EXPECT_FALSE(Read("root/l.json"));
  EXPECT_EQ(problems_[0], "0 cannot read: No such file or directory");
  folder_.Write("root/other.json", R"({"framework":"g","target_dtype":"float16","fp32":[]})");
  folder_.Write("root/l.json", List("other.json", R"("fp32":[])"));
  EXPECT_FALSE(Read("root/l.json"));
  EXPECT_EQ(problems_[0], "53 '" + folder_.Path("root/other.json") +
                              "' is a list for 'g', but this one is for 'f'");
}

TEST_F(Extends, IsNotFollowedInMemory) {
  const std::optional<PrecisionList> list = ParsedList(List("missing.json", R"("fp32":["a"])"));
  ASSERT_TRUE(list);
  EXPECT_EQ(list->extends, "missing.json");
}

}  // namespace
}  // namespace opledger
