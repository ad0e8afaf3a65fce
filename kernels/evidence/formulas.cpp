// One template for both types: a number that rounds whatever is made of it.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/evidence/formulas.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <string_view>

#include "kernels/tensor/element.h"

namespace opledger {
namespace {

template <typename T>
struct Rounded {
  float value = 0;

  Rounded(double number = 0) {  // NOLINT(google-explicit-constructor): formulas hold plain numbers
    T element;
    Store(element, static_cast<float>(number));
    value = Load(element);
  }
  friend Rounded operator+(Rounded a, Rounded b) { return a.value + b.value; }
  friend Rounded operator-(Rounded a, Rounded b) { return a.value - b.value; }
  friend Rounded operator*(Rounded a, Rounded b) { return a.value * b.value; }
  friend Rounded operator/(Rounded a, Rounded b) { return a.value / b.value; }
  friend Rounded operator-(Rounded a) { return -a.value; }
  friend bool operator<(Rounded a, Rounded b) { return a.value < b.value; }
};

#define OPLEDGER_ROUNDED(NAME, FUNCTION)           \
  template <typename T>                            \
  Rounded<T> NAME(Rounded<T> x) {                  \
    return FUNCTION(static_cast<double>(x.value)); \
  }
OPLEDGER_ROUNDED(Exp, std::exp)
OPLEDGER_ROUNDED(Log, std::log)
OPLEDGER_ROUNDED(Sqrt, std::sqrt)
OPLEDGER_ROUNDED(Tanh, std::tanh)
OPLEDGER_ROUNDED(Erf, std::erf)
#undef OPLEDGER_ROUNDED
template <typename T>
Rounded<T> Power(Rounded<T> x, Rounded<T> y) {
  return std::pow(static_cast<double>(x.value), static_cast<double>(y.value));
}
template <typename T>
Rounded<T> Abs(Rounded<T> x) {
  return std::fabs(x.value);
}
template <typename N>
N Clamp(N x, N min, N max) {
  return x < min ? min : max < x ? max : x;
}

template <typename N>
using Row = std::vector<N>;

template <typename N, typename Value>
N Sum(const Row<N>& row, const Value& value) {
  N sum(0);
  for (const N& x : row) sum = sum + value(x);
  return sum;
}
template <typename N>
N Sum(const Row<N>& row) {
  return Sum(row, [](N x) { return x; });
}
template <typename N>
N SumOfSquares(const Row<N>& row) {
  return Sum(row, [](N x) { return x * x; });
}
template <typename N>
N Norm(const Row<N>& row) {
  return Sqrt(SumOfSquares(row));
}
template <typename N>
N Max(const Row<N>& row) {
  return *std::max_element(row.begin(), row.end());
}
template <typename N>
N SumOfExp(const Row<N>& row) {
  return Sum(row, [max = Max(row)](N x) { return Exp(x - max); });
}
template <typename N>
N Product(const Row<N>& row) {
  return std::accumulate(row.begin(), row.end(), N(1), std::multiplies<N>());
}
template <typename N>
N Count(const Row<N>& row) {
  return N(static_cast<double>(row.size()));
}
template <typename N, typename Value>
Row<N> Each(const Row<N>& row, const Value& value) {
  Row<N> all;
  for (const N& x : row) all.push_back(value(x));
  return all;
}
template <typename N>
Row<N> Cumulative(const Row<N>& row) {
  Row<N> sums = row;
  std::partial_sum(row.begin(), row.end(), sums.begin());
  return sums;
}
template <typename N>
Row<N> Normalised(const Row<N>& row) {
  const N mean = Sum(row) / Count(row);
  const N variance = Sum(row, [&](N x) { return (x - mean) * (x - mean); }) / Count(row);
  return Each(row, [&](N x) { return (x - mean) / Sqrt(variance + N(1e-5)); });
}
// 5 neighbours, alpha 1e-4, beta 0.75, bias 1.
template <typename N>
Row<N> DividedByNeighbours(const Row<N>& row) {
  Row<N> all;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const auto begin = row.begin() + static_cast<std::ptrdiff_t>(i < 2 ? 0 : i - 2);
    const auto end = row.begin() + static_cast<std::ptrdiff_t>(std::min(row.size(), i + 3));
    const N sum = SumOfSquares(Row<N>(begin, end));
    all.push_back(row[i] / Power(N(1) + N(1e-4 / 5) * sum, N(0.75)));
  }
  return all;
}

// clang-format off
// Kernel and formula, of each number x by itself.
#define OPLEDGER_EACH_FORMULAS(FORMULA) \
  FORMULA(Celu, x < N(0) ? Exp(x) - N(1) : x) \
  FORMULA(Elu, x < N(0) ? Exp(x) - N(1) : x) \
  FORMULA(Gelu, N(0.5) * x * (N(1) + Erf(x * N(0.70710678)))) \
  FORMULA(GeluTanh, N(0.5) * x * (N(1) + Tanh(N(0.79788456) * (x + N(0.044715) * x * x * x)))) \
  FORMULA(HardSigmoid, Clamp(N(0.2) * x + N(0.5), N(0), N(1))) \
  FORMULA(HardSwish, x * Clamp(x / N(6) + N(0.5), N(0), N(1))) \
  FORMULA(Mish, x * Tanh(Log(N(1) + Exp(x)))) \
  FORMULA(Rsqrt, N(1) / Sqrt(x)) \
  FORMULA(Selu, N(1.0507) * (x < N(0) ? N(1.67326) * (Exp(x) - N(1)) : x)) \
  FORMULA(Sigmoid, N(1) / (N(1) + Exp(-x))) \
  FORMULA(Silu, x * (N(1) / (N(1) + Exp(-x)))) \
  FORMULA(Softplus, Log(N(1) + Exp(x))) \
  FORMULA(Softsign, x / (N(1) + Abs(x)))
// Kernel and formula, of a row: one number, or as many as it has.
#define OPLEDGER_ROW_FORMULAS(FORMULA) \
  FORMULA(AveragePool, Sum(row) / Count(row)) \
  FORMULA(CumSum, Cumulative(row)) \
  FORMULA(LocalResponseNorm, DividedByNeighbours(row)) \
  FORMULA(LogSoftmax, \
          Each(row, [&, max = Max(row), sum = SumOfExp(row)](N x) { return x - max - Log(sum); })) \
  FORMULA(LpNorm, Each(row, [norm = Norm(row)](N x) { return x / norm; })) \
  FORMULA(LpPool, Norm(row)) \
  FORMULA(Normalise, Normalised(row)) \
  FORMULA(ReduceL1, Sum(row, [](N x) { return Abs(x); })) \
  FORMULA(ReduceL2, Norm(row)) \
  FORMULA(ReduceLogSum, Log(Sum(row))) \
  FORMULA(ReduceLogSumExp, Max(row) + Log(SumOfExp(row))) \
  FORMULA(ReduceMean, Sum(row) / Count(row)) \
  FORMULA(ReduceProd, Product(row)) \
  FORMULA(ReduceSum, Sum(row)) \
  FORMULA(ReduceSumSquare, SumOfSquares(row)) \
  FORMULA(Softmax, \
          Each(row, [max = Max(row), sum = SumOfExp(row)](N x) { return Exp(x - max) / sum; }))
// clang-format on

#define OPLEDGER_STEPS(NAME, ...) \
  struct NAME##Steps {            \
    template <typename N>         \
    static N Of(N x) {            \
      return __VA_ARGS__;         \
    }                             \
  };
