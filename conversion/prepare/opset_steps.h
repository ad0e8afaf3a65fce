// registry/operators/onnx-opsets.json: how a node of one version of an operator becomes one of the
// next (schemas/opset-steps.schema.json says what the fields mean).
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
    std::string type;                      // "int64", "float32"; "input": that of the first input
    bool scalar = false;                   // else of one dimension
    bool shift = false;                    // the inputs from there on move by one
    std::optional<std::int64_t> fallback;  // of an absent attribute; none: the input is left out
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
  // Reads the shipped table; none, with an error.
  static std::optional<OpsetSteps> Load(Diagnostics& diagnostics);

  // The step to version `since` of an operator; nullptr: nobody says how.
  const OpsetStep* Find(const std::string& op, int since) const;
  std::int64_t newest() const { return newest_; }

 private:
  std::map<std::pair<std::string, int>, OpsetStep> steps_;
  std::int64_t newest_ = 0;
};

}  // namespace opledger
