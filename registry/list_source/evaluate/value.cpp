// Values of a Python module's constants; see value.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/list_source/evaluate/value.h"

#include <charconv>

namespace opledger {
namespace {

constexpr int kDeepestHash = 16;

std::string HashWithin(const PythonValue& value, int depth) {
  using Kind = PythonValue::Kind;
  const auto framed = [](char kind, std::string_view text) {
    return kind + std::to_string(text.size()) + ":" + std::string(text);
  };
  if (value.kind == Kind::kString) return framed('s', value.text);
  if (value.kind == Kind::kConstant) return framed('c', value.text);
  if (value.kind == Kind::kNumber) {
    long long number = 0;
    return framed('n', PythonInteger(value, number) ? std::to_string(number) : value.text);
  }
  if (!value.IsContainer() || depth == kDeepestHash) return {};
  const PythonContainer& container = *value.container;
  if (container.kind != PythonContainer::Kind::kTuple || !container.problems.empty()) return {};
  std::string out = "t" + std::to_string(container.elements.size());
  for (const PythonElement& element : container.elements) {
    const std::string hash = HashWithin(element.value, depth + 1);
    if (hash.empty() || !element.feature.IsAlways() || out.size() > 10000) return {};
    out += "," + hash;
  }
  return out;
}

}  // namespace

PythonBinding* PythonScope::Find(std::string_view name) {
  const auto found = numbers.find(name);
  return found == numbers.end() ? nullptr : &bindings[found->second];
}

PythonBinding& PythonScope::Make(std::string_view name, PythonId place) {
  if (PythonBinding* binding = Find(name)) return *binding;
  numbers.emplace(name, bindings.size());
  PythonBinding& binding = bindings.emplace_back();
  binding.name = name;
  binding.place = place;
  binding.bound = false;
  return binding;
}

std::string PythonHash(const PythonValue& value) { return HashWithin(value, 0); }

bool PythonInteger(const PythonValue& value, long long& out) {
  if (value.kind != PythonValue::Kind::kNumber) return false;
  std::string digits;
  for (const char c : value.text) {
    if (c != '_') digits += c;
  }
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, out);
  return error == std::errc() && rest == end;
}

}  // namespace opledger
