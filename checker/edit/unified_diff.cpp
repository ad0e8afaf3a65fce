// Uses the greedy algorithm of Myers (An O(ND) Difference Algorithm and Its Variations, 1986) on
// the lines between the common prefix and the common suffix.
// SPDX-License-Identifier: Apache-2.0
#include "checker/edit/unified_diff.h"

#include <algorithm>
#include <vector>

namespace opledger {
namespace {

using TextLines = std::vector<std::string_view>;  // with their line ends

constexpr int kContext = 3;
constexpr int kMaxDifferences = 2000;  // with more, all lines are replaced

TextLines SplitLines(std::string_view text) {
  TextLines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

struct Line {
  char mark;  // ' ', '-' or '+'
  std::string_view text;
};

// The furthest x on each diagonal (x - y) after a number of edits.
class Reached {
 public:
  explicit Reached(int edits) : edits_(edits), x_(2 * static_cast<std::size_t>(edits) + 3, 0) {}

  int& At(int diagonal) {
    const int place = diagonal + edits_ + 1;
    return x_[static_cast<std::size_t>(place)];
  }
  // Returns whether the last step to the diagonal went down, which means that a line was added.
  bool CameDown(int diagonal, int edits) {
    return diagonal == -edits || (diagonal != edits && At(diagonal - 1) < At(diagonal + 1));
  }

 private:
  int edits_;
  std::vector<int> x_;
};

// Returns the furthest points before each number of edits, or nothing if the texts differ in too
// many lines.
std::vector<Reached> Trace(const TextLines& a, const TextLines& b) {
  const int n = static_cast<int>(a.size());
  const int m = static_cast<int>(b.size());
  std::vector<Reached> trace = {Reached(0)};
  for (int edits = 0; edits <= std::min(n + m, kMaxDifferences); ++edits) {
    Reached& before = trace.back();
    Reached next(edits + 1);
    for (int k = -edits; k <= edits; k += 2) {
      int x = before.CameDown(k, edits) ? before.At(k + 1) : before.At(k - 1) + 1;
      while (x < n && x - k < m && a[x] == b[x - k]) ++x;
      next.At(k) = x;
      if (x >= n && x - k >= m) return trace;
    }
    trace.push_back(std::move(next));
  }
  return {};
}

std::vector<Line> Script(const TextLines& a, const TextLines& b) {
  std::vector<Reached> trace = Trace(a, b);
  std::vector<Line> script;
  if (trace.empty()) {
    for (const std::string_view line : a) script.push_back({'-', line});
    for (const std::string_view line : b) script.push_back({'+', line});
    return script;
  }
  int x = static_cast<int>(a.size());
  int y = static_cast<int>(b.size());
  for (int edits = static_cast<int>(trace.size()) - 1; edits >= 0; --edits) {
    Reached& before = trace[static_cast<std::size_t>(edits)];
    const bool down = before.CameDown(x - y, edits);
    const int from = down ? x - y + 1 : x - y - 1;
    const int x_before = edits == 0 ? 0 : before.At(from);
    const int y_before = edits == 0 ? 0 : x_before - from;
    while (x > x_before && y > y_before) {
      script.push_back({' ', a[--x]});
      --y;
    }
    if (edits == 0) break;
    script.push_back(down ? Line{'+', b[--y]} : Line{'-', a[--x]});
  }
  std::reverse(script.begin(), script.end());
  return script;
}

std::string Range(int begin, int count) {
  // An empty range starts after the previous line.
  return std::to_string(count == 0 ? begin : begin + 1) + ',' + std::to_string(count);
}

void AppendHunk(const std::vector<Line>& script, std::size_t begin, std::size_t end, int old_line,
                int new_line, std::string& text) {
  int old_count = 0;
  int new_count = 0;
  std::string body;
  for (std::size_t i = begin; i < end; ++i) {
    old_count += script[i].mark != '+' ? 1 : 0;
    new_count += script[i].mark != '-' ? 1 : 0;
    body += script[i].mark;
    body += script[i].text;
    if (!script[i].text.ends_with('\n')) body += "\n\\ No newline at end of file\n";
  }
  text += "@@ -" + Range(old_line, old_count) + " +" + Range(new_line, new_count) + " @@\n" + body;
}

// Returns the end of the last change in the hunk that begins with the change `first`. Changes share
// a hunk if at most twice the context separates them.
std::size_t EndOfChanges(const std::vector<Line>& script, std::size_t first) {
  std::size_t end = first;
  for (std::size_t i = first; i < script.size() && i <= end + 2 * kContext; ++i) {
    if (script[i].mark != ' ') end = i + 1;
  }
  return end;
}

std::string Hunks(const std::vector<Line>& script) {
  std::string text;
  int old_line = 0;
  int new_line = 0;
  for (std::size_t i = 0; i < script.size();) {
    std::size_t stop = i + 1;
    if (script[i].mark != ' ') {
      const std::size_t context = std::min<std::size_t>(kContext, i);
      stop = std::min(EndOfChanges(script, i) + kContext, script.size());
      AppendHunk(script, i - context, stop, old_line - static_cast<int>(context),
                 new_line - static_cast<int>(context), text);
    }
    for (; i < stop; ++i) {
      old_line += script[i].mark != '+' ? 1 : 0;
      new_line += script[i].mark != '-' ? 1 : 0;
    }
  }
  return text;
}

}  // namespace

std::string UnifiedDiff(const std::string& path, std::string_view before, std::string_view after) {
  if (before == after) return {};
  TextLines a = SplitLines(before);
  TextLines b = SplitLines(after);
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t head = 0;
  while (head < shorter && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  std::vector<Line> script;
  for (std::size_t i = 0; i < head; ++i) script.push_back({' ', a[i]});
  const auto middle = [&](const TextLines& lines) {
    return TextLines(lines.begin() + static_cast<std::ptrdiff_t>(head),
                     lines.end() - static_cast<std::ptrdiff_t>(tail));
  };
  const std::vector<Line> changed = Script(middle(a), middle(b));
  script.insert(script.end(), changed.begin(), changed.end());
  for (std::size_t i = a.size() - tail; i < a.size(); ++i) script.push_back({' ', a[i]});

  return "--- a/" + path + "\n+++ b/" + path + '\n' + Hunks(script);
}

}  // namespace opledger
