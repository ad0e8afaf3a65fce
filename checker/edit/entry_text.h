// The JSON text of a list's entry: the name alone where nothing more is known, else an object on
// one line, other fields of the old entry kept.
//   {"op": "hard_swish", "reason": "numeric"}
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "checker/edit/classify.h"

namespace opledger {

// `old` is the operator's entry so far, or nullptr. Where nothing about it changes, its own text
// comes back byte for byte.
std::string EntryText(const PrecisionList& list, const ListEntry* old,
                      const Classification& wanted);

}  // namespace opledger
