// Lowers ONNX's operators to calls of kernels, with a file and a table of names for each kind.
// May include: conversion/model/graph, conversion/model/onnx, conversion/model/operators,
// kernels/bindings, kernels/control_flow, kernels/kernel, kernels/machine, kernels/tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conversion/model/onnx/onnx.h"
#include "kernels/bindings/bindings.h"

namespace opledger {

// Binds the nodes of a model. The model must outlive the result.
Binding BindOnnx(const OnnxModel& model);

}  // namespace opledger
