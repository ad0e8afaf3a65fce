// What figures and bits depend on besides our own code: instruction sets of the processor,
// libraries that kernels rest on, threads, clocks, memory; and devices as tables of functions. In:
// the environment. Out: answers to kernels and reports.
// May include: conversion/model/half, registry/files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opledger {

// "avx2" (with FMA and F16C), "avx512" (F, BW, DQ, VL), "avx512_bf16", "amx_bf16". A name that is
// not known is not there. OPLEDGER_MAX_INSTRUCTION_SET=portable|avx2|avx512 in the environment
// holds the program to less.
bool HasInstructionSet(std::string_view name);

// All of them, for reports: "avx2 avx512 avx512_bf16"; "portable": none.
std::string InstructionSets();
// Those that this machine, or the environment, does not have: "amx_bf16"; empty: it has all.
std::string MissingInstructionSets();

}  // namespace opledger