OPLEDGER_EACH_FORMULAS(OPLEDGER_STEPS)
#undef OPLEDGER_STEPS
#define OPLEDGER_STEPS(NAME, ...)         \
  struct NAME##Steps {                    \
    template <typename N>                 \
    static Row<N> Of(const Row<N>& row) { \
      return AsRow<N>(__VA_ARGS__);       \
    }                                     \
  };
template <typename N>
Row<N> AsRow(N number) {
  return {number};
}
template <typename N>
Row<N> AsRow(Row<N> row) {
  return row;
}
OPLEDGER_ROW_FORMULAS(OPLEDGER_STEPS)
#undef OPLEDGER_STEPS

template <typename T>
std::vector<Rounded<T>> RoundedOf(const ConstantTensor& tensor) {
  const auto* numbers = tensor.As<double>();
  return {numbers, numbers + Elements(tensor.type.dimensions)};
}

template <typename Steps, typename T>
std::vector<double> EachOf(const std::vector<ConstantTensor>& inputs) {
  std::vector<double> results;
  for (const Rounded<T>& x : RoundedOf<T>(inputs[0])) results.push_back(Steps::Of(x).value);
  return results;
}

template <typename Steps, typename T>
std::vector<double> RowsOf(const std::vector<ConstantTensor>& inputs) {
  const auto numbers = RoundedOf<T>(inputs[0]);
  Dimensions shape = inputs[0].type.dimensions;
  while (shape.size() > 1 && shape.back() == 1) shape.pop_back();
  const auto columns = static_cast<std::size_t>(shape.back());
  std::vector<double> results;
  for (auto row = numbers.begin(); row != numbers.end();
       row += static_cast<std::ptrdiff_t>(columns)) {
    const Row<Rounded<T>> one(row, row + static_cast<std::ptrdiff_t>(columns));
    for (const Rounded<T>& x : Steps::Of(one)) results.push_back(x.value);
  }
  return results;
}

const std::map<std::string_view, Formula>& FormulasByKernel() {
  static const std::map<std::string_view, Formula> kFormulas = {
#define OPLEDGER_FORMULA(NAME, ...) \
  {#NAME, {&EachOf<NAME##Steps, Float16>, &EachOf<NAME##Steps, Bfloat16>}},
      OPLEDGER_EACH_FORMULAS(OPLEDGER_FORMULA)
#undef OPLEDGER_FORMULA
#define OPLEDGER_FORMULA(NAME, ...) \
  {#NAME, {&RowsOf<NAME##Steps, Float16>, &RowsOf<NAME##Steps, Bfloat16>}},
          OPLEDGER_ROW_FORMULAS(OPLEDGER_FORMULA)
#undef OPLEDGER_FORMULA
  };
  return kFormulas;
}

}  // namespace

Formula FormulaOf(const char* kernel) {
  const auto found = FormulasByKernel().find(kernel);
  return found == FormulasByKernel().end() ? Formula() : found->second;
}

}  // namespace opledger
