// Operations on the models of each format, one row per format (kFormats in formats.cpp): convert,
// bring back to float32, summarize, name the written files. onnx.cpp and mxnet.cpp implement the
// format-specific part of a conversion; passes.cpp has the shared part.
// May include: conversion/*, registry/files, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conversion/hazards/rounding_statistics.h"
#include "conversion/label/settings.h"
#include "conversion/model/files/files.h"
#include "conversion/model/model.h"
#include "conversion/place/place.h"
#include "conversion/place/tensor_sizes.h"
#include "conversion/prepare/prepare.h"
#include "conversion/report/model_summary.h"
#include "conversion/report/next_steps.h"
#include "conversion/report/value_summary.h"
#include "conversion/revert/revert.h"
#include "registry/files/output_files.h"

namespace opledger {

// A model being converted. The passes call these functions in order. A function that returns false
// has reported an error.
class ModelConversion {
 public:
  ModelConversion() = default;
  ModelConversion(const ModelConversion&) = delete;
  ModelConversion& operator=(const ModelConversion&) = delete;
  virtual ~ModelConversion() = default;

  virtual bool Read(SourceFile file) = 0;
  virtual bool InlineFunctions(Preparation& done) = 0;
  // Infers types. Fails if they do not fit.
  virtual bool FindTypes() = 0;
  // Merges duplicate nodes and infers types again.
  virtual bool MergeDuplicates(Preparation& done) = 0;
  // --opset: raises the opset and infers types again.
  virtual bool RaiseOpset(Preparation& done) = 0;
  // --fuse: replaces chains of nodes by single nodes and infers types again.
  virtual bool Fuse(Preparation&) { return true; }
  virtual std::vector<NodeLabel> Label() = 0;
  // Changes labels by hazards and options, then computes the minimum cut.
  virtual bool Place(std::vector<NodeLabel>& labels, Plan& plan) = 0;
  // Returns the possible range of each value. Call after Place. Returns nullopt, with an error, if
  // they cannot be read.
  virtual std::optional<std::vector<ValueSummary>> Values(const std::vector<NodeLabel>& labels,
                                                          Diagnostics& diagnostics) = 0;
  // For --storage-only: whether parameters can be stored low, and whether this one can.
  virtual bool CheckStorage() = 0;
  virtual bool CanStoreLow(ValueId value) = 0;
  // Checks that the model's version of the format has the casts.
  virtual bool CheckCasts() = 0;
  virtual void Edit(const Plan& plan) = 0;
  // Writes the edited files after reading them back and typing them.
  virtual bool Write() = 0;
  // For --dry-run: whether Write would succeed, as far as that can be told without writing.
  virtual bool CheckWrite() { return true; }
  // Returns the external files that the model would name if it were at `path`.
  virtual std::vector<std::string> NamedFiles(const std::string&) const { return {}; }

  virtual const Graph& graph() const = 0;
  // Returns the number of elements of each value.
  virtual std::vector<TensorSize> Sizes() const = 0;
  // Returns the effect of rounding on a parameter, or nullopt if its elements are not available.
  virtual std::optional<RoundingStatistics> Rounding(ValueId value) = 0;
  // For the summary: what was done to the parameters, and advice.
  virtual std::string ParameterText() const { return {}; }
  virtual std::string Advice(const std::vector<NodeLabel>&) { return {}; }
  // For the report: suggested next steps, and an input with unknown dimensions, as --input-shape
  // takes it.
  virtual std::vector<NextStep> Steps() { return {}; }
  virtual std::string OpenInput() const { return {}; }
};

// Options of `opledger inspect`.
struct SummaryOptions {
  std::string params;
  bool nodes = false;  // list each node as well
};

struct Format {
  const ModelFormat& model;
  // `settings` must outlive the returned object.
  std::unique_ptr<ModelConversion> (*convert)(const Settings& settings, Diagnostics& diagnostics);
  // Appends a description to `text`. Returns false, with an error, if nothing is written.
  bool (*upcast)(SourceFile file, const UpcastOptions& options, std::string& text,
                 Diagnostics& diagnostics);
  std::optional<ModelSummary> (*summarise)(SourceFile file, const SummaryOptions& options,
                                           Diagnostics& diagnostics);
  // The model has two files: `-o` is a prefix and --params names the second file.
  bool has_params;
  // The paths of the written files, given -o and --params.
  std::string (*model_path)(const std::string& output);
  std::string (*params_path)(const std::string& output, const std::string& params);
};

// Returns the files that -o names, with the parameters if the format has them. Empty without -o.
std::vector<OutputFile> ModelFiles(const Format& format, const std::string& output,
                                   const std::string& params, bool in_place);

// Returns the row of the file's format.
const Format& FindFormat(const SourceFile& file);

// The functions in the rows.
std::unique_ptr<ModelConversion> ConvertOnnx(const Settings& settings, Diagnostics& diagnostics);
std::unique_ptr<ModelConversion> ConvertMxnet(const Settings& settings, Diagnostics& diagnostics);
std::optional<ModelSummary> SummariseOnnx(SourceFile file, const SummaryOptions& options,
                                          Diagnostics& diagnostics);
std::optional<ModelSummary> SummariseMxnet(SourceFile file, const SummaryOptions& options,
                                           Diagnostics& diagnostics);

}  // namespace opledger
