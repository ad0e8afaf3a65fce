// Reads the bounds of kernel_bound.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/merge/kernel_element_types.h"

#include <algorithm>
#include <charconv>

#include "registry/scan/outline/kernel_bound.h"
#include "registry/text/glob.h"
#include "registry/text/text.h"

namespace opledger::scan {
namespace {

constexpr int kMaxFunctionDepth = 100;     // functions that call each other
constexpr std::size_t kMaxCalls = 10'000;  // of one answer
const std::vector<std::string> kFloats{"bfloat16", "float16", "float32", "float64"};

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
  Caller next{caller_.path, caller_.device, {true}, caller_.depth};
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

// Of all functions of the name that it may be: those of the caller's file, else those of the
// device.
KernelElementTypes::Types KernelElementTypes::Of(const std::string& name, const Caller& caller,
                                                 bool drop_first) {
  const auto found = functions_.find(name);
  if (found == functions_.end()) return std::nullopt;
  const bool registered = registered_.contains(name);
  Caller next = caller;
  if (registered && drop_first && next.same.size() > 1) next.same.erase(next.same.begin() + 1);
  const Call call(name, caller.path, next.same);
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
    if (!all.empty()) break;
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
                                                const std::string& device) {
  if (how_.prefix.empty() || function.empty()) return {};
  const Caller caller{{}, device, std::vector<bool>(64, true)};
  std::string name = function;
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
