// A model of either format, read and ready to be planned, and the inputs that it runs on. In: files
// and options. Out: graph, binding, autocast, inputs; plans for many inputs or in stages.
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
  std::unique_ptr<OnnxModel> onnx;  // one of these two
  std::unique_ptr<MxnetModel> mxnet;
  std::deque<std::string> names = {};  // of what its file has no name for
  InputOptions inputs = {};            // that it was opened with

  const char* framework() const;
  Graph& graph() const { return onnx ? onnx->graph : mxnet->symbol.graph; }
};

// `params`: of an MXNet model, its .params file; else empty. Its variables have the types of the
// files that are given for them. None, with errors: it is no model, or one that no node of can be
// trusted.
std::optional<RunnableModel> OpenRunnable(const std::string& path, const std::string& params,
                                          const InputOptions& inputs, Diagnostics& diagnostics);

// A model whose opset keeps from running low what the list wants low becomes one of a newer opset,
// as `convert` makes it, before AutocastOf. False, with errors: it cannot be known.
bool RaiseOpsetFor(RunnableModel& model, const AutocastOptions& autocast, Diagnostics& diagnostics);

// How it is run by a list, before Bind. None, with errors: there is no such list, or the model
// cannot be placed by it. `fp32_nodes`, `either_nodes`: names of nodes, as if the list had them
// among its own.
std::optional<Autocast> AutocastOf(RunnableModel& model, const AutocastOptions& autocast,
                                   Diagnostics& diagnostics,
                                   const std::vector<std::string>& fp32_nodes = {},
                                   const std::vector<std::string>& either_nodes = {});

// What its nodes mean to kernels. The model must outlive it, and not move.
Binding Bind(RunnableModel& model);

// One tensor for each required input, after Bind. None, with errors that name the input.
std::optional<ModelInputs> TakeInputs(const RunnableModel& model, const InputOptions& options,
                                      Diagnostics& diagnostics);

}  // namespace opledger
