// What a node that runs graphs of its own does, in no framework's words: a choice of two graphs, or
// a loop over one.
//   ONNX's If, Loop, Scan and SequenceMap; MXNet's _cond, _foreach and _while_loop
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conversion/model/graph/graph.h"
#include "kernels/machine/status.h"
#include "kernels/tensor/constant_tensor.h"

namespace opledger {

// What an input of an inner graph is, or a value that it takes from outside of itself.
struct InnerInput {
  enum class From : std::uint8_t {
    kOuter,      // the node's input `index`
    kIteration,  // how many steps were before: an int64
    kCondition,  // whether the loop goes on: a bool
    kCarried,    // what the step before gave, number `index`
    kSlice,      // the part of this step, number `index`
  };
  ValueId value = kNone;
  From from = From::kOuter;
  std::size_t index = 0;
};

struct InnerGraph {
  ScopeId scope = kNone;
  std::vector<InnerInput> inputs;
};

// Inputs and outputs are numbers; -1: there is none. Behind a node's inputs stand the values that
// its inner graphs take from outside.
struct ControlFlow {
  // kMap: a graph for each element of its lists, whose elements those inputs are.
  enum class Kind : std::uint8_t { kIf, kLoop, kMap };
  struct Carried {
    int input = -1;        // of the node: its first value
    int body_output = -1;  // what it becomes
  };
  struct Sliced {
    int input = -1;
    std::int64_t axis = 0;  // from the end, where negative
    bool reverse = false;   // from the last slice on
  };
  struct Stacked {
    int body_output = -1;
    std::int64_t axis = 0;
    bool reverse = false;
  };
  // An output of the node: the last of what is carried, or all of what is stacked; or, unchanged,
  // one of the node's inputs.
  struct Result {
    bool stacked = false;
    std::size_t index = 0;
    int input = -1;  // not -1: this input, and nothing of `index`
  };

  Kind kind = Kind::kIf;
  Status problem;                  // not ok: why it cannot be run
  int condition = -1;              // input: which graph runs, or whether the first step does
  std::vector<InnerGraph> graphs;  // then and else; or the body
  // One that computes the condition of kIf, in its place, or before each step of a loop whether
  // there is one; or none.
  std::vector<InnerGraph> test;
  // Of a loop; it ends by the first that says so.
  int trips = -1;                         // input: how many steps at most
  std::optional<std::int64_t> max_steps;  // of an attribute
  bool pads = false;  // what is stacked has `max_steps` steps, with zeros after those that were run
  int condition_output = -1;  // of the body: whether there is another step
  std::vector<Carried> carried;
  std::vector<Sliced> slices;  // there are as many steps as slices
  std::vector<Stacked> stacked;
  std::vector<Result> results;  // of each output of the node

  // The inputs that a loop reads itself.
  std::vector<int> OwnInputs() const {
    std::vector<int> own = {trips, condition};
    for (const Carried& each : carried) own.push_back(each.input);
    for (const Sliced& each : slices) own.push_back(each.input);
    return own;
  }
};

// The values that the inner graphs of a node take from outside, each once, in an order.
std::vector<ValueId> CapturedValues(const Graph& graph, const Node& node);

// The control flow of a node; none: it runs no graphs of its own.
using ReadFlow = std::function<std::optional<ControlFlow>(NodeId)>;

// Takes values that all steps of a loop carry unchanged out of what it carries: its graphs take
// them from outside, as weights that a kernel packs once, and its outputs are the node's inputs.
// `copy` is the operator that gives its input; `read` reads loops within the loop.
void CaptureUnchanged(const Graph& graph, std::string_view copy, const ReadFlow& read,
                      ControlFlow& flow);

// A value that an inner graph is given.
struct GivenValue {
  TensorType type;
  std::optional<ConstantTensor> constant = {};  // where its numbers are known
  bool of_run = false;                          // they are known only for this run
};

// A node's inputs, and behind them the captured values; none: left out.
using OuterValues = std::vector<std::optional<GivenValue>>;

// Control flow that cannot be run, and why.
ControlFlow CannotRun(std::string why);
// The one graph that an attribute of a node holds; kNone: there is no such attribute.
ScopeId InnerScope(const Node& node, std::string_view attribute);

}  // namespace opledger
