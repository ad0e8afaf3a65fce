// Relates operators by suffixes of their names; a version comes last.
// SPDX-License-Identifier: Apache-2.0
#include "registry/dialect/relations.h"

namespace opledger {

VersionedName SplitVersion(std::string_view name, const Relations& relations) {
  const std::size_t mark = relations.version.find('#');
  if (mark == std::string::npos) return {name, 1};
  const std::string_view pattern = relations.version;
  const std::string_view before = pattern.substr(0, mark);
  const std::string_view after = pattern.substr(mark + 1);
  if (!name.ends_with(after)) return {name, 1};
  const std::string_view rest = name.substr(0, name.size() - after.size());
  std::size_t digits = rest.size();
  while (digits > 0 && rest[digits - 1] >= '0' && rest[digits - 1] <= '9') --digits;
  const bool fits = digits < rest.size() && rest.size() - digits < 4 && digits > before.size() &&
                    rest.substr(0, digits).ends_with(before);
  if (!fits) return {name, 1};
  int version = 0;
  for (const char digit : rest.substr(digits)) version = 10 * version + (digit - '0');
  return {rest.substr(0, digits - before.size()), version};
}

std::string_view FunctionOfGradient(std::string_view name, const Relations& relations) {
  const std::string_view stem = SplitVersion(name, relations).stem;
  const bool fits = !relations.gradient.empty() && stem.size() > relations.gradient.size() &&
                    stem.ends_with(relations.gradient);
  return fits ? stem.substr(0, stem.size() - relations.gradient.size()) : std::string_view();
}

}  // namespace opledger
