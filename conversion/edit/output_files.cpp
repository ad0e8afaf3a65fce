// Files that are there are compared as such, through links; others by their names.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/edit/output_files.h"

#include <algorithm>
#include <filesystem>

namespace opledger {

namespace fs = std::filesystem;

bool IsSameFile(const std::string& a, const std::string& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error)) return true;
  const auto named = [&](const std::string& path) {
    return fs::weakly_canonical(fs::absolute(path, error), error);
  };
  return named(a) == named(b) && !error;
}

namespace {

void CheckInputs(const OutputFile& output, const std::vector<std::string>& inputs,
                 const char* remedy, Diagnostics& diagnostics) {
  for (const std::string& input : inputs) {
    if (input.empty() || !IsSameFile(input, output.path)) continue;
    diagnostics.Error({.path = output.path},
                      output.option + " would overwrite '" + input + "', which is read", remedy);
  }
}

}  // namespace

bool CheckOutputFiles(const std::vector<std::string>& model, const std::vector<std::string>& others,
                      const std::vector<OutputFile>& outputs, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].path.empty()) continue;
    if (!outputs[i].in_place) {
      const bool is_model = outputs[i].option == "-o";
      CheckInputs(
          outputs[i], model,
          is_model ? "give another name; --in-place replaces the model" : "give another name",
          diagnostics);
    }
    CheckInputs(outputs[i], others, "give another name", diagnostics);
    for (std::size_t other = 0; other < i; ++other) {
      if (outputs[other].path.empty() || !IsSameFile(outputs[other].path, outputs[i].path))
        continue;
      diagnostics.Error({.path = outputs[i].path},
                        outputs[other].option + " and " + outputs[i].option + " name one file",
                        "give two names");
    }
  }
  return !diagnostics.has_errors();
}

std::vector<std::string> ExternalFiles(const Graph& graph, const std::string& model) {
  std::vector<std::string> files;
  const fs::path folder = fs::path(model).parent_path();
  for (const Tensor& tensor : graph.tensors) {
    if (tensor.storage != Tensor::Storage::kExternal) continue;
    std::string path = (folder / tensor.location).string();
    if (files.empty() || files.back() != path) files.push_back(std::move(path));
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

}  // namespace opledger
