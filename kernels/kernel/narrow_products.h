// How contractions multiply float16 and bfloat16 if the machine supports both ways: natively, or
// widened to float32. The choice for each type holds for the whole process and is made at the first
// query.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/tensor/tensor.h"

namespace opledger {

enum class NarrowProducts : std::uint8_t {
  kOpen,  // not decided yet
  kNative,
  kWidened
};

inline constexpr Dtype kNarrowDtypes[] = {Dtype::kFloat16, Dtype::kBfloat16};

// Sets the choice; it must be called before the first query. Also called with the result of
// measuring.
void SetNarrowProducts(Dtype dtype, NarrowProducts products);
NarrowProducts ChosenNarrowProducts(Dtype dtype);

// Registers the functions that make the choice and keep it: `decide` returns whether to multiply
// natively, `why_not` the reason if not. Without them products are widened to float32.
void DecideNarrowProductsBy(bool (*decide)(Dtype dtype), const char* (*why_not)(Dtype dtype));
bool MultipliesNarrow(Dtype dtype);
// Why products are widened: "oneDNN has no such products for this processor". Returns nullptr if
// they are not.
const char* WhyWidened(Dtype dtype);

// "native" or "widened", as in OPLEDGER_FLOAT16 and OPLEDGER_BFLOAT16, and empty for kOpen; and the
// reverse.
std::string_view NarrowProductsName(NarrowProducts products);
NarrowProducts ParseNarrowProducts(std::string_view name);

}  // namespace opledger
