// Whether a project has to do with autocast: it enables it somewhere, or registers rules for it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "registry/dialect/dialect.h"
#include "registry/manifest/manifest.h"
#include "registry/source/source.h"
#include "registry/text/location.h"

namespace opledger {

struct AutocastUse {
  std::size_t operators = 0;      // that have a rule of any kind
  std::size_t calls = 0;          // that enable it, in Python files
  std::size_t disabling = 0;      // that disable it
  std::optional<Location> first;  // of the calls that enable it; if there are none, that disable it
  // Whether the project keeps away from it. If it never names it, nobody knows.
  bool IsAvoided() const { return operators == 0 && calls == 0 && disabling > 0; }
};

// Looks at all Python files below the root, those of tests and examples included: they show how the
// project is used. A call with `enabled=False` disables autocast.
AutocastUse FindAutocastUse(const Source& source, const AutocastKernels& autocast,
                            const Manifest& manifest);

}  // namespace opledger
