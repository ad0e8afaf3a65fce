// Reads inputs from files, or draws random ones in the shapes that the model or the user gives.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/model/model_inputs.h"

#include <charconv>

#include "conversion/model/operators/shapes.h"
#include "kernels/model/sequence_inputs.h"
#include "kernels/tensor/npy_file.h"
#include "kernels/tensor/random_tensor.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

class InputReader {
 public:
  InputReader(const InputSource& model, const InputOptions& options, Diagnostics& diagnostics)
      : model_(model), options_(options), diagnostics_(diagnostics) {}

  bool Read();
  ModelInputs& inputs() { return inputs_; }

 private:
  bool Fail(const std::string& message, const std::string& remedy = {}) {
    diagnostics_.Error({.path = model_.path}, message, remedy);
    return false;
  }
  bool TakeInput(const std::string& name, const std::string& from, ValueId value);
  bool TakeTensors(const std::map<std::string, ValueId>& wanted, const std::string& names);
  std::optional<TensorType> TypeOf(const std::string& name, ValueId value);
  bool IsEmpty(const std::string& name) const;
  bool HasDeclaredType(const std::string& name, const TensorType& type, ValueId value);
  bool HasDeclaredShape(const std::string& name, const TensorType& type, ValueId value);

  const InputSource& model_;
  const InputOptions& options_;
  Diagnostics& diagnostics_;
  ModelInputs inputs_;
};

// Parses "3,224,224"; returns nullopt for anything else.
std::optional<Dimensions> ReadDimensions(std::string_view text) {
  Dimensions dimensions;
  while (!text.empty()) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value < 0) return std::nullopt;
    dimensions.push_back(value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.empty() && text.front() != ',') return std::nullopt;
    if (!text.empty()) text.remove_prefix(1);
  }
  return dimensions;
}

// Returns whether an input may be a shape, axes or a condition. A run has one plan, so such an
// input becomes a constant of it: without its values, the output shapes of operators that read it
// are unknown.
bool SaysHow(const TensorType& type) {
  constexpr std::size_t kMaxNumbers = 64;
  const bool is_number = type.dtype == Dtype::kFloat32 || type.dtype == Dtype::kFloat16 ||
                         type.dtype == Dtype::kBfloat16 || type.dtype == Dtype::kFloat64;
  return type.Rank() <= 1 && Elements(type.dimensions) <= (is_number ? 8 : kMaxNumbers);
}

// `pattern`: see InputSource.
std::string ShapeRemedy(const std::string& name, const std::string& pattern) {
  const std::string say = "pass --input-shape " + name + "=";
  if (pattern.empty()) return say + "D,D with a number D for each dimension";
  std::set<std::string> open;  // placeholders to be replaced
  std::string names;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t end = std::min(pattern.find(',', at), pattern.size());
    const std::string part = pattern.substr(at, end - at);
    if (part.find_first_not_of("0123456789") != std::string::npos && open.insert(part).second) {
      names += (names.empty() ? "" : " and ") + part;
    }
    at = end + 1;
  }
  if (names.empty()) return say + pattern;
  return say + pattern + " with " + (open.size() == 1 ? "a number for " : "numbers for ") + names;
}

// Why the type is not a supported tensor; empty if it is one, or is unknown.
std::string KindProblem(const ValueType& type) {
  using Kind = ValueType::Kind;
  if (type.kind == Kind::kSequence) return "is a sequence, which a single file cannot hold";
  if (type.kind == Kind::kOptional) return "is an optional";
  if (type.kind == Kind::kOptionalSequence)
    return "is an optional sequence, which a single file cannot hold";
  if (type.kind == Kind::kSparseTensor)
    return "is a sparse tensor: change the model to take a dense one";
  if (type.kind == Kind::kOther) return "is a map or an opaque type, which is not supported";
  if (type.kind == Kind::kTensor && !type.dtype) {
    return "is of an unsupported type: 4-bit and 8-bit floats and 2-bit integers can only be "
           "stored, so export the model in float16 or bfloat16";
  }
  const std::string why = type.dtype ? NotComputed(*type.dtype) : std::string();
  return why.empty() ? why : std::string("is ") + DtypeName(*type.dtype) + ": " + why;
}

