// MXNet symbols are JSON. Anything else is read as ONNX, whose reader reports the errors.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/model.h"

namespace opledger {
namespace {

bool IsJson(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && bytes[first] == '{';
}

bool IsAnything(std::string_view) { return true; }

}  // namespace

const ModelFormat kMxnetFormat = {"mxnet", IsJson};
const ModelFormat kOnnxFormat = {"onnx", IsAnything};

namespace {
constexpr const ModelFormat* kModelFormats[] = {&kMxnetFormat, &kOnnxFormat};
}  // namespace

const ModelFormat& FormatOf(std::string_view bytes) {
  for (const ModelFormat* format : kModelFormats) {
    if (format->matches(bytes)) return *format;
  }
  return kOnnxFormat;
}

}  // namespace opledger
