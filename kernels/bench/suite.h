// Reads a file of models to measure together, in families with equal weight, and of bars for their
// ratios (schemas/bench-suite.schema.json).
//   {"families": [{"family": "resnet", "models": [{"model": "resnet50.onnx"}]}],
//    "bars": [{"ratio": "float32", "mean": 1, "each": 1.3}]}
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/model/model_inputs.h"
#include "registry/text/diagnostics.h"

namespace opledger {

struct BenchModel {
  std::string path;
  std::string params;  // .params file of an MXNet model; empty: none
  InputOptions inputs = {{}, {}, true};
  std::vector<std::string> new_shapes;  // NAME=D,D: shapes of later runs; empty: none
  // By type: the result of `opledger convert`, run instead of the model with the list.
  std::map<std::string, std::string> converted = {};
};

struct BenchFamily {
  std::string name;
  std::vector<BenchModel> models;
};

struct Bar {
  std::string ratio;  // one of kRatios (ratios.h)
  std::optional<double> mean;
  std::optional<double> each;
  double or_seconds = 0;              // for `each`: an excess of no more seconds is accepted
  std::vector<std::string> families;  // empty: all
  std::string where;  // substring of the names of the machine and its libraries; empty: everywhere
};

struct BenchSuite {
  std::vector<BenchFamily> families;
  std::vector<Bar> bars;
};

// Paths are relative to the file's folder. Returns nullopt, with errors, if the file is not a
// suite.
std::optional<BenchSuite> ReadSuite(const std::string& path, Diagnostics& diagnostics);

}  // namespace opledger
