// Compares the import of MXNet's own lists with the lists as Python reads them, and with the counts
// that MXNet's coverage test requires.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "checker/import/import.h"
#include "registry/precision_list/precision_list.h"
#include "tests/test_data.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

class ImportMxnetTest : public testing::Test {
 protected:
  std::optional<PrecisionList> Import(const fs::path& file) {
    Diagnostics diagnostics;
    std::string text;
    ImportOptions options;
    options.file = file.string();
    EXPECT_EQ(RunImport(options, text, diagnostics), 0) << file;
    warnings_ = RenderDiagnostics(diagnostics);
    Diagnostics problems;
    auto list = ParsePrecisionList(file.stem().string() + ".json", text, problems);
    EXPECT_EQ(RenderDiagnostics(problems), "");
    return list;
  }

  std::string warnings_;
};

std::map<std::string, std::string> Policies(const PrecisionList& list) {
  std::map<std::string, std::string> policies;
  for (const ListEntry& entry : list.entries) policies[entry.op] = PolicyName(entry.policy);
  EXPECT_EQ(policies.size(), list.entries.size()) << "an operator occurs twice";
  return policies;
}

// Returns the policies of "fp16" or "bf16" in gold/mxnet.json, by opledger's names.
std::map<std::string, std::string> GoldPolicies(const JsonDocument& gold, const std::string& type) {
  std::string upper = type;
  for (char& c : upper) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  const std::map<std::string, std::string> words = {{upper + "_FUNCS", "target"},
                                                    {upper + "_FP32_FUNCS", "either"},
                                                    {"FP32_FUNCS", "fp32"},
                                                    {"WIDEST_TYPE_CASTS", "widest"},
                                                    {"CONDITIONAL_FP32_FUNCS", "conditional"}};
  std::map<std::string, std::string> policies;
  for (const JsonMember& member : gold.root.Find(type)->members) {
    policies[member.key] = words.at(member.value.string);
  }
  return policies;
}

// Conditional entries: operator -> [attribute, values...].
std::map<std::string, std::vector<std::string>> GoldConditions(const JsonDocument& gold,
                                                               const std::string& type) {
  std::map<std::string, std::vector<std::string>> conditions;
  for (const JsonMember& member : gold.root.Find("conditional_args")->Find(type)->members) {
    std::vector<std::string>& condition = conditions[member.key];
    condition.push_back(member.value.items[0].string);
    for (const JsonValue& value : member.value.items[1].items) condition.push_back(value.string);
  }
  return conditions;
}

std::map<std::string, std::vector<std::string>> Conditions(const PrecisionList& list) {
  std::map<std::string, std::vector<std::string>> conditions;
  for (const ListEntry& entry : list.entries) {
    for (const Clause& clause : entry.clauses) {
      EXPECT_EQ(clause.then, Policy::kFp32);
      EXPECT_EQ(entry.otherwise, Policy::kEither);
      std::vector<std::string>& condition = conditions[entry.op];
      condition.push_back(clause.attribute);
      condition.insert(condition.end(), clause.values.begin(), clause.values.end());
    }
  }
  return conditions;
}

std::optional<JsonDocument> Gold() {
  Diagnostics diagnostics;
  return ReadJson(GoldFile("mxnet").string(), diagnostics);
}

void ExpectGold(const PrecisionList& list, const JsonDocument& gold, const std::string& type,
                std::size_t size) {
  EXPECT_EQ(Policies(list).size(), size);
  EXPECT_EQ(Policies(list), GoldPolicies(gold, type));
  EXPECT_EQ(Conditions(list), GoldConditions(gold, type));
}

TEST_F(ImportMxnetTest, NewestListsEqualGold) {
  const std::optional<JsonDocument> gold = Gold();
  ASSERT_TRUE(gold);
  const fs::path source = TestData("source mxnet-b84609d3");
  if (source.empty()) GTEST_SKIP() << "missing: mxnet-b84609d3; ci/test-data gets what is missing";
  const fs::path lists = source / "python/mxnet/amp/lists";
  const std::optional<PrecisionList> float16 = Import(lists / "symbol_fp16.py");
  ASSERT_TRUE(float16);
  EXPECT_EQ(warnings_, "");
  EXPECT_EQ(float16->target_dtype, Dtype::kFloat16);
  ExpectGold(*float16, *gold, "fp16", 688);
  const std::optional<PrecisionList> bfloat16 = Import(lists / "symbol_bf16.py");
  ASSERT_TRUE(bfloat16);
  // MXNet renamed the operator but not this entry.
  EXPECT_NE(warnings_.find("'BatchNormWithReLU' is in 'BF16_USE_FP32_PARAMS'"), std::string::npos);
  EXPECT_EQ(bfloat16->target_dtype, Dtype::kBfloat16);
  ExpectGold(*bfloat16, *gold, "bf16", 682);
}

