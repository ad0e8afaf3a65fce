// Reads profiles.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/label/kernel_profile.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "registry/json/json_fields.h"
#include "registry/platform/platform.h"

namespace opledger {

std::optional<KernelProfile> KernelProfile::Read(const std::string& name,
                                                 const std::string& framework,
                                                 Diagnostics& diagnostics) {
  const bool shipped = name.find_first_of("/.") == std::string::npos;
  const std::string path = shipped ? DataDirectory() + "/profiles/" + name + ".json" : name;
  std::error_code error;
  if (shipped && !std::filesystem::exists(path, error)) {
    return diagnostics.Error(
        {}, "there is no shipped profile '" + name + "'",
        "give --profile the path of a file, with its .json, or onnxruntime-cpu");
  }
  const auto document = ReadJson(path, diagnostics);
  return document ? FromJson(*document, framework, diagnostics) : std::nullopt;
}

std::optional<KernelProfile> KernelProfile::Parse(const std::string& path, std::string text,
                                                  const std::string& framework,
                                                  Diagnostics& diagnostics) {
  const auto document = ParseJson(path, std::move(text), diagnostics);
  return document ? FromJson(*document, framework, diagnostics) : std::nullopt;
}

std::optional<KernelProfile> KernelProfile::FromJson(const JsonDocument& document,
                                                     const std::string& framework,
                                                     Diagnostics& diagnostics) {
  constexpr int kAny = std::numeric_limits<int>::max();
  JsonFields fields(document, document.root, "profile", diagnostics);
  KernelProfile profile;
  const std::string of = fields.RequiredString("framework");
  profile.runtime_ = fields.RequiredString("runtime");
  for (const char* key : {"version", "device"}) {
    const std::string text = fields.String(key);
    if (!text.empty()) profile.runtime_ += " " + text;
  }
  bool ok = true;
  for (const JsonValue& item : fields.Objects("kernels")) {
    JsonFields entry(document, item, "kernel", diagnostics);
    const std::string op = entry.RequiredString("op");
    Kernel kernel;
    kernel.since = static_cast<int>(entry.Integer("since", 1, 1, kAny));
    kernel.until = static_cast<int>(entry.Integer("until", kernel.since, kernel.since, kAny));
    const JsonValue* dtypes = item.Find("dtypes");
    for (const std::string& text : entry.Strings("dtypes")) {
      if (const auto dtype = ParseDtype(text)) {
        kernel.dtypes.push_back(*dtype);
      } else {
        entry.Error(dtypes->span, "'" + text + "' is not a type",
                    "write float32, float16 or bfloat16");
      }
    }
    ok = entry.Finish() && ok;
    profile.kernels_[op].push_back(std::move(kernel));
  }
  if (!fields.Finish() || !ok) return std::nullopt;
  if (of != framework) {
    return diagnostics.Error({.path = document.path},
                             "this profile is for '" + of + "', not for '" + framework + "'",
                             "give the profile of a runtime for the model's framework");
  }
  return profile;
}

bool KernelProfile::Has(const std::string& op, int since, Dtype dtype) const {
  const auto found = kernels_.find(op);
  if (found == kernels_.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](const Kernel& kernel) {
    return kernel.since <= since && since <= kernel.until &&
           std::find(kernel.dtypes.begin(), kernel.dtypes.end(), dtype) != kernel.dtypes.end();
  });
}

}  // namespace opledger
