// One template for both types: a number that rounds whatever is made of it.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/evidence/formulas.h"

#include <cmath>
#include <map>
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
N Clamp(N x, N least, N most) {
  return x < least ? least : most < x ? most : x;
}

// Element by element.
struct SigmoidSteps {
  template <typename N>
  static N Of(N x) {
    return N(1) / (N(1) + Exp(-x));
  }
};
struct SoftplusSteps {
  template <typename N>
  static N Of(N x) {
    return Log(N(1) + Exp(x));
  }
};
struct SoftsignSteps {
  template <typename N>
  static N Of(N x) {
    return x / (N(1) + Abs(x));
  }
};
struct EluSteps {
  template <typename N>
  static N Of(N x) {
    return x < N(0) ? Exp(x) - N(1) : x;
  }
};
struct SeluSteps {
  template <typename N>
  static N Of(N x) {
    return N(1.0507) * (x < N(0) ? N(1.67326) * (Exp(x) - N(1)) : x);
  }
};
struct GeluSteps {
  template <typename N>
  static N Of(N x) {
    return N(0.5) * x * (N(1) + Erf(x * N(0.70710678)));
  }
};
struct GeluTanhSteps {
  template <typename N>
  static N Of(N x) {
    return N(0.5) * x * (N(1) + Tanh(N(0.79788456) * (x + N(0.044715) * x * x * x)));
  }
};
struct SiluSteps {
  template <typename N>
  static N Of(N x) {
    return x * SigmoidSteps::Of(x);
  }
};
struct MishSteps {
  template <typename N>
  static N Of(N x) {
    return x * Tanh(SoftplusSteps::Of(x));
  }
};
struct HardSigmoidSteps {
  template <typename N>
  static N Of(N x) {
    return Clamp(N(0.2) * x + N(0.5), N(0), N(1));
  }
};
struct HardSwishSteps {
  template <typename N>
  static N Of(N x) {
    return x * Clamp(x / N(6) + N(0.5), N(0), N(1));
  }
};
struct RsqrtSteps {
  template <typename N>
  static N Of(N x) {
    return N(1) / Sqrt(x);
  }
};

// Row by row: `inputs` begin where the row does, each number of a row has its own parameters.
template <typename N>
using Row = std::vector<N>;

template <typename N, typename Value>
N Added(const Row<N>& row, const Value& value) {
  N sum(0);
  for (const N& x : row) sum = sum + value(x);
  return sum;
}
template <typename N>
N Added(const Row<N>& row) {
  return Added(row, [](N x) { return x; });
}
template <typename N>
N AddedSquares(const Row<N>& row) {
  return Added(row, [](N x) { return x * x; });
}
template <typename N>
N Greatest(const Row<N>& row) {
  N most = row[0];
  for (const N& x : row) most = most < x ? x : most;
  return most;
}

