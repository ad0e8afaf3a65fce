// Finds opledger-cuda.so when a GPU is asked for, and not before: beside the program, or in
// ../lib/opledger from there; or where OPLEDGER_CUDA_MODULE says, a file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/module/module.h"
#include "kernels/machine/device.h"
#include "kernels/machine/status.h"

namespace opledger::cuda {

// The backend's functions (kernels/machine/backend.h). A GPU as a place to run in, the only one of
// the program; and "module 5", where there is one that can be loaded.
const Device* OpenGpu(int number, Status& why);
std::string ModuleName(Status& why);

// Why a module's table is not the one this program was made for; empty: it is. `module` may be
// nullptr.
std::string WrongModule(const CudaModule* module);

// The table of the module that OpenGpu opened: steps run only after that.
const CudaModule& Module();
// What a launch says; the first problem is kept, and the device's `wait` gives it.
void Report(const char* problem);

// Numbers that kernels prepared in a form of their own. They go to the device when first asked for.
class DeviceConstant {
 public:
  explicit DeviceConstant(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  ~DeviceConstant();
  DeviceConstant(const DeviceConstant&) = delete;
  DeviceConstant& operator=(const DeviceConstant&) = delete;
  const void* Data();

 private:
  std::vector<std::byte> bytes_;
  void* memory_ = nullptr;
};

}  // namespace opledger::cuda
