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

// Elements around a tensor. In each dimension, index i of the result is index i - before of what is
// kept of the input: `kept` elements from `first` on.
enum PadMode : std::int32_t { kPadConstant, kPadEdge, kPadReflect, kPadWrap };
struct PadCall {
  std::int32_t element;  // bytes: 1, 2, 4, 8
  std::int32_t mode;
  std::int32_t rank;
  const void* in;
  const void* value;  // one element, or nullptr: `constant`
  void* out;
  std::uint64_t constant;             // the bits of an element
  std::int64_t size[kMaxDimensions];  // of the result
  std::int64_t before[kMaxDimensions];
  std::int64_t first[kMaxDimensions];
  std::int64_t kept[kMaxDimensions];
  std::int64_t stride[kMaxDimensions];  // of the input
};

// One dimension of a tensor resized: each of its `out_size` results is the sum of `taps` elements
// of the input, each times its weight, in their order. Types are floats.
struct ResizeCall {
  std::int32_t from;
  std::int32_t to;
  const void* in;
  void* out;
  const std::int32_t* index;  // taps of each result
  const float* weight;
  std::int64_t outer;
  std::int64_t in_size;
  std::int64_t out_size;
  std::int64_t inner;
  std::int64_t taps;
};

// Floats as small integers, and back. Element (o, a, i) of outer, length and inner has the scale
// o * outer_step + a / block * axis_step + i * inner_step.
struct QuantizeCall {
  std::int32_t type;        // of the numbers; for QuantizeLinear also kI32
  std::int32_t scale_type;  // dequantized numbers are of this type
  std::int32_t quantized;   // kU8, kI8, kU16, kI16; for DequantizeLinear also kI32
  const void* in;
  const void* scale;
  const void* zero;  // one of type `quantized` for each scale, or nullptr
  void* out;
  std::int64_t outer;
  std::int64_t length;
  std::int64_t inner;
  std::int64_t block;
  std::int64_t outer_step;
  std::int64_t axis_step;
  std::int64_t inner_step;
};

// Pairs of each head's elements, rotated by the angles of its row.
struct RotaryCall {
  std::int32_t type;
  std::int32_t heads_first;  // batches, heads, rows, width; else batches, rows, heads, width
  std::int32_t interleaved;  // a pair stands together; else its elements are `pairs` apart
  const void* in;
  const void* cosines;  // `pairs` for each row, or for each position
  const void* sines;
  const std::int64_t* positions;  // one for each row, or nullptr
  void* out;
  std::int64_t batches;
  std::int64_t heads;
  std::int64_t rows;
  std::int64_t width;
  std::int64_t pairs;
  std::int64_t position_count;  // rows of the tables
};

// softmax(q k^T + bias) v, as kernels/cpu/sequence/attention.h has it: the bias of a column is the
// mask's, or the column takes no part. Keys and values of the past stand before the others.
struct HeadSteps {
  std::int64_t batch;
  std::int64_t head;
  std::int64_t row;
};
struct AttentionCall {
  std::int32_t type;
  std::int32_t mask_is_bool;  // else the mask is of `type`
  std::int32_t causal;
  float scale;  // of q and of k, each: the root of the products' scale
  float cap;    // 0: none
  const void* q;
  const void* k;
  const void* v;
  const void* mask;           // or nullptr
  const std::int64_t* valid;  // columns of each batch that count, or nullptr
  void* out;
  HeadSteps q_steps;
  HeadSteps k_steps;
  HeadSteps v_steps;
  HeadSteps out_steps;
  std::int64_t batches;
  std::int64_t q_heads;
  std::int64_t kv_heads;
  std::int64_t q_rows;
  std::int64_t past;           // columns
  std::int64_t columns;        // all, with those of the past
  std::int64_t head;           // elements of a row of q and k
  std::int64_t value;          // elements of a row of v
  std::int64_t mask_steps[3];  // batch, head, row
  std::int64_t mask_columns;
  std::int64_t left;  // columns that a row sees before its own, and after it; -1: all
  std::int64_t right;
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
  const char* (*pad)(const PadCall* call);
  const char* (*resize)(const ResizeCall* call);
  const char* (*quantize)(const QuantizeCall* call);
  const char* (*dequantize)(const QuantizeCall* call);
  const char* (*rotate)(const RotaryCall* call);
  const char* (*attend)(const AttentionCall* call);
};

}  // namespace opledger::cuda

// The one thing that the module exports.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" const opledger::cuda::CudaModule* opledger_cuda_module();
