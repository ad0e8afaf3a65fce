// Reads names, schemas, keys and types of a registration; see registrations.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/python/registrations.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "registry/scan/facts/schema_text.h"
#include "registry/scan/python/autocast_kernel.h"
#include "registry/scan/python/returned_name.h"
#include "registry/scan/python/signature.h"

namespace opledger::scan {
namespace {

constexpr char kUndecided[] = "undecided";  // policy of a rule that was not understood

// Returns the string, or the strings of a list or tuple, or the name of an unknown value.
std::vector<std::string> TextsIn(const PythonValue& value) {
  if (value.IsString() || (value.IsUnknown() && !value.text.empty())) return {value.text};
  std::vector<std::string> texts;
  if (!value.IsContainer()) return texts;
  for (const PythonElement& element : value.container->elements) {
    if (element.value.IsString()) texts.push_back(element.value.text);
  }
  return texts;
}

// Returns the dispatch key of a device's kernels: "cuda" -> "CUDA".
std::string DispatchKey(std::string device) {
  const bool lower = std::all_of(device.begin(), device.end(), [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0;
  });
  if (!lower) return device;
  if (device == "default") return "CompositeExplicitAutograd";
  if (device == "meta") return "Meta";
  for (char& c : device) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return device;
}

FieldFact Fact(const std::string& field, std::string key, std::string value) {
  FieldFact fact;
  fact.field = field;
  fact.value.key = std::move(key);
  fact.value.value = std::move(value);
  return fact;
}

// A function and its tree.
struct PlacedFunction {
  const PythonTree* tree = nullptr;
  PythonId id = 0;  // 0 if there is none
};

// Returns the function among the arguments or, if there is none, the decorated one.
PlacedFunction FunctionOf(const PythonEvaluator& evaluator, const PythonArguments& arguments) {
  PlacedFunction function = {&evaluator.tree(), evaluator.decorated()};
  for (const PythonValue& each : arguments.positional) {
    if (each.kind == PythonValue::Kind::kFunction) function = {&each.home->tree(), each.place};
  }
  for (const auto& [name, each] : arguments.keywords) {
    if (each.kind == PythonValue::Kind::kFunction) function = {&each.home->tree(), each.place};
  }
  const PythonKind kind = function.tree->Kind(function.id);
  if (kind != PythonKind::kFunction && kind != PythonKind::kLambda) function.id = 0;
  return function;
}

std::string ReturnedBy(const PlacedFunction& function) {
  return ReturnedName(*function.tree, function.id);
}

void AddFields(const PythonCall& call, const PythonEvaluator& evaluator,
               const PythonArguments& arguments, std::vector<FieldFact>& fields) {
  const PythonSink& sink = *call.sink;
  std::vector<std::string> keys;
  if (const PythonValue* key = ArgumentOf(sink.key, arguments)) keys = TextsIn(*key);
  if (keys.empty() && !call.key.empty()) keys.push_back(call.key);
  if (!sink.returns.empty()) {
    const auto policy = sink.returns.find(ReturnedBy(FunctionOf(evaluator, arguments)));
    fields.push_back(
        Fact(sink.adds, {}, policy == sink.returns.end() ? kUndecided : policy->second));
    return;
  }
  if (sink.key.IsNone()) {
    fields.push_back(Fact(sink.adds, {}, sink.function.substr(sink.function.rfind('.') + 1)));
    return;
  }
  if (sink.dtype.IsNone()) {
    if (keys.empty()) keys.emplace_back("CompositeExplicitAutograd");
    for (const std::string& key : keys) fields.push_back(Fact(sink.adds, DispatchKey(key), {}));
    return;
  }
  const PythonValue* const given = ArgumentOf(sink.dtype, arguments);
  const std::string dtype =
      given == nullptr || !given->IsUnknown() ? "" : DtypeOfPython(given->text);
  const std::string policy = dtype.empty() ? kUndecided : dtype == "float32" ? "fp32" : "target";
  for (const std::string& key : keys) {
    FieldFact fact = Fact(sink.adds, key, policy);
    if (policy == "target") fact.value.details["dtype"] = dtype;
    fields.push_back(std::move(fact));
  }
}

// Adds the devices for which the decorated function is a kernel.
void AddDevices(const std::string& field, const PythonSink& sink, const PythonArguments& arguments,
                std::vector<FieldFact>& fields) {
  if (sink.devices.IsNone() || field.empty()) return;
  std::vector<std::string> devices;
  if (const PythonValue* const given = ArgumentOf(sink.devices, arguments))
    devices = TextsIn(*given);
  if (devices.empty()) devices.emplace_back("default");
  for (const std::string& device : devices) fields.push_back(Fact(field, DispatchKey(device), {}));
}

// Adds the types to which the autocast kernels among the fields cast.
void AddAutocast(const AutocastKernels& autocast, const std::string& op,
                 const PythonEvaluator& evaluator, const PythonArguments& arguments,
                 std::vector<FieldFact>& fields) {
  std::set<std::string> devices;
  for (const FieldFact& field : fields) {
    if (field.field == autocast.field) devices.insert(autocast.DeviceOf(field.value.key));
  }
  devices.erase("");
  if (devices.empty()) return;
  const PlacedFunction function = FunctionOf(evaluator, arguments);
  for (const std::string& device : devices) {
    const std::string dtype = AutocastCast(*function.tree, function.id, op, device);
    if (dtype.empty()) continue;
    FieldFact fact = Fact(autocast.policy, device, dtype == "float32" ? "fp32" : "target");
    if (dtype != "float32" && dtype != kContextType) fact.value.details["dtype"] = dtype;
    fields.push_back(std::move(fact));
  }
}

// Adds the signature of the function among the arguments, or of the decorated one.
void AddSignature(const PythonEvaluator& evaluator, const PythonArguments& arguments,
                  std::vector<FieldFact>& fields) {
  const PlacedFunction function = FunctionOf(evaluator, arguments);
  if (function.tree->Kind(function.id) != PythonKind::kFunction) return;
  std::set<std::string> mutated;
  if (const PythonValue* names = arguments.Keyword("mutates_args")) {
    for (const std::string& name : TextsIn(*names)) mutated.insert(name);
  }
  fields = SignatureFields(*function.tree, function.id, mutated);
}

// Returns the name with its namespace, without arguments.
std::string QualifiedName(const PythonCall& call, const std::string& said) {
  std::string name = call.sink->form == "schema" ? SchemaName(said) : said;
  if (call.receiver == nullptr || name.empty()) return name;
  if (name.find("::") != std::string::npos) return name;
  return call.object.empty() ? "" : call.object + "::" + name;
}

}  // namespace

std::string DtypeOfPython(std::string_view name) {
  static const std::map<std::string_view, std::string_view> kTypes = {{"half", "float16"},
                                                                      {"float16", "float16"},
                                                                      {"bfloat16", "bfloat16"},
                                                                      {"float", "float32"},
                                                                      {"float32", "float32"}};
  const auto found = kTypes.find(name.substr(name.rfind('.') + 1));
  return found == kTypes.end() ? "" : std::string(found->second);
}

PythonRegistration ReadRegistration(const Dialect& dialect, const PythonCall& call,
                                    const PythonEvaluator& evaluator,
                                    const PythonArguments& arguments) {
  const PythonSink& sink = *call.sink;
  PythonRegistration registration;
  registration.said = ArgumentOf(sink.name, arguments);
  const bool of_object = call.receiver != nullptr && call.receiver->is_operator;
  if (of_object && sink.name.IsNone()) {
    registration.name = call.object;
  } else if (registration.said != nullptr) {
    if (registration.said->IsString()) {
      registration.name = QualifiedName(call, registration.said->text);
    }
  } else if (evaluator.decorated() != 0) {
    registration.name = evaluator.tree()[evaluator.decorated()].text;
  }
  if (!sink.adds.empty()) {
    AddFields(call, evaluator, arguments, registration.fields);
    AddAutocast(dialect.autocast_kernels, registration.name, evaluator, arguments,
                registration.fields);
    return registration;
  }
  const PythonValue* const schema = ArgumentOf(sink.schema, arguments);
  if (schema != nullptr && schema->IsString()) {
    registration.fields = SchemaFields(schema->text);
  } else if (sink.form == "schema" && registration.said != nullptr) {
    registration.fields = SchemaFields(registration.said->text);
  } else if (sink.signature) {
    AddSignature(evaluator, arguments, registration.fields);
  }
  AddDevices(dialect.device_kernels.field, sink, arguments, registration.fields);
  return registration;
}

}  // namespace opledger::scan
