// Libraries that kernels use besides our own code, oneDNN and CUDA's module, as tables of plain
// functions. The kernels of a library are registered for its device (kernels/kernel); a file that
// registers them also declares its backend.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "kernels/machine/device.h"
#include "kernels/machine/status.h"

namespace opledger {

struct Backend {
  const char* name;    // "oneDNN"
  const char* device;  // device of its kernels: "cpu", "cuda"
  // Returns the version and what it uses of this machine: "3.2.0 (avx512_core_amx)". Returns an
  // empty string if the backend is unusable here; `why` gives the reason, and is ok if the backend
  // is not installed. Does not load the library.
  std::string (*version)(Status& why);
  // Initializes device `number` (from 0), once. Returns nullptr if that fails; `why` has the reason
  // and a hint. nullptr for backends of the CPU.
  const Device* (*open)(int number, Status& why);
};

// Called before main; returns true.
bool DeclareBackend(const Backend& backend);

// Describes the backends of a device: "oneDNN 3.2.0 (avx2)", separated by commas; the reason if one
// is unusable; or "no CUDA". For the CPU, "no oneDNN" if the build has none.
std::string BackendsOf(std::string_view device);

// Libraries that affect the bits of a model's results on a device: the device's and the CPU's.
std::string Libraries(std::string_view device);

// Opens a device other than the CPU by name and number. Returns nullptr as Backend::open does.
const Device* OpenDevice(std::string_view device, int number, Status& why);

}  // namespace opledger
