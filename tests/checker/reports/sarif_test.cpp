// SARIF as GitHub accepts it: limits, regions, fingerprints, URIs.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "checker/index/index.h"
#include "checker/reports/reports.h"
#include "checker/reports/sarif_text.h"
#include "tests/checker/check_fixture.h"

namespace opledger {
namespace {

std::string Render(const std::vector<Finding>& findings) {
  const Manifest manifest = MakeManifest({"exp"});
  const Lists lists = {MakeList(R"("fp32": ["exp"])")};
  const CheckIndex index({manifest, lists, ""});
  Summary summary = Summarise(index);
  CountFindings(findings, {}, Baseline(), manifest, summary);
  SourceLines lines(DiskSource("/nonexistent"), lists);
  return FindReportFormat("sarif")->render(
      {findings, {{summary, manifest}}, lines, {}, 1, false, false});
}

JsonDocument ParseSarif(const std::string& text) {
  Diagnostics diagnostics;
  std::optional<JsonDocument> document = ParseJson("sarif", text, diagnostics);
  EXPECT_TRUE(document) << RenderDiagnostics(diagnostics);
  return document ? std::move(*document) : JsonDocument();
}

const JsonValue& FirstRun(const JsonDocument& document) {
  return document.root.Find("runs")->items.at(0);
}

TEST(Sarif, CutsAtTheLimitAndSaysSo) {
  std::vector<Finding> findings(30'000);
  for (std::size_t i = 0; i < findings.size(); ++i) {
    findings[i].rule = "stale-entry";
    findings[i].op = "op_" + std::to_string(i);
    findings[i].severity = i >= 20'000 ? Severity::kError : Severity::kNote;
    findings[i].message = "m";
    findings[i].location = {"list.json", static_cast<int>(i + 1), 1, static_cast<int>(i + 1), 2};
  }
  const std::string text = Render(findings);
  const JsonDocument document = ParseSarif(text);
  const std::vector<JsonValue>& results = FirstRun(document).Find("results")->items;
  ASSERT_EQ(results.size(), 25'000U);
  // The most severe findings are kept.
  std::size_t errors = 0;
  for (const JsonValue& result : results) errors += result.Find("level")->string == "error";
  EXPECT_EQ(errors, 10'000U);
  const JsonValue& invocation = FirstRun(document).Find("invocations")->items.at(0);
  const JsonValue* notices = invocation.Find("toolExecutionNotifications");
  ASSERT_EQ(notices->items.size(), 1U);
  EXPECT_EQ(notices->items[0].Find("message")->Find("text")->string,
            "truncated: 25000 of 30000 findings are in this file");
  EXPECT_LT(text.size(), std::size_t{30} << 20);
}

TEST(Sarif, HasAllThatIsRequired) {
  Finding finding;
  finding.rule = "incomplete-scan";
  finding.message = "m";
  const JsonDocument document = ParseSarif(Render({finding, finding}));
  EXPECT_EQ(document.root.Find("version")->string, "2.1.0");
  std::set<std::string> rules;
  const JsonValue* driver = FirstRun(document).Find("tool")->Find("driver");
  for (const JsonValue& rule : driver->Find("rules")->items) {
    rules.insert(rule.Find("id")->string);
    for (const char* text : {"shortDescription", "fullDescription", "help"}) {
      const std::string& value = rule.Find(text)->Find("text")->string;
      EXPECT_FALSE(value.empty());
      EXPECT_LE(value.size(), 1024U);
    }
  }
  EXPECT_EQ(rules.size(), Rules().size());
  std::set<std::string> fingerprints;
  for (const JsonValue& result : FirstRun(document).Find("results")->items) {
    EXPECT_TRUE(rules.contains(result.Find("ruleId")->string));
    const JsonValue* place = result.Find("locations")->items.at(0).Find("physicalLocation");
    EXPECT_EQ(place->Find("artifactLocation")->Find("uri")->string, "opledger.json");
    for (const char* number : {"startLine", "startColumn", "endLine", "endColumn"}) {
      EXPECT_GE(place->Find("region")->Find(number)->integer, 1);
    }
    fingerprints.insert(
        result.Find("partialFingerprints")->Find("primaryLocationLineHash")->string);
  }
  EXPECT_EQ(fingerprints.size(), 2U);
  EXPECT_EQ(FirstRun(document).Find("automationDetails")->Find("id")->string,
            "opledger/demo/float16/");
}

TEST(SarifText, Uris) {
  EXPECT_EQ(SarifUri("src/a b.cc"), "src/a%20b.cc");
  EXPECT_EQ(SarifUri("a:b#c?d%\xFF"), "a%3Ab%23c%3Fd%25%FF");
  EXPECT_EQ(SarifUri("/etc/x"), "file:///etc/x");
}

TEST(SarifText, Messages) {
  EXPECT_EQ(SarifMessage("plain {x} [y]"), "plain {x} [y]");
  EXPECT_EQ(SarifMessage("{0} {12} {}"), "{{0}} {{12}} {}");
  EXPECT_EQ(SarifMessage("[a](b)"), "\\[a\\](b)");
  EXPECT_EQ(SarifMessage("a\nb\x1b"), "a\nb\\x1B");
  EXPECT_EQ(SarifMessage(std::string(5000, 'x')).size(), 1024U);
}

TEST(SarifText, RegionsCountUtf16Units) {
  const std::string line = "\"\xC3\xA4\xF0\x9F\x98\x80x\"";  // "ä😀x": 2 and 4 bytes, 1 and 2 units
  const SarifRegion region = MakeSarifRegion({"p", 3, 8, 3, 9}, line);
  EXPECT_EQ(region.start_column, 5);
  EXPECT_EQ(region.end_column, 6);
  const SarifRegion unknown = MakeSarifRegion({"p", 3, 8, 3, 9}, "");
  EXPECT_EQ(unknown.start_column, 8);
  const SarifRegion beyond = MakeSarifRegion({"p", 3, 90, 3, 80}, line);
  EXPECT_LE(beyond.start_column, beyond.end_column);
  const SarifRegion whole = MakeSarifRegion({"p", 0, 0, 0, 0}, "");
  EXPECT_EQ(whole.start_line, 1);
  EXPECT_EQ(whole.end_column, 1);
}

}  // namespace
}  // namespace opledger
