// Name tables of dtypes and policies; and SHA-256.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "registry/files/sha256.h"
#include "registry/precision_list/policy.h"
#include "registry/text/dtype.h"

namespace opledger {
namespace {

TEST(Dtype, NamesReadBack) {
  const std::vector<std::string> names = DtypeNames();
  EXPECT_EQ(names.size(), 20u);
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(ParseDtype(names[i]), static_cast<Dtype>(i));
    EXPECT_EQ(DtypeName(static_cast<Dtype>(i)), names[i]);
  }
  EXPECT_EQ(ParseDtype("float8e5m2"), Dtype::kFloat8E5M2);
  EXPECT_EQ(ParseDtype("complex128"), Dtype::kComplex128);
  EXPECT_EQ(ParseDtype("half"), std::nullopt);
  EXPECT_EQ(ParseDtype(""), std::nullopt);
}

TEST(Policy, NamesReadBack) {
  for (const Policy policy : kPolicies) EXPECT_EQ(ParsePolicy(PolicyName(policy)), policy);
  EXPECT_EQ(ParsePolicy("fp16"), std::nullopt);
  EXPECT_STREQ(PolicyName(Policy::kConditional), "conditional");
}

TEST(Sha256, PublishedVectors) {
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace
}  // namespace opledger
