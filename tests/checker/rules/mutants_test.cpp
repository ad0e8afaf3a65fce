// Every defect is found: each entry of the shipped MXNet lists is removed, repeated, entered under
// a second policy and misspelled in two ways; each mutant yields exactly the expected finding.
// Mutants are made as text and parsed again, so they also test checker/edit/edit.h. The operators
// come from a scan of MXNet, which ctest runs first (tests/mxnet_manifest.py).
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "checker/edit/edit.h"
#include "checker/rules/rules.h"
#include "registry/json/json_write.h"
#include "registry/manifest/manifest.h"

namespace opledger {
namespace {

// Identifies a finding: severity, rule, operator, list.
using Key = std::tuple<Severity, std::string, std::string, std::string>;

// Without the rules that compare policies with kernels, since mutants change only names.
std::multiset<Key> Findings(const Manifest& manifest, const std::vector<PrecisionList>& lists) {
  std::multiset<Key> keys;
  const std::vector<Finding> findings = RunRules({manifest, lists, ""});
  for (const Finding& finding : findings) {
    if (finding.rule.text().ends_with("-without-kernel")) continue;
    keys.insert({finding.severity, finding.rule, finding.op, finding.list});
  }
  return keys;
}

std::string Show(const std::multiset<Key>& keys) {
  std::string text;
  for (const auto& [severity, rule, op, list] : keys) {
    text += std::string(SeverityName(severity)) + ' ' + rule + ' ' + op + ' ' + list + '\n';
  }
  return text;
}

// Misspells a name in one of several ways; returns an empty string if that does not change it.
std::string Misspell(const std::string& name, int kind, std::size_t place) {
  std::string result = name;
  const std::size_t i = place % name.size();
  if (kind == 0) {
    result.erase(i, 1);
  } else if (kind == 1) {
    if (i + 1 < name.size()) std::swap(result[i], result[i + 1]);
  } else if (kind == 2) {
    result.insert(i, 1, name[i]);
  } else {
    const auto c = static_cast<unsigned char>(name[i]);
    result[i] = static_cast<char>(std::isupper(c) != 0 ? std::tolower(c) : std::toupper(c));
  }
  return result == name ? std::string() : result;
}

class MutantsTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string path =
        std::string(OPLEDGER_SOURCE_DIR) + "/registry/lists/mxnet/" + GetParam() + ".json";
    const std::string scanned = std::string(OPLEDGER_BUILD_DIR) + "/mxnet.operators.json";
    if (!std::filesystem::exists(scanned)) {
      GTEST_SKIP() << "missing: mxnet-b84609d3; ci/test-data gets what is missing (scanned by "
                      "scan/mxnet_manifest)";
    }
    Diagnostics diagnostics;
    manifest_ = ReadManifest(DiskSource(), scanned, diagnostics);
    ASSERT_TRUE(manifest_) << RenderDiagnostics(diagnostics);
    list_ = ReadPrecisionList(DiskSource(OPLEDGER_SOURCE_DIR), path, diagnostics);
    ASSERT_TRUE(list_) << RenderDiagnostics(diagnostics);
    ASSERT_GT(list_->entries.size(), 600U);
    baseline_ = Findings(*manifest_, {*list_});
    for (const Operator& op : manifest_->operators) {
      known_.insert(op.name);
      for (const Alias& alias : op.aliases) known_.insert(alias.name);
    }
    for (const ListEntry& entry : list_->entries) known_.insert(entry.op);
  }

  const std::string& Text() const { return list_->document.text; }
  std::string ItemText(const ListEntry& entry) const {
    return Text().substr(entry.item.begin, entry.item.end - entry.item.begin);
  }

  // Expects that the mutant has exactly this finding in addition to the list's own.
  void Expect(const Edit& edit, const ListEntry& entry, const std::string& rule) {
    Diagnostics diagnostics;
    std::optional<PrecisionList> mutant =
        ParsePrecisionList(list_->path, ApplyEdit(Text(), edit), diagnostics);
    ASSERT_TRUE(mutant) << entry.op << ": " << RenderDiagnostics(diagnostics);
    std::multiset<Key> expected = baseline_;
    expected.insert({Severity::kError, rule, entry.op, list_->Label()});
    const std::multiset<Key> found = Findings(*manifest_, {*mutant});
    ASSERT_EQ(found, expected) << entry.op << ", " << rule << "\nfound:\n"
                               << Show(found) << "expected:\n"
                               << Show(expected) << edit.text;
    ++mutants_;
  }

