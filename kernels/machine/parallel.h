// How many threads kernels use, and loops cut among them. No result depends on the cuts. Threads
// that have nothing to do sleep: others use the machine, too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

namespace opledger {

// 0: one for each processor that this process may use. Before a model is planned; oneDNN's threads
// are as many.
void SetThreads(int threads);
std::size_t Threads();

// OpenMP's threads, which are oneDNN's, sleep as soon as they wait, where the environment does not
// say otherwise. They read it as the program starts: it starts once more. `arguments`: of main.
void LetOpenMpSleep(char** arguments);

// While it lives what asks OpenMP for threads gets all of them, or one where so many
// multiplications do not pay for more.
class OpenMpThreads {
 public:
  explicit OpenMpThreads(std::size_t work);
  ~OpenMpThreads();
  OpenMpThreads(const OpenMpThreads&) = delete;
  OpenMpThreads& operator=(const OpenMpThreads&) = delete;

 private:
  bool one_ = false;
};

// Into how many parts `count` pieces of work are cut, each of at least `min_size` of them.
inline std::size_t PartCount(std::size_t count, std::size_t min_size) {
  return std::clamp<std::size_t>(count / std::max<std::size_t>(min_size, 1), 1, Threads());
}

// Calls run(of, part) for all parts at once, as many threads as there are parts; within such a
// call, one after the other. parts <= Threads().
void RunParts(std::size_t parts, void (*run)(const void* of, std::size_t part), const void* of);

// Calls body(begin, end, part) for the parts of [0, count) at once, none of them empty; part <
// Threads().
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
