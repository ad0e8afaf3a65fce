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

struct GateNames {
  std::vector<std::string> usual;
  const char* kernel;
};

const GateNames& NamesOfGates(std::string_view op) {
  static const std::map<std::string_view, GateNames> kNames = {
      {"GRU", {{"sigmoid", "tanh"}, "Gru"}},
      {"LSTM", {{"sigmoid", "tanh", "tanh"}, "Lstm"}},
      {"RNN", {{"tanh"}, "Rnn"}}};
  return kNames.at(op);
}

// The functions of its gates are said for each direction, and have to be the same in both; what the
// usual ones are is not said to the kernel. Those of alpha and beta that a function does not have
// are not in their lists. Empty: they are set.
std::string SetGates(const OnnxNode& node, Parameters& parameters) {
  const std::vector<std::string> said = node.Words("activations");
  const std::vector<float> alphas = node.Numbers("activation_alpha");
  const std::vector<float> betas = node.Numbers("activation_beta");
  const std::vector<std::string>& usual = NamesOfGates(node.op()).usual;
  const std::size_t gates = usual.size();
  if (said.empty() && (!alphas.empty() || !betas.empty())) {
    return "it has activation_alpha or activation_beta, and no activations";
  }
  for (std::size_t i = gates; i < said.size(); ++i) {
    if (InLowerCase(said[i]) != InLowerCase(said[i - gates])) {
      return "its two directions have different activations";
    }
  }
  std::size_t alpha = 0;
  std::size_t beta = 0;
  for (std::size_t i = 0; i < gates && i < said.size(); ++i) {
    const std::string name = InLowerCase(said[i]);
    const std::string number = std::to_string(i);
    const bool has_beta = name == "hardsigmoid" || name == "affine" || name == "scaledtanh";
    const bool has_alpha =
        has_beta || name == "elu" || name == "leakyrelu" || name == "thresholdedrelu";
    if (gates == 1) {
      parameters.Set("function", name);
    } else if (name != usual[i]) {
      parameters.Set("function" + number, name);
    }
    if (has_alpha && alpha < alphas.size()) {
      parameters.Set("alpha" + number, static_cast<double>(alphas[alpha++]));
    }
    if (has_beta && beta < betas.size()) {
      parameters.Set("beta" + number, static_cast<double>(betas[beta++]));
    }
  }
  return {};
}

LoweredNode BindRecurrent(const OnnxNode& node) {
  const std::string direction = node.Word("direction", "forward");
  if (node.Rank(2) != 3) return Unsupported("its recurrent weights have no three dimensions");
  const std::int64_t hidden = node.Shape(2)[2];
  if (node.Integer("hidden_size", hidden) != hidden) {
    return Unsupported("its hidden_size is " + std::to_string(node.Integer("hidden_size", 0)) +
                       ", its recurrent weights are of " + std::to_string(hidden));
  }
  LoweredNode bound = BindAs(node, NamesOfGates(node.op()).kernel);
  if (std::string problem = SetGates(node, bound.parameters); !problem.empty()) {
    return Unsupported(std::move(problem));
  }
  if (node.HasAttribute("clip")) bound.parameters.Set("clip", node.Number("clip", 0));
  if (node.op() == "LSTM" && node.Integer("input_forget", 0) != 0) {
    bound.parameters.Set("couples", std::int64_t{1});
  }
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
