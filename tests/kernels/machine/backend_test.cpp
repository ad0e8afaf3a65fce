// Declares backends for a device defined in this test.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/machine/backend.h"

#include <gtest/gtest.h>

namespace opledger {
namespace {

Device g_device = {};

std::string Works(Status&) { return "3.2.0 (avx2)"; }
std::string CannotServe(Status& why) {
  why = "its library is damaged";
  return "";
}
std::string IsMissing(Status&) { return ""; }
int g_opened = -1;
const Device* Open(int number, Status&) {
  g_opened = number;
  return &g_device;
}

TEST(Backend, NamesTheRequirementsOfADevice) {
  EXPECT_EQ("", BackendsOf("test"));
  DeclareBackend({"First", "test", &Works, nullptr});
  EXPECT_EQ("First 3.2.0 (avx2)", BackendsOf("test"));
  DeclareBackend({"Second", "test", &CannotServe, &Open});
  DeclareBackend({"Third", "test", &IsMissing, nullptr});
  EXPECT_EQ("First 3.2.0 (avx2), its library is damaged, no Third", BackendsOf("test"));
  EXPECT_EQ(BackendsOf("cpu") + ", " + BackendsOf("test"), Libraries("test"));
  EXPECT_EQ(BackendsOf("cpu"), Libraries("cpu"));
  EXPECT_EQ(0U,
            BackendsOf("cpu").find(BackendsOf("cpu").starts_with("no ") ? "no oneDNN" : "oneDNN "));
  EXPECT_NE(std::string::npos, BackendsOf("cuda").find("CUDA"));
}

TEST(Backend, OpensADevice) {
  DeclareBackend({"Only", "opens", &Works, &Open});
  Status why;
  EXPECT_EQ(&g_device, OpenDevice("opens", 2, why));
  EXPECT_EQ(2, g_opened);
  EXPECT_TRUE(why.ok());
  EXPECT_EQ(nullptr, OpenDevice("nothing", 0, why));
  EXPECT_EQ("this program does not support the device 'nothing'", why.message);
  EXPECT_EQ("leave out --device", why.hint);
}

}  // namespace
}  // namespace opledger
