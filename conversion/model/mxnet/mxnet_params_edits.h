// Edits a .params file, a list or an archive: converts arrays in place, appends converted copies,
// and removes arrays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conversion/model/files/edit_list.h"
#include "conversion/model/files/zip_edits.h"
#include "conversion/model/mxnet/mxnet_params.h"

namespace opledger {

class MxnetParamsEdits {
 public:
  // `params` must outlive the result of Finish. Arrays to convert or copy must be dense. They are
  // converted from float32 to float16 or bfloat16, or the other way. `raises`: raise elements that
  // would become zero to the smallest number of the type.
  explicit MxnetParamsEdits(const MxnetParams& params, bool raises = false);

  void Convert(std::size_t array, Dtype to);
  // Appends a copy in another type. `name` must be unused: "arg:w__float16".
  void AddCopy(std::size_t array, const std::string& name, Dtype to);
  // The array must not be converted or copied.
  void Remove(std::size_t array);

  EditList Finish();

 private:
  NewBytes Converted(std::string head, std::size_t array, Dtype to) const;

  const MxnetParams& params_;
  bool raises_;
  std::optional<ZipEdits> zip_;     // for an archive
  EditList edits_;                  // for a list
  std::vector<std::string> names_;  // of the copies
  std::size_t removed_ = 0;
};

}  // namespace opledger
