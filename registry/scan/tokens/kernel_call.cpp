// Looks up the spelling of a type, first in full and then without namespaces.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tokens/kernel_call.h"

#include <algorithm>
#include <optional>

#include "registry/scan/facts/facts.h"
#include "registry/text/sort_unique.h"
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

// Returns the offset after the '>' that closes the '<' at `open`; 0 if it is not closed.
std::size_t AngleEnd(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    depth += text[at] == '<' || text[at] == '(';
    depth -= text[at] == '>' || text[at] == ')';
    if (depth == 0) return at + 1;
  }
  return 0;
}

// "EnumToDataType<DT_HALF>::Type" -> "DT_HALF"; returns "" if this is not such a trait.
std::string_view ArgumentsOfTrait(const std::vector<std::string>& traits, std::string_view text) {
  const std::size_t open = text.find('<');
  if (open == std::string_view::npos) return {};
  const std::size_t end = AngleEnd(text, open);
  if (end == 0 || text.find_first_of(",{}|", end) != std::string_view::npos) return {};
  const std::string_view trait = LastComponent(text.substr(0, open));
  if (std::find(traits.begin(), traits.end(), trait) == traits.end()) return {};
  return text.substr(open + 1, end - open - 2);
}

// Returns the list in an initializer: std::vector<Type>{a, b} or Types({a, b}) -> a, b. Returns
// nullopt if there is none.
std::optional<std::string_view> ListOf(std::string_view text) {
  const std::size_t open = text.find('{');
  if (open == std::string_view::npos) return std::nullopt;
  const std::string_view close = open > 0 && text[open - 1] == '(' ? "})" : "}";
  const std::string_view before = text.substr(0, open + 1 - close.size());
  if (!text.ends_with(close) || text.size() < open + 1 + close.size()) return std::nullopt;
  if (before.find_first_of("(),|") != std::string_view::npos) return std::nullopt;
  return text.substr(open + 1, text.size() - open - 1 - close.size());
}

constexpr int kMaxNameDepth = 16;  // names of names

class TypeReader {
 public:
  TypeReader(const Dialect& dialect, TypeLists& lists, KernelTypes& types)
      : dialect_(dialect), lists_(lists), types_(types) {}

  void Add(std::string_view text, int depth = 0);

 private:
  void AddAll(std::string_view text, char separator, int depth);
  bool AddKnown(std::string_view text);

  const Dialect& dialect_;
  TypeLists& lists_;
  KernelTypes& types_;
};

// The list may end with a comma.
void TypeReader::AddAll(std::string_view text, char separator, int depth) {
  std::vector<std::string_view> parts = SplitOutsideBrackets(Trimmed(text), separator);
  if (!parts.empty() && Trimmed(parts.back()).empty()) parts.pop_back();
  for (const std::string_view part : parts) Add(part, depth);
}

bool TypeReader::AddKnown(std::string_view text) {
  const auto& names = dialect_.types.names;
  auto known = names.find(std::string(text));
  if (known == names.end()) known = names.find(std::string(LastComponent(text)));
  if (known == names.end()) return false;
  if (known->second.empty()) {
    types_.dtypes.push_back(known->first);
  } else {
    types_.dtypes.insert(types_.dtypes.end(), known->second.begin(), known->second.end());
  }
  return true;
}

void TypeReader::Add(std::string_view text, int depth) {
  text = Trimmed(text);
  for (const std::string_view word : {"typename ", "const ", "::"}) {
    if (text.starts_with(word)) text.remove_prefix(word.size());
  }
  if (depth < kMaxNameDepth && SplitOutsideBrackets(text, '|').size() > 1) {
    return AddAll(text, '|', depth + 1);
  }
  if (AddKnown(text)) return;
  if (depth == kMaxNameDepth) lists_.NoteCut();
  if (depth < kMaxNameDepth) {
    if (const std::optional<std::string_view> list = ListOf(text)) {
      return AddAll(*list, ',', depth + 1);
    }
    const std::string_view inner = ArgumentsOfTrait(dialect_.kernels.type_traits, text);
    if (!inner.empty()) return AddAll(inner, ',', depth + 1);
    const std::string_view meant = lists_.Find(LastComponent(text));
    if (!meant.empty()) return Add(meant, depth + 1);
  }
  if (types_.unread.find(text) != std::string::npos && !text.empty()) return;
  if (!types_.unread.empty()) types_.unread += ", ";
  types_.unread += text.empty() ? "nothing" : text;
}

}  // namespace

