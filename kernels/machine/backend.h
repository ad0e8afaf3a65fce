// What kernels rest on besides our own code, as a table of plain functions: oneDNN, CUDA's module.
// What it computes is registered as kernels of its device (kernels/kernel), which plan a call or
// say why they cannot serve it, and run it. Whoever has such kernels declares their backend.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "kernels/machine/device.h"
#include "kernels/machine/status.h"

namespace opledger {

struct Backend {
  const char* name;    // "oneDNN"
  const char* device;  // of its kernels: "cpu", "cuda"
  // With what it uses of this machine: "3.2.0 (avx512_core_amx)". Empty: it serves nothing here,
  // and `why` says why; if that is ok, it is not installed. Opens nothing.
  std::string (*version)(Status& why);
  // Makes a device ready, once: of several of its kind that of a number from 0 on. nullptr: that
  // cannot be, with why, and what to do about it. The CPU's have no such function.
  const Device* (*open)(int number, Status& why);
};

// Before main; gives true.
bool DeclareBackend(const Backend& backend);

// Those of a device: "oneDNN 3.2.0 (avx2)", with commas between several; why one serves nothing; or
// "no CUDA". Of the CPU "no oneDNN" where a build has none.
std::string BackendsOf(std::string_view device);

// What the bits of a model that runs on a device depend on: these, and the CPU's.
std::string Libraries(std::string_view device);

// A device by its name, not the CPU, and its number. nullptr as Backend::open says.
const Device* OpenDevice(std::string_view device, int number, Status& why);

}  // namespace opledger
