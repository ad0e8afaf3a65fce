// Reads arbitrary bytes as an .npz archive of MXNet parameters: must not crash or hang. Without
// edits, it is written with the same bytes; with arrays converted, copied and removed, it is a
// valid archive with correct checksums.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string>

#include "conversion/model/mxnet/mxnet_params_edits.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using opledger::Dtype;
using opledger::MxnetParams;

void Require(bool law) {
  if (!law) std::abort();
}

std::optional<MxnetParams> Read(std::string bytes) {
  opledger::Diagnostics diagnostics;
  auto params = opledger::ReadMxnetParams(
      opledger::SourceFile::FromText("fuzz.npz", std::move(bytes)), diagnostics);
  Require(params.has_value() != diagnostics.has_errors());
  return params;
}

}  // namespace

FUZZ_TARGET(npz) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (!opledger::IsZip(text)) return 0;
  const auto params = Read(text);
  if (!params) return 0;
  opledger::MxnetParamsEdits none(*params);
  opledger::EditList nothing = none.Finish();
  Require(opledger::EditedText(params->file, nothing) == text);
  opledger::MxnetParamsEdits changes(*params);
  std::size_t copies = 0;
  std::size_t removed = 0;
  for (std::size_t i = 0; i < params->arrays.size(); ++i) {
    const auto dtype = params->arrays[i].dtype;
    if (params->IsDense(i) && dtype == Dtype::kFloat32) {
      changes.Convert(i, Dtype::kBfloat16);
      if (copies == 0)
        changes.AddCopy(i, std::string(params->arrays[i].name) + "__", Dtype::kFloat16);
      copies = 1;
    } else if (params->IsDense(i) && (dtype == Dtype::kFloat16 || dtype == Dtype::kBfloat16)) {
      changes.Convert(i, Dtype::kFloat32);
    } else if (params->IsDense(i)) {
      changes.Remove(i);
      ++removed;
    }
  }
  opledger::EditList edits = changes.Finish();
  const std::string edited = opledger::EditedText(params->file, edits);
  std::uint64_t length = text.size();
  for (const opledger::Edit& edit : edits.Sorted()) {
    length += edit.bytes.Size() - edit.span.size();
  }
  Require(length == edited.size());
  const auto again = Read(edited);
  // A copy may have got the name of another array.
  Require(again ? again->arrays.size() == params->arrays.size() + copies - removed : copies > 0);
  return 0;
}
