// The registry of kernels, filled before main by registrations in other files.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel/kernel.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <set>
#include <utility>

#include "kernels/machine/memory_limit.h"

namespace opledger {
namespace {

constexpr std::string_view kImplementations[] = {"reference", "vector", "oneDNN"};

// A function-local static, because registrations are static objects of other files.
std::deque<KernelEntry>& Declared() {
  static std::deque<KernelEntry> entries;
  return entries;
}

std::string NamesOf(const std::vector<Dtype>& dtypes) {
  std::string names;
  for (const Dtype dtype : dtypes)
    names += (names.empty() ? "" : ", ") + std::string(DtypeName(dtype));
  return names;
}

// Returns whether the planner adds the parameter to calls (fused_call.h, fusion.cpp), so that it
// does not belong to the operator.
bool IsOfPlanning(std::string_view parameter) {
  return parameter == "fused" || parameter == "channels_last" ||
         parameter.starts_with("activation");
}

// Returns the parameters that the kernels of a name declare, without their values.
const std::set<std::string_view>& ParametersOf(std::string_view name) {
  static const auto parameters = [] {
    std::map<std::string_view, std::set<std::string_view>> all;
    for (const KernelEntry& entry : Declared()) {
      for (const std::string_view said : entry.parameters()) {
        all[entry.name()].insert(said.substr(0, said.find(':')));
      }
    }
    return all;
  }();
  static const std::set<std::string_view> kNothing;
  const auto found = parameters.find(name);
  return found == parameters.end() ? kNothing : found->second;
}

// Returns the first parameter in `read` that no kernel of the name declares, or an empty string.
std::string UndeclaredOf(std::string_view name, const std::set<std::string, std::less<>>& read) {
  const std::set<std::string_view>& declared = ParametersOf(name);
  for (const std::string& parameter : read) {
    // "scale0", "scale1": one for each dimension.
    const std::size_t end = parameter.find_last_not_of("0123456789") + 1;
    if (IsOfPlanning(parameter) || declared.contains(parameter)) continue;
    if (!declared.contains(std::string_view(parameter).substr(0, end))) return parameter;
  }
  return {};
}

}  // namespace

Prepared Refuse(Status why) {
  Prepared prepared;
  prepared.refusal = std::move(why);
  return prepared;
}

KernelEntry& DeclareKernel(const char* name, const char* device) {
  return Declared().emplace_back(name, device);
}

KernelEntry& KernelEntry::Types(const char* variable, std::vector<Dtype> dtypes,
                                std::size_t input) {
  variables_.push_back({variable, std::move(dtypes), input});
  return *this;
}

KernelEntry& KernelEntry::Accumulates(Dtype dtype) {
  accumulates_ = dtype;
  return *this;
}

KernelEntry& KernelEntry::ErrorBound(const char* bound) {
  error_bound_ = bound;
  return *this;
}

KernelEntry& KernelEntry::Reads(const char* parameter) {
  parameters_.push_back(parameter);
  return *this;
}

KernelEntry& KernelEntry::Refuses(const char* reason, bool (*refuses)(const Call&)) {
  limits_.push_back({reason, refuses});
  return *this;
}

KernelEntry& KernelEntry::Elementwise() {
  properties_.elementwise = true;
  return *this;
}

KernelEntry& KernelEntry::Fusable(double alpha, double beta) {
  properties_.fusable = true;
  properties_.alpha = alpha;
  properties_.beta = beta;
  return *this;
}

KernelEntry& KernelEntry::Fuses(FusedChannel channel) {
  properties_.fuses = channel;
  return *this;
}

KernelEntry& KernelEntry::ChannelsLast(ChannelsLastUse use) {
  properties_.channels_last = use;
  return *this;
}

KernelEntry& KernelEntry::Rounds(Rounding rounding) {
  properties_.rounding = rounding;
  return *this;
}

Rounding KernelEntry::rounding() const {
  if (properties_.rounding != Rounding::kUnsaid) return properties_.rounding;
  if (properties_.fuses != FusedChannel::kNone) return Rounding::kAtTheEnd;
  if (!properties_.elementwise) return Rounding::kUnsaid;
  const bool exact = std::string_view(error_bound_) == "exact" && parameters_.empty();
  return exact ? Rounding::kNone : Rounding::kAtTheEnd;
}

KernelEntry& KernelEntry::By(const char* implementation) {
  const auto* found =
      std::find(std::begin(kImplementations), std::end(kImplementations), implementation);
  if (found == std::end(kImplementations)) std::abort();  // misspelled in the registration
  implementation_ = static_cast<Implementation>(found - std::begin(kImplementations));
  return *this;
}

std::string_view KernelEntry::implementation_name() const {
  if (std::string_view(device_) != "cpu") return device_;
  return kImplementations[static_cast<std::size_t>(implementation_)];
}

KernelEntry& KernelEntry::Run(Prepare prepare) {
  prepare_ = prepare;
  return *this;
}

Kernel KernelEntry::Declaration() const {
  Kernel kernel;
  kernel.device = device_;
  const auto say = [&](const char* name, const std::string& said) {
    std::string& text = kernel.details[name];
    text += (text.empty() ? "" : "; ") + said;
  };
  for (const Variable& variable : variables_) {
    std::vector<std::string>& names = kernel.types[variable.name].dtypes;
    for (const Dtype dtype : variable.dtypes) names.emplace_back(DtypeName(dtype));
    std::sort(names.begin(), names.end());
    if (variable.input != 0) say("input", std::to_string(variable.input));
  }
  if (accumulates_) say("accumulate", DtypeName(*accumulates_));
  if (*error_bound_ != '\0') say("error_bound", error_bound_);
  for (const char* parameter : parameters_) say("parameters", parameter);
  for (const Limit& limit : limits_) say("refuses", limit.reason);
  if (implementation_ != Implementation::kReference) {
    say("implementation", std::string(implementation_name()));
  }
  return kernel;
}

Prepared KernelEntry::PrepareCall(const Call& call) const {
  const ParameterReads reads;
  for (const Limit& limit : limits_) {
    if (limit.refuses(call)) return Refuse(limit.reason);
  }
  Prepared prepared = prepare_(call);
  if (implementation_name() != "reference")
    return prepared;  // parameters are those of the reference
  const std::string undeclared = UndeclaredOf(name_, reads.names());
  if (!undeclared.empty()) {
    return Refuse("it reads the parameter '" + undeclared + "' and does not declare it");
  }
  return prepared;
}

const TensorType& MissingInput(std::size_t input, std::optional<std::size_t>& missing) {
  static const TensorType kNumber{Dtype::kFloat32, {}};
  if (!missing) missing = input;
  return kNumber;
}

std::string MissingText(std::size_t input) {
  return "its input " + std::to_string(input) + " is missing";
}

Prepared KernelEntry::Serve(const Call& call) const {
  for (const Variable& variable : variables_) {
    if (!call.Has(variable.input)) continue;
    const Dtype dtype = call.Input(variable.input).dtype;
    if (std::find(variable.dtypes.begin(), variable.dtypes.end(), dtype) == variable.dtypes.end()) {
      const std::string why = NotComputed(dtype);
      if (!why.empty()) return Refuse("its input is " + std::string(DtypeName(dtype)) + ": " + why);
      return Refuse(std::string(variable.name) + " is " + DtypeName(dtype) + ", the kernel takes " +
                    NamesOf(variable.dtypes));
    }
  }
  Prepared prepared = PrepareCall(call);
  if (call.missing) return Refuse(MissingText(*call.missing));
  for (const TensorType& output : prepared.outputs) {
    if (!prepared.refusal.ok()) break;
    if (!CheckSize(output)) {
      return Refuse(OutputProblem(output));
    }
  }
  if (prepared.refusal.ok() && prepared.workspace > MemoryLeft()) {
    return Refuse("it needs a workspace of " + TooMuchMemory(prepared.workspace));
  }
  return prepared;
}

const std::map<std::string_view, std::vector<const KernelEntry*>>& Kernels() {
  static const auto kernels = [] {
    std::map<std::string_view, std::vector<const KernelEntry*>> by_name;
    for (const KernelEntry& entry : Declared()) by_name[entry.name()].push_back(&entry);
    for (auto& [name, entries] : by_name) {
      std::stable_sort(entries.begin(), entries.end(), [](const auto* a, const auto* b) {
        if (a->implementation() != b->implementation()) {
          return a->implementation() > b->implementation();
        }
        return a->device() != "cpu" && b->device() == "cpu";
      });
    }
    return by_name;
  }();
  return kernels;
}

namespace {

// Returns N of "cuda:N" or "cuda-only:N", otherwise nullopt.
std::optional<int> DeviceNumber(std::string_view device) {
  const std::size_t colon = device.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view name = device.substr(0, colon);
  const std::string_view digits = device.substr(colon + 1);
  if ((name != "cuda" && name != "cuda-only") || digits.empty() || digits.front() == '-') {
    return std::nullopt;
  }
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

}  // namespace

KernelChoice ChoiceFor(std::string_view device) {
  const int number = DeviceNumber(device).value_or(0);
  const std::string_view name = device.substr(0, device.find(':'));
  const bool only = name == "cuda-only";
  return {false, only ? "cuda" : name, only, number};
}

bool IsNumberedDevice(std::string_view device) { return DeviceNumber(device).has_value(); }

ChosenKernel ChooseKernel(std::string_view name, const Call& call, const KernelChoice& choice,
                          std::vector<RefusedKernel>* refused) {
  const auto found = Kernels().find(name);
  ChosenKernel chosen;
  if (found == Kernels().end()) {
    chosen.prepared.refusal = {StatusCode::kNoKernel,
                               "there is no kernel '" + std::string(name) + "'"};
    return chosen;
  }
  chosen.prepared.refusal = {StatusCode::kNoKernel, "there is no kernel '" + std::string(name) +
                                                        "' for " + std::string(choice.device)};
  for (const KernelEntry* entry : found->second) {
    if (entry->device() != choice.device) continue;
    if (choice.reference_only && entry->implementation() != Implementation::kReference) continue;
    chosen.prepared = entry->Serve(call);
    if (chosen.prepared.refusal.ok()) {
      chosen.entry = entry;
      return chosen;
    }
    if (refused != nullptr) refused->push_back({entry, chosen.prepared.refusal.message});
  }
  return chosen;
}

}  // namespace opledger
