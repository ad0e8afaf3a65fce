// The interface of opledger-cuda.so, which has all code compiled by nvcc: a table of plain
// functions. In: plain structures; out: work queued on one stream. The program does not depend on
// CUDA, and the module not on the program's types. kernels/cuda/chain/loader.h loads it.
//   const CudaModule* module = opledger_cuda_module();   found by dlsym
//   if (const char* problem = module->cast(&cast)) ...
// May include: conversion/model/half, kernels/arithmetic/elementary, kernels/cpu/formulas.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// Every function returns nullptr, or an error message that is valid until the thread's next call.
// Launchers only queue work; `wait` waits for it and reports its errors. Pointers to data are
// device pointers unless named `host`. Sizes count elements and are not negative. A `type` is an
// ElementType; other flags are 0 or 1.
//
// Where each launcher is defined:
//   casts.cu           cast
//   chain.cu           chain
//   softmax.cu         softmax
//   normalise.cu       normalise
//   reduce.cu          reduce
//   moves.cu           copy, gather
//   pad.cu             pad
//   resize.cu          resize
//   quantize.cu        quantize, dequantize
//   rotary.cu          rotate
//   attention.cu       attend, for few rows
//   attention_tiles.cu attend, for many rows
//   windows.cu         pool, columns, grouped
//   matrices.cu        multiply
//   module.cu          everything else
namespace opledger::cuda {

// Increased with every change to the declarations below.
inline constexpr std::uint32_t kModuleVersion = 5;

// Element types, including those that are only moved or read.
enum ElementType : std::int32_t { kF32, kF16, kBf16, kI32, kI64, kU8, kI8, kU16, kI16 };

struct DeviceFacts {
  char name[256];
  std::int32_t major;  // compute capability
  std::int32_t minor;
  std::int32_t processors;  // streaming multiprocessors
  std::uint64_t memory;     // bytes
};

// A strided layout: the offset of an element is the sum of its indices times the strides.
inline constexpr std::int32_t kMaxDimensions = 8;
struct StridedLayout {
  std::int32_t rank;  // 0: one element
  std::int64_t size[kMaxDimensions];
  std::int64_t stride[kMaxDimensions];
};

// A chain of element-wise steps: each element passes through all steps in float32 and is rounded
// once.
//   acc = operand 0; then for each step acc = f(acc), or f(acc, operand)
// kSave saves acc, which later steps can read as operand kSaved.
inline constexpr std::uint8_t kSaved = 0xff;
inline constexpr std::int32_t kMaxSteps = 16;
inline constexpr std::int32_t kMaxOperands = 7;
struct ChainStep {
  std::uint8_t code;     // ChainCode of kernels/cuda/module/chain_codes.h
  std::uint8_t operand;  // index in Chain::operand, or kSaved
  float alpha;
  float beta;
};
// The offset of the operand for result element i: i; or (i / inner) % period; or by the strides,
// for indices in the chain's sizes.
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
  std::int32_t out_type;  // kU8: 1 if the value is not 0
  std::int32_t steps;
  std::int32_t operands;
  std::int32_t rank;  // of the result and of strided operands
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

// Operations on contiguous rows.
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
  const void* scale;  // nullptr: no scale
  const void* shift;  // nullptr: no shift
  void* out;
  float* means;     // one for each row, or nullptr
  float* inverses;  // likewise: the factor that each row is multiplied by
  std::int64_t rows;
  std::int64_t size;
  // The weight of element i of row r has the index (r * size + i) / weight_inner % weight_period.
  // weight_inner divides size, and size / weight_inner divides weight_period.
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
  StridedLayout groups;   // where the elements of each result begin, in the order of results
  StridedLayout members;  // offsets of the elements from there
};

struct CopyCall {
  std::int32_t element;  // bytes per element: 1, 2, 4, 8
  const void* in;
  void* out;
  StridedLayout from;
  StridedLayout to;  // the same sizes
};
struct GatherCall {
  std::int32_t element;     // bytes per element: 1, 2, 4, 8
  std::int32_t index_type;  // kI32 or kI64
  const void* in;
  const void* indices;
  void* out;
  std::int64_t outer;
  std::int64_t size;  // of the axis
  std::int64_t inner;
  std::int64_t index_count;
};

// Pads a tensor. In each dimension, index i of the result is index i - before of the kept part of
// the input: `kept` elements from `first` on.
enum PadMode : std::int32_t { kPadConstant, kPadEdge, kPadReflect, kPadWrap };
struct PadCall {
  std::int32_t element;  // bytes per element: 1, 2, 4, 8
  std::int32_t mode;
  std::int32_t rank;
  const void* in;
  const void* value;  // one element; nullptr: `constant`
  void* out;
  std::uint64_t constant;             // the bits of an element
  std::int64_t size[kMaxDimensions];  // of the result
  std::int64_t before[kMaxDimensions];
  std::int64_t first[kMaxDimensions];
  std::int64_t kept[kMaxDimensions];
  std::int64_t stride[kMaxDimensions];  // of the input
};

