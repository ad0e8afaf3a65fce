// https://onnx.ai/onnx/operators/onnx__Conv.html, onnx__ConvTranspose.html, onnx__MaxPool.html
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/onnx/window.h"

#include <algorithm>
#include <cmath>

#include "kernels/bindings/onnx/node.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

Integers ListOf(const OnnxNode& node, const char* name, std::size_t rank, std::int64_t absent) {
  Integers list = node.List(name);
  return list.empty() ? Integers(rank, absent) : list;
}

struct Pads {
  Integers begin;
  Integers end;
};

Pads PadsOf(const Integers& pads, std::size_t rank) {
  if (pads.size() != 2 * rank) return {Integers(rank, 0), Integers(rank, 0)};
  return {{pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(rank)},
          {pads.begin() + static_cast<std::ptrdiff_t>(rank), pads.end()}};
}

// Limits values so that products of two and sums of four fit 64 bits. Kernels refuse others.
bool IsSmall(const Integers& list) {
  constexpr std::int64_t kMax = std::int64_t{1} << 31;
  return std::all_of(list.begin(), list.end(),
                     [](std::int64_t each) { return each > -kMax && each < kMax; });
}

// Half on each side; the odd element at the end, or at the start for SAME_LOWER.
void Halve(std::int64_t total, bool lower, std::int64_t& begin, std::int64_t& end) {
  const std::int64_t less = std::max<std::int64_t>(total, 0) / 2;
  const std::int64_t more = std::max<std::int64_t>(total, 0) - less;
  begin = lower ? more : less;
  end = lower ? less : more;
}

}  // namespace

void SetWindow(const OnnxNode& node, Dimensions kernel, Parameters& parameters, bool cuts) {
  const std::size_t rank = kernel.size();
  const Integers strides = ListOf(node, "strides", rank, 1);
  const Integers dilations = ListOf(node, "dilations", rank, 1);
  Pads pads = PadsOf(node.List("pads"), rank);
  const std::string automatic = node.Word("auto_pad", "NOTSET");
  const Dimensions& shape = node.Shape(0);
  const bool fits = shape.size() == rank + 2 && strides.size() == rank &&
                    dilations.size() == rank && IsSmall(shape) && IsSmall(strides) &&
                    IsSmall(dilations) && IsSmall(kernel);
  if (automatic == "VALID") pads = {Integers(rank, 0), Integers(rank, 0)};
  if (fits && automatic.rfind("SAME", 0) == 0) {
    for (std::size_t d = 0; d < rank; ++d) {
      if (strides[d] < 1) continue;
      const std::int64_t out = (shape[d + 2] + strides[d] - 1) / strides[d];
      const std::int64_t extent = (kernel[d] - 1) * dilations[d] + 1;
      const std::int64_t total = (out - 1) * strides[d] + extent - shape[d + 2];
      const bool lower = automatic == "SAME_LOWER";
      Halve(total, lower, pads.begin[d], pads.end[d]);
      if (total >= 0 || !cuts) continue;
      pads.begin[d] = (lower ? total + 1 : total) / 2;  // rounds toward zero
      pads.end[d] = total - pads.begin[d];
    }
  }
  parameters.Set("kernel", std::move(kernel));
  parameters.Set("strides", strides);
  parameters.Set("dilations", dilations);
  parameters.Set("begin", pads.begin);
  parameters.Set("end", pads.end);
  parameters.Set("ceil", node.Integer("ceil_mode", 0));
}

