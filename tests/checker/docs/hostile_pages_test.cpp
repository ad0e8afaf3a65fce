// The output of `diff`, `baseline show` and `explain` has the same shape for hostile names as for a
// harmless one.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "checker/docs/operator_page.h"
#include "checker/git/changes.h"
#include "checker/reports/summary.h"
#include "tests/checker/check_fixture.h"
#include "tests/checker/hostile_names.h"
#include "tests/checker/hostile_shape.h"

namespace opledger {
namespace {

Operator OperatorCalled(const std::string& name) {
  Operator op = MakeOperator(name);
  op.sites[0].location.path = name;
  op.sites[0].macro = name;
  op.aliases = {{"alias" + name, {}, {}}};
  op.fields["inputs"] = {{name, name, {}, {}}};
  op.fields["type_inference"] = {{name, name, {}, {}}};
  op.kernels = {Kernel{name, "", {{name, {{name}, ""}}}, {}, {}, {}}};
  return op;
}

PrecisionList ListWith(const std::string& name, Policy policy) {
  PrecisionList list;
  list.path = name;
  list.device = name;
  list.framework = name;
  ListEntry entry;
  entry.op = name;
  entry.policy = policy;
  entry.reason = entry.note = name;
  entry.location = {name, 1, 1, 1, 2};
  list.entries = {entry};
  return list;
}

// One operator changes its condition, one is added, one is removed; all have the name.
std::string Diff(const std::string& name, std::string (*render)(const Changes&)) {
  Manifest before = MakeManifest({OperatorCalled(name), OperatorCalled("old" + name)});
  Manifest after = MakeManifest({OperatorCalled(name), OperatorCalled("new" + name)});
  const Lists lists_before = {ListWith(name, Policy::kFp32)};
  const Lists lists_after = {ListWith(name, Policy::kTarget)};
  const CheckIndex index_before({before, lists_before, name});
  const CheckIndex index_after({after, lists_after, name});
  return render(FindChanges(index_before, index_after));
}

std::string DiffText(const std::string& name) { return Diff(name, ChangesText); }

std::string DiffMarkdown(const std::string& name) {
  return Diff(name, [](const Changes& changes) { return ChangesMarkdown(changes, {}); });
}

std::string ShownBaseline(const std::string& name) {
  Baseline baseline;
  Finding finding;
  finding.rule = finding.framework = finding.op = finding.list = name;
  baseline.Add(finding);
  finding.op.clear();
  finding.message = name;
  finding.location.path = name;
  baseline.Add(finding);
  return BaselineSummary(baseline, name, {}, true);
}

std::string Explained(const std::string& name) {
  // Similar operators, so that policies are suggested.
  std::vector<Operator> operators = {OperatorCalled(name), OperatorCalled("exp" + name)};
  operators[1].exempt.clear();
  Manifest manifest = MakeManifest(operators);
  manifest.dialect = name;
  const Lists lists = {ListWith("exp" + name, Policy::kFp32), ListWith(name, Policy::kTarget)};
  const CheckIndex index({manifest, lists, name});
  Diagnostics diagnostics;
  return OperatorPage(manifest.operators[0], index, diagnostics);
}

std::size_t CountOfText(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

std::size_t AtMargin(const std::string& text) {
  const std::vector<std::string> lines = TextLines(text);
  return static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(),
                    [](const std::string& line) { return !line.empty() && line[0] != ' '; }));
}

// Between backticks every character is literal, except for a backtick and a table's cell separator.
// Names with those are written between tags, with references.
std::string WithoutCode(const std::string& text) {
  std::string rest;
  bool in_code = false;
  for (const char c : text) {
    if (c == '`') in_code = !in_code;
    if (!in_code || c == '|') rest += c;
  }
  EXPECT_FALSE(in_code) << text;
  for (const std::string tag : {"<code>", "</code>"}) {
    for (std::size_t at = rest.find(tag); at != std::string::npos; at = rest.find(tag)) {
      rest.replace(at, tag.size(), "`");
    }
  }
  rest.erase(std::remove(rest.begin(), rest.end(), '`'), rest.end());
  return rest;
}

struct Page {
  const char* name;
  std::string (*print)(const std::string& name);
};

class HostilePagesTest : public ::testing::TestWithParam<Page> {};

TEST_P(HostilePagesTest, KeepTheirShape) {
  const std::string harmless = GetParam().print("harmless");
  const std::size_t expected = TextLines(harmless).size();
  ASSERT_GE(expected, 4U) << harmless;
  ASSERT_GE(CountOfText(harmless, "harmless"), 3U) << harmless;
  const std::vector<std::string> names = HostileNames();
  ASSERT_GE(names.size(), 60U);
  for (const std::string& name : names) {
    const std::string shown = Printable(name.substr(0, 60));
    const std::string text = GetParam().print(name);
    EXPECT_EQ(FirstControl(text), "") << shown;
    const std::vector<std::string> lines = TextLines(text);
    // The number of suggested policies (indented lines) depends on the words of a name.
    const bool all = GetParam().print != Explained;
    EXPECT_EQ(all ? lines.size() : AtMargin(text), all ? expected : AtMargin(harmless))
        << shown << '\n'
        << text;
    for (const std::string& line : lines) {
      EXPECT_FALSE(line.starts_with("::")) << line.substr(0, 200);
      EXPECT_FALSE(line.starts_with("##")) << line.substr(0, 200);
    }
    if (GetParam().print != DiffMarkdown) continue;
    const std::string plain = WithoutCode(text);
    for (const char* mark : {"<", ">", "|", "`", "*", "[", "!"}) {
      EXPECT_EQ(CountOfText(plain, mark), CountOfText(WithoutCode(harmless), mark))
          << shown << ": " << mark;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Pages, HostilePagesTest,
                         ::testing::Values(Page{"diff_text", DiffText},
                                           Page{"diff_markdown", DiffMarkdown},
                                           Page{"baseline_show", ShownBaseline},
                                           Page{"explain", Explained}),
                         [](const auto& page) { return std::string(page.param.name); });

}  // namespace
}  // namespace opledger
