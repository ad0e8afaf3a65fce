// MatMulInteger and ConvInteger: 8-bit numbers less their zero points are 16 bits wide, of which
// two products at a time go into a sum. Weights are packed when the plan is made.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "kernels/arithmetic/loops/loops.h"
#include "kernels/cpu/contraction/matrix_stacks.h"
#include "kernels/cpu/contraction/zero_points.h"
#include "kernels/cpu/window/window.h"
#include "kernels/tensor/constant_tensor.h"
#include "kernels/vector/contraction/contraction.h"
#include "kernels/vector/rows/rows.h"

namespace opledger {
namespace {

using arithmetic::IntegerProductLoops;
using arithmetic::IntegerProducts;

constexpr std::size_t kMaxPairColumns = 32;

std::int32_t PairOf(Sum first, Sum second) {
  return static_cast<std::int32_t>((first & 0xFFFFU) | second << 16U);
}

// Calls `use` with a null pointer to the C++ type of bytes.
template <typename Use>
void WithByte(bool is_signed, const Use& use) {
  if (is_signed) {
    use(static_cast<const std::int8_t*>(nullptr));
  } else {
    use(static_cast<const std::uint8_t*>(nullptr));
  }
}

// Numbers `at` to `at` + n, which stand together.
void PackRow(const void* numbers, bool is_signed, std::size_t at, std::size_t n, Sum zero,
             std::int32_t* pairs) {
  WithByte(is_signed, [&]<typename B>(const B*) {
    const B* row = static_cast<const B*>(numbers) + at;
    const auto number = [&](std::size_t k) { return static_cast<Sum>(row[k]) - zero; };
    for (std::size_t k = 0; k < n / 2; ++k) pairs[k] = PairOf(number(2 * k), number(2 * k + 1));
    if (n % 2 != 0) pairs[n / 2] = PairOf(number(n - 1), 0);
  });
}

// out (rows x columns, rows out_step apart) = a * a panel, of which `columns` count.
void MultiplyPanel(const std::int32_t* a, std::size_t rows, std::size_t pairs,
                   const std::int32_t* panel, std::size_t columns, std::int32_t* out,
                   std::size_t out_step) {
  const IntegerProductLoops& loops = IntegerProducts();
  std::int32_t tile[arithmetic::kMaxPairRows * kMaxPairColumns];
  for (std::size_t row = 0; row < rows; row += loops.rows) {
    const std::size_t some = std::min(loops.rows, rows - row);
    std::int32_t* to = out + row * out_step;
    const bool is_whole = columns == loops.columns;
    loops.tiles[some - 1](pairs, a + row * pairs, pairs, panel, is_whole ? to : tile,
                          is_whole ? out_step : loops.columns);
    for (std::size_t i = 0; i < some && !is_whole; ++i) {
      std::copy_n(tile + i * loops.columns, columns, to + i * out_step);
    }
  }
}

// Panels below which a thread does not pay.
std::size_t LeastPanels(std::size_t rows, std::size_t pairs) {
  return kPartSize * 16 / (rows * pairs * IntegerProducts().columns + 1) + 1;
}

struct PairedMatMul {
  std::size_t rows = 1;
  std::size_t inner = 1;
  std::size_t columns = 1;
  ZeroPoints a, b;
  ConstantTensor packed;  // the panels of all right factors, where these are known
  bool is_packed = false;

  std::size_t Pairs() const { return (inner + 1) / 2; }
  std::size_t Panels() const {
    return (columns + IntegerProducts().columns - 1) / IntegerProducts().columns;
  }
  std::size_t MatrixSize() const { return Panels() * Pairs() * IntegerProducts().columns; }

  // Right factor `matrix`.
  void PackPanels(const void* numbers, const void* zeros, std::size_t matrix,
                  std::int32_t* to) const {
    const std::size_t width = IntegerProducts().columns;
    WithByte(b.is_signed, [&]<typename B>(const B*) {
      const B* from = static_cast<const B*>(numbers) + matrix * inner * columns;
      const auto number = [&](std::size_t k, std::size_t column) {
        if (k >= inner || column >= columns) return Sum(0);
        return static_cast<Sum>(from[k * columns + column]) - b.At(zeros, matrix, column);
      };
      for (std::size_t first = 0; first < columns; first += width) {
        for (std::size_t k = 0; k < inner; k += 2) {
          for (std::size_t j = 0; j < width; ++j) {
            *to++ = PairOf(number(k, first + j), number(k + 1, first + j));
          }
        }
      }
    });
  }

