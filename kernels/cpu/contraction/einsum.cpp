// Einsum: products of any number of tensors, summed in float32 over the letters that the output
// lacks, and rounded once. https://numpy.org/doc/stable/reference/generated/numpy.einsum.html
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/contraction/einsum.h"

#include <algorithm>
#include <map>

#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

// Replaces the ellipsis of a term by digits: as many as `rank` requires, or `ellipsis` of them if
// there is no rank. Returns nullopt if the term does not have `rank` dimensions.
std::optional<std::string> Spelled(const std::string& term, std::optional<std::size_t> rank,
                                   std::size_t& ellipsis) {
  const std::size_t dots = term.find("...");
  if (dots == std::string::npos)
    return rank && *rank != term.size() ? std::nullopt : std::optional(term);
  const std::size_t letters = term.size() - 3;
  if (rank && *rank < letters) return std::nullopt;
  const std::size_t here = rank ? *rank - letters : ellipsis;
  if (here > 10) return std::nullopt;
  ellipsis = std::max(ellipsis, here);
  std::string whole = term.substr(0, dots);
  for (std::size_t i = here; i-- > 0;) whole += static_cast<char>('0' + i);
  return whole + term.substr(dots + 3);
}

// Returns the output of an equation without "->": all letters that occur once, in alphabetical
// order.
std::string ImpliedOutput(const EinsumTerms& terms, std::size_t ellipsis) {
  std::map<char, int> counts;
  for (const std::string& term : terms.inputs) {
    for (const char letter : term) ++counts[letter];
  }
  std::string output;
  for (std::size_t i = ellipsis; i-- > 0;) output += static_cast<char>('0' + i);
  for (const auto& [letter, count] : counts) {
    if (count == 1 && (letter < '0' || letter > '9')) output += letter;
  }
  return output;
}

bool IsTerm(const std::string& term) {
  std::string letters = term;
  if (const std::size_t dots = letters.find("..."); dots != std::string::npos) {
    letters.erase(dots, 3);
  }
  return std::all_of(letters.begin(), letters.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

}  // namespace

std::optional<EinsumTerms> ReadEquation(const Call& call) {
  std::string equation = call.parameters.Word("equation", "");
  equation.erase(std::remove(equation.begin(), equation.end(), ' '), equation.end());
  const std::size_t arrow = equation.find("->");
  std::string left = equation.substr(0, arrow);
  EinsumTerms terms;
  std::size_t ellipsis = 0;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const std::size_t comma = left.find(',');
    const std::string term = left.substr(0, comma);
    if ((comma == std::string::npos) != (i + 1 == call.inputs.size()) || !call.Has(i)) {
      return std::nullopt;
    }
    left = comma == std::string::npos ? std::string() : left.substr(comma + 1);
    if (!IsTerm(term)) return std::nullopt;
    const auto spelled = Spelled(term, call.Input(i).Rank(), ellipsis);
    if (!spelled) return std::nullopt;
    terms.inputs.push_back(*spelled);
  }
  if (arrow == std::string::npos) {
    terms.output = ImpliedOutput(terms, ellipsis);
    return terms;
  }
  if (!IsTerm(equation.substr(arrow + 2))) return std::nullopt;
  terms.output = Spelled(equation.substr(arrow + 2), std::nullopt, ellipsis).value_or("");
  return terms;
}

namespace {

// The dimensions to walk over: those of the output, then those to sum over.
struct EinsumPlan {
  Dimensions output;
  Dimensions summed;
  std::vector<Dimensions> strides;  // per input: of output dimensions, then of those summed over
};

std::optional<EinsumPlan> PlanEinsum(const Call& call, const EinsumTerms& terms) {
  std::map<char, std::int64_t> sizes;
  for (std::size_t i = 0; i < terms.inputs.size(); ++i) {
    for (std::size_t d = 0; d < terms.inputs[i].size(); ++d) {
      std::int64_t& size = sizes.emplace(terms.inputs[i][d], 1).first->second;
      const std::int64_t here = call.Shape(i)[d];
      if (size != 1 && here != 1 && size != here) return std::nullopt;
      size = size == 1 ? here : size;
    }
  }
  std::string order = terms.output;
  EinsumPlan plan;
  for (const char letter : terms.output) {
    if (sizes.count(letter) == 0 || std::count(order.begin(), order.end(), letter) != 1) {
      return std::nullopt;
    }
    plan.output.push_back(sizes[letter]);
  }
  for (const auto& [letter, size] : sizes) {
    if (terms.output.find(letter) != std::string::npos) continue;
    order += letter;
    plan.summed.push_back(size);
  }
  for (std::size_t i = 0; i < terms.inputs.size(); ++i) {
    const Dimensions strides = Strides(call.Shape(i));
    Dimensions steps(order.size(), 0);
    for (std::size_t d = 0; d < strides.size(); ++d) {  // a repeated letter takes the diagonal
      if (call.Shape(i)[d] != 1) steps[order.find(terms.inputs[i][d])] += strides[d];
    }
    plan.strides.push_back(steps);
  }
  return plan;
}

// Returns the offset of an input's element at index `at` of dimensions [first, first + sizes).
std::int64_t OffsetOf(const Dimensions& sizes, const Dimensions& strides, std::size_t first,
                      std::size_t at) {
  std::int64_t offset = 0;
  auto rest = static_cast<std::int64_t>(at);
  for (std::size_t d = sizes.size(); d-- > 0; rest /= sizes[d]) {
    offset += rest % sizes[d] * strides[first + d];
  }
  return offset;
}

template <typename T>
void RunEinsum(const EinsumPlan& plan, const void* const* inputs, T* out) {
  using V = Computed<T>;
  const std::size_t outputs = Elements(plan.output);
  const std::size_t terms = Elements(plan.summed);
  const std::size_t first = plan.output.size();
  for (std::size_t i = 0; i < outputs; ++i) {
    V sum = 0;
    for (std::size_t k = 0; k < terms; ++k) {
      V product = 1;
      for (std::size_t input = 0; input < plan.strides.size(); ++input) {
        const Dimensions& strides = plan.strides[input];
        const std::int64_t at =
            OffsetOf(plan.output, strides, 0, i) + OffsetOf(plan.summed, strides, first, k);
        product = static_cast<V>(product * Load(static_cast<const T*>(inputs[input])[at]));
      }
      sum = static_cast<V>(sum + product);
    }
    Store(out[i], sum);
  }
}

// Inputs: any number of tensors. Parameter: equation.
Prepared PrepareEinsum(const Call& call) {
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    if (!call.Has(i) || call.Input(i).dtype != call.Input(0).dtype) {
      return Refuse("its inputs differ in type");
    }
  }
  const auto terms = ReadEquation(call);
  if (!terms) return Refuse("its equation does not match its inputs");
  const auto plan = PlanEinsum(call, *terms);
  if (!plan) return Refuse("its inputs differ in dimensions that share a letter");
  if (!CheckSize({Dtype::kFloat64, plan->summed})) return Refuse("it sums over too many elements");
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, plan->output}};
  WithNumber(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [plan = *plan](const void* const* inputs, void* const* outputs, void*) {
      RunEinsum(plan, inputs, static_cast<T*>(outputs[0]));
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(Einsum, "cpu")
    .Types("T", OPLEDGER_NUMBERS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + n * 2^-24")
    .Reads("equation")
    .Rounds(Rounding::kAtTheEnd)
    .Run(&PrepareEinsum);

}  // namespace
}  // namespace opledger
