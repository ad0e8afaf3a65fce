// Reads and writes the baseline.
// SPDX-License-Identifier: Apache-2.0
#include "checker/filter/baseline.h"

#include <algorithm>
#include <tuple>

#include "registry/json/json_fields.h"
#include "registry/json/json_write.h"

namespace opledger {
namespace {

constexpr int kMostLines = 1 << 30;

Finding Reduced(const Finding& finding) {
  Finding reduced;
  reduced.rule = finding.rule;
  reduced.framework = finding.framework;
  reduced.op = finding.op;
  reduced.list = finding.list;
  if (!finding.op.empty()) return reduced;
  reduced.location.path = finding.location.path;
  reduced.message = finding.message;
  reduced.digest = finding.digest;
  if (!finding.digest.empty()) {
    reduced.location.line = finding.location.line;
    reduced.location.column = finding.location.column;
  }
  return reduced;
}

auto Key(const Finding& finding) {
  return std::tie(finding.framework, finding.rule, finding.op, finding.list, finding.location.path,
                  finding.location.line, finding.location.column, finding.message, finding.digest);
}

}  // namespace

void Baseline::Add(const Finding& finding) {
  // A finding with a digest identifies one place, so it is kept once.
  const bool counted = finding.op.empty() && finding.digest.empty();
  if (counts_[finding.Fingerprint()]++ == 0 || counted) {
    findings_.push_back(Reduced(finding));
  }
}

void Baseline::Merge(const Baseline& other) {
  BaselineUse known(*this);
  std::vector<Finding> more;
  for (const Finding& finding : other.findings_) {
    if (!known.Take(finding)) more.push_back(finding);
  }
  for (const Finding& finding : more) Add(finding);
}

Baseline Baseline::Of(std::string_view framework) const {
  Baseline own;
  for (const Finding& finding : findings_) {
    if (finding.framework.text() == framework) own.Add(finding);
  }
  return own;
}

Baseline Baseline::OfLists(const std::set<std::string>& labels) const {
  Baseline own;
  for (const Finding& finding : findings_) {
    if (finding.list.empty() || labels.contains(finding.list)) own.Add(finding);
  }
  return own;
}

std::vector<Finding> Baseline::Resolved(const std::vector<Finding>& found) const {
  if (findings_.empty()) return {};
  Baseline there;
  for (const Finding& finding : found) there.Add(finding);
  BaselineUse use(there);
  std::vector<Finding> resolved;
  for (const Finding& finding : findings_) {
    if (!use.Take(finding)) resolved.push_back(finding);
  }
  return resolved;
}

bool BaselineUse::Take(const Finding& finding) {
  if (baseline_.counts_.empty()) return false;
  const auto found = baseline_.counts_.find(finding.Fingerprint());
  if (found == baseline_.counts_.end()) return false;
  return !finding.op.empty() || !finding.digest.empty() || taken_[found->first]++ < found->second;
}

std::string Baseline::Text() const {
  std::vector<Finding> sorted = findings_;
  std::sort(sorted.begin(), sorted.end(),
            [](const Finding& a, const Finding& b) { return Key(a) < Key(b); });
  std::string text;
  JsonWriter json(text, 2);
  json.BeginObject();
  json.Field("schema", "opledger-baseline/1");
  json.Records("findings", sorted, [&](const Finding& finding) {
    json.Field("framework", finding.framework);
    json.Field("rule", finding.rule);
    if (!finding.op.empty()) {
      json.Field("operator", finding.op);
    } else {
      json.Field("path", finding.location.path);
      json.Field("message", finding.message);
    }
    if (!finding.digest.empty()) {
      json.Field("digest", finding.digest);
      json.Field("line", finding.location.line);
      json.Field("column", finding.location.column);
    }
    if (!finding.list.empty()) json.Field("list", finding.list);
  });
  json.EndObject();
  return text + '\n';
}

std::optional<Baseline> ReadBaseline(const Source& source, const std::string& path, Reach reach,
                                     Diagnostics& diagnostics) {
  const std::optional<JsonDocument> document = ReadJson(source, path, reach, diagnostics);
  if (!document) return std::nullopt;
  JsonFields fields(*document, document->root, "baseline", diagnostics);
  bool ok = fields.Schema("opledger-baseline", 1);
  Baseline baseline;
  for (const JsonValue& item : fields.Objects("findings")) {
    JsonFields one(*document, item, "finding of a baseline", diagnostics);
    Finding finding;
    finding.framework = one.RequiredString("framework");
    finding.rule = one.RequiredString("rule");
    finding.op = one.String("operator");
    finding.list = one.String("list");
    finding.location.path = one.String("path");
    finding.message = one.String("message");
    finding.digest = one.String("digest");
    finding.location.line = static_cast<int>(one.Integer("line", 0, 0, kMostLines));
    finding.location.column = static_cast<int>(one.Integer("column", 0, 0, kMostLines));
    ok = one.Finish() && ok;
    baseline.Add(finding);
  }
  ok = fields.Finish() && ok;
  if (!ok) return std::nullopt;
  return baseline;
}

}  // namespace opledger
