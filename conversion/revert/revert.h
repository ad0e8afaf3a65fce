// A converted model -> the original: byte for byte with a sidecar, which `opledger convert
// --sidecar` wrote; without one the original's graph, its weights rounded. And any 16-bit or mixed
// model in float32 (upcast_*.h).
// May include: conversion/edit, conversion/model/*, registry/platform, registry/project,
// registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "registry/text/diagnostics.h"

namespace opledger {

struct RevertOptions {
  std::string model;
  std::string output;   // of MXNet a prefix
  std::string params;   // of MXNet; empty: none, or beside the model where the sidecar says
  std::string sidecar;  // empty: there is none, and the weights stay rounded
};

// What was done stands in `text`. The exit status: 0, or 2 with errors, and then nothing is
// written.
int Revert(const RevertOptions& options, std::string& text, Diagnostics& diagnostics);

}  // namespace opledger
