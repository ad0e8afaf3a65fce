// Element types in registrations of kernels.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tokens/kernel_call.h"

#include <gtest/gtest.h>

namespace opledger::scan {
namespace {

KernelTypes Read(const std::string& text) {
  Dialect dialect;
  dialect.kernels.type_traits = {"EnumToDataType"};
  dialect.types.names = {{"half", {"float16"}},
                         {"float", {"float32"}},
                         {"int32", {"int32"}},
                         {"number", {"int32", "float32"}},
                         {"quint8", {}},
                         {"DT_HALF", {"float16"}},
                         {"complex<float>", {"complex64"}},
                         {"unsigned char", {"uint8"}}};
  TypeLists none(dialect, "");
  KernelTypes types;
  AddKernelTypes(dialect, none, text, types);
  return types;
}

using Names = std::vector<std::string>;

TEST(KernelTypes, SpellingsWithAndWithoutNamespaces) {
  EXPECT_EQ(Read("half").dtypes, Names{"float16"});
  EXPECT_EQ(Read("Eigen::half").dtypes, Names{"float16"});
  EXPECT_EQ(Read("::tensorflow::int32").dtypes, Names{"int32"});
  EXPECT_EQ(Read("phi::dtype::complex<float>").dtypes, Names{"complex64"});
  EXPECT_EQ(Read("unsigned char").dtypes, Names{"uint8"});
}

TEST(KernelTypes, Lists) {
  EXPECT_EQ(Read("{DT_HALF, float}").dtypes, (Names{"float16", "float32"}));
  EXPECT_EQ(Read("{number,int32}").dtypes, (Names{"float32", "int32"}));
  EXPECT_EQ(Read("{}").dtypes, Names{});
  EXPECT_EQ(Read("{}").unread, "");
}

TEST(KernelTypes, UnsupportedTypes) { EXPECT_EQ(Read("quint8").dtypes, Names{"quint8"}); }

TEST(KernelTypes, Traits) {
  EXPECT_EQ(Read("typename platform::EnumToDataType<DT_HALF>::Type").dtypes, Names{"float16"});
  EXPECT_EQ(Read("Other<DT_HALF>::Type").unread, "Other<DT_HALF>::Type");
}

TEST(KernelTypes, WhatIsNotUnderstoodIsKeptAsWritten) {
  EXPECT_EQ(Read("kTypes").unread, "kTypes");
  EXPECT_EQ(Read("").unread, "nothing");
  const KernelTypes mixed = Read("{half, Computed(1, 2)}");
  EXPECT_EQ(mixed.unread, "Computed(1, 2)");
  EXPECT_EQ(mixed.dtypes, Names{"float16"});
}

}  // namespace
}  // namespace opledger::scan
