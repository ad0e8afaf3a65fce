// Loads opledger-cuda.so when a GPU is first used. Looks beside the program, then in
// ../lib/opledger, or uses only the file named by OPLEDGER_CUDA_MODULE.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/module/module.h"
#include "kernels/machine/device.h"
#include "kernels/machine/status.h"

namespace opledger::cuda {

// The backend's functions (kernels/machine/backend.h). OpenGpu opens the only GPU that the program
// uses. ModuleName returns "module 5", or an empty string if no module can be loaded; `why` is set
// if one was found.
const Device* OpenGpu(int number, Status& why);
std::string ModuleName(Status& why);

// Returns why the module's table does not fit this program, or an empty string if it does. `module`
// may be nullptr.
std::string WrongModule(const CudaModule* module);

// Returns the table of the module that OpenGpu has opened; call it only after that.
const CudaModule& Module();
// Takes the result of a launch. The first problem is kept, and the device's `wait` returns it.
void Report(const char* problem);

// Constants in a kernel's own layout. They are copied to the device on first use.
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
