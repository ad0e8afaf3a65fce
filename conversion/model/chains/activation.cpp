// Finds Gelu by Erf or Tanh, and Mish: x * f(g(x)), where f is Erf or Tanh and g a polynomial or
// Softplus. Represents values computed from x and f as polynomials, so that the order of factors
// does not matter.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "conversion/model/chains/chain_walk.h"

namespace opledger {
namespace {

constexpr std::size_t kTerms = 5;  // degrees 0 to 4
constexpr int kMaxDepth = 6;       // nodes within a polynomial
constexpr int kMaxReaders = 4;     // after the function
constexpr std::size_t kMaxCandidates = 12;
constexpr double kCubic = 0.044715;  // of the approximation by Tanh
const double kTanhFactor = std::sqrt(2 / 3.14159265358979323846);

using Polynomial = std::array<double, kTerms>;  // coefficients, starting with x^0

Polynomial Constant(double number) { return {number}; }

bool IsConstant(const Polynomial& p) {
  for (std::size_t i = 1; i < kTerms; ++i) {
    if (p[i] != 0) return false;
  }
  return true;
}

bool IsSame(const Polynomial& one, const Polynomial& other) {
  for (std::size_t i = 0; i < kTerms; ++i) {
    if (!IsSameNumber(one[i], other[i])) return false;
  }
  return true;
}

Polynomial Sum(const Polynomial& a, const Polynomial& b, double sign) {
  Polynomial sum;
  for (std::size_t i = 0; i < kTerms; ++i) sum[i] = a[i] + sign * b[i];
  return sum;
}

// Returns nullopt if the degree is too high.
std::optional<Polynomial> Product(const Polynomial& a, const Polynomial& b) {
  Polynomial product = {};
  for (std::size_t i = 0; i < kTerms; ++i) {
    for (std::size_t k = 0; k < kTerms; ++k) {
      if (a[i] == 0 || b[k] == 0) continue;
      if (i + k >= kTerms) return std::nullopt;
      product[i + k] += a[i] * b[k];
    }
  }
  return product;
}

// Applies an operator to two polynomials.
std::optional<Polynomial> Combine(std::string_view op, const Polynomial& a, const Polynomial& b) {
  if (op == "Add") return Sum(a, b, 1);
  if (op == "Sub") return Sum(a, b, -1);
  if (op == "Mul") return Product(a, b);
  if (op == "Div" && IsConstant(b) && b[0] != 0) return Product(a, Constant(1 / b[0]));
  if (op != "Pow" || !IsConstant(b)) return std::nullopt;
  std::optional<Polynomial> power = Constant(1);
  if (b[0] != std::floor(b[0]) || b[0] < 1 || b[0] >= kTerms) return std::nullopt;
  for (int i = 0; power && i < static_cast<int>(b[0]); ++i) power = Product(*power, a);
  return power;
}

class ActivationFinder {
 public:
  ActivationFinder(ChainWalk& walk, const Node& function) : walk_(walk), function_(function) {}

  std::optional<NodeChain> Run() {
    for (const ValueId x : Candidates()) {
      walk_.Begin(function_);
      x_ = x;
      NodeChain chain = {};
      if (!IsKnown(chain)) continue;
      const Node* last = FollowTo(chain.op == "Mish" ? Polynomial{0, 1} : Polynomial{0, 0.5},
                                  chain.op == "Mish" ? Polynomial{} : Polynomial{0, 0.5});
      if (last == nullptr) continue;
      chain.inputs = {x};
      return walk_.Close(std::move(chain), *last);
    }
    return std::nullopt;
  }

 private:
  // Returns values from which the function's argument is computed, nearest first.
  std::vector<ValueId> Candidates() const {
    std::vector<ValueId> found = {function_.inputs[0]};
    for (std::size_t at = 0; at < found.size() && found.size() < kMaxCandidates; ++at) {
      const Node* node = walk_.ProducerOf(found[at]);
      if (node == nullptr || !IsArithmetic(*node)) continue;
      for (const ValueId input : node->inputs) {
        if (input != kNone && !walk_.Number(input)) found.push_back(input);
      }
    }
    return found;
  }