void AddKernelTypes(const Dialect& dialect, TypeLists& lists, std::string_view text,
                    KernelTypes& types) {
  TypeReader(dialect, lists, types).Add(text);
  SortUnique(types.dtypes);
}

std::string DeviceOf(const Dialect& dialect, TokenSpan argument) {
  const std::string text = StringValue(argument).value_or(DenseText(argument));
  const std::string last(LastComponent(text));
  auto known = dialect.kernels.devices.find(last);
  return known == dialect.kernels.devices.end() ? last : known->second;
}

namespace {

// Returns a constant string, a known type, or the argument's text.
std::string DetailOf(const Dialect& dialect, TypeLists& lists, TokenSpan argument) {
  if (std::optional<std::string> text = StringValue(argument)) return *text;
  KernelTypes types;
  AddKernelTypes(dialect, lists, DenseText(argument), types);
  if (!types.unread.empty() || types.dtypes.empty()) return CanonicalText(argument);
  std::string all;
  for (const std::string& dtype : types.dtypes) all += (all.empty() ? "" : ", ") + dtype;
  return all;
}

}  // namespace

std::string KernelKey(std::span<const TokenSpan> arguments, const std::vector<int>& indices) {
  std::string key;
  for (const int index : indices) {
    if (static_cast<std::size_t>(index) >= arguments.size()) return {};
    if (!key.empty()) key += ' ';
    key += CanonicalText(arguments[static_cast<std::size_t>(index)]);
  }
  return key;
}

void AddKernelCall(const Dialect& dialect, TypeLists& lists, const KernelCall& call,
                   const std::vector<TokenSpan>& templates, const std::vector<TokenSpan>& arguments,
                   Kernel& kernel) {
  if (!call.on.empty()) kernel.device = call.on;
  if (TokenSpan device = ArgumentAt(arguments, call.device); !device.empty()) {
    kernel.device = DeviceOf(dialect, device);
  }
  if (TokenSpan label = ArgumentAt(arguments, call.label); !label.empty()) {
    const std::string text = StringValue(label).value_or(DenseText(label));
    auto constant = dialect.constants.find(std::string(LastComponent(text)));
    kernel.label = constant == dialect.constants.end() ? text : constant->second;
  }
  if (!call.key.empty()) kernel.details[std::string(kTableKey)] = KernelKey(arguments, call.key);
  if (const TokenSpan function = ArgumentAt(arguments, call.function); !function.empty()) {
    kernel.details[std::string(kFunctionOfKernel)] = DenseText(function);
  }
  for (const auto& [name, index] : call.details) {
    TokenSpan detail = ArgumentAt(arguments, index);
    if (detail.empty()) continue;
    std::string& text = kernel.details[name];
    text += (text.empty() ? "" : "; ") + DetailOf(dialect, lists, detail);
  }
  const bool trailing =
      call.dtypes >= 0 && static_cast<std::size_t>(call.dtypes) < arguments.size();
  if (!call.templates && !trailing && call.dtype_arguments.empty()) return;
  const TokenSpan variable = ArgumentAt(arguments, call.variable);
  KernelTypes& types =
      kernel.types[StringValue(variable).value_or(variable.empty() ? "" : CanonicalText(variable))];
  types = {};
  for (TokenSpan type : templates) {
    if (call.templates) AddKernelTypes(dialect, lists, DenseText(type), types);
  }
  for (const int index : call.dtype_arguments) {
    const TokenSpan type = ArgumentAt(arguments, index);
    if (!type.empty()) AddKernelTypes(dialect, lists, DenseText(type), types);
  }
  for (std::size_t i = 0; trailing && i < arguments.size(); ++i) {
    if (static_cast<int>(i) < call.dtypes) continue;
    const std::string written = DenseText(arguments[i]);
    AddKernelTypes(dialect, lists, written, types);
    if (written.starts_with('{')) break;  // a list is complete; the rest are other arguments
  }
}

}  // namespace opledger::scan
