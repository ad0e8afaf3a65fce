// Operators read one by one equal those of the file read at once, in any layout.
// SPDX-License-Identifier: Apache-2.0
#include "registry/manifest/manifest_lines.h"

#include <gtest/gtest.h>

#include "registry/platform/platform.h"
#include "tests/registry/scratch_folder.h"

namespace opledger {
namespace {

std::string Written(const Operator& op) {
  Manifest manifest;
  manifest.operators.push_back(op);
  return WriteManifest(manifest);
}

class ManifestLinesTest : public testing::Test {
 protected:
  std::optional<ManifestLines> LinesOf(const std::string& operators) {
    folder_.Write(
        "m.json",
        "{\"schema\": \"opledger-operators/1\", \"dialect\": \"demo\",\n\"operators\": [\n" +
            operators + "\n], \"dynamic\": []}\n");
    return ManifestLines::Read(folder_.Path("m.json"), diagnostics_);
  }

  ScratchFolder folder_;
  Diagnostics diagnostics_;
};

TEST(ShippedManifests, GiveTheirOperatorsOneByOne) {
  for (const char* name : {"onnx", "com.microsoft"}) {
    const std::string path = DataDirectory() + "/operators/" + name + ".json";
    Diagnostics diagnostics;
    const auto whole = ReadManifest(DiskSource(), path, diagnostics);
    auto lines = ManifestLines::Read(path, diagnostics);
    ASSERT_TRUE(whole && lines);
    for (const Operator& op : whole->operators) {
      const Operator* found = lines->Find(op.name);
      ASSERT_NE(found, nullptr) << op.name;
      EXPECT_EQ(Written(*found), Written(op));
      EXPECT_EQ(lines->Find(op.name), found);
    }
    EXPECT_EQ(lines->Find("Absent"), nullptr);
  }
}

TEST_F(ManifestLinesTest, ReadsOtherLayoutsWhole) {
  for (const char* operators :
       {"{\"name\":\"a\",\"sites\":[]}, {\"name\":\"b\",\"sites\":[]}",
        "{\"sites\":[],\"name\":\"a\"},\n{\"name\":\"b\",\"sites\":[]}",
        "{\"name\":\"\\u0061\",\"sites\":[]},\n{\"name\":\"b\",\"sites\":[]}",
        "{\"name\":\"a\",\n\"sites\":[]},\n{\"name\":\"b\",\"sites\":[]}"}) {
    auto lines = LinesOf(operators);
    ASSERT_TRUE(lines) << operators;
    EXPECT_NE(lines->Find("a"), nullptr) << operators;
    EXPECT_NE(lines->Find("b"), nullptr) << operators;
  }
}

TEST_F(ManifestLinesTest, ReportsWhatIsWrong) {
  EXPECT_FALSE(LinesOf("{\"name\":\"a\",\"sites\":[]},\n{\"name\":\"a\",\"sites\":[]}"));
  EXPECT_FALSE(LinesOf("{\"name\":\"a\",\"sites\":[]},\n3"));
  EXPECT_FALSE(ManifestLines::Read(folder_.Path("absent.json"), diagnostics_));
  EXPECT_EQ(diagnostics_.all().size(), 3u);
}

TEST_F(ManifestLinesTest, StopsAtAnInvalidLine) {
  auto lines = LinesOf("{\"name\":\"a\",\"sites\":7},\n{\"name\":\"b\",\"sites\":[]}");
  ASSERT_TRUE(lines);
  EXPECT_NE(lines->Find("b"), nullptr);
  EXPECT_DEATH(lines->Find("a"), "operator 'a' cannot be read; reinstall opledger");
}

}  // namespace
}  // namespace opledger
