// The data that tests read, found as tests/test_data.py finds it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>

namespace opledger {

// What a Python program of tests/ prints; empty if it fails.
inline std::string SaidBy(const std::string& program) {
  const std::string command = "python3 -B " OPLEDGER_SOURCE_DIR "/tests/" + program;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  std::string said;
  char piece[512];
  while (std::fgets(piece, sizeof piece, pipe) != nullptr) said += piece;
  return pclose(pipe) == 0 ? said : std::string();
}

// `what`: "source NAME" or "models onnx". Empty where there is none.
inline std::filesystem::path TestData(const std::string& what) {
  const std::string said = SaidBy("test_data.py " + what);
  return said.substr(0, said.find('\n'));
}

// What tests/conversion/model_verdicts.py prints for `what`; empty if the packages that it asks are
// missing.
inline std::string SaidOfModels(const std::string& what) {
  return SaidBy("conversion/model_verdicts.py " + what);
}

// An operator list of a framework.
inline std::filesystem::path GoldFile(const std::string& name) {
  return OPLEDGER_SOURCE_DIR "/tests/gold/" + name + ".json";
}

}  // namespace opledger
