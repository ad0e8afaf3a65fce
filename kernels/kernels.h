// kernels/: what runs operators, and runs whole models with them, from the bottom up:
//   machine, tensor, kernel       what a kernel is made of; cpu, vector, onednn, cuda hold the
//   kernels bindings -> plan -> execute   a framework's node becomes calls of kernels, a plan,
//   tensors control_flow, model           inner graphs; models opened, with their inputs commands,
//   bench, compare, evidence   run; bench; compare, tune; characterize: what main.cpp calls
// May include: kernels/bench, kernels/commands, kernels/compare, kernels/evidence, kernels/machine,
// registry/files, registry/platform, registry/project.
// SPDX-License-Identifier: Apache-2.0
#pragma once
