// MXNet's operators as calls of kernels: a file for each kind, a table of names in each; and how
// its models are opened to be run.
// May include: conversion/model/graph, conversion/model/mxnet, conversion/model/operators,
// kernels/bindings, kernels/tensor, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/bindings/bindings.h"
#include "kernels/bindings/mxnet/model.h"

namespace opledger {

// The model must outlive it.
Binding BindMxnet(const MxnetModel& model);

}  // namespace opledger
