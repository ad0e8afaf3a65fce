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
  // Work queued after `begin_capture` is not done but becomes a graph, which `end_capture` gives
  // (none where that fails); `launch_graph` queues all of it at once.
  const char* (*begin_capture)();
  const char* (*end_capture)(void** graph);
  const char* (*launch_graph)(void* graph);
  const char* (*destroy_graph)(void* graph);
};

}  // namespace opledger
