// Checks targets of assignments and deletions; see parser.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/python/parser_state.h"

namespace opledger {
namespace {

bool IsPlainTarget(PythonKind kind) {
  return kind == PythonKind::kName || kind == PythonKind::kAttribute ||
         kind == PythonKind::kSubscript;
}

}  // namespace

// Parses a, *b up to `in`.
PythonId PythonParser::TargetList() {
  const std::uint32_t begin = Begin();
  const auto element = [&] {
    const std::uint32_t star = Begin();
    if (!AcceptOperator("*")) return BitwiseOr();
    const PythonId value = BitwiseOr();
    return Add(PythonKind::kStarred, star, {}, {value});
  };
  PythonId target = element();
  if (IsOperator(",")) {
    Ids elements = {target};
    while (AcceptOperator(",") && !IsWord("in")) elements.push_back(element());
    target = Add(PythonKind::kTuple, begin, {}, elements);
  }
  CheckTarget(target, true);
  return target;
}

void PythonParser::CheckTarget(PythonId id, bool starred_allowed) {
  if (failed_) return;
  const PythonNode node = Node(id);
  if (IsPlainTarget(node.kind)) return;
  if (node.kind == PythonKind::kStarred && starred_allowed) {
    return CheckTarget(tree_.Child(id, 0), false);
  }
  if (node.kind != PythonKind::kTuple && node.kind != PythonKind::kList) {
    FailAt(node.begin, node.end, "cannot assign to this expression");
    return;
  }
  for (std::size_t i = 0; i < node.child_count; ++i) CheckTarget(tree_.Child(id, i), true);
}

void PythonParser::CheckSingleTarget(PythonId id) {
  if (failed_ || IsPlainTarget(Node(id).kind)) return;
  FailAt(Node(id).begin, Node(id).end, "cannot assign to this expression");
}

void PythonParser::CheckDeleteTarget(PythonId id) {
  if (failed_) return;
  const PythonNode node = Node(id);
  if (IsPlainTarget(node.kind)) return;
  if (node.kind != PythonKind::kTuple && node.kind != PythonKind::kList) {
    FailAt(node.begin, node.end, "cannot delete this expression");
    return;
  }
  for (std::size_t i = 0; i < node.child_count; ++i) CheckDeleteTarget(tree_.Child(id, i));
}

}  // namespace opledger
