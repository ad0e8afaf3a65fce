// MXNet operators of two numbers: tensors of one shape, tensors that broadcast, a tensor and a
// scalar. Comparisons and logic give numbers of the inputs' type, 0 and 1.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/mxnet/node.h"

namespace opledger {
namespace {

enum class Result : std::uint8_t { kNumber, kComparison, kLogic, kModulus };

// What an operation is called with two tensors, broadcast, and with a scalar; "" where it is not.
struct Operation {
  const char* kernel;
  Result result;
  std::vector<std::string_view> tensors;
  std::string_view scalar;
  std::string_view reversed;  // the scalar first
};

const std::vector<Operation>& Operations() {
  static const std::vector<Operation> kOperations = {
      {"Add",
       Result::kNumber,
       {"elemwise_add", "broadcast_add", "_grad_add", "_npi_add"},
       "_plus_scalar",
       ""},
      {"Sub",
       Result::kNumber,
       {"elemwise_sub", "broadcast_sub", "_npi_subtract"},
       "_minus_scalar",
       "_rminus_scalar"},
      {"Mul",
       Result::kNumber,
       {"elemwise_mul", "broadcast_mul", "_npi_multiply"},
       "_mul_scalar",
       ""},
      {"Div", Result::kNumber, {"elemwise_div", "broadcast_div"}, "_div_scalar", "_rdiv_scalar"},
      {"Pow",
       Result::kNumber,
       {"_power", "broadcast_power", "_npi_power"},
       "_power_scalar",
       "_rpower_scalar"},
      {"Max", Result::kNumber, {"_maximum", "broadcast_maximum"}, "_maximum_scalar", ""},
      {"Min", Result::kNumber, {"_minimum", "broadcast_minimum"}, "_minimum_scalar", ""},
      {"Hypot", Result::kNumber, {"_hypot", "broadcast_hypot"}, "_hypot_scalar", ""},
      {"Mod", Result::kModulus, {"_mod", "broadcast_mod"}, "_mod_scalar", "_rmod_scalar"},
      {"Equal", Result::kComparison, {"_equal", "broadcast_equal"}, "_equal_scalar", ""},
      {"NotEqual",
       Result::kComparison,
       {"_not_equal", "broadcast_not_equal"},
       "_not_equal_scalar",
       ""},
      {"Greater", Result::kComparison, {"_greater", "broadcast_greater"}, "_greater_scalar", ""},
      {"GreaterOrEqual",
       Result::kComparison,
       {"_greater_equal", "broadcast_greater_equal"},
       "_greater_equal_scalar",
       ""},
      {"Less", Result::kComparison, {"_lesser", "broadcast_lesser"}, "_lesser_scalar", ""},
      {"LessOrEqual",
       Result::kComparison,
       {"_lesser_equal", "broadcast_lesser_equal"},
       "_lesser_equal_scalar",
       ""},
      {"And", Result::kLogic, {"_logical_and", "broadcast_logical_and"}, "_logical_and_scalar", ""},
      {"Or", Result::kLogic, {"_logical_or", "broadcast_logical_or"}, "_logical_or_scalar", ""},
      {"Xor", Result::kLogic, {"_logical_xor", "broadcast_logical_xor"}, "_logical_xor_scalar", ""},
  };
  return kOperations;
}

int CastTo(CallChain& chain, int from, const std::string& to) {
  const int cast = chain.Call("Cast", {from});
  chain.Last().parameters.Set("to", to);
  return cast;
}

// The operation on two operands of the chain.
Bound Finish(CallChain chain, const Operation& operation, const MxnetNode& node, int a, int b) {
  const std::string dtype(DtypeName(node.Input(0).dtype));
  if (operation.result == Result::kNumber) {
    return std::move(chain).Finish(operation.kernel, {a, b});
  }
  if (operation.result == Result::kModulus) {  // of 0 it is 0
    const int zero = chain.Scalar(node.Input(0).dtype, 0);
    const int rest = chain.Call("Mod", {a, b});
    const int is_zero = chain.Call("Equal", {b, zero});
    return std::move(chain).Finish("Where", {is_zero, zero, rest});
  }
  if (operation.result == Result::kLogic) {
    a = CastTo(chain, a, "bool");
    b = CastTo(chain, b, "bool");
  }
  const int truth = chain.Call(operation.kernel, {a, b});
  Bound bound = std::move(chain).Finish("Cast", {truth});
  bound.parameters.Set("to", dtype);
  return bound;
}

Bound BindTensors(const MxnetNode& node) {
  for (const Operation& operation : Operations()) {
    for (const std::string_view op : operation.tensors) {
      if (op == node.op()) return Finish(CallChain(node), operation, node, 0, 1);
    }
  }
  return Unbound("there is no kernel for it");
}

Bound BindScalar(const MxnetNode& node) {
  for (const Operation& operation : Operations()) {
    const bool reversed = operation.reversed == node.op();
    if (operation.scalar != node.op() && !reversed) continue;
    CallChain chain(node);
    const int scalar = chain.Scalar(node.Input(0).dtype, node.Number("scalar", 0));
    return Finish(std::move(chain), operation, node, reversed ? scalar : 0, reversed ? 0 : scalar);
  }
  return Unbound("there is no kernel for it");
}

// numpy's: of any types, and of whole numbers a fraction.
Bound BindNumpyScalar(const MxnetNode& node) {
  const std::string_view op = node.op();
  const char* kernel = op == "_npi_add_scalar"        ? "Add"
                       : op == "_npi_subtract_scalar" ? "Sub"
                       : op == "_npi_multiply_scalar" ? "Mul"
                                                      : "Div";
  const Dtype dtype = node.Input(0).dtype;
  const bool is_float = dtype == Dtype::kFloat32 || dtype == Dtype::kFloat16 ||
                        dtype == Dtype::kBfloat16 || dtype == Dtype::kFloat64;
  if (!is_float) return Unbound("only of floats there is a kernel");
  CallChain chain(node);
  const int scalar = chain.Scalar(dtype, node.Number("scalar", 0));
  return std::move(chain).Finish(kernel, {0, scalar});
}

Bound BindSumOfAll(const MxnetNode& node) { return BindMxnetAs(node, "Sum"); }

}  // namespace

const std::vector<MxnetBinding>& MxnetBinary() {
  static const std::vector<MxnetBinding> kTable = [] {
    std::vector<MxnetBinding> table = {
        {"_npi_add_scalar", BindNumpyScalar},
        {"_npi_multiply_scalar", BindNumpyScalar},
        {"_npi_subtract_scalar", BindNumpyScalar},
        {"_npi_true_divide_scalar", BindNumpyScalar},
        {"add_n", BindSumOfAll},
    };
    for (const Operation& operation : Operations()) {
      for (const std::string_view op : operation.tensors) table.push_back({op, BindTensors, 2});
      for (const std::string_view op : {operation.scalar, operation.reversed}) {
        if (!op.empty()) table.push_back({op, BindScalar});
      }
    }
    return table;
  }();
  return kTable;
}

}  // namespace opledger