struct SumSteps {
  template <typename N>
  static Row<N> Of(const Row<N>& row) {
    return {Added(row)};
  }
};
struct MeanSteps {
  template <typename N>
  static Row<N> Of(const Row<N>& row) {
    return {Added(row) / N(static_cast<double>(row.size()))};
  }
};
struct SumOfSizesSteps {
  template <typename N>
  static Row<N> Of(const Row<N>& row) {
    return {Added(row, [](N x) { return Abs(x); })};
  }
};
struct SumOfSquaresSteps {
  template <typename N>
  static Row<N> Of(const Row<N>& row) {
    return {AddedSquares(row)};
  }
};
struct NormSteps {
  template <typename N>
  static Row<N> Of(const Row<N>& row) {
    return {Sqrt(AddedSquares(row))};
  }
};
struct LogSumSteps {
  template <typename N>
  static Row<N> Of(const Row<N>& row) {
    return {Log(Added(row))};
  }
};
struct LogSumExpSteps {
  template <typename N>
  static Row<N> Of(const Row<N>& row) {
    const N most = Greatest(row);
    return {most + Log(Added(row, [&](N x) { return Exp(x - most); }))};
  }
};
struct ProductSteps {
  template <typename N>
  static Row<N> Of(const Row<N>& row) {
    N product(1);
    for (const N& x : row) product = product * x;
    return {product};
  }
};
struct CumulativeSteps {
  template <typename N>
  static Row<N> Of(const Row<N>& row) {
    Row<N> sums;
    for (const N& x : row) sums.push_back(sums.empty() ? x : sums.back() + x);
    return sums;
  }
};
struct SoftmaxSteps {
  template <typename N>
  static Row<N> Of(const Row<N>& row) {
    const N most = Greatest(row);
    const N sum = Added(row, [&](N x) { return Exp(x - most); });
    Row<N> shares;
    for (const N& x : row) shares.push_back(Exp(x - most) / sum);
    return shares;
  }
};
struct LogSoftmaxSteps {
  template <typename N>
  static Row<N> Of(const Row<N>& row) {
    const N most = Greatest(row);
    const N sum = Added(row, [&](N x) { return Exp(x - most); });
    Row<N> logs;
    for (const N& x : row) logs.push_back(x - most - Log(sum));
    return logs;
  }
};
struct NormaliseSteps {
  template <typename N>
  static Row<N> Of(const Row<N>& row) {
    const N count(static_cast<double>(row.size()));
    const N mean = Added(row) / count;
    const N variance = Added(row, [&](N x) { return (x - mean) * (x - mean); }) / count;
    Row<N> all;
    for (const N& x : row) all.push_back((x - mean) / Sqrt(variance + N(1e-5)));
    return all;
  }
};
struct DirectionSteps {
  template <typename N>
  static Row<N> Of(const Row<N>& row) {
    const N norm = Sqrt(AddedSquares(row));
    Row<N> all;
    for (const N& x : row) all.push_back(x / norm);
    return all;
  }
};
// 5 neighbours, alpha 1e-4, beta 0.75, bias 1.
struct NeighboursSteps {
  template <typename N>
  static Row<N> Of(const Row<N>& row) {
    Row<N> all;
    for (std::size_t i = 0; i < row.size(); ++i) {
      N sum(0);
      for (std::size_t k = i < 2 ? 0 : i - 2; k < row.size() && k <= i + 2; ++k) {
        sum = sum + row[k] * row[k];
      }
      all.push_back(row[i] / Power(N(1) + N(1e-4 / 5) * sum, N(0.75)));
    }
    return all;
  }
};

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

template <typename Steps>
constexpr Formula Each() {
  return {&EachOf<Steps, Float16>, &EachOf<Steps, Bfloat16>};
}
template <typename Steps>
constexpr Formula Rows() {
  return {&RowsOf<Steps, Float16>, &RowsOf<Steps, Bfloat16>};
}

const std::map<std::string_view, Formula>& FormulasByKernel() {
  static const std::map<std::string_view, Formula> kFormulas = {
      {"AveragePool", Rows<MeanSteps>()},
      {"Celu", Each<EluSteps>()},
      {"CumSum", Rows<CumulativeSteps>()},
      {"Elu", Each<EluSteps>()},
      {"Gelu", Each<GeluSteps>()},
      {"GeluTanh", Each<GeluTanhSteps>()},
      {"HardSigmoid", Each<HardSigmoidSteps>()},
      {"HardSwish", Each<HardSwishSteps>()},
      {"LocalResponseNorm", Rows<NeighboursSteps>()},
      {"LogSoftmax", Rows<LogSoftmaxSteps>()},
      {"LpNorm", Rows<DirectionSteps>()},
      {"LpPool", Rows<NormSteps>()},
      {"Mish", Each<MishSteps>()},
      {"Normalise", Rows<NormaliseSteps>()},
      {"ReduceL1", Rows<SumOfSizesSteps>()},
      {"ReduceL2", Rows<NormSteps>()},
      {"ReduceLogSum", Rows<LogSumSteps>()},
      {"ReduceLogSumExp", Rows<LogSumExpSteps>()},
      {"ReduceMean", Rows<MeanSteps>()},
      {"ReduceProd", Rows<ProductSteps>()},
      {"ReduceSum", Rows<SumSteps>()},
      {"ReduceSumSquare", Rows<SumOfSquaresSteps>()},
      {"Rsqrt", Each<RsqrtSteps>()},
      {"Selu", Each<SeluSteps>()},
      {"Sigmoid", Each<SigmoidSteps>()},
      {"Silu", Each<SiluSteps>()},
      {"Softmax", Rows<SoftmaxSteps>()},
      {"Softplus", Each<SoftplusSteps>()},
      {"Softsign", Each<SoftsignSteps>()},
  };
  return kFormulas;
}

}  // namespace

Formula FormulaOf(const char* kernel) {
  const auto found = FormulasByKernel().find(kernel);
  return found == FormulasByKernel().end() ? Formula() : found->second;
}

}  // namespace opledger
