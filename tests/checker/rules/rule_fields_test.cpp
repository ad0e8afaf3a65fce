// Rules read only the fields of an operator that they declare: on the inputs of the checker's
// golden tests, each has the same findings if all other fields are cleared.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "checker/findings/evidence.h"
#include "tests/checker/check_fixture.h"

namespace opledger {
namespace {

struct GoldenInput {
  std::string name;
  Manifest manifest;
  Lists lists;
  Evidence evidence;
};

// "-- NAME --", followed by the text.
std::map<std::string, std::string> Sections(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::map<std::string, std::string> sections;
  std::string name;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("-- ") && line.ends_with(" --")) {
      name = line.substr(3, line.size() - 6);
    } else {
      sections[name] += line + '\n';
    }
  }
  return sections;
}

// Reads the inputs of a golden case. Returns nullopt without a manifest and a list.
std::optional<GoldenInput> ReadInput(const std::filesystem::path& path) {
  GoldenInput input;
  bool has_manifest = false;
  for (const auto& [name, text] : Sections(path)) {
    Diagnostics ignored;
    if (text.find("opledger-operators/1") != std::string::npos && !has_manifest) {
      std::optional<Manifest> manifest = ParseManifest(name, text, ignored);
      has_manifest = manifest.has_value();
      if (manifest) input.manifest = std::move(*manifest);
    } else if (text.find("opledger-evidence/") != std::string::npos) {
      const std::string file = testing::TempDir() + "rule_fields_evidence.json";
      std::ofstream(file) << text;
      input.evidence =
          ReadEvidence(DiskSource(), file, Reach::kAnywhere, ignored).value_or(Evidence());
    } else if (text.find("\"target_dtype\"") != std::string::npos) {
      std::optional<PrecisionList> list = ParsePrecisionList(name, text, ignored);
      if (list) input.lists.push_back(std::move(*list));
    }
  }
  input.name = path.stem();
  if (!has_manifest || input.lists.empty()) return std::nullopt;
  return input;
}

std::vector<GoldenInput> ReadInputs() {
  std::vector<GoldenInput> inputs;
  const std::string folder = std::string(OPLEDGER_SOURCE_DIR) + "/tests/golden/checker";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::optional<GoldenInput> input = ReadInput(entry.path());
    if (input) inputs.push_back(std::move(*input));
  }
  return inputs;
}

Manifest WithFieldsOnly(Manifest manifest, const std::vector<const char*>& names) {
  const std::set<std::string> kept(names.begin(), names.end());
  for (Operator& op : manifest.operators) {
    std::erase_if(op.fields, [&](const auto& field) { return !kept.contains(field.first); });
    for (OperatorVersion& version : op.earlier) version.fields.clear();
    if (!kept.contains("kernels")) op.kernels.clear();
  }
  return manifest;
}

// Message and notes of all findings of one rule.
std::string Found(const Rule& rule, const GoldenInput& input, const Manifest& manifest) {
  const CheckIndex index({manifest, input.lists, "", {}, false, {}, nullptr, "", &input.evidence});
  std::vector<Finding> findings;
  rule.run(index, findings);
  std::string text;
  for (const Finding& finding : findings) {
    text += finding.op + ' ' + finding.message + '\n';
    for (const Related& related : finding.related) text += "  " + related.message + '\n';
  }
  return text;
}

TEST(RuleFields, RulesReadWhatTheyDeclare) {
  const std::vector<GoldenInput> inputs = ReadInputs();
  ASSERT_GE(inputs.size(), 30U);
  for (const Rule& rule : Rules()) {
    bool differs = false;  // without any field: the golden cases show that the rule reads one
    for (const GoldenInput& input : inputs) {
      const std::string all = Found(rule, input, input.manifest);
      EXPECT_EQ(Found(rule, input, WithFieldsOnly(input.manifest, rule.reads)), all)
          << rule.name << " reads a field that it does not declare, in " << input.name;
      differs |= Found(rule, input, WithFieldsOnly(input.manifest, {})) != all;
    }
    EXPECT_EQ(differs, !rule.reads.empty()) << rule.name;
  }
}

}  // namespace
}  // namespace opledger