TEST_F(ImportMxnetTest, OlderListsHaveTheirCounts) {
  const std::vector<std::pair<std::string, std::size_t>> expected = {
      {"mxnet-0208063a", 685},
      {"mxnet-626f9336", 650},
      {"mxnet-9e9f972d", 643},
      {"mxnet-39ea6832", 643},
  };
  for (const auto& [name, size] : expected) {
    const fs::path source = TestData("source " + name);
    if (source.empty()) {
      GTEST_SKIP() << "missing: " << name << "; ci/test-data gets what is missing";
    }
    const fs::path older = source / "python/mxnet/contrib/amp/lists";
    const fs::path lists = fs::exists(older) ? older : source / "python/mxnet/amp/lists";
    const std::optional<PrecisionList> list = Import(lists / "symbol_fp16.py");
    ASSERT_TRUE(list) << name;
    EXPECT_EQ(Policies(*list).size(), size) << name;
    EXPECT_EQ(warnings_, "");
    ASSERT_TRUE(Import(lists / "symbol_bf16.py")) << name;
  }
}

// The shipped list follows MXNet 1.9.1, whose kernels decide whether a converted model runs: there
// LayerNorm stays in float32, and clip accepts bfloat16.
const std::map<std::string, std::string>& OtherThanGold(const std::string& type) {
  static const std::map<std::string, std::string> none;
  static const std::map<std::string, std::string> bfloat16 = {{"LayerNorm", "fp32"},
                                                              {"clip", "either"}};
  return type == "bf16" ? bfloat16 : none;
}

TEST(ShippedMxnetListsTest, EqualGoldByNameAndPolicy) {
  const std::optional<JsonDocument> gold = Gold();
  ASSERT_TRUE(gold);
  const fs::path lists = fs::path(OPLEDGER_SOURCE_DIR) / "registry/lists/mxnet";
  for (const auto& [file, type, size] : {std::tuple("float16.json", "fp16", std::size_t{688}),
                                         std::tuple("bfloat16.json", "bf16", std::size_t{682})}) {
    Diagnostics diagnostics;
    const auto list = ReadPrecisionList(DiskSource(lists.string()), file, diagnostics);
    ASSERT_TRUE(list) << RenderDiagnostics(diagnostics);
    EXPECT_EQ(list->framework, "mxnet");
    auto expected = GoldPolicies(*gold, type);
    for (const auto& [name, policy] : OtherThanGold(type)) {
      EXPECT_NE(expected.at(name), policy) << name << " needs no exception";
      expected[name] = policy;
    }
    EXPECT_EQ(list->entries.size(), size);
    EXPECT_EQ(Policies(*list), expected);
    EXPECT_EQ(Conditions(*list), GoldConditions(*gold, type));
  }
}

TEST(ShippedMxnetListsTest, AreSortedAndExplained) {
  const fs::path lists = fs::path(OPLEDGER_SOURCE_DIR) / "registry/lists/mxnet";
  for (const char* file : {"float16.json", "bfloat16.json"}) {
    Diagnostics diagnostics;
    const auto list = ReadPrecisionList(DiskSource(lists.string()), file, diagnostics);
    ASSERT_TRUE(list) << RenderDiagnostics(diagnostics);
    const ListEntry* last = nullptr;
    for (const ListEntry& entry : list->entries) {
      const bool follows = last != nullptr && last->policy == entry.policy;
      EXPECT_TRUE(!follows || last->op < entry.op) << file << entry.op;
      // A reason requires a note, and a note requires a reason.
      EXPECT_TRUE(entry.reason == "loss" || entry.reason.empty() == entry.note.empty()) << entry.op;
      EXPECT_TRUE(entry.reason != "no-kernel" || entry.policy == Policy::kFp32) << entry.op;
      last = &entry;
    }
  }
}

}  // namespace
}  // namespace opledger
