// Transposes matrices in squares that fit into registers, by shuffles of 16-byte vectors, which
// every processor has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

namespace opledger {

// Squares for each element size: 4 x 4 of 4 bytes, 8 x 8 of 2 bytes; other sizes element by
// element.
template <typename T>
struct TransposedSquare {
  static constexpr std::int64_t kSize = 1;
  static void Transpose(const T* in, std::int64_t, T* out, std::int64_t) { *out = *in; }
};

template <>
struct TransposedSquare<std::uint32_t> {
  static constexpr std::int64_t kSize = 4;
  using Four = std::uint32_t __attribute__((vector_size(16)));

  static Four Load(const std::uint32_t* from) {
    Four four;
    std::memcpy(&four, from, sizeof(four));
    return four;
  }
  static void Transpose(const std::uint32_t* in, std::int64_t in_step, std::uint32_t* out,
                        std::int64_t out_step) {
    const Four a = Load(in);
    const Four b = Load(in + in_step);
    const Four c = Load(in + 2 * in_step);
    const Four d = Load(in + 3 * in_step);
    const Four low_ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    const Four high_ab = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const Four low_cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const Four high_cd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    const Four rows[4] = {__builtin_shufflevector(low_ab, low_cd, 0, 1, 4, 5),
                          __builtin_shufflevector(low_ab, low_cd, 2, 3, 6, 7),
                          __builtin_shufflevector(high_ab, high_cd, 0, 1, 4, 5),
                          __builtin_shufflevector(high_ab, high_cd, 2, 3, 6, 7)};
    for (int i = 0; i < 4; ++i) std::memcpy(out + i * out_step, &rows[i], sizeof(Four));
  }
};

template <>
struct TransposedSquare<std::uint16_t> {
  static constexpr std::int64_t kSize = 8;
  using Eight = std::uint16_t __attribute__((vector_size(16)));

  static Eight Low(Eight a, Eight b) {
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
  }
  static Eight High(Eight a, Eight b) {
    return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
  }
  // Interleaves rows i and i + 4, three times.
  static void Transpose(const std::uint16_t* in, std::int64_t in_step, std::uint16_t* out,
                        std::int64_t out_step) {
    Eight rows[8];
    for (int i = 0; i < 8; ++i) std::memcpy(&rows[i], in + i * in_step, sizeof(Eight));
    for (int round = 0; round < 3; ++round) {
      Eight next[8];
      for (int i = 0; i < 4; ++i) {
        next[2 * i] = Low(rows[i], rows[i + 4]);
        next[2 * i + 1] = High(rows[i], rows[i + 4]);
      }
      std::memcpy(rows, next, sizeof(rows));
    }
    for (int i = 0; i < 8; ++i) std::memcpy(out + i * out_step, &rows[i], sizeof(Eight));
  }
};

// out[i * out_step + j] = in[j * in_step + i] for i < rows, j < columns. Handles a few rows at a
// time, so that a cache line is used fully while it is loaded.
template <typename T>
void TransposePlane(const T* in, std::int64_t in_step, T* out, std::int64_t out_step,
                    std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kSide = TransposedSquare<T>::kSize;
  constexpr std::int64_t kLine = 64 / static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t first = 0; first < rows; first += kLine) {
    const std::int64_t end = first + kLine < rows ? first + kLine : rows;
    std::int64_t j = 0;
    for (; j + kSide <= columns; j += kSide) {
      // The next lines: hardware does not prefetch so many streams.
      for (std::int64_t k = j; k < j + kSide; ++k) __builtin_prefetch(in + k * in_step + end);
      std::int64_t i = first;
      for (; i + kSide <= end; i += kSide) {
        TransposedSquare<T>::Transpose(in + j * in_step + i, in_step, out + i * out_step + j,
                                       out_step);
      }
      for (; i < end; ++i) {
        for (std::int64_t k = j; k < j + kSide; ++k) out[i * out_step + k] = in[k * in_step + i];
      }
    }
    for (; j < columns; ++j) {
      for (std::int64_t i = first; i < end; ++i) out[i * out_step + j] = in[j * in_step + i];
    }
  }
}

}  // namespace opledger