// Resizes one dimension of a float tensor: each of its `out_size` results is the sum of `taps`
// input elements times their weights, in order.
struct ResizeCall {
  std::int32_t from;
  std::int32_t to;
  const void* in;
  void* out;
  const std::int32_t* index;  // `taps` for each result
  const float* weight;
  std::int64_t outer;
  std::int64_t in_size;
  std::int64_t out_size;
  std::int64_t inner;
  std::int64_t taps;
};

// Quantizes floats to small integers, or dequantizes them. Element (o, a, i) of outer, length and
// inner has the scale at o * outer_step + a / block * axis_step + i * inner_step.
struct QuantizeCall {
  std::int32_t type;        // of the floats; for QuantizeLinear also kI32
  std::int32_t scale_type;  // also the type of dequantized elements
  std::int32_t quantized;   // kU8, kI8, kU16, kI16; for DequantizeLinear also kI32
  const void* in;
  const void* scale;
  const void* zero;  // one of type `quantized` for each scale; nullptr: 0
  void* out;
  std::int64_t outer;
  std::int64_t length;
  std::int64_t inner;
  std::int64_t block;
  std::int64_t outer_step;
  std::int64_t axis_step;
  std::int64_t inner_step;
};

// Rotates pairs of elements of each head by the angles of their row.
struct RotaryCall {
  std::int32_t type;
  std::int32_t heads_first;  // batches, heads, rows, width; otherwise batches, rows, heads, width
  std::int32_t interleaved;  // the elements of a pair are adjacent; otherwise `pairs` apart
  const void* in;
  const void* cosines;  // `pairs` for each row, or for each position
  const void* sines;
  const std::int64_t* positions;  // one for each row; nullptr: the row's own
  void* out;
  std::int64_t batches;
  std::int64_t heads;
  std::int64_t rows;
  std::int64_t width;
  std::int64_t pairs;
  std::int64_t position_count;  // rows of the tables
};

// softmax(q k^T + bias) v, as in kernels/cpu/sequence/attention.h: the bias of a column is its
// mask, or -infinity if the row does not see it. Keys and values of the past precede the others.
struct HeadSteps {
  std::int64_t batch;
  std::int64_t head;
  std::int64_t row;
};
struct AttentionCall {
  std::int32_t type;
  std::int32_t mask_is_bool;  // otherwise the mask is of `type`
  std::int32_t causal;
  float scale;  // multiplies q and k: the root of the scale of the products
  float cap;    // 0: no cap
  const void* q;
  const void* k;
  const void* v;
  const void* mask;           // nullptr: no mask
  const std::int64_t* valid;  // columns of each batch that count; nullptr: all
  void* out;
  HeadSteps q_steps;
  HeadSteps k_steps;
  HeadSteps v_steps;
  HeadSteps out_steps;
  std::int64_t batches;
  std::int64_t q_heads;
  std::int64_t kv_heads;
  std::int64_t q_rows;
  std::int64_t past;           // columns of the past
  std::int64_t columns;        // all columns, including the past
  std::int64_t head;           // elements of a row of q and k
  std::int64_t value;          // elements of a row of v
  std::int64_t mask_steps[3];  // batch, head, row
  std::int64_t mask_columns;
  std::int64_t left;  // columns before a row's own that it sees, and after it; -1: all
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
  std::int32_t average;     // otherwise the maximum
  std::int32_t count_pads;  // for an average
  WindowShape window;
  const void* in;
  void* out;
};
// Writes a matrix for a convolution. Its rows are the output's pixels from `first_image` on, its
// columns taps times channels.
struct ColumnsCall {
  std::int32_t type;
  WindowShape window;
  std::int64_t first_image;
  std::int64_t image_count;
  const void* in;
  void* out;
};
// A grouped convolution without a matrix. Weights: channels out, taps, channels of a group.
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
// out = a * b, `batch` times, all row-major. Sums are float32; TF32 is never used.
struct MatrixCall {
  std::int32_t type;      // of a and b
  std::int32_t out_type;  // the same, or kF32
  std::int64_t rows;
  std::int64_t inner;
  std::int64_t columns;
  std::int64_t batch;
  std::int64_t a_step;  // elements from one matrix to the next; 0: all use the same
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
  std::uint32_t size;     // sizeof(CudaModule)

  // Opens a GPU, numbered from 0, until the program ends. Must be called before any other function.
  const char* (*open)(std::int32_t gpu);
  const char* (*facts)(DeviceFacts* facts);
  const char* (*allocate)(std::size_t bytes, void** memory);
  const char* (*release)(void* memory);
  const char* (*copy_in)(const void* host, void* device, std::size_t bytes);
  const char* (*copy_out)(const void* device, void* host, std::size_t bytes);
  const char* (*copy_within)(const void* from, void* to, std::size_t bytes);
  const char* (*wait)();
  // Work queued after `begin_capture` is recorded in a graph instead of run. `end_capture` returns
  // the graph, or nullptr if that failed. `launch_graph` queues all of its work and may be called
  // repeatedly.
  const char* (*begin_capture)();
  const char* (*end_capture)(void** graph);
  const char* (*launch_graph)(void* graph);
  const char* (*destroy_graph)(void* graph);
  // Seconds on the GPU between two marks (0 to 7). Call `wait` after the second mark first.
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

// The module's only export.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" const opledger::cuda::CudaModule* opledger_cuda_module();