  static bool IsArithmetic(const Node& node) {
    return node.op == "Mul" || node.op == "Add" || node.op == "Div" || node.op == "Pow" ||
           node.op == "Sub" || node.op == "Softplus";
  }

  // Returns whether f(g(x)) belongs to a known operator.
  bool IsKnown(NodeChain& chain) {
    if (function_.op == "Tanh" && walk_.Producer(function_.inputs[0], "Softplus") != nullptr) {
      chain.op = "Mish";
      chain.opset = 18;
      return walk_.ProducerOf(function_.inputs[0])->inputs[0] == x_;
    }
    const auto argument = PolynomialOf(function_.inputs[0], 0);
    chain.op = "Gelu";
    chain.opset = 20;
    chain.tanh = function_.op == "Tanh";
    const Polynomial expected = chain.tanh ? Polynomial{0, kTanhFactor, 0, kTanhFactor * kCubic}
                                           : Polynomial{0, std::sqrt(0.5)};
    return argument && IsSame(*argument, expected);
  }

  // Returns nullopt if the value is not a polynomial of x.
  std::optional<Polynomial> PolynomialOf(ValueId value, int depth) {
    if (value == kNone || depth > kMaxDepth) return std::nullopt;
    if (value == x_) return Polynomial{0, 1};
    if (const auto number = walk_.Number(value)) return Constant(*number);
    const Node* node = walk_.ProducerOf(value);
    if (node == nullptr || node->inputs.size() != 2 || !IsArithmetic(*node)) return std::nullopt;
    const auto a = PolynomialOf(node->inputs[0], depth + 1);
    const auto b = a ? PolynomialOf(node->inputs[1], depth + 1) : std::nullopt;
    if (!b) return std::nullopt;
    walk_.Take(*node);
    return Combine(node->op, *a, *b);
  }

  // Follows the readers of f to the node that computes `with` * f + `without`. Returns nullptr if
  // there is none.
  const Node* FollowTo(const Polynomial& with, const Polynomial& without) {
    Polynomial factor = Constant(1);
    Polynomial rest = {};
    ValueId at = ChainWalk::Output(function_);
    for (int step = 0; step < kMaxReaders && at != kNone; ++step) {
      const Node* reader = walk_.OnlyReader(at);
      if (reader == nullptr || reader->inputs.size() != 2) return nullptr;
      const bool first = reader->inputs[0] == at;
      const ValueId other = ChainWalk::OtherInput(*reader, at);
      const auto operand = other == at ? std::nullopt : PolynomialOf(other, 0);
      if (!operand || !Apply(*reader, first, *operand, factor, rest)) return nullptr;
      walk_.Take(*reader);
      if (IsSame(factor, with) && IsSame(rest, without)) return reader;
      at = ChainWalk::Output(*reader);
    }
    return nullptr;
  }

  static bool Apply(const Node& reader, bool first, const Polynomial& operand, Polynomial& factor,
                    Polynomial& rest) {
    if (reader.op == "Add" || (reader.op == "Sub" && first)) {
      rest = Sum(rest, operand, reader.op == "Add" ? 1 : -1);
      return true;
    }
    if (reader.op != "Mul" && (reader.op != "Div" || !first)) return false;
    const auto new_factor = Combine(reader.op, factor, operand);
    const auto new_rest = Combine(reader.op, rest, operand);
    if (!new_factor || !new_rest) return false;
    factor = *new_factor;
    rest = *new_rest;
    return true;
  }

  ChainWalk& walk_;
  const Node& function_;
  ValueId x_ = kNone;
};

}  // namespace

std::optional<NodeChain> FindActivation(ChainWalk& walk, const Node& function) {
  return ActivationFinder(walk, function).Run();
}

}  // namespace opledger
