// Another place than the computer's own memory for a model to run in. Its kernels get pointers into
// it, and only queue work.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace opledger {

// Every function gives nullptr, or what went wrong.
struct Device {
  const char* (*allocate)(std::size_t bytes, void** memory);
  const char* (*release)(void* memory);
  const char* (*copy_in)(const void* host, void* device, std::size_t bytes);
  const char* (*copy_out)(const void* device, void* host, std::size_t bytes);
  const char* (*wait)();  // for all work; also says what failed while it was queued
  // Work queued behind `record` is not done but written down, until `recorded` gives it (nothing to
  // forget where that fails); `replay` queues all of it at once.
  const char* (*record)();
  const char* (*recorded)(void** recording);
  const char* (*replay)(void* recording);
  const char* (*forget)(void* recording);
};

}  // namespace opledger
