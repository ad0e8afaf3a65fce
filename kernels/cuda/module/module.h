// The module opledger-cuda.so: what nvcc compiles, and the table of plain functions by which a
// program calls it. In: plain structures; out: work queued on one stream. The program has no CUDA
// in it, and the module none of the program's types.
//   const CudaModule* module = opledger_cuda_module();   found by dlsym
//   (kernels/cuda/chain/loader.h) if (const char* problem = module->cast(&cast)) ...
// May include: conversion/model/half, kernels/arithmetic/elementary, kernels/cpu/formulas.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// Every function gives nullptr, or what went wrong (valid until the thread's next call). Launchers
// only queue work; `wait` waits for it and reports what failed. Pointers are the device's,
// all sizes count elements, none is negative.
namespace opledger::cuda {

// Raised with every change of what stands below.
inline constexpr std::uint32_t kModuleVersion = 5;

// Element types, also those that are only moved or read as numbers.
enum ElementType : std::int32_t { kF32, kF16, kBf16, kI32, kI64, kU8, kI8, kU16, kI16 };

struct DeviceFacts {
  char name[256];
  std::int32_t major;  // compute capability
  std::int32_t minor;
  std::int32_t processors;
  std::uint64_t memory;  // bytes
};

// Steps through memory: element i of `size` stands at the sum of its indices times the strides.
inline constexpr std::int32_t kMaxDimensions = 8;
struct StridedLayout {
  std::int32_t rank;  // 0: one element
  std::int64_t size[kMaxDimensions];
  std::int64_t stride[kMaxDimensions];
};

// A program over numbers: each element goes through all steps in float32, and is rounded once.
//   acc = operand 0; then for each step acc = f(acc), or f(acc, operand)
// kSave puts acc aside, where steps find it as the operand kSaved.
inline constexpr std::uint8_t kSaved = 0xff;
inline constexpr std::int32_t kMaxSteps = 16;
inline constexpr std::int32_t kMaxOperands = 7;
struct ChainStep {
  std::uint8_t code;  // ChainCode of kernels/cuda/module/chain_codes.h
  std::uint8_t operand;
  float alpha;
  float beta;
};
// Where the operand of result element i stands: at i; or at (i / inner) % period; or by the
// layout's strides (whose sizes are those of the chain).
enum OperandPlace : std::int32_t { kSamePlace, kPeriodic, kStrided };
struct ChainOperand {
  const void* data;
  std::int32_t type;
  std::int32_t place;
  std::int64_t inner;
  std::int64_t period;
  std::int64_t stride[kMaxDimensions];
};
struct Chain {
  std::int64_t count;
  void* out;
  std::int32_t out_type;  // kU8: whether it is not 0
  std::int32_t steps;
  std::int32_t operands;
  std::int32_t rank;  // of strided operands
  std::int64_t size[kMaxDimensions];
  ChainStep step[kMaxSteps];
  ChainOperand operand[kMaxOperands];
};

struct CastCall {
  std::int32_t from;
  std::int32_t to;
  const void* in;
  void* out;
  std::int64_t count;
};

// Groups of numbers that stand together, each a row.
struct SoftmaxCall {
  std::int32_t type;
  std::int32_t logarithm;
  const void* in;
  void* out;
  std::int64_t rows;
  std::int64_t size;  // of a row
};
struct NormaliseCall {
  std::int32_t type;
  std::int32_t weight_type;  // of scale and shift
  std::int32_t subtract_mean;
  std::int32_t epsilon_in_sqrt;
  double epsilon;
  const void* in;
  const void* scale;  // or nullptr
  const void* shift;
  void* out;
  float* means;  // one for each row, or nullptr
  float* inverses;
  std::int64_t rows;
  std::int64_t size;
  // Element i of row r has the weight (r * size + i) / weight_inner % weight_period. weight_inner
  // divides size, and size / weight_inner divides weight_period.
  std::int64_t weight_inner;
  std::int64_t weight_period;
};
enum ReduceWork : std::int32_t {
  kReduceSum,
  kReduceMean,
  kReduceSumSquare,
  kReduceL1,
  kReduceL2,
  kReduceMax,
  kReduceMin,
  kReduceProd
};
struct ReduceCall {
  std::int32_t work;
  std::int32_t type;
  const void* in;
  void* out;
  StridedLayout groups;   // where each result's numbers begin, in the order of results
  StridedLayout members;  // where they stand from there
};

struct CopyCall {
  std::int32_t element;  // bytes: 1, 2, 4, 8
  const void* in;
  void* out;
  StridedLayout from;
  StridedLayout to;  // the same sizes
};
struct GatherCall {
  std::int32_t element;
  std::int32_t index_type;  // kI32 or kI64
  const void* in;
  const void* indices;
  void* out;
  std::int64_t outer;
  std::int64_t size;  // of the axis
  std::int64_t inner;
  std::int64_t index_count;
};

// Windows over images with channels last: images, height, width, channels.
struct WindowShape {
  std::int64_t images;
  std::int64_t channels;
  std::int64_t in[2];  // height, width
  std::int64_t out[2];
  std::int64_t kernel[2];
  std::int64_t stride[2];
  std::int64_t dilation[2];
  std::int64_t begin[2];  // pads
  std::int64_t end[2];
};
struct PoolCall {
  std::int32_t type;
  std::int32_t average;     // else the maximum
  std::int32_t count_pads;  // of an average
  WindowShape window;
  const void* in;
  void* out;
};
// Rows of the matrix are the output's pixels from `first_image` on, columns its taps times
// channels.
struct ColumnsCall {
  std::int32_t type;
  WindowShape window;
  std::int64_t first_image;
  std::int64_t image_count;
  const void* in;
  void* out;
};
// A convolution in groups, without a matrix. weights: channels out, taps, channels of a group.
struct GroupedCall {
  std::int32_t type;
  std::int32_t out_type;
  WindowShape window;
  std::int64_t groups;
  std::int64_t out_channels;
  const void* in;
  const void* weights;
  void* out;
};

enum MatrixEpilogue : std::int32_t { kPlain, kBias, kBiasRelu, kRelu };
// out = a * b, all row-major, `batch` times; sums in float32, never by TF32.
struct MatrixCall {
  std::int32_t type;      // of a and b
  std::int32_t out_type;  // the same, or kF32
  std::int64_t rows;
  std::int64_t inner;
  std::int64_t columns;
  std::int64_t batch;
  std::int64_t a_step;  // elements from one matrix to the next; 0: the same one
  std::int64_t b_step;
  std::int32_t transpose_a;
  std::int32_t transpose_b;
  std::int32_t epilogue;
  const void* a;
  const void* b;
  const void* bias;  // one of out_type for each column
  void* out;
  void* workspace;
  std::uint64_t workspace_size;
};

struct CudaModule {
  std::uint32_t version;  // kModuleVersion of the module
  std::uint32_t size;     // bytes of this structure

