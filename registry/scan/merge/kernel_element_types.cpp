// Evaluates the bounds that kernel_bound.h describes.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/merge/kernel_element_types.h"

#include <algorithm>
#include <charconv>

#include "registry/scan/outline/kernel_bound.h"
#include "registry/text/glob.h"

namespace opledger::scan {
namespace {

constexpr int kMaxFunctionDepth = 100;     // nested calls of functions
constexpr std::size_t kMaxCalls = 10'000;  // per answer
const std::vector<std::string> kFloats{"bfloat16", "float16", "float32", "float64"};

// "Class::f" -> "Class"; returns "" for a name without a class.
std::string ClassOf(std::string_view name) {
  const std::size_t colons = name.find("::");
  return colons == std::string_view::npos ? std::string() : std::string(name.substr(0, colons));
}

// "&ns::Class<float, A<B>>::f<U>" -> "Class::f".
std::string WithoutArguments(std::string_view written) {
  std::string plain;
  int depth = 0;
  for (const char c : written) {
    depth += c == '<' ? 1 : 0;
    if (depth == 0 && c != '&' && c != ' ') plain += c;
    depth -= c == '>' ? 1 : 0;
  }
  const std::size_t last = plain.rfind("::");
  if (last == std::string::npos || last == 0) return plain.substr(last == 0 ? 2 : 0);
  const std::size_t before = plain.rfind("::", last - 1);
  return before == std::string::npos ? plain : plain.substr(before + 2);
}

}  // namespace

class KernelElementTypes::BoundReader {
 public:
  BoundReader(KernelElementTypes& all, const Caller& caller, std::string_view bound)
      : all_(all), caller_(caller), rest_(bound) {}

  Types Read();

