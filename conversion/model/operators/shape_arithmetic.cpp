// Computes integers that are derived from shapes; they are exact or unknown.
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "conversion/model/operators/shape_rule.h"

namespace opledger {
namespace {

enum class Operation { kAdd, kSub, kMul, kDiv, kMin, kMax };

std::optional<Operation> OperationOf(std::string_view op) {
  constexpr std::pair<std::string_view, Operation> kOperations[] = {
      {"Add", Operation::kAdd}, {"Sub", Operation::kSub}, {"Mul", Operation::kMul},
      {"Div", Operation::kDiv}, {"Min", Operation::kMin}, {"Max", Operation::kMax}};
  for (const auto& [name, operation] : kOperations) {
    if (name == op) return operation;
  }
  return std::nullopt;
}

// Returns nullopt on overflow of 64 bits.
std::optional<std::int64_t> Compute(Operation operation, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (operation) {
    case Operation::kAdd:
      if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
      return result;
    case Operation::kSub:
      if (__builtin_sub_overflow(a, b, &result)) return std::nullopt;
      return result;
    case Operation::kMul:
      if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
      return result;
    case Operation::kDiv:
      if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return std::nullopt;
      return a / b;
    case Operation::kMin:
      return std::min(a, b);
    case Operation::kMax:
      return std::max(a, b);
  }
  return std::nullopt;
}

// Returns whether the lists have the same length, or one of them has a single element.
bool Fit(const Integers& a, const Integers& b) {
  return a.size() == b.size() || a.size() == 1 || b.size() == 1;
}

std::int64_t At(const Integers& list, std::size_t i) { return list[list.size() == 1 ? 0 : i]; }

}  // namespace

void NegShape(RuleContext& node) {
  SameShape(node);
  const Integers* known = node.Known(0);
  if (known == nullptr) return;
  Integers negative;
  for (const std::int64_t each : *known) {
    negative.push_back(static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(each)));
  }
  node.SetIntegers(negative);
}

void AbsShape(RuleContext& node) {
  SameShape(node);
  const Integers* known = node.Known(0);
  if (known == nullptr) return;
  Integers positive;
  for (const std::int64_t each : *known) {
    if (each == std::numeric_limits<std::int64_t>::min()) return;
    positive.push_back(each < 0 ? -each : each);
  }
  node.SetIntegers(positive);
}

void SizeShape(RuleContext& node) {
  const Shape* input = node.Input(0);
  if (input == nullptr) return;
  std::int64_t size = 1;
  for (const std::int64_t each : *input) {
    if (__builtin_mul_overflow(size, each, &size)) return;
  }
  node.SetIntegers({size});
  node.SetShape(0, {});
}

void ArithmeticIntegers(RuleContext& node) {
  const auto operation = OperationOf(node.Op());
  const Integers* a = node.Known(0);
  const Integers* b = node.Known(1);
  if (!operation || a == nullptr || b == nullptr || node.InputCount() != 2) return;
  // The quotient of floats with these values need not be an integer.
  if (!node.IsIntegral(0) || !node.IsIntegral(1) || !Fit(*a, *b)) return;
  Integers result;
  for (std::size_t i = 0; i < (a->empty() || b->empty() ? 0 : std::max(a->size(), b->size()));
       ++i) {
    const auto number = Compute(*operation, At(*a, i), At(*b, i));
    if (!number) return;
    result.push_back(*number);
  }
  node.SetIntegers(result);
}

void EqualIntegers(RuleContext& node) {
  const Integers* a = node.Known(0);
  const Integers* b = node.Known(1);
  if (a == nullptr || b == nullptr || a->empty() || b->empty() || !Fit(*a, *b)) return;
  Integers result;
  for (std::size_t i = 0; i < std::max(a->size(), b->size()); ++i) {
    result.push_back(At(*a, i) == At(*b, i) ? 1 : 0);
  }
  node.SetIntegers(result);
}

void WhereIntegers(RuleContext& node) {
  const Integers* condition = node.Known(0);
  const Integers* yes = node.Known(1);
  const Integers* no = node.Known(2);
  if (condition == nullptr || yes == nullptr || no == nullptr) return;
  if (condition->empty() || yes->size() != no->size() || !Fit(*condition, *yes)) return;
  Integers result;
  for (std::size_t i = 0; i < yes->size(); ++i) {
    result.push_back(At(*condition, i) != 0 ? (*yes)[i] : (*no)[i]);
  }
  if (condition->size() <= yes->size()) node.SetIntegers(result);
}

void RangeShape(RuleContext& node) {
  const Integers* start = node.Known(0);
  const Integers* limit = node.Known(1);
  const Integers* delta = node.Known(2);
  for (const Integers* each : {start, limit, delta}) {
    if (each == nullptr || each->size() != 1) return;
  }
  if (!node.IsIntegral(0) || delta->front() == 0) return;
  std::int64_t room = 0;
  if (__builtin_sub_overflow(limit->front(), start->front(), &room)) return;
  const std::int64_t step = delta->front();
  if (step == std::numeric_limits<std::int64_t>::min()) return;
  const bool none = step > 0 ? room <= 0 : room >= 0;
  node.SetShape(0, {none ? 0 : room / step + (room % step != 0 ? 1 : 0)});
}

}  // namespace opledger
