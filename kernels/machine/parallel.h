// How many threads kernels use, and loops cut among them. No result depends on the cuts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

namespace opledger {

// 0: one for each processor that this process may use. Before a model is planned; oneDNN's threads
// are the same. Without OpenMP there is one.
void SetThreads(int threads);
std::size_t Threads();

// Into how many parts `count` pieces of work are cut, each of at least `min_size` of them.
inline std::size_t PartCount(std::size_t count, std::size_t min_size) {
  return std::clamp<std::size_t>(count / std::max<std::size_t>(min_size, 1), 1, Threads());
}

// Calls body(begin, end, part) for the parts of [0, count) at once; part < Threads(). All threads
// come, also where there are fewer parts: GNU's OpenMP ends those that do not, and has to make them
// anew for the next loop.
template <typename Body>
void ForParts(std::size_t count, std::size_t min_size, const Body& body) {
  const std::size_t parts = PartCount(count, min_size);
  if (parts == 1) return body(std::size_t{0}, count, std::size_t{0});
#if defined(_OPENMP)
#pragma omp parallel for num_threads(static_cast <int>(Threads())) schedule(static)
#endif
  for (std::size_t part = 0; part < parts; ++part) {
    body(count * part / parts, count * (part + 1) / parts, part);
  }
}

}  // namespace opledger
