// Reads arbitrary bytes as MXNet parameters: must not crash or hang. Without edits, they are
// written with the same bytes; with all float32 arrays converted and copied, they are valid
// parameters. npz_fuzz tests archives, whose members have their own names.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string>

#include "conversion/model/mxnet/mxnet_params_edits.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

void Require(bool law) {
  if (!law) std::abort();
}

}  // namespace

FUZZ_TARGET(mxnet_params) {
  using opledger::MxnetArray;
  opledger::Diagnostics diagnostics;
  const auto params = opledger::ReadMxnetParams(
      opledger::SourceFile::FromText("fuzz.params",
                                     std::string(reinterpret_cast<const char*>(data), size)),
      diagnostics);
  if (!params || params->npz) return 0;
  opledger::MxnetParamsEdits none(*params);
  opledger::EditList nothing = none.Finish();
  Require(opledger::EditedText(params->file, nothing) == params->file.bytes());
  opledger::MxnetParamsEdits changes(*params);
  std::size_t copies = 0;
  for (std::size_t i = 0; i < params->arrays.size(); ++i) {
    const MxnetArray& array = params->arrays[i];
    const bool dense = array.storage == MxnetArray::Storage::kDense && !array.none;
    if (!dense || array.dtype != opledger::Dtype::kFloat32) continue;
    changes.Convert(i, opledger::Dtype::kBfloat16);
    if (array.name.empty() || copies > 4) continue;
    changes.AddCopy(i, "copy", opledger::Dtype::kBfloat16);
    ++copies;
  }
  opledger::EditList edits = changes.Finish();
  const auto again = opledger::ReadMxnetParams(
      opledger::SourceFile::FromText("again.params", opledger::EditedText(params->file, edits)),
      diagnostics);
  Require(again && again->arrays.size() == params->arrays.size() + copies);
  return 0;
}
