// From the manifest's field "dtypes": a value per type variable, the types separated by commas.
// SPDX-License-Identifier: Apache-2.0
#include "checker/index/allowed_dtypes.h"

namespace opledger {
namespace {

bool Names(std::string_view all, std::string_view dtype) {
  while (!all.empty()) {
    const std::size_t comma = std::min(all.find(','), all.size());
    if (all.substr(0, comma) == dtype) return true;
    all.remove_prefix(comma);
    while (!all.empty() && (all.front() == ',' || all.front() == ' ')) all.remove_prefix(1);
  }
  return false;
}

}  // namespace

Allows AllowsDtype(const Operator& op, Dtype dtype) {
  const auto dtypes = op.fields.find("dtypes");
  if (dtypes == op.fields.end()) return Allows::kUnknown;
  int yes = 0;
  int no = 0;
  for (const FieldValue& variable : dtypes->second) {
    if (!Names(variable.value, DtypeName(Dtype::kFloat32))) continue;
    ++(Names(variable.value, DtypeName(dtype)) ? yes : no);
  }
  if (yes > 0 && no == 0) return Allows::kYes;
  return no > 0 && yes == 0 ? Allows::kNo : Allows::kUnknown;
}

std::string AllowedDtypes(const Operator& op) {
  std::string text;
  const auto dtypes = op.fields.find("dtypes");
  if (dtypes == op.fields.end()) return text;
  for (const FieldValue& variable : dtypes->second) {
    if (!text.empty()) text += "; ";
    if (!variable.key.empty()) text += variable.key + ": ";
    text += variable.value;
  }
  return text;
}

}  // namespace opledger