  // Takes the GPU of that number, from 0 on, for as long as the program runs; every other function
  // needs that.
  const char* (*open)(std::int32_t gpu);
  const char* (*facts)(DeviceFacts* facts);
  const char* (*allocate)(std::size_t bytes, void** memory);
  const char* (*release)(void* memory);
  const char* (*copy_in)(const void* host, void* device, std::size_t bytes);
  const char* (*copy_out)(const void* device, void* host, std::size_t bytes);
  const char* (*copy_within)(const void* from, void* to, std::size_t bytes);
  const char* (*wait)();
  // Work queued after `begin_capture` is not done but becomes a graph, which `end_capture` gives
  // (none where that fails); `launch_graph` queues all of it at once, as often as one likes.
  const char* (*begin_capture)();
  const char* (*end_capture)(void** graph);
  const char* (*launch_graph)(void* graph);
  const char* (*destroy_graph)(void* graph);
  // Seconds on the GPU between two marks (0 to 7), once `wait` was called after the second.
  const char* (*mark)(std::int32_t mark);
  const char* (*seconds)(std::int32_t from, std::int32_t to, double* seconds);

  const char* (*cast)(const CastCall* call);
  const char* (*chain)(const Chain* call);
  const char* (*softmax)(const SoftmaxCall* call);
  const char* (*normalise)(const NormaliseCall* call);
  const char* (*reduce)(const ReduceCall* call);
  const char* (*copy)(const CopyCall* call);
  const char* (*gather)(const GatherCall* call);
  const char* (*pool)(const PoolCall* call);
  const char* (*columns)(const ColumnsCall* call);
  const char* (*grouped)(const GroupedCall* call);
  const char* (*multiply)(const MatrixCall* call);
};

}  // namespace opledger::cuda

// The one thing that the module exports.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" const opledger::cuda::CudaModule* opledger_cuda_module();
