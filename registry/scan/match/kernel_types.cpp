// A spelling is looked up whole, then without its namespaces.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/match/kernel_types.h"

#include <algorithm>

namespace opledger::scan {
namespace {

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Where the text outside of all brackets has `wanted` first; npos: nowhere.
std::size_t OutsideBrackets(std::string_view text, char wanted) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (depth == 0 && text[at] == wanted) return at;
    depth += std::string_view("<({[").find(text[at]) != std::string_view::npos;
    depth -= std::string_view(">)}]").find(text[at]) != std::string_view::npos;
  }
  return std::string_view::npos;
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

void AddKernelTypes(const Dialect& dialect, std::string_view text, KernelTypes& types) {
  text = Trimmed(text);
  if (text.size() >= 2 && text.front() == '{' && text.back() == '}') {
    text = Trimmed(text.substr(1, text.size() - 2));
    while (!text.empty()) {
      const std::size_t comma = std::min(OutsideBrackets(text, ','), text.size());
      AddOne(dialect, text.substr(0, comma), types);
      text.remove_prefix(std::min(comma + 1, text.size()));
      text = Trimmed(text);
    }
  } else {
    AddOne(dialect, text, types);
  }
  if (!types.unread.empty()) types.dtypes.clear();
  std::sort(types.dtypes.begin(), types.dtypes.end());
  types.dtypes.erase(std::unique(types.dtypes.begin(), types.dtypes.end()), types.dtypes.end());
}

}  // namespace opledger::scan
