// Turns a converted model back into the original: byte for byte with a sidecar from `opledger
// convert --sidecar`; without one, into the original's graph with rounded weights. Also brings any
// 16-bit or mixed model to float32 (below).
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
  std::string params;      // MXNet: the parameters' file; empty: none
  std::string output;      // MXNet: a prefix; empty: nothing is written
  bool keep_io = true;     // the model's inputs and outputs keep their types
  bool only_ours = false;  // reject models with 16-bit values that opledger did not create
};

// Brings 16-bit and mixed models to float32: values, parameters and types. Removes the casts and
// copies that opledger inserted, and MXNet's amp_cast and amp_multicast if they become redundant.
// Appends a description to `text`. Returns false, with an error, if nothing is written.
bool UpcastOnnx(SourceFile file, const UpcastOptions& options, std::string& text,
                Diagnostics& diagnostics);
bool UpcastMxnet(SourceFile file, const UpcastOptions& options, std::string& text,
                 Diagnostics& diagnostics);

// Returns only the edits, for a typed model, or nullopt, with an error, if it cannot be converted.
std::optional<EditList> UpcastEdits(const OnnxModel& model, const UpcastOptions& options,
                                    Diagnostics& diagnostics);

}  // namespace opledger
