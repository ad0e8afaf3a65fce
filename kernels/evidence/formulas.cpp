// Evaluates each formula with a number type that rounds every result. Unary functions, reductions
// and softmax are those of the kernels (kernels/cpu/formulas).
// SPDX-License-Identifier: Apache-2.0
#include "kernels/evidence/formulas.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <map>
#include <string_view>

#include "kernels/cpu/formulas/formulas.h"
#include "kernels/cpu/formulas/reductions.h"
#include "kernels/cpu/formulas/unary_formulas.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

using namespace function;  // keeps the formulas readable

template <typename T>
struct Rounded {
  float value = 0;
  int steps = 0;  // rounding steps so far: 0, 1, or 2 for more

  Rounded() = default;
  explicit Rounded(double number, int taken = 0) : steps(taken) {
    T element;
    Store(element, static_cast<float>(number));
    value = Load(element);
  }
  // Returns the result of a step whose operands took `before` steps.
  static Rounded Step(double number, int before) {
    return Rounded(number, std::min(before + 1, 2));
  }
  friend Rounded operator+(Rounded a, Rounded b) {
    return Step(a.value + b.value, a.steps + b.steps);
  }
  friend Rounded operator-(Rounded a, Rounded b) {
    return Step(a.value - b.value, a.steps + b.steps);
  }
  friend Rounded operator*(Rounded a, Rounded b) {
    return Step(a.value * b.value, a.steps + b.steps);
  }
  friend Rounded operator/(Rounded a, Rounded b) {
    return Step(a.value / b.value, a.steps + b.steps);
  }
  friend Rounded operator-(Rounded a) {
    a.value = -a.value;
    return a;
  }
  friend bool operator==(Rounded a, Rounded b) { return a.value == b.value; }
  friend auto operator<=>(Rounded a, Rounded b) { return a.value <=> b.value; }
};

#define OPLEDGER_STEP(NAME, SHARED, FUNCTION)                                      \
  template <typename T>                                                            \
  Rounded<T> NAME(Rounded<T> x) {                                                  \
    return Rounded<T>::Step(std::FUNCTION(static_cast<double>(x.value)), x.steps); \
  }
OPLEDGER_ELEMENTARY_FUNCTIONS(OPLEDGER_STEP)
#undef OPLEDGER_STEP
template <typename T>
Rounded<T> Abs(Rounded<T> x) {
  x.value = std::fabs(x.value);
  return x;
}
template <typename T>
Rounded<T> Power(Rounded<T> x, double y) {
  return Rounded<T>::Step(std::pow(static_cast<double>(x.value), y), x.steps);
}
template <typename T>
Rounded<T> Linear(Rounded<T> a, Rounded<T> x, Rounded<T> b) {
  return a * x + b;
}

template <typename N>
using Row = std::vector<N>;

template <typename Reduction, typename N>
N Reduced(const Row<N>& row) {
  N all = Reduction::template Start<N>();
  for (const N& x : row) all = Reduction::Reduce(all, Reduction::Map(x));
  return Reduction::Finish(all, row.size());
}
template <typename Reduction, typename N>
Row<N> Cumulative(Row<N> row) {
  for (std::size_t i = 1; i < row.size(); ++i) row[i] = Reduction::Reduce(row[i - 1], row[i]);
  return row;
}
template <typename N, typename Value>
Row<N> Each(Row<N> row, const Value& value) {
  for (N& x : row) x = value(x);
  return row;
}
template <typename N>
N Max(const Row<N>& row) {
  return *std::max_element(row.begin(), row.end());
}
template <typename N>
N SumOfExp(const Row<N>& row) {
  return Reduced<SumReduction>(Each(row, [max = Max(row)](N x) { return Exp(x - max); }));
}
template <typename Function, typename N>
Row<N> SoftmaxOfRow(const Row<N>& row) {
  return Each(row,
              [max = Max(row), sum = SumOfExp(row)](N x) { return Function::Of(x, max, sum); });
}
template <typename N>
Row<N> Normalised(const Row<N>& row) {
  const N mean = Reduced<MeanReduction>(row);
  const Row<N> off = Each(row, [&](N x) { return x - mean; });
  const N variance = Reduced<MeanReduction>(Each(off, [](N x) { return x * x; }));
  return Each(off, [&](N x) { return x / Sqrt(variance + N(1e-5)); });
}
// LocalResponseNorm over 5 neighbors, with alpha 1e-4, beta 0.75 and bias 1.
template <typename N>
Row<N> DividedByNeighbors(const Row<N>& row) {
  Row<N> all;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const auto begin = row.begin() + static_cast<std::ptrdiff_t>(i < 2 ? 0 : i - 2);
    const auto end = row.begin() + static_cast<std::ptrdiff_t>(std::min(row.size(), i + 3));
    const N sum = Reduced<SumSquareReduction>(Row<N>(begin, end));
    all.push_back(row[i] / Power(N(1) + N(1e-4 / 5) * sum, 0.75));
  }
  return all;
}

