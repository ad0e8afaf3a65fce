// Determines what a precision list means for one node. Shared by converter, executor and
// documentation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/precision_list/precision_list.h"

namespace opledger {

// A node's requirement on its float32 tensors.
enum class Label {
  kLow,     // must run in the list's 16-bit type
  kFp32,    // must run in float32
  kWidest,  // any type, but all float inputs and outputs share it
  kFree,    // any type
  kFixed,   // must not change: unlisted, or without float32 values
};

const char* LabelName(Label label);

// Returns the label for a policy. A conditional policy must be resolved first.
Label LabelOf(Policy policy);

// Properties of the operator besides its list entry.
struct Capabilities {
  bool accepts_target = true;  // its signature allows the target type on inputs and outputs
  bool has_target_kernel = true;
  bool has_mutable_input = false;
  bool is_cast = false;              // casts of the original model are kept
  bool chooses_output_type = false;  // an attribute other than "dtype" makes an output float32
};

struct Resolution {
  Label label = Label::kFixed;
  const ListEntry* entry = nullptr;  // the entry that decided; nullptr: unlisted
  int clause = -1;                   // index of the clause that decided; -1: none
  std::vector<std::string> keep_fp32_inputs;
  std::string reason;  // one line, for reports
};

// Resolves the label of a node. `input_dtypes` are the types of its inputs in the float32 model. A
// node without float32 inputs and without attributes that choose an output type is kFixed. A
// conditional entry is decided by the first clause that holds; a clause on an absent attribute or
// an unknown shape does not hold. A node that may be low, but is not capable of it, is kFp32. The
// result points into `list`.
Resolution Resolve(const PrecisionList& list, const std::string& op, const NodeFacts& facts,
                   const std::vector<Dtype>& input_dtypes, const Capabilities& capabilities);

}  // namespace opledger
