// Merges the facts of all units into a manifest; commutative, associative and idempotent. Evaluates
// the arguments of chained methods, since all definitions are known here (evaluate.h).
// May include: registry/dialect, registry/manifest, registry/text, registry/scan/facts,
// registry/scan/lex, registry/scan/outline.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/manifest/manifest.h"
#include "registry/scan/facts/facts.h"
#include "registry/scan/merge/evaluate.h"
#include "registry/scan/merge/kernel_element_types.h"
#include "registry/scan/merge/set_fields.h"
#include "registry/scan/outline/outline.h"

namespace opledger::scan {

class ConfigurationFilter;

class Merge {
 public:
  // `fields`: the fields to keep; empty keeps all.
  Merge(const Dialect& dialect, std::set<std::string> fields)
      : dialect_(dialect),
        wanted_(std::move(fields)),
        evaluator_(dialect.evaluation),
        sets_(dialect.attribute_sets),
        element_types_(dialect.kernels.element_types) {
    if (!wanted_.contains("kernels")) return;  // the fields that kernels are made from
    for (const auto& [field, device] : dialect.kernels.fields) wanted_.insert(field);
    wanted_.insert(dialect.kernels.element_types.same_type_field);
  }

  void Add(const Facts& facts);
  void Add(const AttributeSet& set) { sets_.Add(set); }
  // Adds functions and constants for evaluation. They must stay alive until Finish.
  void Add(const std::string& path, const std::vector<Definition>& definitions) {
    evaluator_.Add(path, definitions);
  }
  void Add(const std::string& path, const std::vector<KernelFunction>& functions) {
    if (element_types_.Add(path, functions)) return;
    Add(Incomplete{{path},
                   "file",
                   "its macros are too large to expand, so the element types of the functions that "
                   "they define are not known; write these functions without macros"});
  }
  // Accounts for all mentions. Valid after Finish.
  const Balance& balance() const { return balance_; }
  void Add(Incomplete incomplete) { manifest_.incomplete.push_back(std::move(incomplete)); }
  // Returns the manifest, sorted and filtered by the dialect. For a configuration other than
  // "union", keeps only what exists in it. `defines` (-D) change the configuration; for the union
  // they exclude what contradicts them.
  Manifest Finish(const std::string& configuration, const Defines& defines);

 private:
  // Facts about one version of an operator.
  struct Draft {
    std::vector<Site> sites;
    std::vector<Alias> aliases;
    std::vector<FieldFact> fields;
    std::vector<Registration> evaluated;  // those with calls: only name, site, calls
  };
  // By version; 0 if the framework has no versions.
  using Versions = std::map<int, Draft>;

  static void Add(const Registration& addition, std::vector<FieldFact>& fields);
  Fields FieldsOf(const Operator& op, Draft& draft, ConfigurationFilter& filter);
  void Evaluate(Draft& draft);
  std::optional<Operator> MakeOperator(const std::string& name, Versions& versions,
                                       ConfigurationFilter& filter);
  void AddDynamic(const Dynamic& dynamic);
  void BookHeaders();
  void SortDefaults();
  void FollowDelegates();
  void AddAbsent(const std::string& name, const Site& site);
  void AddRefused(const Operator& op);
  bool IsSeveral(const std::string& macro) const;
  std::string WhyUnnamed(const std::string& name, const BuildName& of, const Location& place) const;
  std::string Exemption(const Operator& op, const std::vector<FieldFact>& facts) const;
  std::string NameOf(const Registration& registration) const;
  void NameByBuild(const std::string& configuration, const Defines& defines);
  bool Dropped(const Operator& op) const;

  const Dialect& dialect_;
  std::set<std::string> wanted_;
  Manifest manifest_;
  std::map<std::string, Versions> operators_;
  std::map<std::string, std::vector<Kernel>> kernels_;  // by operator
  Evaluator evaluator_;
  Balance balance_;
  std::map<HeaderMention, bool> header_mentions_;  // value: whether a unit read it
  SetFields sets_;
  KernelElementTypes element_types_;
  std::map<std::string, std::string> delegates_;  // operator -> operator whose kernels it uses
};

// Returns whether the dialect has the configuration ("union" always exists). Reports an error that
// suggests the known ones otherwise.
bool CheckConfiguration(const Dialect& dialect, const std::string& configuration,
                        Diagnostics& diagnostics);

}  // namespace opledger::scan
