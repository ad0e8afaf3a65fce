// Builds a small ONNX graph from the input bytes, with any operators and the attributes that the
// manifest has, on tensors of any type and shape: missing inputs or inputs of other nodes, no
// elements, inconsistent dimensions, extreme values, inner graphs, cycles. Plans and runs it with
// the reference kernels and with the best ones. Each run yields outputs or a reason, and outputs of
// both have the same types.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "conversion/model/onnx/onnx_fields.h"
#include "kernels/bindings/onnx/onnx.h"
#include "kernels/control_flow/control_flow.h"
#include "kernels/cpu/formulas/formulas.h"
#include "kernels/execute/execute.h"
#include "kernels/machine/memory_limit.h"
#include "kernels/machine/parallel.h"
#include "kernels/machine/run_limits.h"
#include "kernels/model/staged_plan.h"
#include "kernels/tensor/element.h"
#include "registry/manifest/manifest.h"
#include "registry/platform/platform.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using namespace opledger;  // NOLINT(google-build-using-namespace)

// Numbers chosen by the input; 0 after its end.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  std::size_t Below(std::size_t end) {
    std::size_t number = Byte();
    if (end > 256) number = number * 256 + Byte();
    return number % end;
  }
  bool One(std::size_t of) { return Below(of) == of - 1; }
  template <typename T, std::size_t kSize>
  const T& Of(const T (&all)[kSize]) {
    return all[Below(kSize)];
  }
  bool done() const { return left_ == 0; }

 private:
  std::uint8_t Byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }

  const std::uint8_t* data_;
  std::size_t left_;
};

std::string Varint(std::uint64_t value) {
  std::string bytes;
  for (; value > 127; value >>= 7) bytes += static_cast<char>((value & 127) | 128);
  return bytes + static_cast<char>(value);
}
std::string IntegerField(std::uint32_t number, std::int64_t value) {
  return Varint(number << 3) + Varint(static_cast<std::uint64_t>(value));
}
std::string Field(std::uint32_t number, const std::string& bytes) {
  return Varint(number << 3 | 2) + Varint(bytes.size()) + bytes;
}
std::string FloatField(std::uint32_t number, float value) {
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &value, 4);
  return Varint(number << 3 | 5) + bytes;
}

std::int64_t AnyInteger(Choices& choices) {
  using Limits = std::numeric_limits<std::int64_t>;
  static constexpr std::int64_t kAll[] = {1,
                                          0,
                                          2,
                                          -1,
                                          3,
                                          1,
                                          4,
                                          2,
                                          -2,
                                          -3,
                                          16,
                                          11,
                                          1,
                                          7,
                                          5,
                                          1 << 20,
                                          10,
                                          std::int64_t{1} << 40,
                                          Limits::max(),
                                          Limits::min(),
                                          -(std::int64_t{1} << 31)};
  return choices.Of(kAll);
}

double AnyNumber(Choices& choices) {
  static constexpr double kAll[] = {
      0.5,   1,     0,    -1,       2,         3,   -0.25, 100,          1e30,
      -1e30, 1e-30, -0.0, INFINITY, -INFINITY, NAN, 65504, 2147483648.0, -9.3e18};
  return choices.Of(kAll);
}

Dtype AnyDtype(Choices& choices) {
  static constexpr Dtype kAll[] = {
      Dtype::kFloat32, Dtype::kFloat32, Dtype::kFloat32, Dtype::kInt64,
      Dtype::kFloat16, Dtype::kBool,    Dtype::kInt32,   Dtype::kBfloat16,
      Dtype::kInt64,   Dtype::kFloat64, Dtype::kInt8,    Dtype::kUint8,
      Dtype::kInt16,   Dtype::kUint16,  Dtype::kUint32,  Dtype::kUint64};
  return choices.Of(kAll);
}

Dimensions AnyShape(Choices& choices) {
  Dimensions shape(choices.One(20) ? 34 : choices.Below(6));
  for (std::int64_t& each : shape) {
    static constexpr std::int64_t kAll[] = {2, 1, 3, 4, 1, 5, 0, 8, 17};
    each = shape.size() > 6 ? 1 : choices.Of(kAll);
  }
  return shape;
}