std::optional<TensorType> InputReader::TypeOf(const std::string& name, ValueId value) {
  const ValueType& declared = model_.graph.values[value].type;
  if (!declared.dtype) {
    Fail("the type of the input '" + name + "' is not known", "give it as NAME=FILE.npy");
    return std::nullopt;
  }
  TensorType type{*declared.dtype, {}};
  for (const std::string& given : options_.shapes) {
    const auto [of, list] = CutAtEquals(given);
    if (of != name) continue;
    const auto dimensions = ReadDimensions(list);
    if (!dimensions) {
      Fail("--input-shape " + given + " is not a shape", "write NAME=2,3");
      return std::nullopt;
    }
    type.dimensions = *dimensions;
    return type;
  }
  const auto shape = model_.shape_of(value);
  if (!shape && !diagnostics_.has_errors()) {
    Fail("the model leaves the shape of the input '" + name + "' open",
         ShapeRemedy(name, model_.pattern_of ? model_.pattern_of(value) : ""));
  }
  if (!shape) return std::nullopt;
  type.dimensions = *shape;
  return type;
}

bool InputReader::HasDeclaredType(const std::string& name, const TensorType& type, ValueId value) {
  const auto declared = model_.graph.values[value].type.dtype;
  if (!declared || *declared == type.dtype) return HasDeclaredShape(name, type, value);
  const std::string wanted = DtypeName(*declared);
  const std::string numpy =
      *declared == Dtype::kBfloat16 ? "ml_dtypes.bfloat16" : "'" + wanted + "'";
  return Fail(
      "the input '" + name + "' is " + DtypeName(type.dtype) + ", but the model takes " + wanted,
      "convert it, with numpy: x.astype(" + numpy + ")");
}

// Checks the dimensions that the model declares as numbers.
bool InputReader::HasDeclaredShape(const std::string& name, const TensorType& type, ValueId value) {
  const std::string pattern = model_.pattern_of ? model_.pattern_of(value) : std::string();
  if (pattern.empty()) return true;
  const std::vector<std::string_view> declared = SplitAt(pattern, ',');
  bool fits = declared.size() == type.Rank();
  for (std::size_t i = 0; fits && i < declared.size(); ++i) {
    const bool number = declared[i] != "0" &&  // MXNet's placeholder for an unknown dimension
                        declared[i].find_first_not_of("0123456789") == std::string_view::npos;
    fits = !number || declared[i] == std::to_string(type.dimensions[i]);
  }
  return fits || Fail("the input '" + name + "' is given as " + Text(type) +
                          ", but the model declares " + name + "=" + pattern,
                      "give it in that shape");
}

// How to give an input that is not a tensor.
std::string KindRemedy(const std::string& name, ValueType::Kind kind) {
  using Kind = ValueType::Kind;
  const std::string empty = ", or --input " + name + "=empty";
  if (kind == Kind::kOptional) return "give its tensor: --input " + name + "=FILE.npy" + empty;
  if (kind != Kind::kSequence && kind != Kind::kOptionalSequence) return {};
  return "give its elements: --input " + name + ".0=FILE.npy, --input " + name + ".1=..." + empty;
}

bool InputReader::TakeInput(const std::string& name, const std::string& from, ValueId value) {
  const ValueType& declared = model_.graph.values[value].type;
  const std::string problem = KindProblem(declared);
  if (!problem.empty()) {
    return Fail("the input '" + name + "' " + problem, KindRemedy(name, declared.kind));
  }
  if (from != "random") {
    auto tensor = ReadNpy(from, diagnostics_);
    if (!tensor || !HasDeclaredType(name, tensor->type, value)) return false;
    inputs_.tensors[name] = std::move(*tensor);
    return true;
  }
  const auto type = TypeOf(name, value);
  if (!type) return false;
  if (!CheckSize(*type)) {
    return Fail("the input '" + name + "' would be " + Text(*type) + ": " + SizeProblem(*type));
  }
  inputs_.random.insert(name);
  inputs_.tensors[name] = RandomTensor(*type, inputs_.tensors.size() + 1);
  return true;
}

