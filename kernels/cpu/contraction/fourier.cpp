// Dft and Stft: Fourier transforms of a signal along an axis, and of windows of it.
// https://onnx.ai/onnx/operators/onnx__DFT.html, onnx__STFT.html
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/contraction/fourier.h"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/element.h"

namespace opledger {

using Complex = std::complex<double>;

namespace {

std::size_t SmallestFactor(std::size_t length) {
  std::size_t factor = 2;
  while (factor * factor <= length && length % factor != 0) ++factor;
  return length % factor == 0 ? factor : length;
}

}  // namespace

FourierTransform::FourierTransform(std::size_t length, bool inverse) {
  constexpr double kTwoPi = 6.283185307179586476925;
  for (std::size_t i = 0; i < length; ++i) {
    const double angle = kTwoPi * static_cast<double>(i) / static_cast<double>(length);
    roots_.emplace_back(std::cos(angle), inverse ? std::sin(angle) : -std::sin(angle));
  }
}

void FourierTransform::Run(const Complex* in, Complex* out, Complex* work) const {
  if (!roots_.empty()) RunPart(in, 1, roots_.size(), out, work);
}

// Transforms `length` elements that are `step` apart: for each remainder by the smallest prime
// factor, then across remainders. `roots_` has `step` times as many roots as needed.
void FourierTransform::RunPart(const Complex* in, std::size_t step, std::size_t length,
                               Complex* out, Complex* work) const {
  if (length == 1) {
    out[0] = in[0];
    return;
  }
  const std::size_t factor = SmallestFactor(length);
  const std::size_t part = length / factor;
  for (std::size_t r = 0; r < factor; ++r) {
    RunPart(in + r * step, step * factor, part, out + r * part, work);
  }
  for (std::size_t k = 0; k < part; ++k) {
    for (std::size_t q = 0; q < factor; ++q) {
      const std::size_t at = k + q * part;
      Complex sum = 0;
      for (std::size_t r = 0; r < factor; ++r) {
        sum += out[r * part + k] * roots_[(r * at % length) * step];
      }
      work[q] = sum;
    }
    for (std::size_t q = 0; q < factor; ++q) out[k + q * part] = work[q];
  }
}

namespace {

// Limits memory, which is 16 bytes per element for the roots, and time, which is one step per
// element and prime factor.
constexpr std::int64_t kLongestSignal = 1 << 24;
constexpr std::size_t kLargestFactor = 10'007;

// Why a length is not supported, or nullptr.
const char* LengthProblem(std::int64_t length) {
  if (length < 1 || length > kLongestSignal) return "its length is out of range";
  auto rest = static_cast<std::size_t>(length);
  while (rest > 1) {
    const std::size_t factor = SmallestFactor(rest);
    if (factor > kLargestFactor) return "its length has a prime factor above 10007";
    rest /= factor;
  }
  return nullptr;
}

struct DftShape {
  std::size_t outer = 0;
  std::size_t inner = 0;  // without the dimension of complex parts
  std::size_t from = 0;   // elements along the axis of the input
  std::size_t kept = 0;   // elements along the axis of the output
  std::size_t in_parts = 1;
  std::size_t out_parts = 2;
  bool inverse = false;
  bool fills = false;  // the input is one half of a spectrum; the other mirrors it
};

template <typename T>
void RunDft(const DftShape& shape, const FourierTransform& transform, const T* in, T* out,
            Complex* line) {
  const std::size_t length = transform.length();
  Complex* result = line + length;
  const double scale = shape.inverse ? 1 / static_cast<double>(length) : 1;
  for (std::size_t at = 0; at < shape.outer * shape.inner; ++at) {
    const std::size_t o = at / shape.inner;
    const std::size_t i = at % shape.inner;
    std::fill(line, line + length, Complex(0));
    for (std::size_t n = 0; n < std::min(shape.from, length); ++n) {
      const T* number = in + ((o * shape.from + n) * shape.inner + i) * shape.in_parts;
      line[n] = {static_cast<double>(Load(number[0])),
                 shape.in_parts == 2 ? static_cast<double>(Load(number[1])) : 0.0};
      if (shape.fills && n > 0 && n < length - n) line[length - n] = std::conj(line[n]);
    }
    transform.Run(line, result, result + length);
    for (std::size_t n = 0; n < shape.kept; ++n) {
      T* number = out + ((o * shape.kept + n) * shape.inner + i) * shape.out_parts;
      Store(number[0], static_cast<Computed<T>>(result[n].real() * scale));
      if (shape.out_parts == 2) {
        Store(number[1], static_cast<Computed<T>>(result[n].imag() * scale));
      }
    }
  }
}

// Input: x (..., n, ..., 1 or 2). Parameters: axis, length (0: n), inverse, half: the output, or
// the input of the inverse, is only the first half of the spectrum.
Prepared PrepareDft(const Call& call) {
  const Dimensions& x = call.Shape(0);
  const std::int64_t axis = call.parameters.Integer("axis", 1);
  const bool half = call.parameters.Integer("half", 0) != 0;
  if (x.size() < 2 || x.back() < 1 || x.back() > 2) return Refuse("its input is not a signal");
  if (axis < 0 || axis + 1 >= static_cast<std::int64_t>(x.size())) {
    return Refuse("its axis is out of range");
  }
  DftShape shape;
  shape.inverse = call.parameters.Integer("inverse", 0) != 0;
  shape.fills = shape.inverse && half;
  shape.in_parts = static_cast<std::size_t>(x.back());
  shape.out_parts = shape.fills ? 1 : 2;
  const std::int64_t there = x[static_cast<std::size_t>(axis)];
  std::int64_t length = call.parameters.Integer("length", 0);
  if (length == 0) length = shape.fills ? std::max<std::int64_t>(1, 2 * (there - 1)) : there;
  if (const char* problem = LengthProblem(length)) return Refuse(problem);
  const std::int64_t kept = half && !shape.inverse ? length / 2 + 1 : length;
  shape.from = static_cast<std::size_t>(there);
  shape.kept = static_cast<std::size_t>(kept);
  shape.outer = Elements(Dimensions(x.begin(), x.begin() + axis));
  shape.inner = Elements(Dimensions(x.begin() + axis + 1, x.end() - 1));
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  prepared.outputs[0].dimensions[static_cast<std::size_t>(axis)] = kept;
  prepared.outputs[0].dimensions.back() = static_cast<std::int64_t>(shape.out_parts);
  prepared.workspace = 3 * static_cast<std::size_t>(length) * sizeof(Complex);
  const FourierTransform transform(static_cast<std::size_t>(length), shape.inverse);
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [shape, transform](const void* const* inputs, void* const* outputs,
                                      void* workspace) {
      RunDft(shape, transform, static_cast<const T*>(inputs[0]), static_cast<T*>(outputs[0]),
             static_cast<Complex*>(workspace));
    };
  });
  return prepared;
}

