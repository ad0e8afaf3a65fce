// A converted model -> the original: byte for byte with a sidecar, which `opledger convert
// --sidecar` wrote; without one the original's graph, its weights rounded. And any 16-bit or mixed
// model in float32 (below).
// May include: conversion/edit, conversion/model/*, registry/files, registry/json,
// registry/project, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "conversion/model/files/edit_list.h"
#include "conversion/model/onnx/onnx.h"

namespace opledger {

struct UpcastOptions {
  std::string params;      // of MXNet, the parameters' file; empty: none
  std::string output;      // of MXNet a prefix; empty: nothing is written
  bool keep_io = true;     // the model's inputs and outputs keep their types
  bool only_ours = false;  // refuse a model that has 16-bit values which opledger did not make
};

// 16-bit and mixed models in float32: values, parameters, types; the casts and copies that opledger
// inserted go, and of MXNet amp_cast and amp_multicast where they have nothing left to do. What was
// done stands in `text`. False, with an error: nothing is written.
bool UpcastOnnx(SourceFile file, const UpcastOptions& options, std::string& text,
                Diagnostics& diagnostics);
bool UpcastMxnet(SourceFile file, const UpcastOptions& options, std::string& text,
                 Diagnostics& diagnostics);

// The edits alone, of a model whose types are known; none, with an error: it cannot be done.
std::optional<EditList> UpcastEdits(const OnnxModel& model, const UpcastOptions& options,
                                    Diagnostics& diagnostics);

}  // namespace opledger