// clang-format off
// Kernel and formula for a row; the result is a scalar or a row.
#define OPLEDGER_ROW_FORMULAS(FORMULA) \
  FORMULA(AveragePool, Reduced<MeanReduction>(row)) \
  FORMULA(CumProd, Cumulative<ProdReduction>(row)) \
  FORMULA(CumSum, Cumulative<SumReduction>(row)) \
  FORMULA(LocalResponseNorm, DividedByNeighbors(row)) \
  FORMULA(LogSoftmax, SoftmaxOfRow<LogSoftmaxOf>(row)) \
  FORMULA(LpNorm, Each(row, [norm = Reduced<L2Reduction>(row)](N x) { return x / norm; })) \
  FORMULA(LpPool, Reduced<L2Reduction>(row)) \
  FORMULA(MaskedLogSoftmax, SoftmaxOfRow<LogSoftmaxOf>(row)) \
  FORMULA(MaskedSoftmax, SoftmaxOfRow<SoftmaxOf>(row)) \
  FORMULA(Normalise, Normalised(row)) \
  FORMULA(ReduceL1, Reduced<L1Reduction>(row)) \
  FORMULA(ReduceL2, Reduced<L2Reduction>(row)) \
  FORMULA(ReduceLogSum, Reduced<LogSumReduction>(row)) \
  FORMULA(ReduceLogSumExp, Max(row) + Log(SumOfExp(row))) \
  FORMULA(ReduceMean, Reduced<MeanReduction>(row)) \
  FORMULA(ReduceProd, Reduced<ProdReduction>(row)) \
  FORMULA(ReduceSum, Reduced<SumReduction>(row)) \
  FORMULA(ReduceSumSquare, Reduced<SumSquareReduction>(row)) \
  FORMULA(Softmax, SoftmaxOfRow<SoftmaxOf>(row)) \
  FORMULA(SumPool, Reduced<SumReduction>(row))
// clang-format on

#define OPLEDGER_STEPS(NAME, BOUND, COUNT, ALPHA, BETA, VALUE) \
  struct NAME##Steps {                                         \
    template <typename T>                                      \
    static T Of(T x) {                                         \
      [[maybe_unused]] const T a(ALPHA);                       \
      [[maybe_unused]] const T b(BETA);                        \
      return VALUE;                                            \
    }                                                          \
  };
OPLEDGER_UNARY_FUNCTIONS(OPLEDGER_STEPS)
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
  std::vector<Rounded<T>> rounded;
  for (std::size_t i = 0; i < Elements(tensor.type.dimensions); ++i) {
    rounded.emplace_back(numbers[i]);
  }
  return rounded;
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
  const auto columns = static_cast<std::ptrdiff_t>(shape.back());
  std::vector<double> results;
  for (auto row = numbers.begin(); row != numbers.end(); row += columns) {
    for (const auto& x : Steps::Of(Row<Rounded<T>>(row, row + columns))) results.push_back(x.value);
  }
  return results;
}

// Returns an empty formula if the function takes a single step for all samples.
template <typename Steps>
Formula FormulaOfEach() {
  const auto is_longer = [](double x) { return Steps::Of(Rounded<Float16>(x)).steps > 1; };
  const double samples[] = {-2, -0.5, 0.5, 2};
  if (!std::any_of(std::begin(samples), std::end(samples), is_longer)) return {};
  return {&EachOf<Steps, Float16>, &EachOf<Steps, Bfloat16>};
}

const std::map<std::string_view, Formula>& FormulasByKernel() {
  static const std::map<std::string_view, Formula> kFormulas = {
#define OPLEDGER_FORMULA(NAME, ...) {#NAME, FormulaOfEach<NAME##Steps>()},
      OPLEDGER_UNARY_FUNCTIONS(OPLEDGER_FORMULA)
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
