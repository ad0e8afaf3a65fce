// Defines fuzz targets and their checks. With libFuzzer, a target is its entry point; in a program
// of replay_corpora.cpp, it is a function in that program's table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace opledger::fuzz {

// Ends the program if a law does not hold.
inline void Require(bool law, const char* what) {
  if (law) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

using Target = int (*)(const std::uint8_t* data, std::size_t size);

// Adds a target to the table; returns true.
bool AddTarget(const char* name, Target target);

}  // namespace opledger::fuzz

#ifdef OPLEDGER_REPLAY_CORPORA
#define FUZZ_TARGET(name)                                                         \
  static int Fuzz_##name(const std::uint8_t* data, std::size_t size);             \
  static const bool added_##name = opledger::fuzz::AddTarget(#name, Fuzz_##name); \
  static int Fuzz_##name([[maybe_unused]] const std::uint8_t* data,               \
                         [[maybe_unused]] std::size_t size)
#else
#define FUZZ_TARGET(name) \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
#endif
