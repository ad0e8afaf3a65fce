// ONNX's operators as calls of kernels: a file for each kind, a table of names in each.
// May include: conversion/model/graph, conversion/model/onnx, conversion/model/operators,
// kernels/bindings, kernels/control_flow, kernels/kernel, kernels/machine, kernels/tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conversion/model/onnx/onnx.h"
#include "kernels/bindings/bindings.h"

namespace opledger {

// The model must outlive it.
Binding BindOnnx(const OnnxModel& model);

}  // namespace opledger
