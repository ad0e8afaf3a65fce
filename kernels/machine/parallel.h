// The number of threads that kernels use, and parallel loops. Results do not depend on how a loop
// is divided. Idle threads sleep, because the machine may be shared.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

namespace opledger {

// Sets the number of threads, also oneDNN's; 0: one for each processor available to this process.
// Must be called before a model is planned.
void SetThreads(int threads);
std::size_t Threads();

// Makes OpenMP's threads, which oneDNN uses, sleep instead of spin while they wait, unless the
// environment says otherwise. OpenMP reads the setting only at program start, so this restarts the
// program. `arguments`: argv of main.
void LetOpenMpSleep(char** arguments);

// While an object lives, OpenMP regions use all threads, or one thread if `work` multiplications do
// not justify more.
class OpenMpThreads {
 public:
  explicit OpenMpThreads(std::size_t work);
  ~OpenMpThreads();
  OpenMpThreads(const OpenMpThreads&) = delete;
  OpenMpThreads& operator=(const OpenMpThreads&) = delete;

 private:
  bool one_ = false;
};

// Returns the number of parts to divide `count` items into: at most one per thread, each of at
// least `min_size` items.
inline std::size_t PartCount(std::size_t count, std::size_t min_size) {
  return std::clamp<std::size_t>(count / std::max<std::size_t>(min_size, 1), 1, Threads());
}

// Calls run(of, part) for all parts, each on a thread of its own; sequentially if called from
// within a part. parts <= Threads().
void RunParts(std::size_t parts, void (*run)(const void* of, std::size_t part), const void* of);

// Calls body(begin, end, part) in parallel for nonempty parts of [0, count); part < Threads().
template <typename Body>
void ForParts(std::size_t count, std::size_t min_size, const Body& body) {
  if (count == 0) return;
  const std::size_t parts = PartCount(count, min_size);
  if (parts == 1) return body(std::size_t{0}, count, std::size_t{0});
  const auto run_part = [&](std::size_t part) {
    body(count * part / parts, count * (part + 1) / parts, part);
  };
  RunParts(
      parts,
      [](const void* of, std::size_t part) { (*static_cast<const decltype(run_part)*>(of))(part); },
      &run_part);
}

}  // namespace opledger
