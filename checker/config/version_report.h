// `opledger --version --json`: the versions of this installation and of the formats of its files.
//   {"schema": "opledger-version/1", "version": "1.2.3", "llvm": "19.1.7", "onednn": null, ...
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "registry/json/json_write.h"

namespace opledger {

// Libraries are absent if the program that uses them is missing or was built without them.
struct VersionReport {
  std::optional<std::string> llvm;     // of opledger-scan
  std::optional<std::string> onednn;   // of the program that runs models
  std::optional<int> cuda_module;      // its interface version
  std::map<std::string, int> schemas;  // by name
  std::vector<std::string> dialects;   // shipped
};

// Runs the sibling programs with --version and reads the shipped schemas.
VersionReport ReadVersions();

// Writes the fields of an open object.
void WriteVersions(const VersionReport& report, JsonWriter& json);

// Returns schemas/version.schema.json without a final newline.
std::string VersionJson();

}  // namespace opledger
