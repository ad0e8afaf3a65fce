// The table of declared backends.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/machine/backend.h"

#include <vector>

namespace opledger {
namespace {

// A function-local static, because backends are declared by static objects of other files.
std::vector<Backend>& DeclaredBackends() {
  static std::vector<Backend> backends;
  return backends;
}

std::string TextOf(const Backend& backend) {
  Status why;
  const std::string version = backend.version(why);
  if (!version.empty()) return std::string(backend.name) + ' ' + version;
  return why.ok() ? std::string("no ") + backend.name : why.message;
}

}  // namespace

bool DeclareBackend(const Backend& backend) {
  DeclaredBackends().push_back(backend);
  return true;
}

std::string BackendsOf(std::string_view device) {
  std::string all;
  for (const Backend& backend : DeclaredBackends()) {
    if (backend.device != device) continue;
    all += (all.empty() ? "" : ", ") + TextOf(backend);
  }
  return all.empty() && device == "cpu" ? "no oneDNN" : all;
}

std::string Libraries(std::string_view device) {
  const std::string all = BackendsOf("cpu");
  return device == "cpu" ? all : all + ", " + BackendsOf(device);
}

const Device* OpenDevice(std::string_view device, int number, Status& why) {
  for (const Backend& backend : DeclaredBackends()) {
    if (backend.device == device && backend.open != nullptr) return backend.open(number, why);
  }
  why = "this program does not support the device '" + std::string(device) + "'";
  why.hint = "leave out --device";
  return nullptr;
}

}  // namespace opledger
