// conversion/model: models as they stand in files, and as graphs. Here: which formats there are. A
// format is a folder here (file -> graph, edits -> file), a row of kModelFormats, and a row of each
// table of what is done with it: kFormats (conversion/formats/formats.cpp), and what runs it
// (kernels/model/model.cpp).
// May include: nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace opledger {

struct ModelFormat {
  const char* name;  // of its framework, as lists, manifests and reports call it: "onnx"
  bool (*matches)(std::string_view bytes);
};

extern const ModelFormat kMxnetFormat;
extern const ModelFormat kOnnxFormat;

// The format of a model's file: the first row that matches.
const ModelFormat& FormatOf(std::string_view bytes);

}  // namespace opledger
