// What is done with a model of each format, one row each (kFormats in formats.cpp): convert, bring
// to float32, summarise, name the written files. onnx.cpp and mxnet.cpp hold a format's own part of
// a conversion; what formats share is in the passes (conversion/passes.cpp).
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

// A model that is converted: what the passes need of its format, in their order. False: an error
// has been reported.
class ModelConversion {
 public:
  ModelConversion() = default;
  ModelConversion(const ModelConversion&) = delete;
  ModelConversion& operator=(const ModelConversion&) = delete;
  virtual ~ModelConversion() = default;

  virtual bool Read(SourceFile file) = 0;
  virtual bool InlineFunctions(Preparation& done) = 0;
  // A model whose types do not fit is refused.
  virtual bool FindTypes() = 0;
  // The model becomes one without them, with types.
  virtual bool MergeDuplicates(Preparation& done) = 0;
  // --opset: the model becomes one of a newer version of its format, with types.
  virtual bool RaiseOpset(Preparation& done) = 0;
  // --fuse: chains of nodes become one node each, with types.
  virtual bool Fuse(Preparation&) { return true; }
  virtual std::vector<NodeLabel> Label() = 0;
  // Pins by numbers and options, which change the labels; then the minimum cut.
  virtual bool Place(std::vector<NodeLabel>& labels, Plan& plan) = 0;
  // What the numbers of each value can be, after Place; none, with an error: they cannot be read.
  virtual std::optional<std::vector<ValueSummary>> Values(const std::vector<NodeLabel>& labels,
                                                          Diagnostics& diagnostics) = 0;
  // Of --storage-only: whether parameters can be stored low, and this one.
  virtual bool CheckStorage() = 0;
  virtual bool CanStoreLow(ValueId value) = 0;
  // Whether the format's version that the model is in has the casts.
  virtual bool CheckCasts() = 0;
  virtual void Edit(const Plan& plan) = 0;
  // Writes the edited files, after what they hold has been read again and typed.
  virtual bool Write() = 0;
  // Of --dry-run: whether Write would write, as far as that is known without writing.
  virtual bool CheckWrite() { return true; }
  // The files that the model names, where it stands at `path`.
  virtual std::vector<std::string> NamedFiles(const std::string&) const { return {}; }

  virtual const Graph& graph() const = 0;
  // How many numbers each value has.
  virtual std::vector<TensorSize> Sizes() const = 0;
  // What rounding does to a parameter; none: its numbers are not at hand.
  virtual std::optional<RoundingStatistics> Rounding(ValueId value) = 0;
  // For the summary: what became of the parameters, and lines of advice.
  virtual std::string ParameterText() const { return {}; }
  virtual std::string Advice(const std::vector<NodeLabel>&) { return {}; }
  // For the report: what may be tried, and an input whose dimensions the file leaves open, as
  // --input-shape takes it.
  virtual std::vector<NextStep> Steps() { return {}; }
  virtual std::string OpenInput() const { return {}; }
};

// Of `opledger inspect`.
struct SummaryOptions {
  std::string params;
  bool nodes = false;  // each node, too
};

struct Format {
  const ModelFormat& model;
  // `settings` outlives what is given.
  std::unique_ptr<ModelConversion> (*convert)(const Settings& settings, Diagnostics& diagnostics);
  // What was done stands in `text`. False, with an error: nothing is written.
  bool (*upcast)(SourceFile file, const UpcastOptions& options, std::string& text,
                 Diagnostics& diagnostics);
  std::optional<ModelSummary> (*summarise)(SourceFile file, const SummaryOptions& options,
                                           Diagnostics& diagnostics);
  // A model of two files: `-o` is a prefix, --params names the second one.
  bool has_params;
  // The written files, of what -o and --params say.
  std::string (*model_path)(const std::string& output);
  std::string (*params_path)(const std::string& output, const std::string& params);
};

// The files that -o stands for, with those of --params where there are some; none without -o.
std::vector<OutputFile> ModelFiles(const Format& format, const std::string& output,
                                   const std::string& params, bool in_place);

// The row of a file's format.
const Format& FindFormat(const SourceFile& file);

// The functions of the rows.
std::unique_ptr<ModelConversion> ConvertOnnx(const Settings& settings, Diagnostics& diagnostics);
std::unique_ptr<ModelConversion> ConvertMxnet(const Settings& settings, Diagnostics& diagnostics);
std::optional<ModelSummary> SummariseOnnx(SourceFile file, const SummaryOptions& options,
                                          Diagnostics& diagnostics);
std::optional<ModelSummary> SummariseMxnet(SourceFile file, const SummaryOptions& options,
                                           Diagnostics& diagnostics);

}  // namespace opledger
