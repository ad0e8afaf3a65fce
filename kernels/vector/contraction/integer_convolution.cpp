// ConvInteger by tiles: the image is converted to 16 bits with its pads, and its rows are columns
// of a product. With one input channel per group, sums tap by tap.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/contraction/zero_points.h"
#include "kernels/cpu/window/window.h"
#include "kernels/machine/parallel.h"
#include "kernels/vector/contraction/integer_panels.h"

namespace opledger {
namespace {

constexpr std::size_t kPanels = 8;  // of positions, per product
constexpr std::size_t kMaxChannelTaps = 512;

// One of the two spatial dimensions. The first has size 1 if images have one dimension.
struct Side {
  std::size_t size = 1;
  std::size_t begin = 0;   // pads before the image
  std::size_t padded = 1;  // with all pads
  std::size_t taps = 1;
  std::size_t stride = 1;
  std::size_t dilation = 1;
  std::size_t positions = 1;
};

struct IntegerConvolution {
  Side y, x;
  std::size_t images = 0;
  std::size_t groups = 1;
  std::size_t inputs = 0;   // channels of one group
  std::size_t outputs = 0;  // channels of one group
  ZeroPoints x_zeros, w_zeros;
  bool biased = false;
  std::shared_ptr<ConstantTensor> known;  // weights

  std::size_t Taps() const { return y.taps * x.taps; }
  std::size_t Plane() const { return y.padded * x.padded; }
  std::size_t Positions() const { return y.positions * x.positions; }
  bool ByTaps() const { return inputs == 1 && Taps() <= kMaxChannelTaps; }
  // Returns whether each row of the product is a whole plane.
  bool PlanesAreRows() const {
    return Taps() == 1 && y.stride == 1 && x.stride == 1 && Plane() == Positions();
  }
  IntegerPanels Panels(std::size_t columns) const { return {inputs * Taps(), columns}; }
  std::size_t MaxColumns() const { return std::min(Positions(), kPanels * IntegerPanels::Width()); }
  std::size_t TapPairs() const { return (Taps() + 1) / 2; }
  std::size_t WeightStep() const { return ByTaps() ? 2 * TapPairs() : Panels(1).RowStep(); }
  // By taps: how many rows of positions are computed together, with the columns between them.
  std::size_t RowsTogether() const {
    constexpr std::size_t kSums = 4096;  // fit into the first-level cache
    return y.stride != 1 ? 1 : std::clamp(kSums / x.padded, std::size_t{1}, y.positions);
  }
  std::size_t Sums() const { return RowsTogether() * x.padded + IntegerPanels::Width(); }
  std::size_t WeightNumbers() const { return groups * outputs * WeightStep(); }
  // Includes what is read beyond the last plane, which does not affect results. Even, to align the
  // sums that follow.
  std::size_t PlaneNumbers() const {
    return (groups * inputs * Plane() + IntegerPanels::Width() + 1) / 2 * 2;
  }
  // Elements of 16 bits per thread: sums of 32 bits; or panels, and two rows.
  std::size_t OwnNumbers() const {
    return ByTaps() ? 2 * Sums() : Panels(MaxColumns()).Numbers() + 2 * MaxColumns();
  }

