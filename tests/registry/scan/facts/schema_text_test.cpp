// Names, inputs and outputs of operator schemas, including malformed ones.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/facts/schema_text.h"

#include <gtest/gtest.h>

namespace opledger::scan {
namespace {

// Returns "inputs self = Tensor {default: 1}; outputs = Tensor".
std::string FieldsOf(std::string_view schema) {
  std::string text;
  for (const FieldFact& fact : SchemaFields(schema)) {
    if (!text.empty()) text += "; ";
    text += fact.field + (fact.value.key.empty() ? "" : " ") + fact.value.key + " = ";
    text += fact.value.value;
    for (const auto& [name, detail] : fact.value.details) text += " {" + name + ": " + detail + "}";
  }
  return text;
}

TEST(SchemaTextTest, Names) {
  EXPECT_EQ(SchemaName("aten::add.out(Tensor a) -> Tensor"), "aten::add.out");
  EXPECT_EQ(SchemaName("  add "), "add");
  EXPECT_EQ(SchemaName(""), "");
  EXPECT_EQ(SchemaName("(Tensor a)"), "");
}

TEST(SchemaTextTest, InputsAndOutputs) {
  EXPECT_EQ(FieldsOf("f(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"),
            "inputs self = Tensor; inputs out = Tensor(a!); outputs = Tensor(a!)");
  EXPECT_EQ(FieldsOf("f(int[2] k=[1, 2], str mode=\"a, b\", Scalar? x=None) -> (Tensor out, int)"),
            "inputs k = int[2] {default: [1, 2]}; inputs mode = str {default: \"a, b\"}; "
            "inputs x = Scalar? {default: None}; outputs out = Tensor; outputs = int");
  EXPECT_EQ(FieldsOf("f(Dict(str, Tensor) d) -> Dict(str, Tensor)"),
            "inputs d = Dict(str, Tensor); outputs = Dict(str, Tensor)");
  EXPECT_EQ(FieldsOf("f() -> ()"), "");
}

TEST(SchemaTextTest, MalformedTextEndsQuietly) {
  EXPECT_EQ(FieldsOf("f"), "");
  EXPECT_EQ(FieldsOf("f("), "");
  EXPECT_EQ(FieldsOf("f(Tensor a"), "inputs a = Tensor");
  EXPECT_EQ(FieldsOf("f(Tensor) ->"), "inputs = Tensor");
  EXPECT_EQ(FieldsOf("f()) -> (("), "outputs = ((");
}

}  // namespace
}  // namespace opledger::scan
