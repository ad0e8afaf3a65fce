// The environment that speed and bits depend on: instruction sets of the processor, libraries,
// threads, clocks, memory, devices as tables of functions. In: the environment. Out: answers to
// kernels and reports.
// May include: conversion/model/half, registry/files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opledger {

// The available instruction sets, for reports: "avx2 avx512 avx512_bf16"; "portable" if there are
// none. avx2 is with FMA and F16C, avx512 is F, BW, DQ and VL. The others are "avx512_bf16" and
// "amx_bf16". OPLEDGER_MAX_INSTRUCTION_SET=portable|avx2|avx512 in the environment limits what the
// program uses.
std::string InstructionSets();
// Returns those that this machine lacks or the environment disables: "amx_bf16"; empty if there are
// none.
std::string MissingInstructionSets();

}  // namespace opledger