void SetTransposedWindow(const OnnxNode& node, Dimensions kernel, Parameters& parameters,
                         const Integers& given) {
  const std::size_t rank = kernel.size();
  const Integers strides = ListOf(node, "strides", rank, 1);
  const Integers dilations = ListOf(node, "dilations", rank, 1);
  const Integers extra = ListOf(node, "output_padding", rank, 0);
  const Integers wanted = node.List("output_shape");
  Pads pads = PadsOf(given.empty() ? node.List("pads") : given, rank);
  const std::string automatic = node.Word("auto_pad", "NOTSET");
  const Dimensions& shape = node.Shape(0);
  Dimensions output(rank, 0);
  const bool fits = shape.size() == rank + 2 && strides.size() == rank &&
                    dilations.size() == rank && extra.size() == rank && IsSmall(shape) &&
                    IsSmall(strides) && IsSmall(dilations) && IsSmall(extra) && IsSmall(kernel) &&
                    IsSmall(wanted) && IsSmall(pads.begin) && IsSmall(pads.end);
  for (std::size_t d = 0; fits && d < rank; ++d) {
    const std::int64_t whole =
        strides[d] * (shape[d + 2] - 1) + extra[d] + (kernel[d] - 1) * dilations[d] + 1;
    const bool same = automatic.rfind("SAME", 0) == 0;
    if (wanted.size() == rank || same) {
      output[d] = wanted.size() == rank ? wanted[d] : shape[d + 2] * strides[d];
      Halve(whole - output[d], automatic != "SAME_UPPER", pads.begin[d], pads.end[d]);
      continue;
    }
    if (automatic == "VALID") pads.begin[d] = pads.end[d] = 0;
    output[d] = whole - pads.begin[d] - pads.end[d];
  }
  parameters.Set("kernel", std::move(kernel));
  parameters.Set("strides", strides);
  parameters.Set("dilations", dilations);
  parameters.Set("begin", pads.begin);
  parameters.Set("end", pads.end);
  parameters.Set("output", output);
}

// ONNX's operators of signal processing. Window functions are constants, once their size is known.
// https://onnx.ai/onnx/operators/onnx__HannWindow.html and related pages have the formulas.

namespace {

// constant + first * cos(x) + second * cos(2 x)
struct CosineSum {
  double constant;
  double first;
  double second;
};

LoweredNode WindowOf(const OnnxNode& node, const CosineSum& sum) {
  constexpr double kTwoPi = 6.283185307179586476925;
  const auto size = node.KnownInteger(0);
  const auto dtype = OnnxDtype(node.Integer("output_datatype", 1));
  if (!size) return Unsupported(NeedsValues("its size is computed at run time"));
  if (!dtype) return Unsupported("its output type is unknown");
  const TensorType type{*dtype, {*size}};
  if (!CheckSize(type)) return Unsupported(OutputProblem(type));
  const bool periodic = node.Integer("periodic", 1) != 0;
  const double period = static_cast<double>(*size - (periodic ? 0 : 1));
  ConstantTensor window(type);
  const bool is = WithNumber(*dtype, [&]<typename T>(T*) {
    for (std::int64_t i = 0; i < *size; ++i) {
      const double x = period == 0 ? 0 : kTwoPi * static_cast<double>(i) / period;
      const double value = sum.constant + sum.first * std::cos(x) + sum.second * std::cos(2 * x);
      Store(window.As<T>()[i], static_cast<Computed<T>>(value));
    }
  });
  if (!is) return Unsupported("its output type is not numeric");
  LoweredNode bound;
  bound.constants.push_back(std::move(window));
  return bound;
}

LoweredNode BindHann(const OnnxNode& node) { return WindowOf(node, {0.5, -0.5, 0}); }
LoweredNode BindHamming(const OnnxNode& node) { return WindowOf(node, {25.0 / 46, -21.0 / 46, 0}); }
LoweredNode BindBlackman(const OnnxNode& node) { return WindowOf(node, {0.42, -0.5, 0.08}); }

// Start bins of triangles of equal width on the mel scale; two more than there are triangles.
std::vector<double> MelBins(double count, double length, double rate, double low, double high) {
  const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const double step = (mel(high) - mel(low)) / (count + 2);
  std::vector<double> bins;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(count) + 2; ++i) {
    const double on_scale = static_cast<double>(i) * step + mel(low);
    const double hertz = 700 * (std::pow(10, on_scale / 2595) - 1);
    bins.push_back(std::floor((length + 1) * hertz / rate));
  }
  return bins;
}

// A triangle that rises from `low` to `centre` and falls to `high`; it is 1 at the center.
double Triangle(double at, double low, double centre, double high) {
  if (at >= centre && at < high) return (high - at) / (high - centre);
  if (at == centre) return 1;
  return at >= low && at < centre ? (at - low) / (centre - low) : 0;
}