  // Every entry had its mutants: more than 1,000 of each kind in both lists, 6,850 in all.
  void TearDown() override {
    if (!list_ || mutants_ == 0) return;
    EXPECT_EQ(mutants_, list_->entries.size());
  }

  void ExpectMisspelling(const ListEntry& entry, int kind) {
    for (std::size_t step = 0; step < 4 * entry.op.size(); ++step) {
      const std::string wrong = Misspell(
          entry.op, (kind + static_cast<int>(step / entry.op.size())) % 4, mutants_ * 7 + step);
      if (wrong.empty() || known_.contains(wrong)) continue;
      Expect(*RenameEntry(*list_, entry, wrong), entry, "near-miss-name");
      return;
    }
    FAIL() << "no misspelling of " << entry.op << " is free";
  }

  std::optional<Manifest> manifest_;
  std::optional<PrecisionList> list_;
  std::multiset<Key> baseline_;
  std::set<std::string> known_;
  std::size_t mutants_ = 0;
};

// Each kind is its own test, so that they can run in parallel.
TEST_P(MutantsTest, Removed) {
  for (const ListEntry& entry : list_->entries) {
    Expect(*RemoveEntry(*list_, entry), entry, "unclassified-operator");
    if (HasFatalFailure()) return;
  }
}

TEST_P(MutantsTest, Repeated) {
  for (const ListEntry& entry : list_->entries) {
    Expect(InsertEntry(*list_, entry.policy, entry.op, ItemText(entry)), entry, "duplicate-entry");
    if (HasFatalFailure()) return;
  }
}

TEST_P(MutantsTest, UnderASecondPolicy) {
  for (const ListEntry& entry : list_->entries) {
    const Policy other = entry.policy == Policy::kFp32 ? Policy::kWidest : Policy::kFp32;
    Expect(InsertEntry(*list_, other, entry.op, JsonQuote(entry.op)), entry, "in-several-lists");
    if (HasFatalFailure()) return;
  }
}

TEST_P(MutantsTest, Misspelled) {
  for (std::size_t i = 0; i < list_->entries.size(); ++i) {
    ExpectMisspelling(list_->entries[i], static_cast<int>(i % 4));
    if (HasFatalFailure()) return;
  }
}

TEST_P(MutantsTest, MisspelledInAnotherWay) {
  for (std::size_t i = 0; i < list_->entries.size(); ++i) {
    ExpectMisspelling(list_->entries[i], static_cast<int>((i + 1 + i / 4 % 3) % 4));
    if (HasFatalFailure()) return;
  }
}

TEST_P(MutantsTest, TheListItselfShowsOnlyWhatMxnetForgot) {
  const auto unclassified = [&](const char* op) {
    return Key(Severity::kError, "unclassified-operator", op, list_->Label());
  };
  std::multiset<Key> expected = {unclassified("_contrib_quantized_npi_add")};
  if (list_->Label() == "bfloat16") expected.insert(unclassified("_sg_pow_mul_scalar"));
  EXPECT_EQ(baseline_, expected) << Show(baseline_);
}

TEST_P(MutantsTest, TheListItselfRunsLowWhatHasNoKernel) {
  std::set<std::string> expected;
  if (list_->Label() == "float16") {
    expected = {"Crop",         "_contrib_MultiProposal", "_contrib_Proposal",
                "_linalg_gemm", "_linalg_gemm2",          "sort"};
  }
  std::set<std::string> found;
  for (const Finding& finding : RunRules({*manifest_, {*list_}, ""})) {
    if (finding.rule.text().ends_with("-without-kernel")) found.insert(finding.op);
  }
  EXPECT_EQ(found, expected);
}

INSTANTIATE_TEST_SUITE_P(Shipped, MutantsTest, ::testing::Values("float16", "bfloat16"),
                         [](const auto& list) { return std::string(list.param); });

}  // namespace
}  // namespace opledger
