// Applies a list to nodes: labels, conditions, capabilities.
// SPDX-License-Identifier: Apache-2.0
#include "registry/precision_list/resolve.h"

#include <gtest/gtest.h>

namespace opledger {
namespace {

using Attributes = std::map<std::string, std::string>;

class Resolving : public testing::Test {
 protected:
  Resolving() {
    Diagnostics diagnostics;
    std::optional<PrecisionList> list = ParsePrecisionList("l.json", R"({
      "framework": "f", "target_dtype": "float16",
      "target": ["conv", {"op": "fused", "keep_fp32_inputs": ["scale", 3]}],
      "fp32": ["exp"], "widest": ["add"], "either": ["abs"],
      "conditional": [
        {"op": "leaky", "attribute": "act", "values": ["selu", "gelu"], "then": "fp32"},
        {"op": "norm", "otherwise": "target", "clauses": [
          {"attribute": "ord", "range": [1, 2.5], "then": "fp32"},
          {"attribute": "ord", "range": [null, 0], "then": "widest"},
          {"attribute": "axis", "values": ["1"], "then": "either"}]},
        {"op": "pool", "attribute": "kernel", "at_least": 3, "at_most": 5, "then": "fp32"},
        {"op": "dense", "otherwise": "target", "clauses": [
          {"input": "weight", "property": "elements", "at_most": 8, "then": "fp32"},
          {"input": 0, "property": "dimension -1", "values": ["4"], "then": "widest"},
          {"input": 1, "property": "initializer", "values": ["false"], "then": "either"}]}]
    })",
                                                           diagnostics);
    EXPECT_EQ(RenderDiagnostics(diagnostics), "");
    if (list) list_ = std::move(*list);
  }

  Resolution Of(const std::string& op, const Attributes& attributes = {},
                const std::vector<Dtype>& inputs = {Dtype::kFloat32},
                const Capabilities& capabilities = {}) {
    return Resolve(list_, op, NodeFacts{attributes, {}}, inputs, capabilities);
  }

  Label LabelOf(const std::string& op, const Attributes& attributes = {}) {
    return Of(op, attributes).label;
  }

  PrecisionList list_;
};

TEST_F(Resolving, Policies) {
  EXPECT_EQ(LabelOf("conv"), Label::kLow);
  EXPECT_EQ(LabelOf("exp"), Label::kFp32);
  EXPECT_EQ(LabelOf("add"), Label::kWidest);
  EXPECT_EQ(LabelOf("abs"), Label::kFree);
  EXPECT_EQ(Of("exp").entry, &list_.entries[2]);
  EXPECT_EQ(Of("exp").clause, -1);
  EXPECT_EQ(Of("exp").reason, "list says 'fp32'");
}

TEST_F(Resolving, Unlisted) {
  const Resolution resolution = Of("sort");
  EXPECT_EQ(resolution.label, Label::kFixed);
  EXPECT_EQ(resolution.entry, nullptr);
  EXPECT_EQ(resolution.reason, "not in the list");
}

TEST_F(Resolving, InheritedEntriesCount) {
  for (const char* op : {"sort", "conv"}) {
    ListEntry& entry = list_.inherited.emplace_back();
    entry.op = op;
    entry.policy = Policy::kFp32;
  }
  EXPECT_EQ(LabelOf("sort"), Label::kFp32);
  EXPECT_EQ(LabelOf("conv"), Label::kLow);
}

TEST_F(Resolving, KeptInputs) {
  EXPECT_EQ(Of("fused").keep_fp32_inputs, (std::vector<std::string>{"scale", "3"}));
  EXPECT_TRUE(Of("conv").keep_fp32_inputs.empty());
}

