// A spelling of a type is looked up whole, then without its namespaces.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/match/kernel_call.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "registry/text/text.h"

namespace opledger::scan {
namespace {

std::string_view LastComponent(std::string_view name) {
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at + 1 < name.size(); ++at) {
    depth += name[at] == '<';
    depth -= name[at] == '>';
    if (depth == 0 && name[at] == ':' && name[at + 1] == ':') begin = at + 2;
  }
  return name.substr(begin);
}

bool IsWordByte(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The tokens as one text, with a space between words only; what stands in braces included.
std::string Dense(TokenSpan tokens) {
  std::string text;
  for (const TextToken& token : tokens) {
    if (token.text.empty()) continue;
    if (!text.empty() && IsWordByte(text.back()) && IsWordByte(token.text[0])) text += ' ';
    text += token.text;
  }
  return text;
}

// "EnumToDataType<DT_HALF>::Type" -> "DT_HALF"; empty: it is no such trait.
std::string_view ArgumentOfTrait(const std::vector<std::string>& traits, std::string_view text) {
  const std::size_t open = text.find('<');
  const std::size_t close = text.rfind('>');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  const std::string_view trait = LastComponent(text.substr(0, open));
  if (std::find(traits.begin(), traits.end(), trait) == traits.end()) return {};
  return text.substr(open + 1, close - open - 1);
}

void AddOne(const Dialect& dialect, std::string_view text, KernelTypes& types) {
  text = Trimmed(text);
  if (text.starts_with("typename ")) text.remove_prefix(9);
  if (text.starts_with("::")) text.remove_prefix(2);
  const auto& names = dialect.types.names;
  auto known = names.find(std::string(text));
  if (known == names.end()) known = names.find(std::string(LastComponent(text)));
  if (known == names.end()) {
    const std::string_view inner = ArgumentOfTrait(dialect.kernels.type_traits, text);
    if (!inner.empty()) return AddOne(dialect, inner, types);
    types.unread = text.empty() ? "nothing" : text;
  } else if (known->second.empty()) {
    types.dtypes.push_back(known->first);
  } else {
    types.dtypes.insert(types.dtypes.end(), known->second.begin(), known->second.end());
  }
}

}  // namespace

void AddKernelTypes(const Dialect& dialect, std::string_view text, KernelTypes& types) {
  text = Trimmed(text);
  if (text.size() >= 2 && text.front() == '{' && text.back() == '}') {
    // A comma may stand behind the last one.
    std::vector<std::string_view> parts =
        SplitOutsideBrackets(Trimmed(text.substr(1, text.size() - 2)), ',');
    if (!parts.empty() && Trimmed(parts.back()).empty()) parts.pop_back();
    for (const std::string_view part : parts) AddOne(dialect, part, types);
  } else {
    AddOne(dialect, text, types);
  }
  if (!types.unread.empty()) types.dtypes.clear();
  std::sort(types.dtypes.begin(), types.dtypes.end());
  types.dtypes.erase(std::unique(types.dtypes.begin(), types.dtypes.end()), types.dtypes.end());
}

namespace {

std::string DeviceOf(const Dialect& dialect, TokenSpan argument) {
  const std::string text = StringValue(argument).value_or(Dense(argument));
  const std::string last(LastComponent(text));
  auto known = dialect.kernels.devices.find(last);
  return known == dialect.kernels.devices.end() ? last : known->second;
}

// A constant string, one of our types, or the argument's text.
std::string DetailOf(const Dialect& dialect, TokenSpan argument) {
  if (std::optional<std::string> text = StringValue(argument)) return *text;
  KernelTypes types;
  AddKernelTypes(dialect, Dense(argument), types);
  if (!types.unread.empty() || types.dtypes.empty()) return CanonicalText(argument);
  std::string all;
  for (const std::string& dtype : types.dtypes) all += (all.empty() ? "" : ", ") + dtype;
  return all;
}

}  // namespace

void AddKernelCall(const Dialect& dialect, const KernelCall& call,
                   const std::vector<TokenSpan>& templates, const std::vector<TokenSpan>& arguments,
                   Kernel& kernel) {
  if (!call.on.empty()) kernel.device = call.on;
  if (TokenSpan device = ArgumentAt(arguments, call.device); !device.empty()) {
    kernel.device = DeviceOf(dialect, device);
  }
  if (TokenSpan label = ArgumentAt(arguments, call.label); !label.empty()) {
    const std::string text = StringValue(label).value_or(Dense(label));
    auto constant = dialect.constants.find(std::string(LastComponent(text)));
    kernel.label = constant == dialect.constants.end() ? text : constant->second;
  }
  for (const auto& [name, index] : call.details) {
    TokenSpan detail = ArgumentAt(arguments, index);
    if (detail.empty()) continue;
    std::string& text = kernel.details[name];
    text += (text.empty() ? "" : "; ") + DetailOf(dialect, detail);
  }
  const bool trailing =
      call.dtypes >= 0 && static_cast<std::size_t>(call.dtypes) < arguments.size();
  if (!call.templates && !trailing && call.dtype_arguments.empty()) return;
  const TokenSpan variable = ArgumentAt(arguments, call.variable);
  KernelTypes& types =
      kernel.types[StringValue(variable).value_or(variable.empty() ? "" : CanonicalText(variable))];
  types = {};
  for (TokenSpan type : templates) {
    if (call.templates) AddKernelTypes(dialect, Dense(type), types);
  }
  for (const int index : call.dtype_arguments) {
    const TokenSpan type = ArgumentAt(arguments, index);
    if (!type.empty()) AddKernelTypes(dialect, Dense(type), types);
  }
  for (std::size_t i = 0; trailing && i < arguments.size(); ++i) {
    if (static_cast<int>(i) < call.dtypes) continue;
    const std::string written = Dense(arguments[i]);
    AddKernelTypes(dialect, written, types);
    if (written.starts_with('{')) break;  // a list is complete: what follows says something else
  }
}

}  // namespace opledger::scan