  void Multiply(const void* const* inputs, std::size_t which_a, std::size_t which_b,
                std::int32_t* out, std::int32_t* workspace) const {
    const std::size_t pairs = Pairs();
    const std::size_t width = IntegerProducts().columns;
    std::int32_t* left = workspace;
    for (std::size_t i = 0; i < rows; ++i) {
      PackRow(inputs[0], a.is_signed, (which_a * rows + i) * inner, inner,
              a.At(inputs[2], which_a, i), left + i * pairs);
    }
    const std::int32_t* right = packed.As<std::int32_t>() + which_b * MatrixSize();
    if (!is_packed) {
      PackPanels(inputs[1], inputs[3], which_b, left + rows * pairs);
      right = left + rows * pairs;
    }
    ForParts(
        Panels(), LeastPanels(rows, pairs), [&](std::size_t begin, std::size_t end, std::size_t) {
          for (std::size_t panel = begin; panel < end; ++panel) {
            MultiplyPanel(left, rows, pairs, right + panel * pairs * width,
                          std::min(width, columns - panel * width), out + panel * width, columns);
          }
        });
  }
};

bool IsKnown(const Call& call, std::size_t input) {
  return !call.Has(input) || call.constants[input] != nullptr;
}
const void* ConstantOf(const Call& call, std::size_t input) {
  return call.Has(input) ? call.constants[input] : nullptr;
}

// As the reference's.
Prepared PrepareVectorMatMulInteger(const Call& call) {
  const ChosenKernel reference = ChooseKernel("MatMulInteger", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  MatrixStacks stacks;
  std::string problem;
  ReadMatrixStacks(call, stacks, problem);
  PairedMatMul product{stacks.rows, stacks.inner, stacks.columns, {}, {}, {}, false};
  if (product.rows * product.inner * product.columns == 0) return Refuse("there is nothing in it");
  ReadZeros(call, 2, product.rows, Elements(stacks.a), product.a);
  ReadZeros(call, 3, product.columns, Elements(stacks.b), product.b);
  Prepared prepared;
  prepared.outputs = reference.prepared.outputs;
  prepared.workspace = product.rows * product.Pairs() * sizeof(std::int32_t);
  product.is_packed = IsKnown(call, 1) && IsKnown(call, 3);
  if (product.is_packed) {
    const std::size_t matrices = Elements(stacks.b);
    const TensorType type{Dtype::kInt32,
                          {static_cast<std::int64_t>(matrices * product.MatrixSize())}};
    if (!CheckSize(type)) return Refuse(OutputProblem(type));
    product.packed = ConstantTensor(type);
    for (std::size_t matrix = 0; matrix < matrices; ++matrix) {
      product.PackPanels(call.constants[1], ConstantOf(call, 3), matrix,
                         product.packed.As<std::int32_t>() + matrix * product.MatrixSize());
    }
    product.packed.Share();
    prepared.unread_inputs = {1};
  } else {
    prepared.workspace += product.MatrixSize() * sizeof(std::int32_t);
  }
  const BroadcastWalk walk(stacks.whole, {stacks.a, stacks.b});
  prepared.run = [product, walk, given = call.inputs.size()](
                     const void* const* inputs, void* const* outputs, void* workspace) {
    const void* all[4] = {};
    std::copy_n(inputs, std::min<std::size_t>(given, 4), all);
    walk.Rows([&](std::size_t at, const std::int64_t* offsets, std::size_t count,
                  const std::int64_t* steps) {
      for (std::size_t i = 0; i < count; ++i) {
        const auto k = static_cast<std::int64_t>(i);
        product.Multiply(
            all, static_cast<std::size_t>(offsets[0] + k * steps[0]),
            static_cast<std::size_t>(offsets[1] + k * steps[1]),
            static_cast<std::int32_t*>(outputs[0]) + (at + i) * product.rows * product.columns,
            static_cast<std::int32_t*>(workspace));
      }
    });
  };
  return prepared;
}

// Positions of an output that stand together in it and, apart by a stride, in the image.
struct PositionRun {
  std::size_t first;
  std::size_t count;
  std::size_t offset;
};

struct PairedConvolution {
  // One or two spatial dimensions; of one the first is 1.
  struct Side {
    std::int64_t in, out, kernel, stride, dilation, begin, size;  // size: of the image with pads
  };
  Side rows{1, 1, 1, 1, 1, 0, 1};
  Side across{1, 1, 1, 1, 1, 0, 1};
  std::size_t images = 0;
  std::size_t groups = 1;
  std::size_t inputs = 0;   // channels of one group
  std::size_t outputs = 0;  // channels of one group
  ZeroPoints x, w;
  bool biased = false;
  ConstantTensor weights;                          // outputs of all groups x pairs
  std::shared_ptr<std::vector<std::size_t>> taps;  // where each number of a row is in the image

  std::size_t Numbers() const { return taps->size(); }
  std::size_t Pairs() const { return (Numbers() + 1) / 2; }
  std::size_t Positions() const { return static_cast<std::size_t>(rows.out * across.out); }
  std::size_t Plane() const { return static_cast<std::size_t>(rows.size * across.size); }
  std::size_t ImageSize() const {  // in numbers of 32 bits
    return (groups * inputs * Plane() + 31) / 32 * 16;
  }
  std::size_t PanelSize() const { return Pairs() * IntegerProducts().columns; }

  // 16 bits, zeros beside it.
  void Widen(const void* from, std::size_t image, Sum zero, std::int16_t* to) const {
    std::fill_n(to, groups * inputs * Plane(), std::int16_t{0});
    const std::int64_t some = std::min(across.in, across.size - across.begin);
    WithByte(x.is_signed, [&]<typename B>(const B*) {
      for (std::size_t channel = 0; channel < groups * inputs; ++channel) {
        for (std::int64_t row = 0; row < rows.size; ++row) {
          const std::int64_t in_row = row - rows.begin;
          if (in_row < 0 || in_row >= rows.in) continue;
          const auto of_input = static_cast<std::int64_t>(image * groups * inputs + channel);
          const B* in = static_cast<const B*>(from) + (of_input * rows.in + in_row) * across.in;
          std::int16_t* out = to + channel * Plane() + row * across.size + across.begin;
          for (std::int64_t i = 0; i < some; ++i) {
            out[i] = static_cast<std::int16_t>(static_cast<Sum>(in[i]) - zero);
          }
        }
      }
    });
  }

  // The runs of positions `first` to `first` + n.
  std::size_t RunsOf(std::size_t first, std::size_t n, PositionRun* runs) const {
    const auto width = static_cast<std::size_t>(across.out);
    std::size_t count = 0;
    for (std::size_t done = 0; done < n; ++count) {
      const std::size_t row = (first + done) / width;
      const std::size_t column = (first + done) % width;
      const std::size_t some = std::min(width - column, n - done);
      const auto at =
          static_cast<std::size_t>(static_cast<std::int64_t>(row) * rows.stride * across.size +
                                   static_cast<std::int64_t>(column) * across.stride);
      runs[count] = {done, some, at};
      done += some;
    }
    return count;
  }

  // The numbers that `n` positions from `first` on see.
  void PackPanel(const std::int16_t* image, std::size_t first, std::size_t n,
                 std::int32_t* panel) const {
    PositionRun runs[kMaxPairColumns];
    const std::size_t count = RunsOf(first, n, runs);
    const auto stride = static_cast<std::size_t>(across.stride);
    for (std::size_t k = 0; k < Numbers(); k += 2, panel += IntegerProducts().columns) {
      const std::int16_t* low = image + (*taps)[k];
      const std::int16_t* high = image + (*taps)[std::min(k + 1, Numbers() - 1)];
      for (std::size_t run = 0; run < count; ++run) {
        std::int32_t* to = panel + runs[run].first;
        const std::int16_t* a = low + runs[run].offset;
        const std::int16_t* b = high + runs[run].offset;
        const auto pair = [&](std::size_t at) {
          return PairOf(static_cast<std::uint16_t>(a[at]), static_cast<std::uint16_t>(b[at]));
        };
        if (stride == 1) {
          for (std::size_t i = 0; i < runs[run].count; ++i) to[i] = pair(i);
        } else {
          for (std::size_t i = 0; i < runs[run].count; ++i) to[i] = pair(i * stride);
        }
      }
    }
  }

  void RunGroup(const std::int16_t* image, std::size_t group, const Sum* bias, Sum* out,
                std::int32_t* panels) const {
    const std::size_t positions = Positions();
    const std::size_t width = IntegerProducts().columns;
    const std::int32_t* left = weights.As<std::int32_t>() + group * outputs * Pairs();
    ForParts((positions + width - 1) / width, LeastPanels(outputs, Pairs()),
             [&](std::size_t begin, std::size_t end, std::size_t part) {
               std::int32_t* panel = panels + part * PanelSize();
               for (std::size_t at = begin * width; at < std::min(end * width, positions);
                    at += width) {
                 const std::size_t some = std::min(width, positions - at);
                 PackPanel(image + group * inputs * Plane(), at, some, panel);
                 MultiplyPanel(left, outputs, Pairs(), panel, some,
                               reinterpret_cast<std::int32_t*>(out) + at, positions);
               }
             });
    for (std::size_t o = 0; o < outputs && biased; ++o) {
      std::for_each(out + o * positions, out + (o + 1) * positions,
                    [&](Sum& sum) { sum += bias[group * outputs + o]; });
    }
  }

  void Run(const void* const* from, Sum* out, std::int32_t* workspace) const {
    auto* image = reinterpret_cast<std::int16_t*>(workspace);
    for (std::size_t i = 0; i < images; ++i) {
      Widen(from[0], i, x.At(from[2], 0, 0), image);
      for (std::size_t group = 0; group < groups; ++group) {
        RunGroup(image, group, static_cast<const Sum*>(from[4]),
                 out + (i * groups + group) * outputs * Positions(), workspace + ImageSize());
      }
    }
  }
};

PairedConvolution::Side SideOf(const Window& window, std::size_t d) {
  const std::int64_t size =
      (window.output[d] - 1) * window.strides[d] + (window.kernel[d] - 1) * window.dilations[d] + 1;
  return {window.input[d],
          window.output[d],
          window.kernel[d],
          window.strides[d],
          window.dilations[d],
          window.begin[d],
          size};
}

void PackWeights(const Call& call, PairedConvolution& convolution) {
  const std::size_t channels = convolution.groups * convolution.outputs;
  const std::size_t numbers = convolution.Numbers();
  convolution.weights =
      ConstantTensor({Dtype::kInt32, {static_cast<std::int64_t>(channels * convolution.Pairs())}});
  for (std::size_t o = 0; o < channels; ++o) {
    PackRow(call.constants[1], convolution.w.is_signed, o * numbers, numbers,
            convolution.w.At(ConstantOf(call, 3), 0, o),
            convolution.weights.As<std::int32_t>() + o * convolution.Pairs());
  }
  convolution.weights.Share();
}

// As the reference's.
Prepared PrepareVectorConvInteger(const Call& call) {
  const ChosenKernel reference = ChooseKernel("ConvInteger", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  if (call.constants[1] == nullptr || !IsKnown(call, 3)) {
    return Refuse("its weights are computed as the model runs");
  }
  std::string problem;
  const auto window = ReadWindow(call, problem);
  if (window->Rank() > 2) return Refuse("it has more than two spatial dimensions");
  const Dimensions& weights = call.Shape(1);
  PairedConvolution convolution;
  convolution.across = SideOf(*window, window->Rank() - 1);
  if (window->Rank() == 2) convolution.rows = SideOf(*window, 0);
  convolution.images = static_cast<std::size_t>(call.Shape(0)[0]);
  convolution.groups = static_cast<std::size_t>(call.parameters.Integer("groups", 1));
  convolution.inputs = static_cast<std::size_t>(weights[1]);
  convolution.outputs = static_cast<std::size_t>(weights[0]) / convolution.groups;
  convolution.biased = call.Has(4);
  ReadZeros(call, 2, 1, 1, convolution.x);
  ReadZeros(call, 3, static_cast<std::size_t>(weights[0]), 1, convolution.w);
  if (Elements(weights) * Elements(call.Shape(0)) * convolution.Positions() == 0) {
    return Refuse("there is nothing in it");
  }
  const PairedConvolution::Side& rows = convolution.rows;
  const PairedConvolution::Side& across = convolution.across;
  convolution.taps = std::make_shared<std::vector<std::size_t>>();
  for (std::size_t c = 0; c < convolution.inputs; ++c) {
    for (std::int64_t i = 0; i < rows.kernel; ++i) {
      for (std::int64_t k = 0; k < across.kernel; ++k) {
        convolution.taps->push_back(
            c * convolution.Plane() +
            static_cast<std::size_t>(i * rows.dilation * across.size + k * across.dilation));
      }
    }
  }
  PackWeights(call, convolution);
  Prepared prepared;
  prepared.outputs = reference.prepared.outputs;
  prepared.workspace =
      (convolution.ImageSize() + Threads() * convolution.PanelSize()) * sizeof(std::int32_t);
  prepared.unread_inputs = {1};
  prepared.run = [convolution, given = call.inputs.size()](const void* const* inputs,
                                                           void* const* outputs, void* workspace) {
    const void* all[5] = {};
    std::copy_n(inputs, std::min<std::size_t>(given, 5), all);
    convolution.Run(all, static_cast<Sum*>(outputs[0]), static_cast<std::int32_t*>(workspace));
  };
  return prepared;
}

OPLEDGER_KERNEL(MatMulInteger, "cpu")
    .Types("T", {Dtype::kInt8, Dtype::kUint8})
    .Accumulates(Dtype::kInt32)
    .ErrorBound("exact")
    .Priority(10)
    .Run(&PrepareVectorMatMulInteger);
OPLEDGER_KERNEL(ConvInteger, "cpu")
    .Types("T", {Dtype::kInt8, Dtype::kUint8})
    .Accumulates(Dtype::kInt32)
    .ErrorBound("exact")
    .Priority(10)
    .Run(&PrepareVectorConvInteger);

}  // namespace
}  // namespace opledger