ConstantTensor AnyTensor(Choices& choices, Dtype dtype, Dimensions shape) {
  ConstantTensor tensor({dtype, std::move(shape)});
  const std::size_t count = Elements(tensor.type.dimensions);
  const bool ordinary = !choices.One(4);
  const double base = ordinary ? static_cast<double>(choices.Below(4)) - 1 : AnyNumber(choices);
  const double step = static_cast<double>(choices.Below(3));
  if (dtype == Dtype::kBool) {
    for (std::size_t i = 0; i < count; ++i) tensor.As<std::uint8_t>()[i] = base + step > 0 ? 1 : 0;
    return tensor;
  }
  WithNumber(dtype, [&]<typename T>(T*) {
    for (std::size_t i = 0; i < count; ++i) {
      const double value = base + step * static_cast<double>(i % 7);
      if constexpr (std::is_integral_v<T>) {
        tensor.As<T>()[i] = function::IntegerOf<T>(value);
      } else {
        Store(tensor.As<T>()[i], static_cast<Computed<T>>(value));
      }
    }
  });
  return tensor;
}

std::string TensorBytes(const std::string& name, const ConstantTensor& tensor) {
  std::string bytes;
  for (const std::int64_t each : tensor.type.dimensions) bytes += IntegerField(1, each);
  bytes += IntegerField(2, OnnxDataType(tensor.type.dtype)) + Field(8, name);
  return bytes + Field(9, std::string(reinterpret_cast<const char*>(tensor.data.get()),
                                      Bytes(tensor.type)));
}

std::string InfoBytes(const std::string& name, const TensorType* type) {
  if (type == nullptr) return Field(1, name);
  std::string shape;
  for (const std::int64_t each : type->dimensions) shape += Field(1, IntegerField(1, each));
  return Field(1, name) +
         Field(2, Field(1, IntegerField(1, OnnxDataType(type->dtype)) + Field(2, shape)));
}

// Returns an operator's records in the manifest, newest version only.
std::vector<Operator> OperatorsOf(const char* manifest) {
  Diagnostics diagnostics;
  auto read = ReadManifest(DiskSource(DataDirectory() + "/operators"), manifest, diagnostics);
  fuzz::Require(read.has_value() && !read->operators.empty(), "the manifest can be read");
  return std::move(read->operators);
}

// Returns ONNX's operators; or those of the domain com.microsoft, and ONNX's for quantized tensors,
// sequences and recurrent layers.
const std::vector<Operator>& Operators(bool runtime) {
  static const std::vector<Operator> onnx = OperatorsOf("onnx.json");
  static const std::vector<Operator> others = [] {
    std::vector<Operator> all = OperatorsOf("com.microsoft.json");
    for (const Operator& op : onnx) {
      static const char* const kParts[] = {"Quantize", "Integer", "QLinear", "Sequence",
                                           "Optional", "CumProd", "BitCast", "SwiGLU",
                                           "LSTM",     "GRU",     "RNN",     "MelWeight"};
      const auto has = [&](const char* part) { return op.name.find(part) != std::string::npos; };
      if (std::any_of(std::begin(kParts), std::end(kParts), has)) all.push_back(op);
    }
    return all;
  }();
  return runtime ? others : onnx;
}

class GraphMaker {
 public:
  // `runtime`: takes two of three operators from the second list.
  GraphMaker(Choices& choices, bool runtime) : choices_(choices), runtime_(runtime) {}

  std::string Model();
  ModelInputs& inputs() { return inputs_; }

 private:
  std::string Name() { return "v" + std::to_string(names_++); }
  std::string AnyName() {
    if (choices_.One(24))
      return choices_.One(2) ? "" : "v" + std::to_string(names_);  // computed later
    return known_.empty() ? "" : known_[choices_.Below(known_.size())];
  }
  std::string Nodes(std::size_t count, std::vector<std::string>& outputs);
  std::string AnyNode(std::vector<std::string>& outputs);
  std::string AnyAttribute(const FieldValue& attribute);
  std::string InnerGraph(std::size_t outputs);
  void AddTensors(std::string& graph);

  Choices& choices_;
  bool runtime_;
  std::vector<std::string> known_;  // names of values
  std::size_t names_ = 0;
  int depth_ = 0;
  ModelInputs inputs_;
};

