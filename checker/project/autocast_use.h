// Whether a project uses autocast: whether it enables it anywhere or registers rules for it.
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
  std::size_t operators = 0;  // with a rule of any kind
  std::size_t calls = 0;      // calls in Python files that enable it
  std::size_t disabling = 0;  // calls that disable it
  // The first call that enables autocast or, if none does, the first that disables it.
  std::optional<Location> first;
  // Returns whether the project disables autocast and never enables it. False if it does not
  // mention it.
  bool IsAvoided() const { return operators == 0 && calls == 0 && disabling > 0; }
};

// Returns whether the operator has a kernel for autocast on the device, or on any if `device` is
// "".
bool HasAutocastKernel(const Operator& op, const AutocastKernels& autocast,
                       const std::string& device);

// Searches all Python files below the root, including tests and examples, which show how the
// project is used. A call with `enabled=False` disables autocast.
AutocastUse FindAutocastUse(const Source& source, const AutocastKernels& autocast,
                            const Manifest& manifest);

}  // namespace opledger
