// A file of models to be measured together, in families that have one vote each, and of what their
// ratios may be (schemas/bench-suite.schema.json).
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
  std::string params;  // of an MXNet model; empty: none
  InputOptions inputs = {{}, {}, true};
  std::vector<std::string> new_shapes;  // NAME=D,D: of shapes met later; empty: none
  // By type, what `opledger convert` made of it, to be run instead of it by the list.
  std::map<std::string, std::string> converted = {};
};

struct BenchFamily {
  std::string name;
  std::vector<BenchModel> models;
};

struct Bar {
  std::string ratio;  // a name of ratios.h
  std::optional<double> mean;
  std::optional<double> each;
  double or_seconds = 0;              // of `each`: what is above it by no more is well
  std::vector<std::string> families;  // empty: all
  std::string where;  // part of what the machine and its libraries are called; empty: everywhere
};

struct BenchSuite {
  std::vector<BenchFamily> families;
  std::vector<Bar> bars;
};

// Paths are relative to the file's folder. None, with errors: it is no suite.
std::optional<BenchSuite> ReadSuite(const std::string& path, Diagnostics& diagnostics);

}  // namespace opledger