LoweredNode BindMelWeights(const OnnxNode& node) {
  double given[5];
  for (std::size_t i = 0; i < 5; ++i) {
    const auto known = node.KnownNumbers(i);
    if (!known || known->size() != 1) {
      return Unsupported(NeedsValues("its bins and edges are computed at run time"));
    }
    given[i] = (*known)[0];
  }
  constexpr double kMax = 1 << 24;
  const auto dtype = OnnxDtype(node.Integer("output_datatype", 1));
  if (!dtype || !(given[0] >= 0 && given[0] <= kMax && given[1] >= 0 && given[1] <= kMax) ||
      !(given[2] > 0)) {
    return Unsupported("its bins or its rate are out of range");
  }
  const auto mels = static_cast<std::int64_t>(given[0]);
  const TensorType type{*dtype, {static_cast<std::int64_t>(given[1]) / 2 + 1, mels}};
  if (!CheckSize(type)) return Unsupported(OutputProblem(type));
  const std::vector<double> bins = MelBins(given[0], given[1], given[2], given[3], given[4]);
  ConstantTensor weights(type);
  const bool is = WithNumber(*dtype, [&]<typename T>(T*) {
    for (std::int64_t i = 0; i < type.dimensions[0] * mels; ++i) {
      const auto mel = static_cast<std::size_t>(i % mels);
      const std::int64_t bin = i / mels;
      const auto at = static_cast<double>(bin);
      Store(weights.As<T>()[i],
            static_cast<Computed<T>>(Triangle(at, bins[mel], bins[mel + 1], bins[mel + 2])));
    }
  });
  if (!is) return Unsupported("its output type is not numeric");
  LoweredNode bound;
  bound.constants.push_back(std::move(weights));
  return bound;
}

// The axis is an input since opset 20.
LoweredNode BindDft(const OnnxNode& node) {
  std::int64_t named = node.Integer("axis", node.opset() < 20 ? 1 : -2);
  if (node.Has(2)) {
    const auto known = node.KnownInteger(2);
    if (!known) return Unsupported(NeedsValues("its axis is computed at run time"));
    named = *known;
  }
  const auto axis = AxisOf(named, node.Rank(0));
  if (!axis) return Unsupported("its axis is out of range");
  LoweredNode bound = BindFirst(node, "Dft");
  if (node.Has(1)) {
    const auto length = node.KnownInteger(1);
    if (!length) return Unsupported(NeedsValues("its length is computed at run time"));
    bound.parameters.Set("length", *length);
  }
  bound.parameters.Set("axis", *axis);
  bound.parameters.Set("inverse", node.Integer("inverse", 0));
  bound.parameters.Set("half", node.Integer("onesided", 0));
  return bound;
}

LoweredNode BindStft(const OnnxNode& node) {
  const auto step = node.KnownInteger(1);
  const auto length = node.Has(3) ? node.KnownIntegers(3) : Integers{};
  if (!step || !length) return Unsupported(NeedsValues("its step is computed at run time"));
  LoweredNode bound = BindFirst(node, "Stft");
  if (node.Has(2)) bound.inputs.push_back(2);
  const bool windowed = node.Has(2) && node.Rank(2) == 1;
  if (length->empty() && !windowed) return Unsupported("it has neither a window nor a length");
  bound.parameters.Set("step", *step);
  bound.parameters.Set("length", length->empty() ? node.Shape(2)[0] : (*length)[0]);
  bound.parameters.Set("half", node.Integer("onesided", 1));
  return bound;
}

}  // namespace

const std::vector<OnnxBinding>& OnnxWindows() {
  static const std::vector<OnnxBinding> kTable = {
      {"BlackmanWindow", BindBlackman}, {"DFT", BindDft},   {"HammingWindow", BindHamming},
      {"HannWindow", BindHann},         {"STFT", BindStft}, {"MelWeightMatrix", BindMelWeights},
  };
  return kTable;
}

}  // namespace opledger
