// Finds the data that tests read, as tests/test_data.py does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>

namespace opledger {

// Returns what a Python program of tests/ prints; empty if it fails.
inline std::string SaidBy(const std::string& program) {
  const std::string command = "python3 -B " OPLEDGER_SOURCE_DIR "/tests/" + program;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  std::string said;
  char piece[512];
  while (std::fgets(piece, sizeof piece, pipe) != nullptr) said += piece;
  return pclose(pipe) == 0 ? said : std::string();
}

// `what`: "source NAME" or "models onnx". Returns an empty path if it is not available.
inline std::filesystem::path TestData(const std::string& what) {
  const std::string said = SaidBy("test_data.py " + what);
  return said.substr(0, said.find('\n'));
}

// Returns what tests/conversion/model_verdicts.py prints for `what`; empty if its packages are
// missing.
inline std::string SaidOfModels(const std::string& what) {
  return SaidBy("conversion/model_verdicts.py " + what);
}

// Returns the file of a framework's operator list.
inline std::filesystem::path GoldFile(const std::string& name) {
  return OPLEDGER_SOURCE_DIR "/tests/gold/" + name + ".json";
}

}  // namespace opledger
