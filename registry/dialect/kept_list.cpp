// Chooses the lists that a framework maintains. A place that moved between versions is represented
// by two lists with the same label.
// SPDX-License-Identifier: Apache-2.0
#include "registry/dialect/kept_list.h"

#include <algorithm>

#include "registry/json/json_write.h"

namespace opledger {
namespace {

// Formats an array of objects as in the dialect, with one object per line, indented for a list.
std::string Indented(const std::string& json) {
  std::string out;
  int depth = 0;
  bool quoted = false;
  bool blank = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted) {
      out += c;
      if (c == '\\' && i + 1 < json.size()) out += json[++i];
      if (c == '"') quoted = false;
      continue;
    }
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
      blank = !out.empty();
      continue;
    }
    if (c == ']' || c == '}') --depth;
    if (depth == 0 && c == ']') {
      out += "\n  ";
    } else if (depth == 1 && c == '{') {
      out += "\n    ";
    } else if (blank && (out.back() == ',' || out.back() == ':') && depth > 1) {
      out += ' ';
    }
    blank = false;
    if (c == '[' || c == '{') ++depth;
    quoted = c == '"';
    out += c;
  }
  return out;
}

}  // namespace

namespace {

// Returns whether the list is for a device that has kernels.
bool HasKernels(const Dialect& dialect, const KeptList& list, const IsRegistered& is_registered) {
  const auto keys = dialect.device_kernels.devices.find(list.device);
  return keys != dialect.device_kernels.devices.end() &&
         std::any_of(keys->second.begin(), keys->second.end(), [&](const std::string& key) {
           return is_registered(dialect.device_kernels.field, key);
         });
}

bool MayBeEmpty(const KeptList& list) {
  return std::all_of(list.derived_from.begin(), list.derived_from.end(),
                     [](const ListOrigin& origin) { return origin.may_be_empty; });
}

}  // namespace

std::vector<const KeptList*> ChooseKeptLists(const Dialect& dialect, const IsThere& is_there,
                                             const IsRegistered& is_registered) {
  std::vector<const KeptList*> chosen;
  // True if no kernel names a device: the kernels are for every device.
  const bool no_device =
      std::none_of(dialect.lists.begin(), dialect.lists.end(),
                   [&](const KeptList& list) { return HasKernels(dialect, list, is_registered); });
  for (const KeptList& list : dialect.lists) {
    const bool known = std::any_of(chosen.begin(), chosen.end(), [&](const KeptList* other) {
      return other->Label() == list.Label();
    });
    const bool has_all = std::all_of(list.derived_from.begin(), list.derived_from.end(),
                                     [&](const ListOrigin& origin) {
                                       return origin.format == ListFormat::kRegistrations
                                                  ? is_registered(origin.field, origin.device)
                                                  : is_there(origin.file);
                                     });
    const bool empty =
        MayBeEmpty(list) && (no_device ? list.device == dialect.autocast_kernels.default_device
                                       : HasKernels(dialect, list, is_registered));
    if (!known && (has_all || empty)) chosen.push_back(&list);
  }
  return chosen;
}

std::string KeptListText(const Dialect& dialect, const KeptList& list) {
  std::string out = "{\n  \"framework\": " + JsonQuote(dialect.name) +
                    ",\n  \"target_dtype\": " + JsonQuote(list.target_dtype);
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) out += std::string(",\n  \"") + key + "\": " + JsonQuote(value);
  };
  add("device", list.device);
  add("configuration", list.configuration);
  add("unlisted", list.unlisted);
  return out + ",\n  \"derived_from\": " + Indented(list.derived_text) + "\n}\n";
}

}  // namespace opledger
