// Edits of a .params file, a list or an archive: arrays in another type, in place or as copies at
// the end, and arrays that go.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conversion/model/files/edit_list.h"
#include "conversion/model/files/zip_edits.h"
#include "conversion/model/mxnet/mxnet_params.h"

namespace opledger {

class MxnetParamsEdits {
 public:
  // `params` must outlive what Finish gives. Arrays that are converted or copied are dense and
  // float32, and become float16 or bfloat16; or of one of these, and become float32. `raises`:
  // numbers that would become zero become the smallest of the type.
  explicit MxnetParamsEdits(const MxnetParams& params, bool raises = false);

  void Convert(std::size_t array, Dtype to);
  // A copy in another type, under its own name, which no array has: "arg:w__float16".
  void AddCopy(std::size_t array, const std::string& name, Dtype to);
  // Not one that is converted or copied.
  void Remove(std::size_t array);

  EditList Finish();

 private:
  NewBytes Converted(std::string head, std::size_t array, Dtype to) const;

  const MxnetParams& params_;
  bool raises_;
  std::optional<ZipEdits> zip_;     // of an archive
  EditList edits_;                  // of a list
  std::vector<std::string> names_;  // of the copies
  std::size_t removed_ = 0;
};

}  // namespace opledger
