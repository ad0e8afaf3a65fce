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
  std::size_t operators = 0;  // that have a rule of any kind
  std::size_t calls = 0;      // that enable it, in Python files
  std::size_t disabling = 0;  // that disable it
  // The first call that enables autocast or, if none does, the first that disables it.
  std::optional<Location> first;
  // Whether the project disables autocast and never enables it. False if it does not mention it.
  bool IsAvoided() const { return operators == 0 && calls == 0 && disabling > 0; }
};

// Whether the operator has a kernel that autocast calls on the device; empty: on any.
bool HasAutocastKernel(const Operator& op, const AutocastKernels& autocast,
                       const std::string& device);

// Looks at all Python files below the root, those of tests and examples included: they show how the
// project is used. A call with `enabled=False` disables autocast.
AutocastUse FindAutocastUse(const Source& source, const AutocastKernels& autocast,
                            const Manifest& manifest);

}  // namespace opledger
