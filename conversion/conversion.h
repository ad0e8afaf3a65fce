// conversion: a model and precision lists -> the model in mixed precision, and back. Rooms in the
// order of the work: model/ (file -> graph with types), prepare/ (functions inlined, duplicates
// merged), label/ (what each node must or may be), pins/ (what numbers and options keep in
// float32), place/ (the rest, by least cost: a plan), edit/ (plan -> edits of the file), report/
// (why), revert/ (back to the original, or to float32).
// May include: conversion/*, registry/*.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conversion/label/options.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// Converts; what was done stands in `text`, for people. The exit status: 0, or 2 with errors, and
// then nothing is written.
int Convert(const ConvertOptions& options, std::string& text, Diagnostics& diagnostics);

}  // namespace opledger
