// Joins two chains: the second's steps continue with the accumulator of the first.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>

#include "kernels/cuda/chain/chain.h"

namespace opledger::cuda {
namespace {

// Returns the code that computes the same if its operands are exchanged, or nullopt if there is
// none.
std::optional<ChainCode> Exchanged(std::uint8_t code) {
  static const std::map<std::uint8_t, ChainCode> kCodes = {{kAdd, kAdd},
                                                           {kMul, kMul},
                                                           {kSub, kSubFrom},
                                                           {kDiv, kDivInto},
                                                           {kMax, kMax},
                                                           {kMin, kMin},
                                                           {kLess, kGreater},
                                                           {kGreater, kLess},
                                                           {kEqual, kEqual},
                                                           {kNotEqual, kNotEqual},
                                                           {kLessOrEqual, kGreaterOrEqual},
                                                           {kGreaterOrEqual, kLessOrEqual}};
  const auto found = kCodes.find(code);
  if (found == kCodes.end()) return std::nullopt;
  return found->second;
}

}  // namespace

bool ChainProgram::Has(ChainCode code) const {
  return std::any_of(chain_.step, chain_.step + chain_.steps,
                     [&](const ChainStep& step) { return step.code == code; });
}

// Adds an operand of another program of the same shape. The inputs of that program follow `inputs`
// others. Returns the operand's index in this program.
std::uint8_t ChainProgram::AddFrom(const ChainProgram& other, std::uint8_t operand,
                                   std::size_t inputs) {
  Source source = other.sources_[operand];
  source.input += inputs;
  const std::uint8_t added = Add(std::move(source), kF32);
  if (status_.ok()) chain_.operand[added] = other.chain_.operand[operand];
  return added;
}

std::optional<ChainProgram> ChainProgram::Then(
    const ChainProgram& next, std::size_t inputs,
    const std::function<bool(std::size_t)>& is_result) const {
  const std::int32_t between = chain_.out_type;
  if (shape_ != next.shape_ || (between != kF32 && between != kF16 && between != kBf16)) {
    return std::nullopt;
  }
  const auto reads_result = [&](std::size_t operand) {
    const Source& source = next.sources_[operand];
    return source.from == Source::From::kInput && is_result(source.input);
  };
  ChainProgram joined = *this;
  joined.whole_ = next.whole_;
  joined.chain_.out_type = next.chain_.out_type;
  if (between == kF16) joined.Step(kRoundFloat16);
  if (between == kBf16) joined.Step(kRoundBfloat16);
  if (!reads_result(0)) {  // the result is the second operand: exchange operands
    const ChainStep& step = next.chain_.step[0];
    const auto code = Exchanged(step.code);
    if (next.chain_.steps != 1 || !code || !reads_result(step.operand)) return std::nullopt;
    joined.Step(*code, joined.AddFrom(next, 0, inputs));
    return joined.status_.ok() ? std::optional(std::move(joined)) : std::nullopt;
  }
  std::array<std::uint8_t, kMaxOperands> places = {};
  bool again = false;
  for (std::uint8_t i = 1; i < next.chain_.operands; ++i) {
    again = again || reads_result(i);
    places[i] = reads_result(i) ? kSaved : joined.AddFrom(next, i, inputs);
  }
  if (again && next.Has(kSave)) return std::nullopt;
  if (again) joined.Step(kSave);
  for (std::int32_t i = 0; i < next.chain_.steps; ++i) {
    const ChainStep& step = next.chain_.step[i];
    const bool reads = ReadsOperand(step.code) && step.operand != kSaved;
    joined.Step(static_cast<ChainCode>(step.code), reads ? places[step.operand] : step.operand,
                step.alpha, step.beta);
  }
  return joined.status_.ok() ? std::optional(std::move(joined)) : std::nullopt;
}

// The cast is safe: all launches of a plan are for the same device.
std::shared_ptr<const JoinableLaunch> ChainProgram::Join(const JoinableLaunch& next,
                                                         std::size_t inputs,
                                                         const SourceOfInput& source) const {
  const auto is_result = [&](std::size_t i) { return !source(i); };
  auto joined = Then(static_cast<const ChainProgram&>(next), inputs, is_result);
  return joined ? std::make_shared<const ChainProgram>(std::move(*joined)) : nullptr;
}

}  // namespace opledger::cuda
