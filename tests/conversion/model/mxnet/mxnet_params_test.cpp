// Reads every parameter file of the test data to its last byte, from every MXNet version.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/mxnet/mxnet_params.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "tests/test_data.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

std::string Number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> 8 * i));
  return text;
}

// A list of one float32 array of shape {2}, named "w".
std::string SmallList() {
  return Number(0x112, 8) + Number(0, 8) + Number(1, 8) +                      // one array
         Number(0xf993fac9, 4) + Number(0, 4) + Number(1, 4) + Number(2, 8) +  // dense, {2}
         Number(1, 4) + Number(0, 4) + Number(0, 4) +
         "\x01\x02\x03\x04"
         "abcd" +  // CPU, float32
         Number(1, 8) +
         Number(1, 8) + "w";
}

TEST(MxnetParamsTest, ReadsEveryFile) {
  const fs::path data = TestData("models mxnet");
  if (data.empty()) GTEST_SKIP() << "missing: models of mxnet; ci/test-data gets what is missing";
  std::map<MxnetArray::Form, int> forms;
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(data)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".params" && extension != ".ndarray" && extension != ".v0") continue;
    Diagnostics diagnostics;
    auto file = SourceFile::Open(entry.path().string(), diagnostics);
    ASSERT_TRUE(file) << RenderDiagnostics(diagnostics);
    const auto params = ReadMxnetParams(std::move(*file), diagnostics);
    EXPECT_TRUE(params) << entry.path() << RenderDiagnostics(diagnostics);
    if (!params) continue;
    ++files;
    for (const MxnetArray& array : params->arrays) ++forms[array.form];
  }
  EXPECT_GT(files, 0);
  EXPECT_EQ(forms.size(), 5u);  // every format occurs
}

TEST(MxnetParamsTest, FindsTheParts) {
  Diagnostics diagnostics;
  const auto params = ReadMxnetParams(SourceFile::FromText("a.params", SmallList()), diagnostics);
  ASSERT_TRUE(params) << RenderDiagnostics(diagnostics);
  ASSERT_EQ(params->arrays.size(), 1u);
  const MxnetArray& array = params->arrays[0];
  EXPECT_EQ(array.name, "w");
  EXPECT_EQ(array.dimensions, std::vector<std::int64_t>{2});
  EXPECT_EQ(array.dtype, Dtype::kFloat32);
  EXPECT_EQ(params->file.Text(array.data),
            "\x01\x02\x03\x04"
            "abcd");
}

TEST(MxnetParamsTest, RefusesWhatIsCutShortOrTooLarge) {
  const std::string whole = SmallList();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Diagnostics diagnostics;
    EXPECT_FALSE(ReadMxnetParams(SourceFile::FromText("a", whole.substr(0, size)), diagnostics));
    EXPECT_TRUE(diagnostics.has_errors()) << size;
  }
  for (const std::size_t place : {16U, 36U}) {  // the number of arrays, and the dimension
    for (const char high : {'\x10', '\x7f', '\xff'}) {
      std::string huge = whole;
      huge[place + 7] = high;
      Diagnostics diagnostics;
      EXPECT_FALSE(ReadMxnetParams(SourceFile::FromText("a", huge), diagnostics)) << place;
    }
  }
}

}  // namespace
}  // namespace opledger
