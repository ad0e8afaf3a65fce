// oneDNN's matrix products and convolutions behind one interface for versions 2.6 to 3.x. If the
// library or this machine cannot do one, the maker returns nullptr, and another kernel serves.
// float32 stays float32: modes that compute it with less precision are off.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "kernels/tensor/tensor.h"

namespace opledger::onednn {

// Operations on the accumulator before rounding, in this order.
struct Epilogue {
  bool scales = false;     // multiply by one value per channel, then add another
  bool adds = false;       // add a tensor of the result's shape
  std::string activation;  // Relu, LeakyRelu (alpha), Clip (alpha, beta), or empty
  float alpha = 0;
  float beta = 0;
};

// The arguments, in the order in which Run takes them. Those that a primitive does not have are
// ignored.
enum Argument : std::size_t {
  kSource,
  kWeights,
  kBias,
  kScale,
  kShift,
  kAddend,
  kResult,
  kScratchpad,
  kArguments
};

class Primitive {
 public:
  Primitive();
  ~Primitive();
  Primitive(const Primitive&) = delete;
  Primitive& operator=(const Primitive&) = delete;

  std::size_t scratchpad() const;      // bytes
  std::string implementation() const;  // as oneDNN names it: "brgconv:avx512_core"

  // Fixes an argument that is the same in every run; weights are repacked once. `data` has the
  // layout of the description and need not outlive the call.
  void Fix(Argument argument, const void* data);
  // `arguments` has pointers to all arguments that are not fixed. Not thread-safe.
  void Run(const void* const (&arguments)[kArguments]) const;

  struct State;
  std::unique_ptr<State> state;
};

// result (batch, rows, columns) = source (batch or 1, rows, inner) * weights (batch or 1, inner,
// columns) + bias (columns). A transposed factor is column-major in memory.
struct Matmul {
  std::int64_t batch = 1;
  std::int64_t source_batch = 1;
  std::int64_t weights_batch = 1;
  std::int64_t rows = 0;
  std::int64_t inner = 0;
  std::int64_t columns = 0;
  bool transpose_source = false;
  bool transpose_weights = false;
  Dtype dtype = Dtype::kFloat32;         // of factors and addend; float32 or 16 bits
  Dtype result_dtype = Dtype::kFloat32;  // the same, or float32
  bool biased = false;                   // the bias is float32
  bool packs = false;                    // the weights will be fixed
  Epilogue epilogue;
};
// Returns nullptr if oneDNN cannot make the primitive, as does MakeConvolution().
std::shared_ptr<Primitive> MakeMatmul(const Matmul& matmul);

// Channels last in source and result: (images, spatial..., channels). Weights: (outputs, inputs of
// a group, window...) in memory, always fixed.
struct Convolution {
  bool transposed = false;  // weights: (inputs, outputs, window...) in memory; not in groups
  std::int64_t images = 0;
  std::int64_t inputs = 0;   // channels
  std::int64_t outputs = 0;  // channels
  std::int64_t groups = 1;
  Dimensions input;   // spatial
  Dimensions result;  // spatial
  Dimensions window;
  Dimensions strides;
  Dimensions dilations;  // 1: adjacent taps
  Dimensions begin;      // pads
  Dimensions end;
  Dtype dtype = Dtype::kFloat32;
  Dtype result_dtype = Dtype::kFloat32;
  bool biased = false;  // the bias is float32
  Epilogue epilogue;
};
std::shared_ptr<Primitive> MakeConvolution(const Convolution& shape);

// "2.6.3".
std::string Version();

}  // namespace opledger::onednn
