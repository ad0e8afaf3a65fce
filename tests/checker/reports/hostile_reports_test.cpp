// No name, path or message of a hostile repository breaks out of its place in any report: each
// report has the shape that it has for a harmless name.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "checker/index/index.h"
#include "checker/reports/reports.h"
#include "tests/checker/check_fixture.h"
#include "tests/checker/hostile_names.h"
#include "tests/checker/hostile_shape.h"

namespace opledger {
namespace {

// A finding that shows `name` wherever outside text can appear.
Finding MakeFinding(const std::string& name) {
  Finding finding;
  finding.rule = "unclassified-operator";
  finding.framework = name;
  finding.op = name;
  finding.list = name;
  finding.message = "operator '" + name + "' has no policy in list '" + name + "'";
  finding.location = {name, 1, 1, 1, 2};
  finding.related = {{{name, 2, 3, 2, 4}, "note about " + name}, {finding.location, name}};
  finding.suggestions = {{"opledger classify " + name, {{name, 0, 0, name}}}};
  return finding;
}

std::string Render(const std::string& format, const std::string& name) {
  Manifest manifest = MakeManifest({"exp"});
  manifest.dialect = name;
  manifest.incomplete = {{{name, 1, 1, 1, 1}, name, name}};
  PrecisionList list;
  list.path = name;
  list.document.text = name + "\n" + name;
  const Lists lists = {list};
  const CheckIndex index({manifest, lists, name});
  Summary summary = Summarise(index);
  const std::vector<Finding> findings = {MakeFinding(name), MakeFinding(name)};
  CountFindings(findings, {}, Baseline(), manifest, summary);
  SourceLines lines(DiskSource("/nonexistent"), lists);
  const ReportInput input = {
      findings, {{summary, manifest}}, lines, {"guideline " + name, name}, 1, false, false};
  return FindReportFormat(format)->render(input);
}

// The number of snippets depends on how the name changes the list's lines.
std::vector<std::string> WithoutSnippets(const std::vector<std::string>& lines) {
  std::vector<std::string> kept;
  for (const std::string& line : lines) {
    const std::size_t bar = line.find_first_not_of(" 0123456789");
    if (bar != std::string::npos && bar > 0 && line[bar] == '|') continue;
    kept.push_back(line);
  }
  return kept;
}

class HostileReportsTest : public ::testing::TestWithParam<const char*> {};

TEST_P(HostileReportsTest, KeepTheirShape) {
  const std::string format = GetParam();
  const std::size_t expected = WithoutSnippets(TextLines(Render(format, "harmless"))).size();
  ASSERT_GE(HostileNames().size(), 60U);
  const std::vector<std::string> names = HostileNames();
  for (const std::string& name : names) {
    const std::string shown = Printable(name.substr(0, 60));
    const std::string text = Render(format, name);
    EXPECT_EQ(FirstControl(text), "") << shown;
    if (format == "json" || format == "sarif" || format == "gitlab") {
      Diagnostics diagnostics;
      EXPECT_TRUE(ParseJson("report", text, diagnostics)) << RenderDiagnostics(diagnostics);
      continue;
    }
    const std::vector<std::string> lines = WithoutSnippets(TextLines(text));
    EXPECT_EQ(lines.size(), expected) << shown << '\n' << text.substr(0, 2000);
    std::size_t commands = 0;
    for (const std::string& line : lines) {
      EXPECT_FALSE(line.starts_with("##")) << line.substr(0, 200);
      if (line.starts_with("::")) ++commands;
      EXPECT_LE(format == "github" ? line.size() : 0, 65536U * 3) << shown;
    }
    EXPECT_EQ(commands, format == "github" ? 1U : 0U) << shown;  // both findings have the same name
  }
}

std::vector<const char*> AllFormats() {
  std::vector<const char*> names;
  for (const ReportFormat& format : ReportFormats()) names.push_back(format.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Formats, HostileReportsTest, ::testing::ValuesIn(AllFormats()),
                         [](const auto& format) {
                           std::string name = format.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(HostileReports, JsonKeepsNamesThatAreText) {
  const std::vector<std::string> names = HostileNames();
  for (const std::string& name : names) {
    bool text = true;
    for (std::size_t i = 0; i < name.size();) {
      const std::size_t length = DecodeUtf8(name, i).length;
      text &= length != 0;
      i += std::max<std::size_t>(length, 1);
    }
    if (!text) continue;
    Diagnostics diagnostics;
    const auto report = ParseJson("report", Render("json", name), diagnostics);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->root.Find("findings")->items.at(0).Find("operator")->string, name);
  }
}

TEST(HostileReports, GithubPropertiesEndWhereTheyShould) {
  const std::string text = Render("github", "a,b:c%d");
  EXPECT_TRUE(
      text.starts_with("::error file=a%2Cb%3Ac%25d,line=1,endLine=1,col=1,endColumn=2,"
                       "title=unclassified-operator::operator 'a,b:c%25d' has"))
      << text;
}

}  // namespace
}  // namespace opledger