std::string GraphMaker::AnyAttribute(const FieldValue& attribute) {
  static const std::string kWords[] = {
      "NOTSET",    "SAME_UPPER",    "VALID",         "linear",     "cubic",
      "nearest",   "reflect",       "edge",          "wrap",       "constant",
      "add",       "mul",           "max",           "min",        "none",
      "mean",      "sum",           "DCR",           "CRD",        "bilinear",
      "border",    "half_pixel",    "align_corners", "asymmetric", "tf_crop_and_resize",
      "ij,jk->ik", "bidirectional", "reverse",       "Relu",       "tanh",
      "LEFT",      "RIGHT",         "...ii->...i",   "avg",        "i,j",
      "->"};
  static const std::string kMore[] = {"Relu", "LeakyRelu", "Clip",        "Sigmoid",
                                      "tanh", "Elu",       "HardSigmoid", "bidirectional"};
  namespace field = attribute_field;
  namespace type = attribute_type;
  const auto list = [&](const auto& one) {
    std::string all;
    for (std::size_t i = choices_.Below(5); i > 0; --i) all += one();
    return all;
  };
  std::string bytes = Field(field::kName, attribute.key);
  const std::string& kind = attribute.value;
  if (kind == "INT") {
    return bytes + IntegerField(field::kInt, AnyInteger(choices_)) +
           IntegerField(field::kType, type::kInt);
  }
  if (kind == "FLOAT") {
    return bytes + FloatField(field::kFloat, static_cast<float>(AnyNumber(choices_))) +
           IntegerField(field::kType, type::kFloat);
  }
  if (kind == "STRING") {
    const std::string& word =
        runtime_ && choices_.One(2) ? choices_.Of(kMore) : choices_.Of(kWords);
    return bytes + Field(field::kString, word) + IntegerField(field::kType, type::kString);
  }
  if (kind == "INTS") {
    return bytes + list([&] { return IntegerField(field::kInts, AnyInteger(choices_)); }) +
           IntegerField(field::kType, type::kInts);
  }
  if (kind == "FLOATS") {
    return bytes + list([&] {
             return FloatField(field::kFloats, static_cast<float>(AnyNumber(choices_)));
           }) +
           IntegerField(field::kType, type::kFloats);
  }
  if (kind == "STRINGS") {
    return bytes + list([&] { return Field(field::kStrings, choices_.Of(kWords)); }) +
           IntegerField(field::kType, type::kStrings);
  }
  if (kind == "TENSOR") {
    const Dtype dtype = AnyDtype(choices_);
    const ConstantTensor tensor = AnyTensor(choices_, dtype, AnyShape(choices_));
    return bytes + Field(field::kTensor, TensorBytes("t", tensor)) +
           IntegerField(field::kType, type::kTensor);
  }
  if (kind != "GRAPH" || depth_ > 1) return {};
  return bytes + Field(field::kGraph, InnerGraph(1 + choices_.Below(3))) +
         IntegerField(field::kType, type::kGraph);
}

std::string GraphMaker::InnerGraph(std::size_t outputs) {
  ++depth_;
  const std::vector<std::string> outside = known_;
  std::string graph;
  for (std::size_t i = choices_.Below(4); i > 0; --i) {
    known_.push_back(Name());
    graph += Field(graph_field::kInput, InfoBytes(known_.back(), nullptr));
  }
  std::vector<std::string> made;
  graph += Nodes(choices_.Below(3), made);
  for (std::size_t i = 0; i < outputs; ++i) {
    graph += Field(graph_field::kOutput, InfoBytes(AnyName(), nullptr));
  }
  known_ = outside;
  --depth_;
  return graph;
}

std::string GraphMaker::AnyNode(std::vector<std::string>& outputs) {
  const std::vector<Operator>& operators = Operators(runtime_ && !choices_.One(3));
  const Operator& op = operators[choices_.Below(operators.size())];
  const std::size_t dot = op.name.rfind('.');
  std::string node = Field(node_field::kOpType, op.name.substr(dot + 1));
  if (dot != std::string::npos) node += Field(node_field::kDomain, op.name.substr(0, dot));
  const auto found = op.fields.find("inputs");
  std::size_t inputs = found == op.fields.end() ? 0 : found->second.size();
  if (choices_.One(6)) inputs = choices_.Below(5);
  for (std::size_t i = 0; i < inputs; ++i) node += Field(node_field::kInput, AnyName());
  if (const auto attributes = op.fields.find("attributes"); attributes != op.fields.end()) {
    for (const FieldValue& each : attributes->second) {
      if (choices_.Below(3) == 1) continue;
      if (const std::string bytes = AnyAttribute(each); !bytes.empty()) {
        node += Field(node_field::kAttribute, bytes);
      }
    }
  }
  const auto results = op.fields.find("outputs");
  const std::size_t most = results == op.fields.end() ? 1 : results->second.size();
  for (std::size_t i = choices_.Below(most) + 1; i > 0; --i) {
    outputs.push_back(Name());
    node += Field(node_field::kOutput, outputs.back());
  }
  return node;
}

