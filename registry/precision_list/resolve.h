// What a precision list means for one node: the function that converter, executor and docs share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/precision_list/precision_list.h"

namespace opledger {

// A node's demand on its float32 tensors.
enum class Label {
  kLow,     // must run in the list's 16-bit type
  kFp32,    // must run in float32
  kWidest,  // free, but all its float inputs and outputs share one type
  kFree,    // free: low or high
  kFixed,   // not to be touched: unlisted, or nothing of it is float32
};

const char* LabelName(Label label);

// What a policy asks of a node; a conditional one is decided before.
Label LabelOf(Policy policy);

// What is known of the operator besides its list entry.
struct Capabilities {
  bool accepts_target = true;  // its signature allows the target type on inputs and outputs
  bool has_target_kernel = true;
  bool has_mutable_input = false;
  bool is_cast = false;              // what the user casts stays cast
  bool chooses_output_type = false;  // an attribute makes an output float32 (also: dtype=float32)
};

struct Resolution {
  Label label = Label::kFixed;
  const ListEntry* entry = nullptr;  // the entry that decided, or nullptr: unlisted
  int clause = -1;                   // index of the clause that decided, -1: none
  std::vector<std::string> keep_fp32_inputs;
  std::string reason;  // one line, for reports
};

// `input_dtypes`: of the node's inputs as they stand in the float32 model. A node without any
// float32 input and without attributes that choose an output type is kFixed. A conditional entry is
// decided by the first clause that holds; one whose attribute is absent, or whose shape is not
// known, does not hold. What the
// list leaves free but the capabilities forbid to be low is kFp32. The result points into `list`.
Resolution Resolve(const PrecisionList& list, const std::string& op, const NodeFacts& facts,
                   const std::vector<Dtype>& input_dtypes, const Capabilities& capabilities);

}  // namespace opledger
