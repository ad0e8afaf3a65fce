// Lowers MXNet's operators to calls of kernels, with a file and a table of names for each kind; and
// opens MXNet models for running.
// May include: conversion/model/graph, conversion/model/mxnet, conversion/model/operators,
// kernels/bindings, kernels/tensor, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/bindings/bindings.h"
#include "kernels/bindings/mxnet/model.h"

namespace opledger {

// Binds the nodes of a model. The model must outlive the result.
Binding BindMxnet(const MxnetModel& model);

}  // namespace opledger
