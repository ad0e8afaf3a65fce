// One variable, and who sets it.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel/bfloat16_products.h"

namespace opledger {
namespace {

Bfloat16Products g_chosen = Bfloat16Products::kOpen;

// As a function, since it is set before main.
bool (*&Decision())() {
  static bool (*decide)() = nullptr;
  return decide;
}

}  // namespace

void SetBfloat16Products(Bfloat16Products products) { g_chosen = products; }

Bfloat16Products ChosenBfloat16Products() { return g_chosen; }

void DecideBfloat16ProductsBy(bool (*decide)()) { Decision() = decide; }

bool MultipliesBfloat16() { return Decision() != nullptr && Decision()(); }

std::string_view Bfloat16ProductsName(Bfloat16Products products) {
  if (products == Bfloat16Products::kNative) return "native";
  return products == Bfloat16Products::kWidened ? "widened" : "";
}

Bfloat16Products ParseBfloat16Products(std::string_view name) {
  if (name == "native") return Bfloat16Products::kNative;
  return name == "widened" ? Bfloat16Products::kWidened : Bfloat16Products::kOpen;
}

}  // namespace opledger
