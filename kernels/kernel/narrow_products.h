// How contractions multiply float16 and bfloat16 where the machine leaves a choice: as they are, or
// widened to float32. One answer of each type for the whole process, which the first who asks
// decides.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/tensor/tensor.h"

namespace opledger {

enum class NarrowProducts : std::uint8_t {
  kOpen,  // nobody has asked or said yet
  kNative,
  kWidened
};

inline constexpr Dtype kNarrowDtypes[] = {Dtype::kFloat16, Dtype::kBfloat16};

// What is said here holds from then on, unless somebody has asked before. Whoever decides by
// measuring says it here, too.
void SetNarrowProducts(Dtype dtype, NarrowProducts products);
NarrowProducts ChosenNarrowProducts(Dtype dtype);

// Who decides if nobody has said, and keeps the answer: whether they are multiplied as they are;
// and who says why they are not. If nobody does, float32 multiplies them.
void DecideNarrowProductsBy(bool (*decide)(Dtype dtype), const char* (*why_not)(Dtype dtype));
bool MultipliesNarrow(Dtype dtype);
// Why float32 multiplies them: "oneDNN has no such products for this processor". nullptr: it does
// not.
const char* WhyWidened(Dtype dtype);

// "native" or "widened", as OPLEDGER_FLOAT16 and OPLEDGER_BFLOAT16 have them; open: empty, and
// back.
std::string_view NarrowProductsName(NarrowProducts products);
NarrowProducts ParseNarrowProducts(std::string_view name);

}  // namespace opledger
