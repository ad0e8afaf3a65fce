// Why a call, a node or a model cannot be run: what kind of reason it is, for programs, and its
// text, for people.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace opledger {

enum class RefusalCode : std::uint8_t {
  kUnsupported,  // nothing here does that
  kNoKernel,     // there is no kernel of that name
  kGivesList,    // a graph gives a sequence or an optional, where tensors alone can be taken
  kNeedsValues,  // it depends on numbers that are known only as the model runs
};

struct Refusal {
  RefusalCode code = RefusalCode::kUnsupported;
  std::string text;  // empty: there is none

  Refusal() = default;
  Refusal(std::string why) : text(std::move(why)) {}  // NOLINT(google-explicit-constructor)
  Refusal(const char* why) : text(why) {}             // NOLINT(google-explicit-constructor)
  Refusal(RefusalCode kind, std::string why) : code(kind), text(std::move(why)) {}

  bool empty() const { return text.empty(); }
};

inline Refusal NeedsValues(std::string why) { return {RefusalCode::kNeedsValues, std::move(why)}; }

}  // namespace opledger
