// Element-wise ONNX operators whose names or attributes differ from the kernel's. Other
// element-wise operators need no function (BindElementwise).
// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "conversion/model/graph/signature.h"
#include "kernels/bindings/call_chain.h"
#include "kernels/bindings/onnx/node.h"

namespace opledger {
namespace {

LoweredNode BindSameName(const OnnxNode& node) { return BindAs(node, std::string(node.op())); }

// The parameters have other names; ONNX's gamma multiplies both sides.
LoweredNode BindSelu(const OnnxNode& node) {
  LoweredNode bound = BindSameName(node);
  if (node.HasAttribute("alpha")) bound.parameters.Set("alpha", node.Number("alpha", 0));
  if (node.HasAttribute("gamma")) bound.parameters.Set("beta", node.Number("gamma", 0));
  return bound;
}

LoweredNode BindShrink(const OnnxNode& node) {
  LoweredNode bound = BindSameName(node);
  bound.parameters.Set("alpha", node.Number("bias", 0));
  bound.parameters.Set("beta", node.Number("lambd", 0.5));
  return bound;
}

LoweredNode BindGelu(const OnnxNode& node) {
  return BindAs(node, node.Word("approximate", "none") == "tanh" ? "GeluTanh" : "Gelu");
}

LoweredNode BindSwish(const OnnxNode& node) {
  LoweredNode bound = BindAs(node, "Silu");
  bound.parameters.Set("alpha", node.Number("alpha", 1));
  return bound;
}

// Before opset 7 the second input was broadcast from `axis` on.
LoweredNode BindArithmetic(const OnnxNode& node) {
  LoweredNode bound = BindSameName(node);
  if (node.opset() >= 7 || node.Integer("broadcast", 0) == 0 || !node.HasAttribute("axis")) {
    return bound;
  }
  const auto axis = AxisOf(node.Integer("axis", 0), node.Rank(0));
  if (!axis || !node.Has(1) || *axis + node.Rank(1) > node.Rank(0)) {
    return Unsupported("its second input does not fit after its axis");
  }
  Dimensions second = node.Shape(1);
  second.resize(static_cast<std::size_t>(node.Rank(0) - *axis), 1);
  bound.views[1] = second;
  return bound;
}

// Swish of the first input, times the second.
LoweredNode BindSwiGlu(const OnnxNode& node) {
  if (node.Shape(0) != node.Shape(1)) return Unsupported("its two inputs differ in shape");
  CallChain chain(node);
  const int gate = chain.Call("Silu", {0});
  chain.Last().parameters.Set("alpha", node.Number("alpha", 1));
  return std::move(chain).Finish("Mul", {gate, 1});
}

LoweredNode BindBitShift(const OnnxNode& node) {
  const std::string direction = node.Word("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    return Unsupported("its direction is neither LEFT nor RIGHT");
  return BindAs(node, direction == "LEFT" ? "ShiftLeft" : "ShiftRight");
}

LoweredNode BindMod(const OnnxNode& node) {
  return BindAs(node, node.Integer("fmod", 0) != 0 ? "Fmod" : "Mod");
}

// Cast and BitCast; before version 6 Cast names the type.
LoweredNode BindCast(const OnnxNode& node) {
  const std::string name = node.Word("to", "");
  const std::int64_t number = node.Integer("to", 0);
  const auto dtype = name.empty() ? OnnxDtype(number) : TensorNamed(name).dtype;
  if (!dtype) {
    return Unsupported(
        "it casts to ONNX's type " + (name.empty() ? std::to_string(number) : name) +
        ", which is not supported: 4-bit and 8-bit floats and 2-bit integers are not");
  }
  if (std::string why = NotComputed(*dtype); !why.empty()) {
    return Unsupported(std::string("it casts to ") + DtypeName(*dtype) + ": " + why);
  }
  LoweredNode bound = BindSameName(node);
  bound.parameters.Set("to", DtypeName(*dtype));
  return bound;
}

LoweredNode BindCastLike(const OnnxNode& node) {
  if (!node.Has(1)) return Unsupported("the type it casts to is not known");
  if (std::string why = NotComputed(node.Input(1).dtype); !why.empty()) {
    return Unsupported(std::string("it casts to ") + DtypeName(node.Input(1).dtype) + ": " + why);
  }
  LoweredNode bound = BindAs(node, "Cast");
  bound.inputs.resize(1);
  bound.parameters.Set("to", DtypeName(node.Input(1).dtype));
  return bound;
}

// The bounds are attributes before opset 11, inputs since.
LoweredNode BindClip(const OnnxNode& node) {
  LoweredNode bound = BindAs(node, "Clip");
  if (node.opset() >= 11) return bound;
  for (const char* name : {"min", "max"}) {
    if (node.HasAttribute(name)) bound.parameters.Set(name, node.Number(name, 0));
  }
  return bound;
}

LoweredNode BindIsInf(const OnnxNode& node) {
  LoweredNode bound = BindAs(node, "IsInf");
  bound.parameters.Set("negative", node.Integer("detect_negative", 1));
  bound.parameters.Set("positive", node.Integer("detect_positive", 1));
  return bound;
}

LoweredNode BindVariadic(const OnnxNode& node) {
  const std::string op(node.op());
  if (op == "Sum" || op == "Mean") return BindAs(node, op);
  return BindAs(node, node.inputs() == 2 ? op : op + "Of");
}

constexpr OnnxBinding kElementwise[] = {
    {"Add", BindArithmetic},    {"BitCast", BindCast},
    {"BitShift", BindBitShift}, {"Cast", BindCast},
    {"CastLike", BindCastLike}, {"Clip", BindClip},
    {"Div", BindArithmetic},    {"Equal", BindArithmetic},
    {"Gelu", BindGelu},         {"Greater", BindArithmetic},
    {"IsInf", BindIsInf},       {"Less", BindArithmetic},
    {"Max", BindVariadic},      {"Mean", BindVariadic},
    {"Min", BindVariadic},      {"Mod", BindMod},
    {"Mul", BindArithmetic},    {"Pow", BindArithmetic},
    {"Selu", BindSelu},         {"Shrink", BindShrink},
    {"Sub", BindArithmetic},    {"Sum", BindVariadic},
    {"SwiGLU", BindSwiGlu},     {"Swish", BindSwish},
};

}  // namespace

const std::vector<OnnxBinding>& OnnxElementwise() {
  static const std::vector<OnnxBinding> kTable(std::begin(kElementwise), std::end(kElementwise));
  return kTable;
}

}  // namespace opledger
