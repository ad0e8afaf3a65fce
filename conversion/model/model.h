// Reads models from files into graphs. This header lists the formats. A format is a folder here
// (file -> graph, edits -> file), a row of kModelFormats, and a row in each table of operations:
// kFormats (conversion/formats/formats.cpp) and the table that runs models
// (kernels/model/model.cpp).
// May include: nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace opledger {

struct ModelFormat {
  const char* name;  // of its framework, as in lists, manifests and reports: "onnx"
  bool (*matches)(std::string_view bytes);
};

extern const ModelFormat kMxnetFormat;
extern const ModelFormat kOnnxFormat;

// Returns the format of a model's file: the first row that matches.
const ModelFormat& FormatOf(std::string_view bytes);

}  // namespace opledger
