// Stores one choice for each type. It is global, because all plans of the process must multiply in
// the same way, and kernels are chosen below any object that could hold it.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel/narrow_products.h"

namespace opledger {
namespace {

NarrowProducts g_float16 = NarrowProducts::kOpen;
NarrowProducts g_bfloat16 = NarrowProducts::kOpen;

NarrowProducts& Chosen(Dtype dtype) { return dtype == Dtype::kFloat16 ? g_float16 : g_bfloat16; }

struct Decision {
  bool (*decide)(Dtype) = nullptr;
  const char* (*why_not)(Dtype) = nullptr;
};

// A function-local static, because it is set before main.
Decision& Decider() {
  static Decision decision;
  return decision;
}

}  // namespace

void SetNarrowProducts(Dtype dtype, NarrowProducts products) { Chosen(dtype) = products; }

NarrowProducts ChosenNarrowProducts(Dtype dtype) { return Chosen(dtype); }

void DecideNarrowProductsBy(bool (*decide)(Dtype), const char* (*why_not)(Dtype)) {
  Decider() = {decide, why_not};
}

bool MultipliesNarrow(Dtype dtype) {
  return Decider().decide != nullptr && Decider().decide(dtype);
}

const char* WhyWidened(Dtype dtype) {
  if (MultipliesNarrow(dtype)) return nullptr;
  return Decider().why_not == nullptr ? "this program has no oneDNN" : Decider().why_not(dtype);
}

std::string_view NarrowProductsName(NarrowProducts products) {
  if (products == NarrowProducts::kNative) return "native";
  return products == NarrowProducts::kWidened ? "widened" : "";
}

NarrowProducts ParseNarrowProducts(std::string_view name) {
  if (name == "native") return NarrowProducts::kNative;
  return name == "widened" ? NarrowProducts::kWidened : NarrowProducts::kOpen;
}

}  // namespace opledger