TEST_F(Resolving, Values) {
  EXPECT_EQ(LabelOf("leaky", {{"act", "gelu"}}), Label::kFp32);
  EXPECT_EQ(LabelOf("leaky", {{"act", "relu"}}), Label::kFree);
  EXPECT_EQ(LabelOf("leaky", {{"other", "gelu"}}), Label::kFree);
  EXPECT_EQ(LabelOf("leaky"), Label::kFree);
  EXPECT_EQ(Of("leaky", {{"act", "gelu"}}).clause, 0);
  EXPECT_EQ(Of("leaky", {{"act", "gelu"}}).reason, "list says 'fp32' for act = gelu");
  EXPECT_EQ(Of("leaky").clause, -1);
  EXPECT_EQ(Of("leaky").reason, "no condition holds: list says 'either'");
}

TEST_F(Resolving, RangesCompareNumbers) {
  for (const char* inside : {"1", "2", "2.5", "1e0", "+2", " 2 ", "2.0"}) {
    EXPECT_EQ(LabelOf("norm", {{"ord", inside}}), Label::kFp32) << inside;
  }
  for (const char* below : {"0", "-1", "-inf", "-1e300"}) {
    EXPECT_EQ(LabelOf("norm", {{"ord", below}}), Label::kWidest) << below;
  }
  for (const char* outside : {"0.5", "3", "10", "", "None", "2x", "nan", "inf", "1,2"}) {
    EXPECT_EQ(LabelOf("norm", {{"ord", outside}}), Label::kLow) << outside;
  }
}

TEST_F(Resolving, EachNumberOfAListIsCompared) {
  for (const char* inside : {"3", "[3, 4]", "(5,3)", "(3,)", "[ 4 ]", "[3.5, 4]"}) {
    EXPECT_EQ(LabelOf("pool", {{"kernel", inside}}), Label::kFp32) << inside;
  }
  for (const char* outside :
       {"2", "[3, 2]", "[3, 6]", "[]", "()", "[3, x]", "[3", "3, 4", "[3,,4]"}) {
    EXPECT_EQ(LabelOf("pool", {{"kernel", outside}}), Label::kFree) << outside;
  }
}

TEST_F(Resolving, ConditionsOnInputs) {
  const auto of = [&](const std::vector<InputFacts>& inputs) {
    return Resolve(list_, "dense", NodeFacts{{}, inputs}, {Dtype::kFloat32}, {});
  };
  using Known = std::vector<std::optional<std::int64_t>>;
  const InputFacts data = {"data", true, false, Known{std::nullopt, 4}};
  const InputFacts small = {"weight", true, true, Known{2, 4}};
  const InputFacts large = {"weight", true, true, Known{3, 4}};
  const InputFacts open = {"weight", true, false, Known{std::nullopt, 4}};
  const InputFacts unknown = {"weight", true, true, std::nullopt};
  const InputFacts out = {"weight", false, false, std::nullopt};
  EXPECT_EQ(of({data, small}).label, Label::kFp32);
  EXPECT_EQ(of({data, small}).reason, "list says 'fp32' for elements of input weight = 8");
  EXPECT_EQ(of({data, large}).label, Label::kWidest);
  EXPECT_EQ(
      of({data, unknown}).reason,
      "list says 'widest' for dimension -1 of input 0 = 4; elements of input weight is not known");
  EXPECT_EQ(of({unknown, open}).label, Label::kFree);
  EXPECT_EQ(of({large, large}).label, Label::kWidest);
  EXPECT_EQ(of({data, out}).label, Label::kWidest);
  EXPECT_EQ(of({}).label, Label::kLow);
  EXPECT_EQ(of({}).reason, "no condition holds: list says 'target'");
  EXPECT_EQ(of({{"data", true, false, Known{}}, large}).label, Label::kLow) << "no dimension -1";
  EXPECT_EQ(of({{"data", true, false, Known{std::int64_t{1} << 40, std::int64_t{1} << 40}},
                {"weight", true, true, Known{std::int64_t{1} << 40, std::int64_t{1} << 40}}})
                .reason,
            "no condition holds, elements of input weight is not known: list says 'target'");
}

