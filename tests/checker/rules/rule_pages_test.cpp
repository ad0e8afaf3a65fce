// Runs the example on each rule's page: `opledger explain` has to describe what really happens.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sstream>

#include "checker/findings/evidence.h"
#include "checker/index/index.h"
#include "registry/list_source/derive.h"
#include "registry/source/overlay_tree.h"
#include "tests/checker/check_fixture.h"

namespace opledger {
namespace {

// An example, with the lines of a page that set its fields:
//     registered: exp (alias _npi_exp), log
//     versions: V#
//     gradients: Grad
//     deprecated: exp (use exp2)
//     dtypes: exp (float16, float32)
//     kernels: exp (cpu: float16, float32, adds up in float16)
//     measured: exp (float16: 2 % of the results are not finite on reals 8), which speaks for fp32
//     source: // opledger-ignore(RULE): REASON
//     incomplete: src/custom.cc:7:3 registration: the name is computed at run time
//     list: {...}, on several lines, and perhaps another
//     policy: exp (fp32), as the sources register it; exp (target, float16), for that type alone
//     before: {...}, the list as it was
//     policy before: exp (target)
//     file: NAME: TEXT, with | for the end of a line
//     finding: MESSAGE
struct Example {
  Manifest manifest;
  Manifest manifest_before;
  std::vector<std::string> lists;
  std::vector<Suppression> suppressions;
  Evidence evidence = {};
  std::map<std::string, std::string> files;
  std::string before;
  std::string finding;
};

// "OPERATOR (TEXT)": sets the operator's field to the text.
void AddField(const char* field, const std::string& text, Manifest& manifest) {
  const std::size_t why = text.find(" (");
  for (Operator& op : manifest.operators) {
    if (op.name != text.substr(0, why)) continue;
    const std::string said = text.substr(why + 2, text.size() - why - 3);
    const bool is_policy = std::string_view(field) == "policy";
    const std::size_t dtype = is_policy ? said.find(", ") : std::string::npos;
    FieldValue value = {"", said.substr(0, dtype), {}};
    if (dtype != std::string::npos) value.details["dtype"] = said.substr(dtype + 2);
    op.fields[field] = {value};
  }
}

// "OPERATOR (DEVICE: DTYPE, DTYPE, adds up in DTYPE)": adds that kernel to the operator.
void AddKernel(const std::string& text, Manifest& manifest) {
  const std::size_t open = text.find(" (");
  const std::size_t colon = text.find(": ", open);
  Kernel kernel;
  kernel.device = text.substr(open + 2, colon - open - 2);
  std::istringstream words(text.substr(colon + 2, text.size() - colon - 3));
  for (std::string item; std::getline(words, item, ',');) {
    item.erase(0, item.find_first_not_of(' '));
    if (item.starts_with("adds up in ")) {
      kernel.details["accumulate"] = item.substr(11);
    } else {
      kernel.types["T"].dtypes.push_back(item);
    }
  }
  for (Operator& op : manifest.operators) {
    if (op.name == text.substr(0, open)) op.kernels.push_back(kernel);
  }
}

// "OPERATOR (DTYPE: REASON)"
void AddMeasured(const std::string& text, Evidence& evidence) {
  const std::size_t open = text.find(" (");
  const std::size_t colon = text.find(": ", open);
  MeasuredOperator& measured = evidence.operators.emplace_back();
  measured.op = text.substr(0, open);
  measured.dtype = ParseDtype(text.substr(open + 2, colon - open - 2)).value();
  measured.policy = Policy::kFp32;
  measured.step = "range";
  measured.reason = text.substr(colon + 2, text.size() - colon - 3);
}

void AddRegistered(const std::string& text, Manifest& manifest) {
  std::istringstream names(text);
  for (std::string item; std::getline(names, item, ',');) {
    item.erase(0, item.find_first_not_of(' '));
    const std::size_t alias = item.find(" (alias ");
    Operator op = MakeOperator(item.substr(0, alias));
    if (alias != std::string::npos) {
      op = WithAlias(op, item.substr(alias + 8, item.size() - alias - 9));
    }
    manifest.operators.push_back(op);
  }
}

void AddIncomplete(const std::string& text, Manifest& manifest) {
  const std::size_t place = text.find(' ');
  const std::size_t stage = text.find(": ", place);
  Incomplete incomplete;
  incomplete.location = {text.substr(0, text.find(':')), 7, 3, 7, 4};
  incomplete.stage = text.substr(place + 1, stage - place - 1);
  incomplete.detail = text.substr(stage + 2);
  manifest.incomplete.push_back(incomplete);
}

// "KIND NAME (COUNT: A, B, C)"
void AddUnrecognized(const std::string& text, Manifest& manifest) {
  const std::size_t open = text.find(" (");
  const std::size_t space = text.rfind(' ', open - 1);
  const std::size_t colon = text.find(": ", open);
  UnrecognizedRegistry registry;
  registry.kind = text.substr(0, space);
  registry.name = text.substr(space + 1, open - space - 1);
  registry.names = std::stoi(text.substr(open + 2, colon - open - 2));
  std::istringstream names(text.substr(colon + 2, text.size() - colon - 3));
  for (std::string name; std::getline(names, name, ',');) {
    name.erase(0, name.find_first_not_of(' '));
    registry.examples.push_back({name, {"src/layers.cc", 7, 1, 7, 4}});
  }
  manifest.unrecognized.push_back(registry);
}

Example ReadExample(const std::string& page) {
  Example example;
  example.manifest = MakeManifest(std::vector<Operator>{});
  std::istringstream lines(page.substr(page.find("Example:\n") + 9));
  bool in_list = false;
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    line.erase(0, line.find_first_not_of(' '));
    const std::string key = line.substr(0, line.find(": "));
    const std::string value = line.substr(std::min(line.size(), key.size() + 2));
    if (key == "registered") {
      AddRegistered(value, example.manifest);
      example.manifest_before = example.manifest;
    } else if (key == "policy") {
      AddField("policy", value, example.manifest);
      AddField("policy", value, example.manifest_before);
    } else if (key == "policy before") {
      AddField("policy", value, example.manifest_before);
    } else if (key == "incomplete") {
      AddIncomplete(value, example.manifest);
    } else if (key == "unrecognized") {
      AddUnrecognized(value, example.manifest);
    } else if (key == "versions") {
      example.manifest.relations.version = value;
    } else if (key == "gradients") {
      example.manifest.relations.gradient = value;
    } else if (key == "deprecated") {
      AddField("deprecated", value, example.manifest);
    } else if (key == "dtypes") {
      AddField("dtypes", value, example.manifest);
    } else if (key == "kernels") {
      AddKernel(value, example.manifest);
    } else if (key == "measured") {
      AddMeasured(value, example.evidence);
    } else if (key == "source") {
      example.suppressions = ParseSuppressions("src/exp.cc", value, RuleNames());
    } else if (key == "file") {
      std::string text = value.substr(value.find(": ") + 2);
      for (std::size_t at = 0; (at = text.find(" | ", at)) != std::string::npos;) {
        text.replace(at, 3, "\n");
      }
      example.files[value.substr(0, value.find(": "))] = text;
    } else if (key == "before") {
      example.before = value;
    } else if (key == "finding") {
      example.finding = value;
    } else if (key == "list") {
      example.lists.push_back(value);
      in_list = true;
    } else if (in_list) {
      example.lists.back() += line;
    }
  }
  return example;
}

void Derive(const Example& example, Manifest& manifest, Lists& lists) {
  OverlayTree::Texts texts;
  for (const auto& [name, text] : example.files) texts["/" + name] = text;
  const Source files(std::make_shared<OverlayTree>(DiskSource("/").files(), texts), "/");
  ListDeriver deriver(files, manifest, false);
  for (PrecisionList& list : lists) deriver.Derive(list);
}

TEST(RulePages, ExamplesAreTrue) {
  for (const Rule& rule : Rules()) {
    SCOPED_TRACE(rule.name);
    Example example = ReadExample(rule.page);
    ASSERT_FALSE(example.finding.empty());
    // Its example has two revisions: golden/checker/hidden_findings.
    if (std::string(rule.name) == kHiddenFindingsName) continue;
    Diagnostics diagnostics;
    Lists lists;
    for (const std::string& text : example.lists) {
      std::optional<PrecisionList> list = ParsePrecisionList("l.json", text, diagnostics);
      ASSERT_TRUE(list) << RenderDiagnostics(diagnostics);
      lists.push_back(std::move(*list));
    }
    Lists lists_before;
    if (!example.before.empty()) {
      lists_before.push_back(ParsePrecisionList("l.json", example.before, diagnostics).value());
    }
    Derive(example, example.manifest, lists);
    Derive(example, example.manifest_before, lists_before);
    const CheckIndex before({example.manifest_before, lists_before, ""});
    std::vector<Finding> findings = RunRules({example.manifest,
                                              lists,
                                              "",
                                              {rule.name},
                                              false,
                                              example.suppressions,
                                              &before,
                                              "2026-01-01",
                                              &example.evidence});
    // These two report more about an operator without a policy.
    const std::string name = rule.name;
    if (name == "version-sibling-unlisted" || name == "gradient-pair-split") {
      std::erase_if(findings, [](const Finding& f) { return f.rule == "unclassified-operator"; });
    }
    ASSERT_EQ(findings.size(), 1U) << RuleLines(findings);
    EXPECT_EQ(findings[0].rule, rule.name);
    EXPECT_EQ(findings[0].message, example.finding);
  }
}

// GitHub truncates a rule's help at 1,024 characters.
TEST(RulePages, AreShortAndNameReasonAndRemedy) {
  for (const Rule& rule : Rules()) {
    const std::string page = rule.page;
    EXPECT_LE(page.size(), 1024U) << rule.name;
    EXPECT_NE(page.find("\n\nWhy: "), std::string::npos) << rule.name;
    EXPECT_NE(page.find("\n\nWhat to do: "), std::string::npos) << rule.name;
    EXPECT_TRUE(page.ends_with('\n')) << rule.name;
  }
}

}  // namespace
}  // namespace opledger
