// Reads registry/operators/onnx-opsets.json, which says how to convert a node from one version of
// an operator to the next. schemas/opset-steps.schema.json defines the fields.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "registry/text/diagnostics.h"

namespace opledger {

struct OpsetStep {
  struct Input {
    std::string attribute;  // empty: an empty tensor
    std::size_t input = 0;
    std::string type;     // "int64", "float32"; "input": the type of the first input
    bool scalar = false;  // a scalar; otherwise one dimension
    bool shift = false;   // the inputs from there on move by one
    std::optional<std::int64_t> fallback;  // of an absent attribute; nullopt: omit the input
  };
  std::map<std::string, std::vector<std::string>> only;
  std::optional<std::size_t> unused_outputs;
  std::string last_axis;
  bool upscales = false;
  std::vector<Input> inputs;
  std::map<std::string, std::map<std::string, std::string>> values;
  std::map<std::string, std::string> write;
  std::vector<std::string> remove;
  std::string new_operator;
  std::string count_outputs;
};

class OpsetSteps {
 public:
  // Reads the shipped table. Returns nullopt, with an error, on failure.
  static std::optional<OpsetSteps> Load(Diagnostics& diagnostics);

  // Returns the step to version `since` of an operator, or nullptr if there is no such step.
  const OpsetStep* Find(const std::string& op, int since) const;
  std::int64_t newest() const { return newest_; }

 private:
  std::map<std::pair<std::string, int>, OpsetStep> steps_;
  std::int64_t newest_ = 0;
};

}  // namespace opledger