  void PackWeights(const void* bytes, const void* zeros, std::int16_t* to) const;
  void FillPlanes(const void* const* from, std::size_t image, std::int16_t* planes) const;
  const std::int16_t* Row(const std::int16_t* planes, std::size_t k, std::size_t position,
                          std::size_t n, std::int16_t* buffer) const;
  void RunBlock(const std::int16_t* planes, const std::int16_t* weights, std::size_t position,
                std::uint32_t* out, std::int16_t* own) const;
  void RunChannel(const std::int16_t* plane, const std::int16_t* weights, std::uint32_t start,
                  std::uint32_t* out, std::uint32_t* sums) const;
  void RunImage(const void* const* from, const std::int16_t* planes, const std::int16_t* weights,
                std::uint32_t* out, std::int16_t* own) const;
  void Run(const void* const* from, std::uint32_t* out, std::int16_t* workspace) const;
};

void IntegerConvolution::PackWeights(const void* bytes, const void* zeros, std::int16_t* to) const {
  const std::size_t inner = inputs * Taps();
  for (std::size_t o = 0; o < groups * outputs; ++o, to += WeightStep()) {
    SubtractZero(bytes, w_zeros.is_signed, o * inner, w_zeros.At(zeros, 0, o), inner, to);
    std::fill(to + inner, to + WeightStep(), std::int16_t{0});
  }
}

// Pads have the value of the zero point, which becomes 0.
void IntegerConvolution::FillPlanes(const void* const* from, std::size_t image,
                                    std::int16_t* planes) const {
  const std::int32_t zero = x_zeros.At(from[2], 0, 0);
  const std::size_t channels = groups * inputs;
  ForParts(channels, (std::size_t{1} << 16) / Plane() + 1,
           [&](std::size_t begin, std::size_t end, std::size_t) {
             for (std::size_t c = begin; c < end; ++c) {
               std::int16_t* to = planes + c * Plane();
               const std::size_t at = (image * channels + c) * y.size * x.size;
               if (Plane() == y.size * x.size) {
                 SubtractZero(from[0], x_zeros.is_signed, at, zero, Plane(), to);
                 continue;
               }
               std::fill_n(to, Plane(), std::int16_t{0});
               for (std::size_t row = 0; row < y.size; ++row) {
                 SubtractZero(from[0], x_zeros.is_signed, at + row * x.size, zero, x.size,
                              to + (y.begin + row) * x.padded + x.begin);
               }
             }
           });
}

// Elements `position` to `position` + n of row k of the right factor.
const std::int16_t* IntegerConvolution::Row(const std::int16_t* planes, std::size_t k,
                                            std::size_t position, std::size_t n,
                                            std::int16_t* buffer) const {
  if (k >= inputs * Taps()) {
    std::fill_n(buffer, n, std::int16_t{0});
    return buffer;
  }
  const std::int16_t* plane = planes + k / Taps() * Plane();
  if (PlanesAreRows()) return plane + position;
  const std::size_t tap = k % Taps();
  plane += tap / x.taps * y.dilation * x.padded + tap % x.taps * x.dilation;
  std::int16_t* to = buffer;
  while (to != buffer + n) {
    const std::size_t column = position % x.positions;
    const std::size_t some =
        std::min(x.positions - column, n - static_cast<std::size_t>(to - buffer));
    const std::int16_t* row =
        plane + position / x.positions * y.stride * x.padded + column * x.stride;
    if (x.stride == 1) {
      std::copy_n(row, some, to);
    } else {
      for (std::size_t i = 0; i < some; ++i) to[i] = row[i * x.stride];
    }
    to += some;
    position += some;
  }
  return buffer;
}

// Computes a block of positions for all outputs of a group.
void IntegerConvolution::RunBlock(const std::int16_t* planes, const std::int16_t* weights,
                                  std::size_t position, std::uint32_t* out,
                                  std::int16_t* own) const {
  const IntegerPanels panels = Panels(std::min(MaxColumns(), Positions() - position));
  std::int16_t* rows = own + panels.Numbers();
  for (std::size_t pair = 0; pair < panels.Pairs(); ++pair) {
    const std::int16_t* first = Row(planes, 2 * pair, position, panels.columns, rows);
    const std::int16_t* second =
        Row(planes, 2 * pair + 1, position, panels.columns, rows + panels.columns);
    panels.Pack(pair, first, second, own);
  }
  panels.Multiply(outputs, weights, own, out + position, Positions());
}

// Computes one output of a group with one channel. Columns between positions and between rows are
// computed, too, and discarded.
void IntegerConvolution::RunChannel(const std::int16_t* plane, const std::int16_t* weights,
                                    std::uint32_t start, std::uint32_t* out,
                                    std::uint32_t* sums) const {
  const std::int16_t* rows[kMaxChannelTaps + 1];
  for (std::size_t row = 0; row < y.positions; row += RowsTogether()) {
    const std::size_t together = std::min(RowsTogether(), y.positions - row);
    for (std::size_t tap = 0; tap < 2 * TapPairs(); ++tap) {
      const std::size_t real = std::min(tap, Taps() - 1);  // an added tap has weight 0
      rows[tap] = plane + (row * y.stride + real / x.taps * y.dilation) * x.padded +
                  real % x.taps * x.dilation;
    }
    const std::size_t columns = (together - 1) * x.padded + (x.positions - 1) * x.stride + 1;
    arithmetic::Integers().taps(TapPairs(), rows, weights, start, sums, columns);
    for (std::size_t i = 0; i < together; ++i, out += x.positions) {
      const std::uint32_t* const from = sums + i * x.padded;
      for (std::size_t j = 0; j < x.positions; ++j) out[j] = from[j * x.stride];
    }
  }
}

void IntegerConvolution::RunImage(const void* const* from, const std::int16_t* planes,
                                  const std::int16_t* weights, std::uint32_t* out,
                                  std::int16_t* own) const {
  const std::size_t positions = Positions();
  const auto start = [&](std::size_t output) {
    return biased ? static_cast<const std::uint32_t*>(from[4])[output] : 0;
  };
  constexpr std::size_t kMinWork = 1 << 20;  // products; with fewer, a thread does not pay
  if (ByTaps()) {
    ForParts(groups * outputs, kMinWork / (positions * Taps()) + 1,
             [&](std::size_t begin, std::size_t end, std::size_t part) {
               auto* sums = reinterpret_cast<std::uint32_t*>(own + part * OwnNumbers());
               for (std::size_t o = begin; o < end; ++o) {
                 RunChannel(planes + o / outputs * Plane(), weights + o * WeightStep(), start(o),
                            out + o * positions, sums);
               }
             });
    return;
  }
  const std::size_t columns = MaxColumns();
  const std::size_t blocks = (positions + columns - 1) / columns;
  ForParts(groups * blocks, kMinWork / (columns * outputs * inputs * Taps()) + 1,
           [&](std::size_t begin, std::size_t end, std::size_t part) {
             for (std::size_t task = begin; task < end; ++task) {
               const std::size_t group = task / blocks;
               RunBlock(planes + group * inputs * Plane(), weights + group * outputs * WeightStep(),
                        task % blocks * columns, out + group * outputs * positions,
                        own + part * OwnNumbers());
             }
           });
  for (std::size_t o = 0; o < groups * outputs && biased; ++o) {
    for (std::size_t i = 0; i < positions; ++i) out[o * positions + i] += start(o);
  }
}

// `workspace`: the planes of an image, memory of each thread, weights unless they are constant.
void IntegerConvolution::Run(const void* const* from, std::uint32_t* out,
                             std::int16_t* workspace) const {
  std::int16_t* own = workspace + PlaneNumbers();
  const std::int16_t* weights = nullptr;
  if (known != nullptr) {
    weights = known->As<std::int16_t>();
  } else {
    std::int16_t* packed = own + Threads() * OwnNumbers();
    PackWeights(from[1], from[3], packed);
    weights = packed;
  }
  for (std::size_t image = 0; image < images; ++image) {
    FillPlanes(from, image, workspace);
    RunImage(from, workspace, weights, out + image * groups * outputs * Positions(), own);
  }
}

Side SideOf(const Window& window, std::size_t d) {
  const auto number = [](std::int64_t value) { return static_cast<std::size_t>(value); };
  Side side;
  side.size = number(window.input[d]);
  side.begin = number(window.begin[d]);
  side.taps = number(window.kernel[d]);
  side.stride = number(window.strides[d]);
  side.dilation = number(window.dilations[d]);
  side.positions = number(window.output[d]);
  // Leaves out pads at the end that no window reaches, and adds those that rounding up the output
  // size needs.
  side.padded = std::max(side.begin + side.size,
                         (side.positions - 1) * side.stride + (side.taps - 1) * side.dilation + 1);
  return side;
}

// Inputs: x, weights, zero points of x (one) and of the weights (one, or one per output), bias
// (int32). Parameters: groups and a window.
Prepared PrepareVectorConvInteger(const Call& call) {
  ChosenKernel reference = ChooseKernel("ConvInteger", call, {true});
  if (reference.entry == nullptr) return std::move(reference.prepared);
  const auto window = ReadWindow(call);
  if (!window || window->Rank() == 0 || window->Rank() > 2) {
    return Refuse("it has no spatial dimensions, or more than two");
  }
  Prepared prepared;
  prepared.outputs = std::move(reference.prepared.outputs);
  if (Elements(prepared.outputs[0].dimensions) == 0 || Elements(call.Shape(0)) == 0) {
    return Refuse("it has an empty tensor");
  }
  if (std::any_of(window->begin.begin(), window->begin.end(), [](auto pad) { return pad < 0; })) {
    return Refuse("its pads are negative");
  }
  const std::int64_t groups = call.parameters.Integer("groups", 1);
  IntegerConvolution convolution;
  if (window->Rank() == 2) convolution.y = SideOf(*window, 0);
  convolution.x = SideOf(*window, window->Rank() - 1);
  convolution.images = static_cast<std::size_t>(call.Shape(0)[0]);
  convolution.groups = static_cast<std::size_t>(groups);
  convolution.inputs = static_cast<std::size_t>(call.Shape(1)[1]);
  convolution.outputs = static_cast<std::size_t>(call.Shape(1)[0] / groups);
  convolution.biased = call.Has(4);
  ReadZeros(call, 2, 1, 1, convolution.x_zeros);
  ReadZeros(call, 3, static_cast<std::size_t>(call.Shape(1)[0]), 1, convolution.w_zeros);
  std::size_t numbers = convolution.PlaneNumbers() + Threads() * convolution.OwnNumbers();
  convolution.known = PackKnown(call, convolution.WeightNumbers(), prepared,
                                [&](const void* bytes, const void* zeros, std::int16_t* to) {
                                  convolution.PackWeights(bytes, zeros, to);
                                });
  if (convolution.known == nullptr) numbers += convolution.WeightNumbers();
  prepared.workspace = numbers * sizeof(std::int16_t);
  prepared.run = [convolution = std::move(convolution), given = call.inputs.size()](
                     const void* const* inputs, void* const* outputs, void* workspace) {
    const void* all[5] = {};
    std::copy_n(inputs, std::min<std::size_t>(given, 5), all);
    convolution.Run(all, static_cast<std::uint32_t*>(outputs[0]),
                    static_cast<std::int16_t*>(workspace));
  };
  return prepared;
}

OPLEDGER_KERNEL(ConvInteger, "cpu")
    .Types("T", {Dtype::kInt8, Dtype::kUint8})
    .Accumulates(Dtype::kInt32)
    .ErrorBound("exact")
    .By("vector")
    .Run(&PrepareVectorConvInteger);

}  // namespace
}  // namespace opledger
