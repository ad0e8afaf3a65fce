// conversion: a model and precision lists -> the model in mixed precision, and back. Rooms in the
// order of the work (passes.cpp has its steps): model/ (file -> graph with types), prepare/
// (functions inlined, duplicates merged), label/ (what each node must or may be), pins/ (what
// numbers and options keep in float32), place/ (the rest, by minimum cost: a plan), edit/ (plan ->
// edits of the file), report/ (why), revert/ (back to the original, or to float32). formats/ has a
// row for each format.
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
  std::string
      data_root;  // --data-root: links of the model's data are followed within; may be empty
  std::string target_dtype = "float16";
  std::string list;                       // a file; empty: the shipped one
  std::string format = "text";            // or "json"
  bool values = false;                    // --values: what the numbers of each value can be
  std::vector<std::string> input_ranges;  // of --values: NAME=LO,HI
  std::vector<std::string> input_shapes;  // likewise: NAME=D,D
};

struct RevertOptions {
  std::string model;
  std::string output;     // of MXNet a prefix
  std::string params;     // of MXNet; empty: none, or beside the model where the sidecar says
  std::string sidecar;    // empty: there is none, and the weights stay rounded
  std::string data_root;  // --data-root, as above
  bool in_place = false;  // the output may be the model
};

// Each gives the exit status: 0, or 2 with errors, and then nothing is written. What was done, or
// there is to say, stands in `text`, for people.
int Convert(const ConvertOptions& options, std::string& text, Diagnostics& diagnostics);
int Inspect(const InspectOptions& options, std::string& text, Diagnostics& diagnostics);
int Revert(const RevertOptions& options, std::string& text, Diagnostics& diagnostics);

}  // namespace opledger
