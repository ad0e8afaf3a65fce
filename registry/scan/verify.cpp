// Both directions over one map from names to operators; differences are diagnostics, so they look
// like every other message.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/verify.h"

#include <cstdio>
#include <map>
#include <set>

#include "registry/json_text.h"
#include "registry/suggestion.h"

namespace opledger::scan {
namespace {

class Verifier {
 public:
  Verifier(const Manifest& manifest, const JsonDocument& names)
      : manifest_(manifest), document_(names) {
    for (const Operator& op : manifest.operators) {
      known_.push_back(op.name);
      operators_[op.name] = &op;
    }
    for (const Operator& op : manifest.operators) {
      for (const Alias& alias : op.aliases) operators_.try_emplace(alias.name, &op);
    }
  }

  Verdict Run();

 private:
  void Look(const JsonValue& name);

  const Manifest& manifest_;
  const JsonDocument& document_;
  std::vector<std::string> known_;
  std::map<std::string, const Operator*, std::less<>> operators_;  // by name and alias
  std::set<std::string> asked_;
  std::set<const Operator*> listed_;
  std::size_t found_ = 0;
  Diagnostics differences_;
};

void Verifier::Look(const JsonValue& name) {
  if (!asked_.insert(name.string).second) return;
  auto found = operators_.find(name.string);
  if (found != operators_.end()) {
    ++found_;
    listed_.insert(found->second);
    return;
  }
  ErrorAt(document_, name.span, "'" + name.string + "' is registered nowhere in the source",
          DidYouMean(name.string, known_), differences_);
}

std::string Share(const char* what, std::size_t part, std::size_t whole) {
  char figure[32];
  double share = whole == 0 ? 1 : static_cast<double>(part) / static_cast<double>(whole);
  // Rounded down: 1.000 means all of them.
  std::snprintf(figure, sizeof figure, "%.3f", static_cast<int>(share * 1000) / 1000.0);
  return std::string(what) + " " + figure + " (" + std::to_string(part) + " of " +
         std::to_string(whole) + ")";
}

Verdict Verifier::Run() {
  for (const JsonValue& name : document_.root.items) Look(name);
  std::size_t wanted = 0;
  std::size_t extra = 0;
  for (const Operator& op : manifest_.operators) {
    bool listed = listed_.contains(&op);
    if (!listed && !op.exempt.empty()) continue;
    ++wanted;
    if (listed) continue;
    ++extra;
    differences_.Error(op.sites.front().location, "'" + op.name + "' is not in " + document_.path);
  }
  Verdict verdict;
  verdict.equal = found_ == asked_.size() && extra == 0;
  verdict.text = RenderDiagnostics(differences_) + document_.path + ": " +
                 Share("recall", found_, asked_.size()) + ", " +
                 Share("precision", wanted - extra, wanted) + "\n";
  return verdict;
}

}  // namespace

std::optional<Verdict> Verify(const Manifest& manifest, const std::string& path,
                              Diagnostics& diagnostics) {
  std::optional<JsonDocument> names = ReadJson(path, diagnostics);
  if (!names) return std::nullopt;
  if (names->root.kind != JsonValue::Kind::kArray) {
    ErrorAt(*names, names->root.span, "expected an array of operator names", "[\"Abs\", \"Add\"]",
            diagnostics);
    return std::nullopt;
  }
  for (const JsonValue& item : names->root.items) {
    if (item.kind == JsonValue::Kind::kString) continue;
    ErrorAt(*names, item.span, std::string("expected a name, not ") + JsonKindName(item.kind), {},
            diagnostics);
    return std::nullopt;
  }
  return Verifier(manifest, *names).Run();
}

}  // namespace opledger::scan
