// Two models held against the first of them in float64: what they give, and node by node what goes
// astray on the way. Where shapes depend on numbers both are run in stages (staged_plan.h), and
// what is not as many is matched by content (matched_rows.h).
//   exact     the first model, every number in float64 (float64_oracle.h), by reference kernels
//   error     of what a node computed, after all that went before it
//   own error of a node that is given exact inputs, rounded to the types it takes: its own doing
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
  std::string node;   // as the first model names it, or what it computes
  std::string op;
  std::string value;  // as the first model calls it
  TensorError error;
  std::optional<TensorError> own;    // none: an input of it is nothing that the first model has
  std::optional<TensorError> first;  // of the first model's value
};

struct OutputError {
  std::string name;
  TensorError error;
  TensorError first;
};

// The largest weight of an output on one of several samples.
struct SampleError {
  std::string name;
  double error = 0;
};

struct Comparison {
  std::vector<SampleError> samples;  // where there are several: all else is the worst of them
  std::vector<OutputError> outputs;  // of the first model, in its order
  std::vector<NodeError> nodes;      // of the second, in the order it computes them; no casts
  std::size_t unmatched = 0;         // nodes of the second that the first one does not have
  std::optional<std::size_t> first_overflow;  // the first of `nodes` that is not finite
};

// What is compared. The second model is the first one itself where it is run by a list.
struct ComparedModels {
  const Graph* first = nullptr;
  const Binding* first_binding = nullptr;
  const Graph* second = nullptr;
  const Binding* second_binding = nullptr;
  const Autocast* autocast = nullptr;
  // By which outputs are computed. Nodes are looked at as the reference kernels compute them, which
  // join none.
  KernelChoice choice;
  // Outputs are matched by their places: in MXNet a cast after a head has a name of its own.
  bool outputs_in_order = false;
};

// The first model's numbers, exact and its own: made once, held against as many as are of interest.
struct FirstRun {
  RecordedValues exact;                 // of each value
  RecordedValues own;                   // of each value, by the reference kernels
  std::vector<ConstantTensor> outputs;  // its own, by the kernels of choice
  ModelInputs inputs;

  // Enough for comparisons of outputs only.
  void ForgetInnerValues(const Graph& first);
};

// None, with the reason. Where `outputs_only` holds, `own` is left out.
StatusOr<FirstRun> RunFirst(const ComparedModels& models, ModelInputs inputs, bool outputs_only);
// The same; `run` is of these models. Where `outputs_only` holds, nodes are not looked at.
StatusOr<Comparison> CompareModels(const ComparedModels& models, const FirstRun& run,
                                   bool outputs_only);

// Of each node and output the worst, one's nodes being those of `worst` (whose samples stay).
void TakeWorst(Comparison& worst, Comparison one);

// The largest weight of an output; and of the first model's own, which nobody has made less exact.
double WorstOutput(const Comparison& comparison);
double WorstOutput(const Graph& first, const FirstRun& run);

}  // namespace opledger