// Takes the inputs given in memory.
bool InputReader::TakeTensors(const std::map<std::string, ValueId>& wanted,
                              const std::string& names) {
  for (const auto& [name, tensor] : *options_.tensors) {
    if (model_.unread.count(name) != 0) continue;
    const auto found = wanted.find(name);
    if (found == wanted.end())
      return Fail("the model has no input '" + name + "'", "its inputs: " + names);
    if (!HasDeclaredType(name, tensor.type, found->second)) return false;
    inputs_.tensors[name] = tensor;
  }
  return true;
}

// Returns whether it is an empty sequence or optional, which the graph creates itself.
bool InputReader::IsEmpty(const std::string& name) const {
  const ValueId value = model_.graph.Find(0, name);
  return value != kNone && !KindRemedy(name, model_.graph.values[value].type.kind).empty();
}

bool InputReader::Read() {
  std::map<std::string, ValueId> wanted;
  std::string names;
  for (const ValueId input : RequiredInputs(model_.graph)) {
    const std::string name(model_.graph.values[input].name);
    wanted[name] = input;
    names += (names.empty() ? "" : ", ") + name;
  }
  if (options_.tensors != nullptr && !TakeTensors(wanted, names)) return false;
  for (const std::string& given : options_.given) {
    const auto [name, from] = CutAtEquals(given);
    const auto found = wanted.find(name);
    if (model_.unread.count(name) != 0 || (from == kEmptyInput && IsEmpty(name))) continue;
    if (found == wanted.end())
      return Fail("the model has no input '" + name + "'", "its inputs: " + names);
    if (!TakeInput(name, from, found->second)) return false;
  }
  for (const auto& [name, value] : wanted) {
    if (inputs_.tensors.count(name) != 0) continue;
    const ValueType& declared = model_.graph.values[value].type;
    const std::string remedy = KindRemedy(name, declared.kind);
    if (!remedy.empty()) {
      return Fail("the input '" + name + "' " + KindProblem(declared), remedy);
    }
    if (options_.rest_is_random) {
      if (!TakeInput(name, "random", value)) return false;
    } else {
      return Fail("the input '" + name + "' is not given",
                  "give each one: --input " + name + "=FILE.npy, or =random");
    }
  }
  return true;
}

}  // namespace

std::pair<std::string, std::string> CutAtEquals(const std::string& text) {
  const std::size_t at = text.rfind('=');
  if (at == std::string::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

void ModelInputs::Describe(PlanRequest& request) const {
  for (const auto& [name, tensor] : tensors) {
    request.inputs[name] = tensor.type;
    if (random.count(name) == 0 && SaysHow(tensor.type)) request.constants[name] = tensor;
  }
}

std::vector<const void*> ModelInputs::For(const ExecutionPlan& plan, const Graph& graph) const {
  std::vector<const void*> data;
  for (const ValueId input : plan.inputs) {
    data.push_back(tensors.at(std::string(graph.values[input].name)).data.get());
  }
  return data;
}

std::optional<OnnxModel> OpenToRun(const std::string& path, Diagnostics& diagnostics,
                                   const std::string& data_root) {
  auto file = SourceFile::Open(path, diagnostics, data_root);
  if (!file) return std::nullopt;
  auto model = ReadOnnx(std::move(*file), diagnostics);
  if (!model || model->problems.empty()) return model;
  diagnostics.Error({.path = path}, model->problems.front());
  return std::nullopt;
}

std::optional<ModelInputs> TakeInputs(const InputSource& model, const InputOptions& options,
                                      Diagnostics& diagnostics) {
  InputReader reader(model, options, diagnostics);
  if (!reader.Read()) return std::nullopt;
  return std::move(reader.inputs());
}

std::optional<ModelInputs> TakeInputs(const OnnxModel& model, const InputOptions& options,
                                      Diagnostics& diagnostics) {
  const auto shape_of = [&](ValueId value) -> std::optional<Dimensions> {
    const auto shapes = InferShapes(model, {}, diagnostics);
    return shapes ? shapes->values[value] : std::nullopt;
  };
  const auto pattern_of = [&](ValueId value) { return DeclaredDimensions(model, value); };
  return TakeInputs(InputSource{model.graph, model.file.path(), shape_of, pattern_of}, options,
                    diagnostics);
}

}  // namespace opledger
