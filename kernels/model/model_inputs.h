// A model to be run, and the numbers it is run on: of files, or random.
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

// "NAME=REST", cut at the last '=' that has something after it.
std::pair<std::string, std::string> CutAtEquals(const std::string& text);

struct InputOptions {
  std::vector<std::string> given;   // NAME=FILE.npy or NAME=random
  std::vector<std::string> shapes;  // NAME=D,D: of random ones that the model leaves open
  bool rest_is_random = false;      // those that are not given; else they are an error
  std::string memory_limit = {};    // "16G", for the whole run; empty: a part of the machine's
  std::string data_root = {};       // --data-root: links of a model's data are followed within
  std::string from = {};  // a folder of folders of NAME.npy, one for each run; empty: one run
  const std::map<std::string, ConstantTensor>* tensors = nullptr;  // given in memory, by name
};

struct ModelInputs {
  std::map<std::string, ConstantTensor> tensors;  // by name
  std::set<std::string> random;                   // of those

  // Their types, and the numbers of those that may say shapes or axes.
  void Describe(PlanRequest& request) const;
  // As Executor::Run takes them.
  std::vector<const void*> For(const ExecutionPlan& plan, const Graph& graph) const;
};

// None, with errors: it is no model, or one that no node of can be trusted.
std::optional<OnnxModel> OpenToRun(const std::string& path, Diagnostics& diagnostics,
                                   const std::string& data_root = {});

// What inputs are taken for.
struct InputSource {
  const Graph& graph;
  std::string path;  // of the model
  // The shape that the model says an input has; none: it leaves it open.
  std::function<std::optional<Dimensions>(ValueId)> shape_of;
  // How to say one that it leaves open: "batch,3,224,224"; empty: it says nothing of it.
  std::function<std::string(ValueId)> pattern_of = {};
  std::set<std::string> unread = {};  // inputs that it has, and that may be given for nothing
};

// One tensor for each required input. None, with errors that name the input.
std::optional<ModelInputs> TakeInputs(const InputSource& model, const InputOptions& options,
                                      Diagnostics& diagnostics);
std::optional<ModelInputs> TakeInputs(const OnnxModel& model, const InputOptions& options,
                                      Diagnostics& diagnostics);

}  // namespace opledger
