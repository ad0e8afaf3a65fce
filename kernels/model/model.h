// A model of either format, ready to be planned, and its inputs. In: files and options. Out: graph,
// binding, autocast, inputs; plans for many inputs or in stages.
// May include: conversion/label, conversion/model, conversion/model/graph, conversion/model/onnx,
// conversion/model/operators, conversion/place, conversion/prepare, kernels/bindings,
// kernels/bindings/mxnet, kernels/bindings/onnx, kernels/control_flow, kernels/execute,
// kernels/kernel, kernels/machine, kernels/plan, kernels/tensor, registry/files,
// registry/precision_list, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "conversion/model/onnx/onnx.h"
#include "kernels/bindings/bindings.h"
#include "kernels/bindings/mxnet/model.h"
#include "kernels/model/autocast_options.h"
#include "kernels/model/model_inputs.h"
#include "kernels/plan/autocast.h"

namespace opledger {

struct RunnableFormat;  // a row of the table in model.cpp

struct RunnableModel {
  const RunnableFormat* format;
  std::string path;
  std::unique_ptr<OnnxModel> onnx;  // exactly one of these two is set
  std::unique_ptr<MxnetModel> mxnet;
  std::deque<std::string> names = {};  // owns names that the file does not have
  InputOptions inputs = {};            // as given when it was opened

  const char* framework() const;
  Graph& graph() const { return onnx ? onnx->graph : mxnet->symbol.graph; }
};

// Opens a model to run it. `params`: the .params file of an MXNet model; otherwise empty. The
// model's variables take the types of the files given for them. Returns nullopt, with errors, if
// the file is not a model or is damaged.
std::optional<RunnableModel> OpenRunnable(const std::string& path, const std::string& params,
                                          const InputOptions& inputs, Diagnostics& diagnostics);

// Raises the opset of a model to a newer one, as `convert` does, if the current opset prevents
// nodes from running low that the list wants low. Call it before AutocastOf. Returns false, with
// errors, if that cannot be determined.
bool RaiseOpsetFor(RunnableModel& model, const AutocastOptions& autocast, Diagnostics& diagnostics);

// Decides how the model runs by a list. Call it before Bind. `fp32_nodes`, `either_nodes`: names of
// nodes to treat as if the list named them. Returns nullopt, with errors, if the list cannot be
// read or the model cannot be placed by it.
std::optional<Autocast> AutocastOf(RunnableModel& model, const AutocastOptions& autocast,
                                   Diagnostics& diagnostics,
                                   const std::vector<std::string>& fp32_nodes = {},
                                   const std::vector<std::string>& either_nodes = {});

// Binds the nodes to kernels. The model must outlive the result, and not move.
Binding Bind(RunnableModel& model);

// Takes one tensor for each required input. Call it after Bind. Returns nullopt, with errors that
// name the input.
std::optional<ModelInputs> TakeInputs(const RunnableModel& model, const InputOptions& options,
                                      Diagnostics& diagnostics);

}  // namespace opledger
