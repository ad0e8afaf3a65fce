// Edits of a .params file: arrays in a 16-bit type, in place or as copies at the end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conversion/model/edit_list.h"
#include "conversion/model/mxnet_params.h"

namespace opledger {

class MxnetParamsEdits {
 public:
  // `params` must outlive what Finish gives. Arrays that are edited are dense and float32.
  MxnetParamsEdits(const MxnetParams& params, Dtype target) : params_(params), target_(target) {}

  void Convert(std::size_t array);
  // A copy in the target type, under its own name: "arg:w__float16".
  void AddCopy(std::size_t array, const std::string& name);

  EditList Finish();

 private:
  NewBytes Converted(std::string head, Span data) const;

  const MxnetParams& params_;
  Dtype target_;
  EditList edits_;
  std::vector<std::string> names_;  // of the copies
};

}  // namespace opledger