struct StftShape {
  std::size_t batches = 0;
  std::size_t length = 0;  // of the signal
  std::size_t parts = 1;
  std::size_t step = 1;
  std::size_t frames = 0;
  std::size_t kept = 0;
};

template <typename T>
void RunStft(const StftShape& shape, const FourierTransform& transform, const T* in,
             const T* window, T* out, Complex* line) {
  const std::size_t length = transform.length();
  Complex* result = line + length;
  for (std::size_t at = 0; at < shape.batches * shape.frames; ++at) {
    const std::size_t first = at / shape.frames * shape.length + at % shape.frames * shape.step;
    for (std::size_t n = 0; n < length; ++n) {
      const T* number = in + (first + n) * shape.parts;
      const double weight = window == nullptr ? 1 : static_cast<double>(Load(window[n]));
      line[n] = {weight * static_cast<double>(Load(number[0])),
                 shape.parts == 2 ? weight * static_cast<double>(Load(number[1])) : 0.0};
    }
    transform.Run(line, result, result + length);
    for (std::size_t n = 0; n < shape.kept; ++n, out += 2) {
      Store(out[0], static_cast<Computed<T>>(result[n].real()));
      Store(out[1], static_cast<Computed<T>>(result[n].imag()));
    }
  }
}

// Inputs: signal (batches, n, 1 or 2), window (length). Parameters: step, length, half.
Prepared PrepareStft(const Call& call) {
  const Dimensions& x = call.Shape(0);
  if (x.size() < 2 || x.size() > 3 || (x.size() == 3 && (x[2] < 1 || x[2] > 2))) {
    return Refuse("its input is not a signal");
  }
  const std::int64_t length = call.parameters.Integer("length", 0);
  const std::int64_t step = call.parameters.Integer("step", 0);
  if (const char* problem = LengthProblem(length)) return Refuse(problem);
  if (length > x[1] || step < 1) return Refuse("its frames do not fit into its signal");
  if (call.Has(1) &&
      (call.Shape(1) != Dimensions{length} || call.Input(1).dtype != call.Input(0).dtype)) {
    return Refuse("its window does not match its frames");
  }
  const std::int64_t frames = 1 + (x[1] - length) / step;
  const bool half = call.parameters.Integer("half", 1) != 0;
  StftShape shape;
  shape.batches = static_cast<std::size_t>(x[0]);
  shape.length = static_cast<std::size_t>(x[1]);
  shape.parts = x.size() == 3 ? static_cast<std::size_t>(x[2]) : 1;
  shape.step = static_cast<std::size_t>(step);
  shape.frames = static_cast<std::size_t>(frames);
  shape.kept = static_cast<std::size_t>(half ? length / 2 + 1 : length);
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, {x[0], frames, half ? length / 2 + 1 : length, 2}}};
  prepared.workspace = 3 * static_cast<std::size_t>(length) * sizeof(Complex);
  const FourierTransform transform(static_cast<std::size_t>(length), false);
  const bool windowed = call.Has(1);
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [=](const void* const* inputs, void* const* outputs, void* workspace) {
      RunStft(shape, transform, static_cast<const T*>(inputs[0]),
              windowed ? static_cast<const T*>(inputs[1]) : nullptr, static_cast<T*>(outputs[0]),
              static_cast<Complex*>(workspace));
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(Dft, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat64)
    .ErrorBound("0.5 ulp + n * 2^-24")
    .Reads("axis")
    .Reads("length")
    .Reads("inverse")
    .Reads("half")
    .Run(&PrepareDft);
OPLEDGER_KERNEL(Stft, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat64)
    .ErrorBound("0.5 ulp + n * 2^-24")
    .Reads("step")
    .Reads("length")
    .Reads("half")
    .Run(&PrepareStft);

}  // namespace
}  // namespace opledger
