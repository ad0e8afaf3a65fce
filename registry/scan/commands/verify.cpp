// Compares in both directions with one map from names to operators. Differences are rendered like
// all other diagnostics.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "registry/json/json.h"
#include "registry/scan/commands/commands.h"
#include "registry/text/glob.h"
#include "registry/text/suggestion.h"

namespace opledger::scan {
namespace {

// An operator, or a version of one, that a name of the list may refer to.
struct Known {
  std::string name;
  const Operator* op;
  Location location;
};

// "Abs-13": version 13 of Abs.
std::string WithVersion(const std::string& name, int version) {
  return name + "-" + std::to_string(version);
}

bool HasVersion(const std::string& name) {
  std::size_t dash = name.rfind('-');
  return dash != std::string::npos && dash + 1 < name.size() &&
         name.find_first_not_of("0123456789", dash + 1) == std::string::npos;
}

class Verifier {
 public:
  Verifier(const Manifest& manifest, const JsonDocument& names,
           const std::vector<std::string>& among)
      : document_(names), among_(among) {
    const std::vector<JsonValue>& items = names.root.items;
    bool versions = !items.empty() && std::all_of(items.begin(), items.end(), [](const auto& item) {
      return HasVersion(item.string);
    });
    for (const Operator& op : manifest.operators) {
      if (versions && op.since != 0) {
        AddVersions(op);
      } else {
        Add({op.name, &op, op.sites.front().location});
      }
    }
    for (std::size_t i = 0; i < known_.size(); ++i) index_[known_[i].name] = i;
    for (std::size_t i = 0; i < known_.size(); ++i) {
      for (const Alias& alias : known_[i].op->aliases) index_.try_emplace(alias.name, i);
    }
  }

  Verdict Run();

 private:
  void Add(Known known) { known_.push_back(std::move(known)); }
  void AddVersions(const Operator& op) {
    Add({WithVersion(op.name, op.since), &op, op.sites.front().location});
    for (const OperatorVersion& version : op.earlier) {
      Add({WithVersion(op.name, version.since), &op, version.sites.front().location});
    }
  }
  void Check(const JsonValue& name);
  bool Expected(const Known& known) const;

  const JsonDocument& document_;
  const std::vector<std::string>& among_;
  std::vector<Known> known_;
  std::map<std::string, std::size_t, std::less<>> index_;  // by name and alias
  std::set<std::string> listed_names_;
  std::set<std::size_t> listed_;
  std::size_t found_ = 0;
  Diagnostics differences_;
};

void Verifier::Check(const JsonValue& name) {
  if (!listed_names_.insert(name.string).second) return;
  auto found = index_.find(name.string);
  if (found != index_.end()) {
    ++found_;
    listed_.insert(found->second);
    return;
  }
  std::vector<std::string> names;
  for (const Known& known : known_) names.push_back(known.name);
  ErrorAt(document_, name.span, "'" + name.string + "' is not registered in the source",
          DidYouMean(name.string, names), differences_);
}

std::string Share(const char* what, std::size_t part, std::size_t whole) {
  char figure[32];
  double share = whole == 0 ? 1 : static_cast<double>(part) / static_cast<double>(whole);
  // Rounded down, so that 1.000 means all.
  std::snprintf(figure, sizeof figure, "%.3f", static_cast<int>(share * 1000) / 1000.0);
  return std::string(what) + " " + figure + " (" + std::to_string(part) + " of " +
         std::to_string(whole) + ")";
}

// Returns whether the operator should be in the list.
bool Verifier::Expected(const Known& known) const {
  if (!known.op->exempt.empty()) return false;
  const std::vector<Site>& sites = known.op->sites;
  return among_.empty() || std::any_of(sites.begin(), sites.end(), [&](const Site& site) {
           return std::any_of(among_.begin(), among_.end(), [&](const std::string& glob) {
             return GlobMatch(glob, site.location.path);
           });
         });
}

Verdict Verifier::Run() {
  for (const JsonValue& name : document_.root.items) Check(name);
  std::size_t wanted = 0;
  std::size_t extra = 0;
  for (std::size_t i = 0; i < known_.size(); ++i) {
    bool listed = listed_.contains(i);
    if (!listed && !Expected(known_[i])) continue;
    ++wanted;
    if (listed) continue;
    ++extra;
    differences_.Error(known_[i].location, "'" + known_[i].name + "' is not in " + document_.path);
  }
  Verdict verdict;
  verdict.equal = found_ == listed_names_.size() && extra == 0;
  verdict.text = RenderDiagnostics(differences_) + Printable(document_.path) + ": " +
                 Share("recall", found_, listed_names_.size()) + ", " +
                 Share("precision", wanted - extra, wanted) + "\n";
  return verdict;
}

}  // namespace

std::optional<Verdict> Verify(const Manifest& manifest, const std::string& path,
                              const std::vector<std::string>& among, Diagnostics& diagnostics) {
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
  return Verifier(manifest, *names, among).Run();
}

}  // namespace opledger::scan
