// Describes nodes with inner graphs independently of frameworks: a choice of two graphs, or a loop
// over one.
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

// The source of an input of an inner graph, or of a value that it captures.
struct InnerInput {
  enum class From : std::uint8_t {
    kOuter,      // the node's input `index`
    kIteration,  // the number of steps before this one: an int64
    kCondition,  // whether the loop continues: a bool
    kCarried,    // carried value `index`, from the previous step
    kSlice,      // the part of slice `index` for this step
  };
  ValueId value = kNone;
  From from = From::kOuter;
  std::size_t index = 0;
};

struct InnerGraph {
  ScopeId scope = kNone;
  std::vector<InnerInput> inputs;
};

// Inputs and outputs are indices; -1: none. The values that inner graphs capture follow the node's
// inputs.
struct ControlFlow {
  // kMap: runs a graph for each element of its lists, which are those inputs.
  enum class Kind : std::uint8_t { kIf, kLoop, kMap };
  struct Carried {
    int input = -1;        // of the node: the initial value
    int body_output = -1;  // the value after a step
  };
  struct Sliced {
    int input = -1;
    std::int64_t axis = 0;  // may be negative, from the end
    bool reverse = false;   // starts with the last slice
  };
  struct Stacked {
    int body_output = -1;
    std::int64_t axis = 0;
    bool reverse = false;
  };
  // An output of the node: the final carried value, all stacked values, or an unchanged input of
  // the node.
  struct Result {
    bool stacked = false;
    std::size_t index = 0;
    int input = -1;  // not -1: this input; `index` is unused
  };

  Kind kind = Kind::kIf;
  Status problem;                  // not ok: why it cannot be run
  int condition = -1;              // input: which graph runs, or whether the first step runs
  std::vector<InnerGraph> graphs;  // then and else; or the body
  // Empty, or a graph that computes the condition: for kIf in its place, for a loop before each
  // step.
  std::vector<InnerGraph> test;
  // For loops; the first condition that ends the loop decides.
  int trips = -1;                         // input: maximum number of steps
  std::optional<std::int64_t> max_steps;  // from an attribute
  bool pads = false;          // stacked values have `max_steps` steps, zeros after the last one run
  int condition_output = -1;  // of the body: whether there is another step
  std::vector<Carried> carried;
  std::vector<Sliced> slices;  // as many steps as slices
  std::vector<Stacked> stacked;
  std::vector<Result> results;  // one for each output of the node

  // Returns the inputs that a loop itself reads.
  std::vector<int> OwnInputs() const {
    std::vector<int> own = {trips, condition};
    for (const Carried& each : carried) own.push_back(each.input);
    for (const Sliced& each : slices) own.push_back(each.input);
    return own;
  }
};

// Returns the values that the inner graphs of a node capture, each once, in a fixed order.
std::vector<ValueId> CapturedValues(const Graph& graph, const Node& node);

// Returns the control flow of a node; nullopt if it has no inner graphs.
using ReadFlow = std::function<std::optional<ControlFlow>(NodeId)>;

// Converts carried values that never change into captured ones, so that kernels can pack them once
// as weights; outputs that return them become the node's inputs. `copy`: the name of the identity
// operator; `read`: reads nested loops.
void CaptureUnchanged(const Graph& graph, std::string_view copy, const ReadFlow& read,
                      ControlFlow& flow);

// A value passed to an inner graph.
struct GivenValue {
  TensorType type;
  std::optional<ConstantTensor> constant = {};  // if its data are known
  bool of_run = false;                          // known for this run only
};

// A node's inputs, followed by the captured values; nullopt: left out.
using OuterValues = std::vector<std::optional<GivenValue>>;

// Control flow that cannot be run, with the reason.
ControlFlow CannotRun(std::string why);
// Returns the only graph in an attribute of a node, or kNone if there is none.
ScopeId InnerScope(const Node& node, std::string_view attribute);

}  // namespace opledger
