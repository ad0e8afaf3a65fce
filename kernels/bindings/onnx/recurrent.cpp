// ONNX's recurrent layers, and com.microsoft's LSTM with 8-bit weights.
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "kernels/bindings/call_chain.h"
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
      {"DynamicQuantizeLSTM", {{"sigmoid", "tanh", "tanh"}, "Lstm"}},
      {"RNN", {{"tanh"}, "Rnn"}}};
  return kNames.at(op);
}

// Sets the activation functions of the gates, which must be the same in both directions; default
// functions are not passed to the kernel. The lists of alpha and beta skip functions without them.
// Returns a problem, or an empty string.
std::string SetGates(const OnnxNode& node, Parameters& parameters) {
  const std::vector<std::string> said = node.Words("activations");
  const std::vector<float> alphas = node.Numbers("activation_alpha");
  const std::vector<float> betas = node.Numbers("activation_beta");
  const std::vector<std::string>& usual = NamesOfGates(node.op()).usual;
  const std::size_t gates = usual.size();
  if (said.empty() && (!alphas.empty() || !betas.empty())) {
    return "it has activation_alpha or activation_beta, but no activations";
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

// Sets what all recurrent operators have as attributes. Returns a problem, or an empty string.
std::string SetLayer(const OnnxNode& node, std::int64_t hidden, Parameters& parameters) {
  if (node.Integer("hidden_size", hidden) != hidden) {
    return "its hidden_size is " + std::to_string(node.Integer("hidden_size", 0)) +
           ", but its recurrent weights have size " + std::to_string(hidden);
  }
  if (std::string problem = SetGates(node, parameters); !problem.empty()) return problem;
  if (node.HasAttribute("clip")) parameters.Set("clip", node.Number("clip", 0));
  if (node.op().ends_with("LSTM") && node.Integer("input_forget", 0) != 0) {
    parameters.Set("couples", std::int64_t{1});
  }
  const std::string direction = node.Word("direction", "forward");
  parameters.Set("directions", std::int64_t{direction == "bidirectional" ? 2 : 1});
  parameters.Set("backwards", std::int64_t{direction == "reverse" ? 1 : 0});
  parameters.Set("batch_first", node.Integer("layout", 0));
  parameters.Set("reset_after", node.Integer("linear_before_reset", 0));
  return {};
}

LoweredNode BindRecurrent(const OnnxNode& node) {
  if (node.Rank(2) != 3) return Unsupported("its recurrent weights do not have three dimensions");
  LoweredNode bound = BindAs(node, NamesOfGates(node.op()).kernel);
  std::string problem = SetLayer(node, node.Shape(2)[2], bound.parameters);
  return problem.empty() ? std::move(bound) : Unsupported(std::move(problem));
}

// Dequantizes weights (directions x inputs x gates) and puts gates first. Scale and zero point are
// per direction, or per gate row of each direction.
int OpenedWeights(CallChain& chain, const OnnxNode& node, std::size_t weights, std::size_t scale) {
  const auto aligned = [&](std::size_t input, int number) {
    const Dimensions& shape = node.Shape(input);
    if (shape.empty()) return number;
    return chain.Reshaped(number, {shape[0], 1, shape.size() > 1 ? shape[1] : 1});
  };
  const auto wide = [&](std::size_t input) {
    return chain.Cast(static_cast<int>(input), Dtype::kFloat32);
  };
  const int steps = chain.Call("Sub", {wide(weights), aligned(scale + 1, wide(scale + 1))});
  const int opened = chain.Call("Mul", {steps, aligned(scale, static_cast<int>(scale))});
  return chain.Transposed(opened, {0, 2, 1});
}

// Inputs: x, w, r, bias, lengths, h, c, peepholes, scale and zero point of w, of r.
LoweredNode BindQuantisedLstm(const OnnxNode& node) {
  if (node.Rank(1) != 3 || node.Rank(2) != 3) {
    return Unsupported("its weights do not have three dimensions");
  }
  CallChain chain(node);
  const int bytes = chain.CallForAll("DynamicQuantizeLinear", {0}, 3);
  const int x = chain.Call("DequantizeLinear", {bytes, bytes + 1, bytes + 2});
  const int w = OpenedWeights(chain, node, 1, 8);
  const int r = OpenedWeights(chain, node, 2, 10);
  std::vector<int> inputs = {x, w, r};
  for (std::size_t i = 3; i < 8; ++i) inputs.push_back(NumberOf(node, i));
  LoweredNode bound = std::move(chain).Finish("Lstm", std::move(inputs));
  std::string problem = SetLayer(node, node.Shape(2)[1], bound.parameters);
  if (!problem.empty()) return Unsupported(std::move(problem));
  bound.parameters.Set("quantises", std::int64_t{1});
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

const std::vector<OnnxBinding>& RuntimeRecurrent() {
  static const std::vector<OnnxBinding> kTable = {{"DynamicQuantizeLSTM", BindQuantisedLstm}};
  return kTable;
}

}  // namespace opledger
