// Kernels over sequences: attention, linear attention, recurrent networks, rotary embeddings. In:
// tokens or steps along one dimension; out: the same, each computed from those before it or from
// all. This header is empty.
// May include: kernels/cpu/formulas, kernels/cpu/move, kernels/kernel, kernels/tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once
