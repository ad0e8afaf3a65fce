// Outlines arbitrary bytes as C++ source: must not crash or hang, the outline survives writing and
// reading, and its string lists are found. Then reads arbitrary bytes as an outline, as a cache may
// contain them.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string>

#include "registry/scan/outline/find_cpp_lists.h"
#include "registry/scan/outline/outline.h"
#include "tests/fuzz/fuzz_target.h"

FUZZ_TARGET(outline) {
  using namespace opledger;
  const std::string text(reinterpret_cast<const char*>(data), size);
  static const Dialect dialect;
  const scan::Outline outline = scan::MakeOutline(text, dialect);
  const std::string bytes = scan::SerializeOutline(outline);
  const std::optional<scan::Outline> again = scan::ParseOutline(bytes);
  if (!again || scan::SerializeOutline(*again) != bytes) std::abort();
  scan::FindCppLists(text);
  if (const auto read = scan::ParseOutline(text)) scan::SerializeOutline(*read);
  return 0;
}
