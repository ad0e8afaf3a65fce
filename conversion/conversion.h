// Converts models to mixed precision by precision lists, and back. Rooms in the order of the work
// (passes.cpp has the steps): model/ (file -> graph with types), prepare/ (inlines functions,
// merges duplicates), label/ (what each node must or may be), hazards/ (nodes kept in float32 by
// ranges and options), place/ (the rest, at minimum cost -> a plan), edit/ (plan -> edits of the
// file), report/ (why), revert/ (back to the original or to float32). formats/ has a row per
// format.
// May include: conversion/*, registry/*.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conversion/label/options.h"
#include "registry/text/diagnostics.h"

namespace opledger {

struct InspectOptions {
  std::string model;
  std::string data_root;  // --data-root: follow links to external data within it; may be empty
  std::string target_dtype = "float16";
  std::string list;                       // a file; empty: the shipped list
  std::string format = "text";            // or "json"
  bool values = false;                    // --values: the possible range of each value
  std::vector<std::string> input_ranges;  // for --values: NAME=LO,HI
  std::vector<std::string> input_shapes;  // for --values: NAME=D,D
  std::string params;                     // MXNet only; empty: not given
  bool nodes = false;                     // list each node as well
};

struct RevertOptions {
  std::string model;
  std::string output;     // for MXNet, a prefix
  std::string params;     // MXNet only; empty: none, or next to the model if the sidecar names it
  std::string sidecar;    // empty: not given, and the weights stay rounded
  std::string data_root;  // --data-root, as above
  bool in_place = false;  // the output may be the model
};

// Each returns the exit status: 0, or 2 on errors, in which case nothing is written. Appends a
// description of the result to `text`.
int Convert(const ConvertOptions& options, std::string& text, Diagnostics& diagnostics);
int Inspect(const InspectOptions& options, std::string& text, Diagnostics& diagnostics);
int Revert(const RevertOptions& options, std::string& text, Diagnostics& diagnostics);

}  // namespace opledger
