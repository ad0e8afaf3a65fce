// Reads arbitrary bytes as a target profile: must not crash or hang, and either reads it or reports
// why not.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include "conversion/label/kernel_profile.h"
#include "tests/fuzz/fuzz_target.h"

FUZZ_TARGET(kernel_profile) {
  using opledger::fuzz::Require;
  opledger::Diagnostics diagnostics;
  const auto profile = opledger::KernelProfile::Parse(
      "profile.json", std::string(reinterpret_cast<const char*>(data), size), "onnx", diagnostics);
  Require(profile.has_value() != diagnostics.has_errors(), "an error if and only if it is refused");
  RenderDiagnostics(diagnostics);
  if (profile) profile->Has("Add", 7, opledger::Dtype::kFloat32);
  return 0;
}
