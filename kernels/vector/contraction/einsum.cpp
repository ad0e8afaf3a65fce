// Einsum of two tensors as a matrix product. Letters of both inputs and the result form a stack of
// products; factors and result are transposed if their letters are in another order.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/contraction/einsum.h"

#include <algorithm>
#include <map>

#include "kernels/tensor/constant_tensor.h"

namespace opledger {
namespace {

using Sizes = std::map<char, std::int64_t>;

bool IsIn(char letter, const std::string& letters) {
  return letters.find(letter) != std::string::npos;
}

// Letters by role, in the order of the result.
struct EinsumLetters {
  std::string stack;   // in both inputs and the result
  std::string left;    // in the first input and the result
  std::string right;   // in the second input and the result
  std::string summed;  // in both inputs only
};

// Returns nullopt if a letter has none of these roles.
std::optional<EinsumLetters> Sort(const EinsumTerms& terms) {
  const std::string& a = terms.inputs[0];
  const std::string& b = terms.inputs[1];
  EinsumLetters letters;
  for (const char letter : terms.output) {
    (IsIn(letter, a) && IsIn(letter, b) ? letters.stack
     : IsIn(letter, a)                  ? letters.left
                                        : letters.right) += letter;
  }
  for (const char letter : a) {
    if (IsIn(letter, terms.output)) continue;
    if (!IsIn(letter, b)) return std::nullopt;
    letters.summed += letter;
  }
  const auto once = [](const std::string& term) {
    return std::all_of(term.begin(), term.end(), [&](char letter) {
      return std::count(term.begin(), term.end(), letter) == 1;
    });
  };
  const bool all = letters.stack.size() + letters.right.size() + letters.summed.size() == b.size();
  return all && once(a) && once(b) ? std::optional(letters) : std::nullopt;
}

// Returns nullopt if a dimension of 1 is broadcast.
std::optional<Sizes> SizesOf(const Call& call, const EinsumTerms& terms) {
  Sizes sizes;
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t d = 0; d < terms.inputs[i].size(); ++d) {
      const auto [found, added] = sizes.emplace(terms.inputs[i][d], call.Shape(i)[d]);
      if (found->second != call.Shape(i)[d]) return std::nullopt;
    }
  }
  return sizes;
}

Dimensions ShapeOf(const std::string& letters, const Sizes& sizes) {
  Dimensions shape;
  for (const char letter : letters) shape.push_back(sizes.at(letter));
  return shape;
}

std::int64_t Product(const std::string& letters, const Sizes& sizes) {
  return static_cast<std::int64_t>(Elements(ShapeOf(letters, sizes)));
}

// Reorders the dimensions of a tensor from `from` to `to`. Returns nullptr if the order is the
// same.
Step Reordered(Dtype dtype, const std::string& from, const std::string& to, const Sizes& sizes) {
  if (from == to) return nullptr;
  Call call;
  call.inputs = {TensorType{dtype, ShapeOf(from, sizes)}};
  call.constants = {nullptr};
  Integers order;
  for (const char letter : to) order.push_back(static_cast<std::int64_t>(from.find(letter)));
  call.parameters.Set("order", order);
  return ChooseKernel("Transpose", call, {}).prepared.run;
}

// Steps for two factors and their product.
struct EinsumSteps {
  Step reorder[2];  // of a factor; nullptr if it is used unchanged
  std::size_t at[2] = {};
  Step multiply;
  Step reorder_result;
  std::size_t at_result = 0;

  void Run(const void* const* inputs, void* const* outputs, std::byte* memory) const {
    const void* factors[2] = {inputs[0], inputs[1]};
    for (std::size_t i = 0; i < 2; ++i) {
      if (!reorder[i]) continue;
      void* to = memory + at[i];
      reorder[i](&factors[i], &to, nullptr);
      factors[i] = to;
    }
    void* result = reorder_result ? static_cast<void*>(memory + at_result) : outputs[0];
    multiply(factors, &result, memory);
    const void* made = result;
    if (reorder_result) reorder_result(&made, outputs, nullptr);
  }
};

Prepared PrepareVectorEinsum(const Call& call) {
  const ChosenKernel reference = ChooseKernel("Einsum", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  const auto terms = call.inputs.size() == 2 ? ReadEquation(call) : std::nullopt;
  const auto letters = terms ? Sort(*terms) : std::nullopt;
  const auto sizes = letters ? SizesOf(call, *terms) : std::nullopt;
  if (!sizes || Elements(reference.prepared.outputs[0].dimensions) == 0 ||
      Product(letters->summed, *sizes) == 0) {
    return Refuse("it is not a product of two matrices");
  }
  const Dtype dtype = call.Input(0).dtype;
  const std::string orders[2] = {letters->stack + letters->left + letters->summed,
                                 letters->stack + letters->summed + letters->right};
  const std::int64_t inner = Product(letters->summed, *sizes);
  Call product;
  product.inputs = {TensorType{dtype, {Product(letters->left, *sizes), inner}},
                    TensorType{dtype, {inner, Product(letters->right, *sizes)}}};
  product.constants = {nullptr, nullptr};
  EinsumSteps steps;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!letters->stack.empty()) {
      Dimensions& shape = product.inputs[i]->dimensions;
      shape.insert(shape.begin(), Product(letters->stack, *sizes));
    }
    steps.reorder[i] = Reordered(dtype, terms->inputs[i], orders[i], *sizes);
    if (!steps.reorder[i]) product.constants[i] = call.constants[i];
  }
  ChosenKernel chosen = ChooseKernel("MatMul", product, {});
  if (chosen.entry == nullptr) return chosen.prepared;
  steps.multiply = std::move(chosen.prepared.run);
  steps.reorder_result =
      Reordered(dtype, letters->stack + letters->left + letters->right, terms->output, *sizes);
  Prepared prepared;
  prepared.outputs = reference.prepared.outputs;
  prepared.unread_inputs = chosen.prepared.unread_inputs;
  prepared.workspace = AlignedSize(chosen.prepared.workspace);
  for (std::size_t i = 0; i < 2; ++i) {
    steps.at[i] = prepared.workspace;
    if (steps.reorder[i]) prepared.workspace += AlignedSize(Bytes(call.Input(i)));
  }
  steps.at_result = prepared.workspace;
  if (steps.reorder_result) prepared.workspace += AlignedSize(Bytes(prepared.outputs[0]));
  prepared.run = [steps](const void* const* inputs, void* const* outputs, void* workspace) {
    steps.Run(inputs, outputs, static_cast<std::byte*>(workspace));
  };
  return prepared;
}

OPLEDGER_KERNEL(Einsum, "cpu")
    .Types("T", {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16})
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + n * 2^-24")
    .By("vector")
    .Run(&PrepareVectorEinsum);

}  // namespace
}  // namespace opledger
