// Reads target profiles, which list a runtime's kernels, so that nodes without a 16-bit kernel stay
// in float32.
//   {"framework": "onnx", "runtime": "onnxruntime", "version": "1.32.0", "device": "cpu",
//    "kernels": [{"op": "Add", "since": 7, "until": 12, "dtypes": ["float32"]}]}
// Format: schemas/kernel-profile.schema.json. Shipped: registry/profiles.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "registry/json/json.h"
#include "registry/text/diagnostics.h"
#include "registry/text/dtype.h"

namespace opledger {

class KernelProfile {
 public:
  // Reads a file or a shipped profile ("onnxruntime-cpu"). Reports errors, including a profile for
  // another framework.
  static std::optional<KernelProfile> Read(const std::string& name, const std::string& framework,
                                           Diagnostics& diagnostics);
  // Reads a profile from text; `path` is for messages.
  static std::optional<KernelProfile> Parse(const std::string& path, std::string text,
                                            const std::string& framework, Diagnostics& diagnostics);

  // Returns whether the runtime has a kernel for the version of `op` introduced in opset `since`.
  // `op` is qualified. Operators that the profile does not name have no kernel.
  bool Has(const std::string& op, int since, Dtype dtype) const;
  // "onnxruntime 1.32.0 cpu"
  const std::string& runtime() const { return runtime_; }

 private:
  static std::optional<KernelProfile> FromJson(const JsonDocument& document,
                                               const std::string& framework,
                                               Diagnostics& diagnostics);

  struct Kernel {
    int since = 1;
    int until = 1;
    std::vector<Dtype> dtypes;
  };
  std::string runtime_;
  std::map<std::string, std::vector<Kernel>> kernels_;  // by operator
};

}  // namespace opledger
