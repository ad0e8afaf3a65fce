// Compares two models with the first of them in float64: the outputs, and node by node how errors
// arise. If shapes depend on values, both models run in stages (staged_plan.h), and tensors of
// different sizes are matched by content (matched_rows.h).
//   exact     the first model with all values in float64 (float64_oracle.h), by reference kernels
//   error     of a node's result, including the errors of earlier nodes
//   own error of a node on exact inputs, rounded to the types it takes
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/execute/recorded_run.h"
#include "kernels/model/float64_oracle.h"
#include "kernels/model/model_inputs.h"
#include "kernels/plan/autocast.h"
#include "kernels/tensor/tensor_error.h"

namespace opledger {

struct NodeError {
  NodeId id = kNone;  // in the second model
  std::string node;   // its name in the first model, or the operator
  std::string op;
  std::string value;  // its name in the first model
  TensorError error;
  std::optional<TensorError> own;    // nullopt: the first model lacks one of its inputs
  std::optional<TensorError> first;  // error of the first model's own value
};

struct OutputError {
  std::string name;
  TensorError error;
  TensorError first;
};

// The largest output error on one of several samples.
struct SampleError {
  std::string name;
  double error = 0;
};

struct Comparison {
  std::vector<SampleError> samples;  // if there are several; everything else is the worst of them
  std::vector<OutputError> outputs;  // outputs of the first model, in its order
  std::vector<NodeError> nodes;      // nodes of the second one in execution order, without casts
  std::size_t unmatched = 0;         // nodes of the second model that the first one lacks
  std::optional<std::size_t> first_overflow;  // the first of `nodes` that is not finite
};

// The models to compare. The second model is the first one itself if it is run by a list.
struct ComparedModels {
  const Graph* first = nullptr;
  const Binding* first_binding = nullptr;
  const Graph* second = nullptr;
  const Binding* second_binding = nullptr;
  const Autocast* autocast = nullptr;
  // Kernels that compute the outputs. Nodes are always compared with reference kernels, which are
  // not fused.
  KernelChoice choice;
  // Match outputs by position: in MXNet a cast after an output has a name of its own.
  bool outputs_in_order = false;
};

// The first model's values, exact and its own, computed once for several comparisons.
struct FirstRun {
  RecordedValues exact;                 // of each value
  RecordedValues own;                   // of each value, by the reference kernels
  std::vector<ConstantTensor> outputs;  // its own, by the kernels of `choice`
  ModelInputs inputs;

  // Keeps only what comparisons of outputs need.
  void ForgetInnerValues(const Graph& first);
};

// Runs the first model. Returns a status with the reason on failure. With `outputs_only`, `own` is
// omitted.
StatusOr<FirstRun> RunFirst(const ComparedModels& models, ModelInputs inputs, bool outputs_only);
// Runs the second model and compares it with `run`, which must be of the same models. With
// `outputs_only`, nodes are not compared.
StatusOr<Comparison> CompareModels(const ComparedModels& models, const FirstRun& run,
                                   bool outputs_only);

// Keeps the larger error of each node and output in `worst`. Nodes and samples remain those of
// `worst`.
void TakeWorst(Comparison& worst, Comparison one);

// Return the largest error of an output: of the comparison, or of the first model itself.
double WorstOutput(const Comparison& comparison);
double WorstOutput(const Graph& first, const FirstRun& run);

}  // namespace opledger
