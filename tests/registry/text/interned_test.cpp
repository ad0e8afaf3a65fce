// Interned texts.
// SPDX-License-Identifier: Apache-2.0
#include "registry/text/interned.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace opledger {
namespace {

TEST(InternedString, EqualTextsAreOneString) {
  const std::string text = "lists/float16.json";
  const InternedString a = text;
  const InternedString b = std::string_view("xlists/float16.json").substr(1);
  EXPECT_EQ(&a.text(), &b.text());
  EXPECT_EQ(a, b);
  EXPECT_NE(a, InternedString("lists/bfloat16.json"));
  EXPECT_EQ(InternedString(), "");
  EXPECT_TRUE(InternedString("").empty());
}

TEST(InternedString, IsOrderedByText) {
  const std::set<InternedString> texts = {"b", "", "a", "ab", "a"};
  std::string joined;
  for (const InternedString text : texts) joined += text + ",";
  EXPECT_EQ(joined, ",a,ab,b,");
}

TEST(InternedString, OneForAllThreads) {
  std::vector<const std::string*> found(8);
  std::vector<std::thread> threads;
  for (const std::string*& each : found) {
    threads.emplace_back([&each] {
      for (int i = 0; i < 1000; ++i) each = &InternedString("thread " + std::to_string(i)).text();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::set(found.begin(), found.end()).size(), 1U);
}

}  // namespace
}  // namespace opledger
