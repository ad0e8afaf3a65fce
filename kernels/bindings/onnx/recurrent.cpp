// ONNX's recurrent layers.
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "kernels/bindings/onnx/node.h"

namespace opledger {
namespace {

std::string InLowerCase(std::string word) {
  for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return word;
}

// The functions of its gates are said for each direction: the usual ones, or of RNN relu for all.
std::string FunctionsProblem(const std::vector<std::string>& said, const OnnxNode& node,
                             bool relu) {
  static const std::map<std::string_view, std::vector<std::string>> kUsual = {
      {"GRU", {"sigmoid", "tanh"}}, {"LSTM", {"sigmoid", "tanh", "tanh"}}, {"RNN", {"tanh"}}};
  const std::vector<std::string>& usual = kUsual.at(node.op());
  for (std::size_t i = 0; i < said.size(); ++i) {
    const std::string wanted = relu ? "relu" : usual[i % usual.size()];
    if (InLowerCase(said[i]) != wanted) return "it has the activation " + said[i];
  }
  return {};
}

// Clipped sums are not computed.
LoweredNode BindRecurrent(const OnnxNode& node) {
  const std::vector<std::string> functions = node.Words("activations");
  const bool relu = node.op() == "RNN" && !functions.empty() && InLowerCase(functions[0]) == "relu";
  if (std::string problem = FunctionsProblem(functions, node, relu); !problem.empty()) {
    return Unsupported(std::move(problem));
  }
  for (const char* attribute : {"activation_alpha", "activation_beta", "clip"}) {
    if (node.HasAttribute(attribute)) return Unsupported(std::string("it has ") + attribute);
  }
  if (node.Integer("input_forget", 0) != 0) return Unsupported("it has input_forget");
  const std::string direction = node.Word("direction", "forward");
  if (node.Rank(2) != 3) return Unsupported("its recurrent weights have no three dimensions");
  const std::int64_t hidden = node.Shape(2)[2];
  if (node.Integer("hidden_size", hidden) != hidden) {
    return Unsupported("its hidden_size is " + std::to_string(node.Integer("hidden_size", 0)) +
                       ", its recurrent weights are of " + std::to_string(hidden));
  }
  LoweredNode bound = BindAs(node, node.op() == "LSTM"  ? "Lstm"
                                   : node.op() == "GRU" ? "Gru"
                                                        : "Rnn");
  bound.parameters.Set("function", std::string(relu ? "relu" : "tanh"));
  bound.parameters.Set("directions", std::int64_t{direction == "bidirectional" ? 2 : 1});
  bound.parameters.Set("backwards", std::int64_t{direction == "reverse" ? 1 : 0});
  bound.parameters.Set("batch_first", node.Integer("layout", 0));
  bound.parameters.Set("reset_after", node.Integer("linear_before_reset", 0));
  return bound;
}

}  // namespace

const std::vector<OnnxBinding>& OnnxRecurrent() {
  static const std::vector<OnnxBinding> kTable = {
      {"GRU", BindRecurrent},
      {"LSTM", BindRecurrent},
      {"RNN", BindRecurrent},
  };
  return kTable;
}

}  // namespace opledger
