// The program opledger-cuda-selftest: each part checks functions of the module against formulas on
// the host. In: a module; out: checks and times. It includes only headers of this repository and of
// the standard library, so that it can be built wherever there is a GPU.
// May include: conversion/model/half, kernels/arithmetic/elementary, kernels/cpu/reduce,
// kernels/cuda/module.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conversion/model/half/half_bits.h"
#include "kernels/cuda/module/module.h"

namespace opledger::cuda::selftest {

struct Check {
  std::string name;
  std::uint64_t numbers = 0;  // elements compared
  std::string problem;        // empty if the check passed
};

// The speed of a kernel, and the ceiling of this GPU that it is compared with.
struct Speed {
  std::string name;
  double amount = 0;   // bytes read and written, or operations
  double seconds = 0;  // median of one launch
  double ceiling = 0;  // amount per second
  const char* unit = "GB/s";
};

struct Session {
  const CudaModule* module = nullptr;
  bool quick = false;       // small sizes, to try the program itself
  bool exhaustive = false;  // check unary functions on all float32
  std::uint64_t random = 0x9e3779b97f4a7c15U;
  std::vector<Check> checks;
  std::vector<Speed> speeds;

  std::uint32_t Random();
  float RandomNormal();  // approximately normal, deviation 1
  // Ends the program if the module reports a problem.
  void Must(const char* problem) const;
};

// Memory on the device.
class Buffer {
 public:
  Buffer(const Session& session, std::size_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  template <typename T>
  Buffer(const Session& session, const std::vector<T>& numbers)
      : Buffer(session, numbers.size() * sizeof(T)) {
    session.Must(session.module->copy_in(numbers.data(), memory_, numbers.size() * sizeof(T)));
  }
  template <typename T>
  std::vector<T> Read(std::size_t count) const {
    std::vector<T> numbers(count);
    session_.Must(session_.module->copy_out(memory_, numbers.data(), count * sizeof(T)));
    session_.Must(session_.module->wait());
    return numbers;
  }
  void* data() const { return memory_; }

 private:
  const Session& session_;
  void* memory_ = nullptr;
};

// Sizes and names of types, and conversions to and from stored elements.
std::size_t SizeOf(ElementType type);
const char* NameOf(ElementType type);
std::vector<std::byte> Stored(ElementType type, const std::vector<float>& numbers);
std::vector<float> Loaded(ElementType type, const std::vector<std::byte>& bytes);
// Returns the value after storing and loading.
float Rounded(ElementType type, float number);
inline constexpr ElementType kTypes[] = {kF32, kF16, kBf16};

// Half a unit in the last place of a value of that type.
double HalfUnit(ElementType type, double value);

// Returns whether both have the same bits or are NaN.
bool Same(float a, float b);
// Calls part(begin, end) for parts of `count`, in parallel on all processors.
void InParts(std::size_t count, const std::function<void(std::size_t, std::size_t)>& part);
// Records a check that compares `given` with `expected` bit by bit.
void CompareBits(Session& session, const std::string& name, const std::vector<float>& given,
                 const std::vector<float>& expected);

// The parts, in their order.
void CheckCasts(Session& session);
void CheckFunctions(Session& session);
void CheckReductions(Session& session);
void CheckRows(Session& session);
void CheckMoves(Session& session);
void CheckMatrices(Session& session);
void CheckQuantized(Session& session);
void CheckImages(Session& session);
void CheckAttention(Session& session);
void MeasureSpeeds(Session& session);

}  // namespace opledger::cuda::selftest
