// Documentation of hostile names: operators, lists, notes, devices and paths cannot break out of
// their place in any format.
// SPDX-License-Identifier: Apache-2.0
#include "checker/docs/docs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "registry/text/utf8.h"
#include "tests/checker/check_fixture.h"
#include "tests/checker/hostile_names.h"

namespace opledger {
namespace {

// Documentation that shows `name` wherever outside text can appear.
std::vector<DocsFile> RenderNamed(const std::string& format, const std::string& name) {
  Manifest manifest = MakeManifest({"exp", "log", "pow", "exempt"});
  manifest.dialect = name;
  manifest.operators[3].exempt = name;
  for (Operator& op : manifest.operators) {
    op.name += name;
    op.sites[0].location.path = name;
    op.sites[0].condition = Condition::FromExpression("defined(A)").Or(op.sites[0].condition);
    op.aliases = {{name + "1", {}, {}}};
    op.fields["inputs"] = {{name, name, {}, {}}};
    op.fields["deprecated"] = {{"", name, {}, {}}};
    op.fields["parameters"] = {{name, name, {}, {}}};
    op.kernels = {Kernel{name, "", {{name, {{name}, ""}}}, {}, {}, {}}};
  }
  PrecisionList list;
  list.path = name;
  list.device = name;
  ListEntry entry;
  entry.op = manifest.operators[0].name;
  entry.policy = Policy::kConditional;
  entry.reason = entry.note = entry.evidence = name;
  entry.keep_fp32_inputs = {name};
  entry.clauses = {{name, {}, {}, {name}, {}, {}, false, Policy::kFp32, {}, {}}};
  entry.location.path = name;
  list.entries = {entry, entry};
  list.entries[1].op = "stale" + name;
  const Lists lists = {list, list};
  const CheckIndex index({manifest, lists, name});
  const Docs docs = MakeDocs(index, SourceLink("https://example.com/{path}#L{line}"));
  return FindDocsFormat(format)->render(docs);
}

// Returns tags without the values of their attributes: "<a href=\" rel=\">".
std::vector<std::string> TagsOf(const std::string& html) {
  std::vector<std::string> tags;
  bool in_tag = false;
  bool quoted = false;
  for (const char c : html) {
    if (!in_tag && c == '<') tags.emplace_back();
    in_tag = in_tag || c == '<';
    if (in_tag && !quoted) tags.back() += c;
    if (in_tag && c == '"') quoted = !quoted;
    if (!quoted && c == '>') in_tag = false;
  }
  return tags;
}

// The set of tags. A name may remove some (an address, a command to copy) but must not add any.
std::set<std::string> KindsOfTags(const std::vector<DocsFile>& files) {
  std::set<std::string> kinds;
  for (const DocsFile& file : files) {
    for (std::string& tag : TagsOf(file.text)) kinds.insert(std::move(tag));
  }
  return kinds;
}

std::size_t CountIn(const std::string& what, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

// Returns the column separators of each table line. No text may contain them.
std::string ColumnsOf(const std::string& markdown) {
  std::string shape;
  for (const char c : markdown) {
    if (c == '|' || c == '\n') shape += c;
  }
  return shape;
}

void ExpectNoControls(const std::string& text, const std::string& shown) {
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Character character = DecodeUtf8(text, i);
    ASSERT_NE(character.length, 0U) << shown << " at " << i;
    ASSERT_TRUE(text[i] == '\n' || !IsControl(character.code_point)) << shown << " at " << i;
    i += character.length;
  }
}

class HostileDocsTest : public ::testing::TestWithParam<const char*> {};

void ExpectShape(const std::string& format, const DocsFile& file, const DocsFile& harmless,
                 const std::set<std::string>& kinds, const std::string& shown) {
  if (format == "json") {
    Diagnostics diagnostics;
    EXPECT_TRUE(ParseJson("docs", file.text, diagnostics)) << shown;
  } else if (format == "md") {
    EXPECT_EQ(ColumnsOf(file.text), ColumnsOf(harmless.text)) << shown;
  } else {
    for (const std::string& kind : KindsOfTags({file})) {
      EXPECT_TRUE(kinds.contains(kind)) << shown << ": " << kind.substr(0, 200);
    }
    for (const char* tag : {"<tr", "<td", "<script", "<style", "<rect", "<text", "</html>"}) {
      EXPECT_EQ(CountIn(tag, file.text), CountIn(tag, harmless.text)) << shown << ": " << tag;
    }
  }
}

TEST_P(HostileDocsTest, KeepTheirShape) {
  const std::string format = GetParam();
  const std::vector<DocsFile> harmless = RenderNamed(format, "a/b");
  const std::set<std::string> kinds = KindsOfTags(harmless);
  ASSERT_GE(HostileNames().size(), 60U);
  const std::vector<std::string> names = HostileNames();
  for (const std::string& name : names) {
    const std::string shown = Printable(name.substr(0, 60));
    const std::vector<DocsFile> files = RenderNamed(format, name);
    ASSERT_EQ(files.size(), harmless.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
      ExpectNoControls(files[i].text, shown);
      EXPECT_EQ(files[i].name.find_first_of(" /\\<>\"'\n"), std::string::npos) << shown;
      EXPECT_LE(files[i].name.size(), 120U);
      ExpectShape(format, files[i], harmless[i], kinds, shown);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, HostileDocsTest, ::testing::Values("md", "html", "json", "svg"),
                         [](const auto& format) { return std::string(format.param); });

TEST(HostileDocs, MarkdownHasNoMarkupOfNames) {
  const std::string text = RenderNamed("md", "<b>[x](http://y)*z*`|").front().text;
  EXPECT_EQ(text.find("<b>"), std::string::npos);
  EXPECT_EQ(text.find("](http://"), std::string::npos);
  EXPECT_EQ(text.find("*z*"), std::string::npos);
}

TEST(SourceLinkTest, AddressesHoldNothingButAPath) {
  const SourceLink link("https://example.com/x/{path}#L{line}");
  EXPECT_EQ(link.Url({"src/a b#c?d%.cc", 7, 1, 7, 2}),
            "https://example.com/x/src/a%20b%23c%3Fd%25.cc#L7");
  EXPECT_EQ(link.Url({"{line}\"><script>", 7, 1, 7, 2}),
            "https://example.com/x/%7Bline%7D%22%3E%3Cscript%3E#L7");
  EXPECT_EQ(link.Url({"../etc/passwd", 7, 1, 7, 2}), "");
  EXPECT_EQ(link.Url({"/etc/passwd", 7, 1, 7, 2}), "");
  EXPECT_EQ(link.Text({"a.cc", 7, 1, 7, 2}), "a.cc:7");
  EXPECT_EQ(SourceLink("https://example.com/{path}").Text({"a.cc", 7, 1, 7, 2}), "a.cc");
  EXPECT_EQ(SourceLink().Text({"a.cc", 7, 1, 7, 2}), "a.cc:7");
}

TEST(SourceLinkTest, RefusesOtherAddresses) {
  EXPECT_FALSE(SourceUrlProblem("https://example.com/{path}"));
  EXPECT_FALSE(SourceUrlProblem("http://localhost/{path}?l={line}"));
  for (const char* text : {"", "javascript:alert(1)//{path}", "data:text/html,{path}", "/{path}",
                           "https://example.com/", "https://{path}/", "https://a/{path} x",
                           "HTTPS://example.com/{path}", "https:///{path}"}) {
    EXPECT_TRUE(SourceUrlProblem(text)) << text;
  }
}

TEST(OperatorAnchorTest, DifferentNamesDiffer) {
  EXPECT_EQ(OperatorAnchor("aten::add.Tensor"), "op-aten::add.Tensor");
  EXPECT_EQ(OperatorAnchor("a b"), "op-a~20b");
  EXPECT_EQ(OperatorAnchor("a~20b"), "op-a~7E20b");
  std::vector<std::string> anchors;
  for (const std::string& name : HostileNames()) anchors.push_back(OperatorAnchor(name));
  std::sort(anchors.begin(), anchors.end());
  EXPECT_EQ(std::adjacent_find(anchors.begin(), anchors.end()), anchors.end());
  for (const std::string& anchor : anchors) {
    EXPECT_EQ(anchor.find_first_of(" \"'<>&\n"), std::string::npos);
  }
}

TEST(CoverageTest, PercentIsNeverRoundedUpToAll) {
  EXPECT_EQ(CoveragePercent({99999, 0, "", 1}), "99.9 %");
  EXPECT_EQ(CoveragePercent({99999, 0, "", 0}), "100 %");
  EXPECT_EQ(CoveragePercent({0, 0, "", 3}), "0 %");
}

TEST(CoverageTest, TextCountsDefaultsAndOpenOnes) {
  EXPECT_EQ(CoverageText({17, 0, "", 1}), "17 of 18 decided (94.4 %)");
  EXPECT_EQ(CoverageText({127, 1226, "either", 0}), "127 decided, 1226 by default (either)");
  EXPECT_EQ(CoverageText({1, 2, "fp32", 3}), "1 decided, 2 by default (fp32), 3 open");
  EXPECT_EQ(CoverageBadge({1, 2, "fp32", 3}), "1 decided, 2 by default, 3 open");
  EXPECT_EQ(CoverageBadge({17, 0, "", 1}), "94.4 %");
}

}  // namespace
}  // namespace opledger