std::string GraphMaker::Nodes(std::size_t count, std::vector<std::string>& outputs) {
  std::string nodes;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::string> made;
    nodes += Field(graph_field::kNode, AnyNode(made));
    known_.insert(known_.end(), made.begin(), made.end());
    outputs.insert(outputs.end(), made.begin(), made.end());
  }
  return nodes;
}

void GraphMaker::AddTensors(std::string& graph) {
  const Dimensions usual = AnyShape(choices_);
  for (std::size_t i = choices_.Below(5) + 1; i > 0; --i) {
    const Dtype dtype = AnyDtype(choices_);
    Dimensions shape = choices_.One(3) ? AnyShape(choices_) : usual;
    if (dtype == Dtype::kInt64 && !choices_.One(3))
      shape.resize(std::min<std::size_t>(1, shape.size()));
    ConstantTensor tensor = AnyTensor(choices_, dtype, std::move(shape));
    const std::string name = known_.emplace_back(Name());
    if (choices_.One(2)) {
      graph += Field(graph_field::kInitializer, TensorBytes(name, tensor));
      continue;
    }
    graph += Field(graph_field::kInput, InfoBytes(name, &tensor.type));
    // otherwise its elements may be used as a shape
    if (choices_.One(2)) inputs_.random.insert(name);
    inputs_.tensors[name] = std::move(tensor);
  }
}

std::string GraphMaker::Model() {
  static constexpr std::int64_t kOpsets[] = {18, 21, 23, 13, 9, 11, 7, 1, 25};
  const std::int64_t opset = choices_.Of(kOpsets);
  std::string graph;
  AddTensors(graph);
  std::vector<std::string> outputs;
  graph += Nodes(choices_.Below(4) + 1, outputs);
  for (const std::string& each : outputs) {
    graph += Field(graph_field::kOutput, InfoBytes(each, nullptr));
  }
  return IntegerField(1, 8) + Field(model_field::kGraph, graph) +
         Field(model_field::kOpsetImport, IntegerField(opset_field::kVersion, opset)) +
         Field(model_field::kOpsetImport, Field(opset_field::kDomain, "com.microsoft") +
                                              IntegerField(opset_field::kVersion, 1));
}

// Returns the types of the outputs; nullopt if the model is refused with a reason.
std::optional<std::vector<TensorType>> TypesOfRun(const OnnxModel& model, const Binding& binding,
                                                  const ModelInputs& inputs, bool reference) {
  PlanRequest request{&model.graph, &binding, {}, {reference}, nullptr, {}};
  inputs.Describe(request);
  Status problem;
  auto plan = MakeStagedPlan(request, inputs, problem);
  fuzz::Require(plan || !problem.ok(), "a reason if a model cannot be planned");
  if (!plan) return std::nullopt;
  Executor executor(std::move(*plan));
  executor.Run(inputs.For(executor.plan(), model.graph));
  if (!executor.status().ok()) return std::nullopt;
  std::vector<TensorType> types;
  for (const ValueId output : executor.plan().outputs) {
    types.push_back(*executor.plan().slots[output].type);
    std::string copy(Bytes(types.back()), '\0');  // reads all of it
    if (!copy.empty()) std::memcpy(copy.data(), executor.Data(output), copy.size());
  }
  return types;
}

}  // namespace

FUZZ_TARGET(run) {
  SetMemoryLimit(MemoryInUse() + (std::size_t{4} << 20));
  SetThreads(1);
  const RunLimits limits(100, std::nullopt);
  const bool runtime = size > 0 && *data == 0xff;
  Choices choices(data + (runtime ? 1 : 0), size - (runtime ? 1 : 0));
  GraphMaker maker(choices, runtime);
  Diagnostics diagnostics;
  auto model = ReadOnnx(SourceFile::FromText("fuzz.onnx", maker.Model()), diagnostics);
  if (!model || !model->problems.empty()) return 0;
  Binding binding = BindOnnx(*model);
  binding.prepare_control_flow = &PrepareControlFlow;
  const auto reference = TypesOfRun(*model, binding, maker.inputs(), true);
  const auto best = TypesOfRun(*model, binding, maker.inputs(), false);
  fuzz::Require(!reference || !best || *reference == *best,
                "outputs have the same types with all kernels");
  return 0;
}
