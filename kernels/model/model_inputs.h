// The inputs that a model runs on: from files, or random.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conversion/model/onnx/onnx.h"
#include "kernels/plan/plan.h"

namespace opledger {

// Splits "NAME=REST" at the last '=' that is followed by something.
std::pair<std::string, std::string> CutAtEquals(const std::string& text);

struct InputOptions {
  std::vector<std::string> given;   // NAME=FILE.npy or NAME=random
  std::vector<std::string> shapes;  // NAME=D,D: shapes of random inputs that the model leaves open
  bool rest_is_random = false;      // inputs not given are random; otherwise that is an error
  std::string memory_limit = {};  // "16G", for the whole run; empty: the default of memory_limit.h
  std::string data_root = {};     // --data-root: external data may be linked within it
  std::string from = {};  // a folder of folders of NAME.npy, one for each run; empty: one run
  const std::map<std::string, ConstantTensor>* tensors = nullptr;  // given in memory, by name
};

struct ModelInputs {
  std::map<std::string, ConstantTensor> tensors;  // by name
  std::set<std::string> random;                   // names of the random ones

  // Adds their types, and the values of those that may be shapes or axes.
  void Describe(PlanRequest& request) const;
  // Returns the inputs in the form that Executor::Run takes.
  std::vector<const void*> For(const ExecutionPlan& plan, const Graph& graph) const;
};

// Returns nullopt, with errors, if the file is not a model or is damaged.
std::optional<OnnxModel> OpenToRun(const std::string& path, Diagnostics& diagnostics,
                                   const std::string& data_root = {});

// The model that inputs are taken for.
struct InputSource {
  const Graph& graph;
  std::string path;  // of the model
  // The declared shape of an input; nullopt if it is open.
  std::function<std::optional<Dimensions>(ValueId)> shape_of;
  // The declared shape for messages: "batch,3,224,224"; empty if the model declares none.
  std::function<std::string(ValueId)> pattern_of = {};
  std::set<std::string> unread = {};  // inputs of the model that may be given and are ignored
};

// Takes one tensor for each required input. Returns nullopt, with errors that name the input.
std::optional<ModelInputs> TakeInputs(const InputSource& model, const InputOptions& options,
                                      Diagnostics& diagnostics);
std::optional<ModelInputs> TakeInputs(const OnnxModel& model, const InputOptions& options,
                                      Diagnostics& diagnostics);

}  // namespace opledger