 private:
  std::string_view Word() {
    const std::size_t end = std::min(rest_.find(' '), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return word;
  }
  std::size_t Number() {
    std::size_t number = 0;
    const std::string_view word = Word();
    std::from_chars(word.data(), word.data() + word.size(), number);
    return std::min(number, rest_.size());
  }
  bool IsSame(std::string_view parameter) const {
    std::size_t number = 0;
    if (parameter == "-") return false;
    if (parameter.starts_with(kResult)) {
      if (!caller_.results) return false;
      parameter.remove_prefix(1);
    }
    std::from_chars(parameter.data(), parameter.data() + parameter.size(), number);
    return number < caller_.same.size() && caller_.same[number];
  }
  Types Limit();
  Types Call();
  Types Several(bool all);

  KernelElementTypes& all_;
  const Caller& caller_;
  std::string_view rest_;
};

KernelElementTypes::Types KernelElementTypes::BoundReader::Limit() {
  const bool same = IsSame(Word());
  std::set<std::string> types;
  for (std::size_t left = Number(); left > 0; --left) types.emplace(Word());
  return same ? Types(types) : std::nullopt;
}

KernelElementTypes::Types KernelElementTypes::BoundReader::Call() {
  const std::string name(Word());
  Caller next{caller_.path, caller_.of_class, caller_.device,
              {true},       caller_.results,  caller_.depth};
  for (std::size_t left = Number(); left > 0; --left) next.same.push_back(IsSame(Word()));
  return all_.Of(name, next, true);
}

KernelElementTypes::Types KernelElementTypes::BoundReader::Several(bool all) {
  Types sum;
  bool any = false;
  bool first = true;
  for (std::size_t left = Number(); left > 0; --left) {
    const Types one = Read();
    if (!one) {
      any = true;
    } else if (first || !sum) {
      sum = one;
    } else if (all) {
      std::erase_if(*sum, [&](const std::string& type) { return !one->contains(type); });
    } else {
      sum->insert(one->begin(), one->end());
    }
    first = false;
  }
  return any && !all ? std::nullopt : sum;
}

KernelElementTypes::Types KernelElementTypes::BoundReader::Read() {
  const std::string_view what = Word();
  if (what == "t") return Limit();
  if (what == "c") return Call();
  if (what == "&") return Several(true);
  if (what == "|") return Several(false);
  if (what == "=") return all_.Of(std::string(Word()), caller_, false);
  if (what == kCutBound) all_.cut_ = true;
  return std::nullopt;
}

bool KernelElementTypes::Add(const std::string& path,
                             const std::vector<KernelFunction>& functions) {
  if (functions.empty()) return true;
  const std::string of_file = DeviceOf(path);
  bool all = true;
  for (const KernelFunction& function : functions) {
    if (function.name.empty()) {
      all = false;
      continue;
    }
    const bool registration = !function.device.empty();
    const bool by_file = !registration || function.device == kDeviceOfFile;
    if (std::string of_class = ClassOf(function.name); !of_class.empty()) {
      classes_.insert(std::move(of_class));
    }
    functions_[function.name].push_back(
        {path, by_file ? of_file : function.device, function.bound});
    if (registration) registered_.insert(function.name);
  }
  return all;
}

std::string KernelElementTypes::DeviceOf(const std::string& path) const {
  std::string_view longest;
  std::string of;
  for (const auto& [glob, device] : how_.paths) {
    if (glob.size() < longest.size() || !GlobMatch(glob, path)) continue;
    longest = glob;
    of = device;
  }
  return of;
}

// Returns the key of the function that the caller names; "" if the function is not known. Members
// of classes are stored as Class::f, all other functions as f, regardless of their namespace.
std::string KernelElementTypes::Known(const std::string& name, const Caller& caller) const {
  const std::size_t colons = name.find("::");
  if (colons == std::string::npos && !caller.of_class.empty()) {
    std::string member = caller.of_class + "::" + name;
    if (functions_.contains(member)) return member;
  }
  if (functions_.contains(name)) return name;
  if (colons == std::string::npos) return {};
  const std::string qualifier = name.substr(0, colons);
  const bool names_class = classes_.contains(qualifier) ||
                           std::isupper(static_cast<unsigned char>(qualifier.front())) != 0;
  const std::string function = name.substr(colons + 2);
  return !names_class && functions_.contains(function) ? function : std::string();
}

// Joins the types of all functions that the name may refer to: those of the caller's file or, if
// there are none, those of the device.
KernelElementTypes::Types KernelElementTypes::Of(const std::string& called, const Caller& caller,
                                                 bool drop_first) {
  const std::string name = Known(called, caller);
  const auto found = functions_.find(name);
  if (found == functions_.end()) return std::nullopt;
  const bool registered = registered_.contains(name);
  // A class may inherit the function from a base; then functions of other files are not meant.
  const bool own_only = !caller.of_class.empty() && called.find("::") == std::string::npos &&
                        name == called && !registered;
  Caller next = caller;
  next.of_class = ClassOf(name);
  if (registered && drop_first && next.same.size() > 1) next.same.erase(next.same.begin() + 1);
  const Call call(name, caller.path, next.same, own_only);
  if (const auto known = known_.find(call); known != known_.end()) return known->second;
  if (caller.depth > kMaxFunctionDepth || known_.size() >= kMaxCalls) {
    cut_ = true;
    return std::nullopt;
  }
  known_.emplace(call, std::nullopt);
  ++next.depth;
  std::vector<const Function*> all;
  for (const bool own : {true, false}) {
    for (const Function& function : found->second) {
      const bool fits = function.device.empty() || function.device == caller.device;
      if (fits && (!own || (function.path == caller.path && !registered))) all.push_back(&function);
    }
    if (!all.empty() || own_only) break;
  }
  Types sum;
  for (const Function* function : all) {
    next.path = function->path;
    const Types one = BoundReader(*this, next, function->bound).Read();
    if (!one) return std::nullopt;
    if (!sum) sum.emplace();
    sum->insert(one->begin(), one->end());
  }
  known_[call] = sum;
  return sum;
}

std::vector<std::string> KernelElementTypes::Of(const std::string& function,
                                                const std::string& device, bool same_results) {
  if (how_.prefixes.empty() || function.empty()) return {};
  std::vector<bool> same(64, how_.operand == 0);
  same[static_cast<std::size_t>(how_.operand)] = true;
  const Caller caller{{}, {}, device, std::move(same), same_results};
  std::string name = WithoutArguments(function);
  known_.clear();
  cut_ = false;
  for (const std::string& macro : how_.functions) {
    if (functions_.contains(macro + " " + function)) name = macro + " " + function;
  }
  const Types types = Of(name, caller, false);
  std::vector<std::string> floats;
  for (const std::string& type : kFloats) {
    if (types && types->contains(type)) floats.push_back(type);
  }
  return floats;
}

}  // namespace opledger::scan
