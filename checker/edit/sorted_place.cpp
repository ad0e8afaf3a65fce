// Recognizes names that are sorted by bytes or ignoring case.
// SPDX-License-Identifier: Apache-2.0
#include "checker/edit/sorted_place.h"

#include <algorithm>

namespace opledger {
namespace {

bool LessByBytes(std::string_view a, std::string_view b) { return a < b; }

bool LessIgnoringCase(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [&](char x, char y) { return lower(x) < lower(y); });
}

}  // namespace

std::size_t SortedPlace(const std::vector<std::string_view>& names, std::string_view name) {
  for (const auto less : {LessByBytes, LessIgnoringCase}) {
    if (!std::is_sorted(names.begin(), names.end(), less)) continue;
    return static_cast<std::size_t>(std::upper_bound(names.begin(), names.end(), name, less) -
                                    names.begin());
  }
  return names.size();
}

}  // namespace opledger
