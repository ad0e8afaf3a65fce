// "#ifdef X" becomes "#if    1", and an #include becomes spaces; no byte moves.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/preprocess/patch.h"

#include <algorithm>
#include <set>

namespace opledger::scan {
namespace {

// Replaces text with spaces. Keeps newlines, including those after a '\', which splice lines. Any
// other '\' is removed because it must not end up at the end of a line.
void Blank(std::string& text, Range range) {
  const auto continues = [&](Offset at) {
    const std::size_t next = text.find_first_not_of(" \t\f\v", at + 1);
    return next != std::string::npos && (text[next] == '\n' || text[next] == '\r');
  };
  for (Offset i = range.begin; i < range.end; ++i) {
    if (text[i] == '\n' || text[i] == '\r' || (text[i] == '\\' && continues(i))) continue;
    text[i] = ' ';
  }
}

// "int a;\nint b;" -> "@/*   \n    */": Clang skips comments faster than spaces.
void Hide(std::string& text, Range range) {
  auto ends_line = [&](Offset at) { return text[at] == '\n' || text[at] == '\r'; };
  while (range.begin < range.end && ends_line(range.begin)) ++range.begin;
  if (range.begin == range.end) return;
  for (Offset at = range.begin; at < range.end; ++at) {
    if (!ends_line(at)) text[at] = ' ';
  }
  text[range.begin] = '@';
  const Offset open = range.begin + 1;
  const Offset close = range.end - 2;
  if (range.end - range.begin < 5 || ends_line(open) || ends_line(open + 1) || ends_line(close) ||
      ends_line(close + 1)) {
    return;
  }
  text.replace(open, 2, "/*");
  text.replace(close, 2, "*/");
}

// "#ifdef X" -> "#if    1", "#elif X > 2" -> "#elif 1    ".
void Decide(std::string& text, const Branch& branch, bool taken) {
  if (branch.kind == Branch::Kind::kElse || branch.expression.end == 0) return;
  Blank(text, branch.keyword);
  Blank(text, branch.expression);
  bool opens = branch.kind <= Branch::Kind::kIfndef;
  text.replace(branch.keyword.begin, opens ? 2 : 4, opens ? "if" : "elif");
  // Put the digit after a space, so that "#if(X)" does not become "#if1". There is room: the
  // keyword #ifdef is long enough, and an expression without a space before it has at least two
  // characters.
  Offset at = branch.expression.begin;
  if (at == branch.keyword.end && opens && branch.kind == Branch::Kind::kIf) ++at;
  if (at == branch.keyword.end && branch.kind == Branch::Kind::kElif) ++at;
  text[at] = taken ? '1' : '0';
}

// Returns the branches that the relevant groups take in this pass.
std::set<int> TakenBranches(const Outline& outline, const PatchOptions& options) {
  std::set<int> forced;
  for (const ForcedBranch& one : options.pass.forced) {
    if (one.file == options.file) forced.insert(one.branch);
  }
  std::set<int> taken;
  std::set<int> decided;  // groups that have taken a branch
  std::set<int> forced_groups;
  auto first_of = [&](int branch) {
    while (outline.branches[branch].previous != kNoBranch) {
      branch = outline.branches[branch].previous;
    }
    return branch;
  };
  for (int branch : options.branches) {
    if (forced.contains(branch)) {
      taken.insert(branch);
      forced_groups.insert(first_of(branch));
    }
  }
  for (int branch : options.branches) {
    int group = first_of(branch);
    if (forced_groups.contains(group) || decided.contains(group)) continue;
    if (options.condition(branch).Evaluate(options.pass.defines)) {
      taken.insert(branch);
      decided.insert(group);
    }
  }
  return taken;
}

}  // namespace

std::string PatchText(std::string_view original, const Outline& outline,
                      const PatchOptions& options) {
  std::string text(original);
  for (Range range : options.idle) Hide(text, range);
  std::set<int> taken = TakenBranches(outline, options);
  for (int branch : options.branches) {
    Decide(text, outline.branches[branch], taken.contains(branch));
  }
  for (Range directive : outline.unsafe_directives) Blank(text, directive);
  if (options.blank_includes) {
    for (const Include& include : outline.includes) Blank(text, include.directive);
  }
  for (const MacroDefinition& macro : outline.macros) {
    if (macro.given || !options.pinned.contains(macro.name)) continue;
    Offset end = macro.offset + static_cast<Offset>(std::max(macro.text.size(), macro.name.size()));
    std::size_t hash = original.rfind('#', macro.offset);
    std::size_t digraph = original.rfind("%:", macro.offset);
    std::size_t begin =
        digraph != std::string_view::npos && (hash == std::string_view::npos || digraph > hash)
            ? digraph
            : hash;
    if (begin != std::string_view::npos) Blank(text, {static_cast<Offset>(begin), end});
  }
  return text;
}

}  // namespace opledger::scan
