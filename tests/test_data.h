// The data that tests read, found as tests/test_data.py finds it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>

namespace opledger {

// `what`: "source NAME" or "models onnx". Empty where there is none.
inline std::filesystem::path TestData(const std::string& what) {
  const std::string command = "python3 -B " OPLEDGER_SOURCE_DIR "/tests/test_data.py " + what;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  std::string said;
  char piece[512];
  while (std::fgets(piece, sizeof piece, pipe) != nullptr) said += piece;
  if (pclose(pipe) != 0) return {};
  return said.substr(0, said.find('\n'));
}

// Whether ci/test-data made these models: then there are others, and other numbers of them.
inline bool AreMade(const std::filesystem::path& models) {
  return models.string().find("/build/test-data/") != std::string::npos;
}

// An operator list of a framework.
inline std::filesystem::path GoldFile(const std::string& name) {
  return OPLEDGER_SOURCE_DIR "/tests/gold/" + name + ".json";
}

}  // namespace opledger
