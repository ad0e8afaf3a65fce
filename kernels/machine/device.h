// A device with its own memory that a model can run on. Kernels get pointers into that memory and
// only queue work.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace opledger {

// Each function returns nullptr, or an error message.
struct Device {
  const char* (*allocate)(std::size_t bytes, void** memory);
  const char* (*release)(void* memory);
  const char* (*copy_in)(const void* host, void* device, std::size_t bytes);
  const char* (*copy_out)(const void* device, void* host, std::size_t bytes);
  const char* (*wait)();  // waits for all work; also reports errors of queued work
  // After `begin_capture`, work is recorded instead of executed. `end_capture` returns the recorded
  // graph, nullptr if it fails; `launch_graph` queues all of its work at once.
  const char* (*begin_capture)();
  const char* (*end_capture)(void** graph);
  const char* (*launch_graph)(void* graph);
  const char* (*destroy_graph)(void* graph);
};

}  // namespace opledger
