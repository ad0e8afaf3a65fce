// kernels/: runs operators, and whole models with them. From the bottom up:
//   machine, tensor, kernel               what kernels consist of
//   cpu, vector, onednn, cuda             the kernels
//   bindings -> plan -> execute           nodes become calls of kernels, a plan, tensors
//   control_flow, model                   inner graphs; models and their inputs
//   commands, bench, compare, evidence    the verbs that main.cpp calls
// May include: kernels/bench, kernels/commands, kernels/compare, kernels/evidence, kernels/machine,
// registry/files, registry/platform, registry/project.
// SPDX-License-Identifier: Apache-2.0
#pragma once
