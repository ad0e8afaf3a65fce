// Checks matrix products and convolutions against float64, with the bound of a sum in float32:
// |error| <= K 2^-24 sum |a b| + half a unit of the result. The library chooses the order of
// additions, so bits may differ.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "kernels/cuda/selftest/selftest.h"

namespace opledger::cuda::selftest {
namespace {

std::vector<float> Factors(Session& session, ElementType type, std::int64_t count) {
  std::vector<float> numbers;
  for (std::int64_t i = 0; i < count; ++i) {
    numbers.push_back(Rounded(type, session.RandomNormal()));
  }
  return numbers;
}

// The expected result, and the sums of the magnitudes of the products.
struct Bounded {
  std::vector<double> exact;
  std::vector<double> magnitude;
};

void CheckBounds(Session& session, const std::string& name, ElementType type, std::int64_t inner,
                 const std::vector<float>& given, const Bounded& bounded) {
  Check check{name, given.size(), ""};
  for (std::size_t i = 0; i < given.size() && check.problem.empty(); ++i) {
    const double error = std::fabs(given[i] - bounded.exact[i]);
    const double bound = static_cast<double>(inner) * 0x1p-24 * bounded.magnitude[i] +
                         HalfUnit(type, bounded.exact[i]) * 1.01;
    if (error <= bound) continue;
    check.problem = "element " + std::to_string(i) + " is " + std::to_string(given[i]) + ", not " +
                    std::to_string(bounded.exact[i]) + ": error " + std::to_string(error) +
                    ", bound " + std::to_string(bound);
  }
  session.checks.push_back(check);
}

struct MatrixShape {
  std::int64_t rows;
  std::int64_t inner;
  std::int64_t columns;
  std::int64_t batch = 1;
  bool transpose_a = false;
  bool transpose_b = false;
  MatrixEpilogue epilogue = kPlain;
};

Bounded Multiplied(const MatrixShape& shape, const std::vector<float>& a,
                   const std::vector<float>& b, const std::vector<float>& bias) {
  Bounded bounded;
  for (std::int64_t at = 0; at < shape.batch * shape.rows * shape.columns; ++at) {
    const std::int64_t column = at % shape.columns;
    const std::int64_t row = at / shape.columns % shape.rows;
    const std::int64_t batch = at / shape.columns / shape.rows;
    double sum = 0;
    double magnitude = 0;
    for (std::int64_t k = 0; k < shape.inner; ++k) {
      const std::int64_t at_a = shape.transpose_a ? k * shape.rows + row : row * shape.inner + k;
      const std::int64_t at_b =
          shape.transpose_b ? column * shape.inner + k : k * shape.columns + column;
      const double product =
          double{a[static_cast<std::size_t>(batch * shape.rows * shape.inner + at_a)]} *
          double{b[static_cast<std::size_t>(batch * shape.inner * shape.columns + at_b)]};
      sum += product;
      magnitude += std::fabs(product);
    }
    if (shape.epilogue == kBias || shape.epilogue == kBiasRelu) {
      sum += double{bias[static_cast<std::size_t>(column)]};
      magnitude += std::fabs(sum);
    }
    const bool cuts = shape.epilogue == kRelu || shape.epilogue == kBiasRelu;
    bounded.exact.push_back(cuts ? std::max(sum, 0.0) : sum);
    bounded.magnitude.push_back(magnitude);
  }
  return bounded;
}

void CheckProduct(Session& session, ElementType type, ElementType out_type,
                  const MatrixShape& shape) {
  const auto a = Factors(session, type, shape.batch * shape.rows * shape.inner);
  const auto b = Factors(session, type, shape.batch * shape.inner * shape.columns);
  const auto bias = Factors(session, out_type, shape.columns);
  const Buffer at_a(session, Stored(type, a));
  const Buffer at_b(session, Stored(type, b));
  const Buffer at_bias(session, Stored(out_type, bias));
  constexpr std::size_t kWorkspace = std::size_t{32} << 20;
  const Buffer workspace(session, kWorkspace);
  const Bounded bounded = Multiplied(shape, a, b, bias);
  const std::size_t bytes = bounded.exact.size() * SizeOf(out_type);
  const Buffer out(session, bytes);
  const MatrixCall call{type,
                        out_type,
                        shape.rows,
                        shape.inner,
                        shape.columns,
                        shape.batch,
                        shape.rows * shape.inner,
                        shape.inner * shape.columns,
                        shape.transpose_a ? 1 : 0,
                        shape.transpose_b ? 1 : 0,
                        shape.epilogue,
                        at_a.data(),
                        at_b.data(),
                        at_bias.data(),
                        out.data(),
                        workspace.data(),
                        kWorkspace};
  session.Must(session.module->multiply(&call));
  CheckBounds(session,
              "product " + std::to_string(shape.rows) + "x" + std::to_string(shape.inner) + "x" +
                  std::to_string(shape.columns) + " " + NameOf(type) + " to " + NameOf(out_type),
              out_type, shape.inner + 1, Loaded(out_type, out.Read<std::byte>(bytes)), bounded);
}

// Two images of 9 x 11 pixels, 3 x 3 windows with stride 2 and pads: by a matrix of taps, or
// directly for groups.
void CheckConvolution(Session& session, ElementType type, std::int64_t groups) {
  const WindowShape window{2, 24, {9, 11}, {5, 6}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}};
  const std::int64_t outputs = 16 * groups;
  const std::int64_t inputs = window.channels / groups;
  const std::int64_t inner = 9 * inputs;
  const std::int64_t rows = window.images * window.out[0] * window.out[1];
  const auto x = Factors(session, type, window.images * 9 * 11 * window.channels);
  const auto weights = Factors(session, type, outputs * inner);
  Bounded bounded;
  for (std::int64_t at = 0; at < rows * outputs; ++at) {
    const std::int64_t channel = at % outputs;
    const std::int64_t pixel = at / outputs;
    const std::int64_t first = channel / (outputs / groups) * inputs;
    bounded.exact.push_back(0);
    bounded.magnitude.push_back(0);
    for (std::int64_t k = 0; k < inner; ++k) {
      const std::int64_t in_y = pixel / 6 % 5 * 2 - 1 + k / inputs / 3;
      const std::int64_t in_x = pixel % 6 * 2 - 1 + k / inputs % 3;
      if (in_y < 0 || in_y >= 9 || in_x < 0 || in_x >= 11) continue;
      const std::int64_t place =
          ((pixel / 30 * 9 + in_y) * 11 + in_x) * window.channels + first + k % inputs;
      const double product = double{x[static_cast<std::size_t>(place)]} *
                             double{weights[static_cast<std::size_t>(channel * inner + k)]};
      bounded.exact.back() += product;
      bounded.magnitude.back() += std::fabs(product);
    }
  }
  const Buffer in(session, Stored(type, x));
  const Buffer by(session, Stored(type, weights));
  const std::size_t bytes = bounded.exact.size() * SizeOf(type);
  const Buffer out(session, bytes);
  const Buffer columns(session, static_cast<std::size_t>(rows * inner) * SizeOf(type));
  if (groups == 1) {
    const ColumnsCall taps{type, window, 0, window.images, in.data(), columns.data()};
    session.Must(session.module->columns(&taps));
    MatrixCall product = {};
    product.type = product.out_type = type;
    product.rows = rows;
    product.inner = inner;
    product.columns = outputs;
    product.batch = 1;
    product.transpose_b = 1;
    product.a = columns.data();
    product.b = by.data();
    product.out = out.data();
    session.Must(session.module->multiply(&product));
  } else {
    const GroupedCall call{type, type, window, groups, outputs, in.data(), by.data(), out.data()};
    session.Must(session.module->grouped(&call));
  }
  CheckBounds(session, "convolution in " + std::to_string(groups) + " groups " + NameOf(type), type,
              inner, Loaded(type, out.Read<std::byte>(bytes)), bounded);
}

}  // namespace

void CheckMatrices(Session& session) {
  for (const ElementType type : kTypes) {
    CheckProduct(session, type, type, {64, 96, 40});
    CheckProduct(session, type, kF32, {33, 128, 64});
    CheckProduct(session, type, type, {16, 64, 24, 5});
    CheckProduct(session, type, type, {48, 80, 56, 1, true, false});
    CheckProduct(session, type, type, {48, 80, 56, 1, false, true, kBiasRelu});
    CheckProduct(session, type, type, {8, 32, 16, 1, false, false, kBias});
    CheckProduct(session, type, type, {1, session.quick ? 256 : 4096, 64});
    if (!session.quick) CheckProduct(session, type, type, {512, 1024, 768});
    CheckConvolution(session, type, 1);
    CheckConvolution(session, type, 4);
    CheckConvolution(session, type, 24);
  }
}

}  // namespace opledger::cuda::selftest
