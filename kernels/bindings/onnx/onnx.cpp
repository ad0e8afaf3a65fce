// Finds the binding of an operator in the tables of this folder.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/onnx/onnx.h"

#include <cstring>
#include <map>
#include <memory>

#include "conversion/model/operators/names.h"
#include "kernels/bindings/onnx/control_flow.h"
#include "kernels/bindings/onnx/node.h"
#include "kernels/bindings/onnx/tensor_values.h"

namespace opledger {
namespace {

using Tables = std::map<std::string_view, const OnnxBinding*>;

Tables TablesOf(std::initializer_list<const std::vector<OnnxBinding>*> tables) {
  Tables map;
  for (const auto* table : tables) {
    for (const OnnxBinding& binding : *table) map[binding.op] = &binding;
  }
  return map;
}

const OnnxBinding* Find(const Tables& tables, std::string_view op) {
  const auto found = tables.find(op);
  return found == tables.end() ? nullptr : found->second;
}

// Binds an element-wise operator to the kernel of the same name; the attributes that the kernel
// declares become its parameters, with ONNX's defaults.
LoweredNode BindElementwise(const OnnxNode& node) {
  LoweredNode bound = BindAs(node, std::string(node.op()));
  for (const char* name : Kernels().at(node.op()).back()->parameters()) {
    if (node.HasAttribute(name)) bound.parameters.Set(name, node.Number(name, 0));
  }
  return bound;
}
constexpr OnnxBinding kByName = {"", BindElementwise};

const OnnxBinding* FindOnnx(std::string_view op) {
  static const Tables all = TablesOf(
      {&OnnxElementwise(), &OnnxMoves(), &OnnxContractions(), &OnnxReductions(),
       &OnnxNormalisations(), &OnnxSpatial(), &OnnxIndexing(), &OnnxWindows(), &OnnxResize(),
       &OnnxAttention(), &OnnxLosses(), &OnnxRecurrent(), &OnnxSelections(), &OnnxQuantised()});
  if (const OnnxBinding* found = Find(all, op)) return found;
  return HasRecord(op) && IsElementwise(op) ? &kByName : nullptr;
}

// com.microsoft's own operators, and ONNX's operators that it also contains.
const OnnxBinding* FindRuntime(std::string_view op) {
  static const Tables all =
      TablesOf({&RuntimeAttention(), &RuntimeExperts(), &RuntimeLayers(), &RuntimePacked(),
                &RuntimePositions(), &RuntimeQuantised(), &RuntimeRecurrent(), &RuntimeSelections(),
                &RuntimeTensors()});
  const bool same = op == "GatherND" || op == "GridSample" || op == "Pad" || op == "Range" ||
                    op == "SimplifiedLayerNormalization" || op == "Trilu";
  return same ? FindOnnx(op) : Find(all, op);
}

const OnnxBinding* FindOfLists(std::string_view op) {
  static const Tables all = TablesOf({&OnnxSequences()});
  return Find(all, op);
}

// With lists, prefers the operators on lists: an Identity may have a list as its input.
const OnnxBinding* FindBinding(const Node& node, const NodeInputs& inputs) {
  if (node.domain == "com.microsoft") return FindRuntime(node.op);
  const OnnxBinding* found = inputs.lists.empty() ? FindOnnx(node.op) : nullptr;
  return found != nullptr ? found : FindOfLists(node.op);
}

// Constant and ConstantOfShape are bound here, because their values need the file.
LoweredNode BindConstant(const OnnxNode& node, const Binding& binding) {
  LoweredNode bound;
  if (const TensorId tensor = node.TensorOf("value"); tensor != kNone) {
    auto loaded = binding.load(tensor);
    if (!loaded) return Unsupported(loaded.status());
    bound.constants.push_back(std::move(*loaded));
    return bound;
  }
  const auto give = [&]<typename T>(Dtype dtype, Dimensions shape, const std::vector<T>& values) {
    ConstantTensor tensor({dtype, std::move(shape)});
    std::copy(values.begin(), values.end(), tensor.As<T>());
    bound.constants.push_back(std::move(tensor));
  };
  const auto length = [](const auto& list) {
    return Dimensions{static_cast<std::int64_t>(list.size())};
  };
  if (node.HasAttribute("value_int")) {
    give(Dtype::kInt64, {}, Integers{node.Integer("value_int", 0)});
  } else if (node.HasAttribute("value_float")) {
    give(Dtype::kFloat32, {},
         std::vector<float>{static_cast<float>(node.Number("value_float", 0))});
  } else if (node.HasAttribute("value_ints")) {
    give(Dtype::kInt64, length(node.List("value_ints")), node.List("value_ints"));
  } else if (node.HasAttribute("value_floats")) {
    give(Dtype::kFloat32, length(node.Numbers("value_floats")), node.Numbers("value_floats"));
  } else {
    return Unsupported("its value is not a dense numeric tensor");
  }
  return bound;
}

LoweredNode BindConstantOfShape(const OnnxNode& node, const Binding& binding) {
  const auto shape = node.KnownIntegers(0);
  if (!shape) return Unsupported(NeedsValues("its shape is computed at run time"));
  LoweredNode bound;
  TensorType type{Dtype::kFloat32, *shape};
  std::optional<ConstantTensor> value;
  if (const TensorId tensor = node.TensorOf("value"); tensor != kNone) {
    auto loaded = binding.load(tensor);
    if (!loaded) return Unsupported(loaded.status());
    value = std::move(*loaded);
    if (Elements(value->type.dimensions) != 1)
      return Unsupported("its value is not a single element");
    type.dtype = value->type.dtype;
  }
  if (!CheckSize(type)) return Unsupported(OutputProblem(type));
  ConstantTensor filled(type);
  const std::size_t size = ElementSize(type.dtype);
  for (std::size_t at = 0; value && at < Bytes(type); at += size) {
    std::memcpy(filled.data.get() + at, value->data.get(), size);
  }
  bound.constants.push_back(std::move(filled));
  return bound;
}

// Why an operator has no kernel, and the remedy.
std::string NoKernel(std::string_view op) {
  // ONNX does not define which values are drawn, so no result would be right.
  if (op == "Bernoulli" || op == "Multinomial" || op.starts_with("Random")) {
    return "it draws random numbers, which is not supported";
  }
  if (op.starts_with("MatMulNBits") || op.starts_with("QMoE")) {
    return "its weights are packed into fewer than 8 bits, which no kernel supports: dequantize "
           "them before exporting the model";
  }
  if (op == "ImageDecoder")
    return "it decodes images, which is not supported: decode them beforehand and pass the pixels";
  if (op.starts_with("String") || op.starts_with("Regex") || op == "TfIdfVectorizer") {
    return "it works on text, which is not supported: convert it to numbers before the model";
  }
  return "there is no kernel for it";
}

std::string DomainProblem(std::string_view domain) {
  if (domain == "ai.onnx.ml") {
    return "operators of ai.onnx.ml, such as trees and encoders, are not supported: run them with "
           "ONNX Runtime, and the network after them here";
  }
  if (domain == "ai.onnx.preview.training" || domain == "ai.onnx.training") {
    return "training is not supported: export the model for inference";
  }
  return "operators of the domain '" + std::string(domain) + "' are not supported";
}

}  // namespace

Binding BindOnnx(const OnnxModel& model) {
  Binding binding;
  const auto data = std::make_shared<TensorData>(model);
  binding.load = [&model, data](TensorId id) { return LoadOnnxTensor(model, *data, id); };
  binding.release = [&model] { model.file.Release({0, model.file.bytes().size()}); };
  binding.control_flow = [&model](NodeId id) { return ReadOnnxControlFlow(model, id); };
  const auto load = binding.load;
  binding.bind = [&model, load](const NodeInputs& inputs) {
    OnnxNode node(model, inputs);
    node.ReadOpset();
    const Node& plain = model.graph.nodes[inputs.node];
    const bool is_runtime = plain.domain == "com.microsoft";
    if (!plain.domain.empty() && plain.domain != "ai.onnx" && !is_runtime) {
      return Unsupported(DomainProblem(plain.domain));
    }
    if (!is_runtime && plain.op == "Constant") return BindConstant(node, {{}, load});
    if (!is_runtime && plain.op == "ConstantOfShape") return BindConstantOfShape(node, {{}, load});
    const OnnxBinding* found = FindBinding(plain, inputs);
    if (found == nullptr && !inputs.lists.empty()) {
      return Unsupported("its input " + std::to_string(inputs.lists.begin()->first) +
                         " is a sequence or an empty optional");
    }
    if (found == nullptr) {
      return Unsupported(NoKernel(plain.op));
    }
    LoweredNode bound = found->bind(node);
    return node.missing() ? Unsupported(MissingText(*node.missing())) : std::move(bound);
  };
  return binding;
}

}  // namespace opledger