TEST_F(Resolving, TheFirstClauseThatHoldsDecides) {
  EXPECT_EQ(Of("norm", {{"ord", "1"}, {"axis", "1"}}).clause, 0);
  EXPECT_EQ(Of("norm", {{"ord", "0"}, {"axis", "1"}}).clause, 1);
  EXPECT_EQ(Of("norm", {{"ord", "9"}, {"axis", "1"}}).clause, 2);
  EXPECT_EQ(LabelOf("norm", {{"ord", "9"}, {"axis", "1"}}), Label::kFree);
}

TEST_F(Resolving, OnlyFloat32IsTouched) {
  EXPECT_EQ(Of("conv", {}, {Dtype::kFloat64, Dtype::kInt32}).label, Label::kFixed);
  EXPECT_EQ(Of("exp", {}, {Dtype::kFloat16}).label, Label::kFixed);
  EXPECT_EQ(Of("abs", {}, {}).label, Label::kFixed);
  EXPECT_NE(Of("abs", {}, {}).entry, nullptr);
  EXPECT_EQ(Of("conv", {}, {Dtype::kInt32, Dtype::kFloat32}).label, Label::kLow);
}

TEST_F(Resolving, AttributesMayMakeTheOutputFloat32) {
  EXPECT_EQ(Of("abs", {{"dtype", "float32"}}, {}).label, Label::kFree);
  EXPECT_EQ(Of("abs", {{"dtype", "int32"}}, {}).label, Label::kFixed);
  Capabilities capabilities;
  capabilities.chooses_output_type = true;
  EXPECT_EQ(Of("abs", {}, {Dtype::kInt64}, capabilities).label, Label::kFree);
}

TEST_F(Resolving, CastsAreTheUsers) {
  Capabilities capabilities;
  capabilities.is_cast = true;
  for (const char* op : {"conv", "exp", "add", "abs"}) {
    EXPECT_EQ(Of(op, {}, {Dtype::kFloat32}, capabilities).label, Label::kFixed) << op;
  }
}

TEST_F(Resolving, OperatorsThatCannotBeLow) {
  Capabilities no_signature;
  no_signature.accepts_target = false;
  Capabilities no_kernel;
  no_kernel.has_target_kernel = false;
  for (const Capabilities& capabilities : {no_signature, no_kernel}) {
    for (const char* op : {"conv", "exp", "add", "abs"}) {
      EXPECT_EQ(Of(op, {}, {Dtype::kFloat32}, capabilities).label, Label::kFp32) << op;
    }
  }
  EXPECT_EQ(Of("conv", {}, {Dtype::kFloat32}, no_kernel).reason,
            "list says 'target', but it has no kernel for the target type");
  EXPECT_EQ(Of("exp", {}, {Dtype::kFloat32}, no_kernel).reason, "list says 'fp32'");
}

TEST_F(Resolving, MutableInputsBindOnlyWhatIsFree) {
  Capabilities capabilities;
  capabilities.has_mutable_input = true;
  EXPECT_EQ(Of("conv", {}, {Dtype::kFloat32}, capabilities).label, Label::kLow);
  EXPECT_EQ(Of("add", {}, {Dtype::kFloat32}, capabilities).label, Label::kFp32);
  EXPECT_EQ(Of("abs", {}, {Dtype::kFloat32}, capabilities).label, Label::kFp32);
}

TEST(LabelName, NamesEveryLabel) {
  EXPECT_STREQ(LabelName(Label::kLow), "low");
  EXPECT_STREQ(LabelName(Label::kFp32), "fp32");
  EXPECT_STREQ(LabelName(Label::kWidest), "widest");
  EXPECT_STREQ(LabelName(Label::kFree), "free");
  EXPECT_STREQ(LabelName(Label::kFixed), "fixed");
}

}  // namespace
}  // namespace opledger
