// Packing and unpacking is lossless, and rejects data that it did not write.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "registry/manifest/manifest.h"

namespace opledger {
namespace {

Manifest Example() {
  Manifest manifest;
  manifest.dialect = "mxnet";
  manifest.configuration = "union";
  manifest.configurations = {{"cpu", {{{"USE_CUDA", "0"}}, {"USE_X"}}},
                             {"gpu", {{{"USE_CUDA", "1"}}, {}}}};
  manifest.default_configuration = "cpu";
  manifest.files = 300;
  Operator op;
  op.name = "sum";
  op.exempt = "none";
  Site site;
  site.location = {"src/sum.cc", 3, 1, 3, 17};
  site.call = {"src/wrap.h", 200, 7, 201, 2};
  site.macro = "REGISTER_SUM";
  site.condition = Condition::FromExpression("USE_CUDA == 1");
  op.sites = {site, site};
  op.sites[1].call.path = site.location.path;
  op.aliases = {{"Sum", {"src/sum.cc", 4, 1, 4, 5}, Condition::FromExpression("X")}};
  op.fields["num_inputs"] = {{"", "2", {}}, {"key", "3", Condition::FromExpression("!X")}};
  Kernel kernel;
  kernel.device = "cuda";
  kernel.label = "jit";
  kernel.types = {{"T", {{"float16", "float32"}, ""}}, {"U", {{}, "Types()"}}};
  kernel.details = {{"isa", "avx512"}};
  kernel.location = {"src/sum.cu", 5, 1, 5, 17};
  kernel.condition = Condition::FromExpression("USE_CUDA");
  Kernel any;
  any.device = "*";
  op.kernels = {kernel, any};
  manifest.operators = {op};
  manifest.dynamic = {{{"src/a.cc", 9, 1}, "name", "meant"}};
  manifest.incomplete = {{{"src/b.cc", 1, 1}, "file", "torn"}};
  return manifest;
}

TEST(ManifestPack, KeepsEverything) {
  const std::optional<Manifest> read = UnpackManifest(PackManifest(Example()));
  ASSERT_TRUE(read);
  EXPECT_EQ(WriteManifest(*read), WriteManifest(Example()));
}

TEST(ManifestPack, RefusesWhatIsCutShortOrOfAnotherFormat) {
  const std::string whole = PackManifest(Example());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(UnpackManifest(std::string_view(whole).substr(0, size))) << size;
  }
  EXPECT_FALSE(UnpackManifest(whole + "x"));
  EXPECT_FALSE(UnpackManifest("{\"schema\": \"opledger-operators/1\"}"));
}

}  // namespace
}  // namespace opledger
