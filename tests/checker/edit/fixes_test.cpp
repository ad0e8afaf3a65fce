// --fix on generated lists removes only stale entries, whatever the file's layout, and a second run
// changes nothing.
// SPDX-License-Identifier: Apache-2.0
#include "checker/project/fixes.h"

#include <gtest/gtest.h>

#include "checker/rules/rules.h"
#include "tests/checker/check_fixture.h"
#include "tests/checker/generated_list.h"
#include "tests/rounds.h"

namespace opledger {
namespace {

// Sets up the check of one list.
void Open(const std::string& text, const std::vector<Operator>& operators, CheckedProject& checked,
          FilteredFindings& filtered) {
  Diagnostics diagnostics;
  GlobalOptions global;
  global.project_file = "none";
  checked.project = Project::Open(global, ".", diagnostics);
  ASSERT_TRUE(checked.project) << RenderDiagnostics(diagnostics);
  checked.manifest = MakeManifest(operators);
  checked.lists.clear();
  checked.lists.push_back(ParsePrecisionList("list.json", text, diagnostics).value());
  checked.lines = std::make_unique<SourceLines>(DiskSource("/nonexistent"), checked.lists);
  checked.MakeIndex();
  filtered = FilterFindings(RunRules(*checked.index, {}), checked.severities, *checked.index, {});
}

std::string WithoutSpace(const std::string& text) {
  std::string kept;
  for (const char c : text) {
    if (std::string(" \t\r\n,").find(c) == std::string::npos) kept += c;
  }
  return kept;
}

// Returns the text without the items of unregistered operators, white space and commas.
std::string Expected(const PrecisionList& list, const std::set<std::string>& registered) {
  std::string text = list.document.text;
  std::vector<Span> stale;
  for (const ListEntry& entry : list.entries) {
    if (!registered.contains(entry.op)) stale.push_back(entry.item);
  }
  std::sort(stale.begin(), stale.end(), [](Span a, Span b) { return a.begin > b.begin; });
  for (const Span span : stale) text.erase(span.begin, span.size());
  return WithoutSpace(text);
}

TEST(Fixes, TakeOutWhatIsStaleAndNothingElse) {
  int fixed = 0;
  for (int seed = 0; seed < Rounds(1000); ++seed) {
    ListGenerator generator(static_cast<unsigned>(seed));
    const std::string text = generator.Generate();
    std::set<std::string> registered;
    std::vector<Operator> operators;
    Diagnostics diagnostics;
    // No operator lacks a policy, so no stale entry can be taken for a misspelling.
    const std::optional<PrecisionList> list = ParsePrecisionList("l", text, diagnostics);
    for (const ListEntry& entry : list.value().entries) {
      if (generator.Chance(2)) registered.insert(entry.op);
    }
    for (const std::string& name : registered) operators.push_back(MakeOperator(name));
    CheckedProject checked;
    FilteredFindings filtered;
    Open(text, operators, checked, filtered);
    const PrecisionList before = checked.lists[0];
    const std::optional<Fixes> fixes = MakeFixes(checked, filtered, diagnostics);
    ASSERT_TRUE(fixes) << RenderDiagnostics(diagnostics) << text;
    const std::string after = fixes->files.empty() ? text : fixes->files.at("list.json").after;
    EXPECT_EQ(WithoutSpace(after), Expected(before, registered)) << text << "\n=>\n" << after;
    if (text.find("\r\n") != std::string::npos) {
      for (std::size_t i = 1; i < after.size(); ++i) {
        ASSERT_FALSE(after[i] == '\n' && after[i - 1] != '\r') << after;
      }
    }
    fixed += fixes->files.empty() ? 0 : 1;
    Open(after, operators, checked, filtered);
    EXPECT_TRUE(MakeFixes(checked, filtered, diagnostics)->files.empty()) << after;
  }
  EXPECT_GT(fixed, Rounds(500));
}

}  // namespace
}  // namespace opledger
