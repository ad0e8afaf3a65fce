// How contractions multiply bfloat16 where the machine leaves a choice: as it is, or widened to
// float32. One answer for the whole process, which the first who asks decides.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace opledger {

enum class Bfloat16Products : std::uint8_t {
  kOpen,  // nobody has asked or said yet
  kNative,
  kWidened
};

// What is said here holds from then on, unless somebody has asked before. Whoever decides by
// measuring says it here, too.
void SetBfloat16Products(Bfloat16Products products);
Bfloat16Products ChosenBfloat16Products();

// Who decides where nobody has said, and keeps the answer: whether they are multiplied as they are.
// Where there is no such, float32 multiplies them.
void DecideBfloat16ProductsBy(bool (*decide)());
bool MultipliesBfloat16();

// "native" or "widened", as OPLEDGER_BFLOAT16 has them; open: empty, and back.
std::string_view Bfloat16ProductsName(Bfloat16Products products);
Bfloat16Products ParseBfloat16Products(std::string_view name);

}  // namespace opledger
