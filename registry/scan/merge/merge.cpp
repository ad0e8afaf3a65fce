// Collects a draft of each operator by name. Order does not matter because Finish sorts everything.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/merge/merge.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "llvm/Support/Regex.h"
#include "registry/scan/merge/chain_fields.h"
#include "registry/scan/merge/derived_fields.h"
#include "registry/text/glob.h"
#include "registry/text/sort_unique.h"
#include "registry/text/suggestion.h"
#include "registry/text/text.h"

namespace opledger::scan {
namespace {

// Returns all fields of a fact except its condition.
auto Rest(const Site& site) {
  return std::tie(site.location, site.call, site.macro, site.unreachable);
}
auto Rest(const Alias& alias) { return std::tie(alias.name, alias.location); }
auto Rest(const Kernel& kernel) {
  return std::tie(kernel.location, kernel.device, kernel.types, kernel.label, kernel.details);
}
auto Rest(const FieldValue& value) {
  return std::tie(value.key, value.value, value.details, value.location);
}

// Larger groups are kept as they are, since comparing each pair would take too long. Only macro
// bombs make such groups.
constexpr std::size_t kMaxAlike = 64;

// Joins facts that differ only in their conditions: drops those that imply another one, and keeps a
// single one if the conditions together always hold. Keeps the order. `places` are the positions of
// the facts in the whole list.
template <typename T>
void JoinAlike(std::vector<T>& facts, std::vector<std::size_t>& places) {
  const auto erase = [&](std::size_t at) {
    facts.erase(facts.begin() + static_cast<std::ptrdiff_t>(at));
    places.erase(places.begin() + static_cast<std::ptrdiff_t>(at));
  };
  for (std::size_t i = 0; i < facts.size(); ++i) {
    Condition any = facts[i].condition;
    for (std::size_t j = i + 1; j < facts.size(); ++j) {
      any = any.Or(facts[j].condition);
      if (facts[j].condition.Implies(facts[i].condition)) {
        erase(j--);
      } else if (facts[i].condition.Implies(facts[j].condition)) {
        facts[i].condition = facts[j].condition;
        erase(j--);
      }
    }
    if (facts[i].condition.IsAlways() || !any.IsAlways()) continue;
    facts = {std::move(facts[i])};
    places = {places[i]};
    facts.front().condition = Condition();
  }
}

template <typename T>
void JoinConditions(std::vector<T>& facts) {
  std::map<decltype(Rest(facts.front())), std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < facts.size(); ++i) alike[Rest(facts[i])].push_back(i);
  std::map<std::size_t, T> kept;  // by position
  std::vector<std::vector<std::size_t>> groups;
  for (auto& [rest, places] : alike) groups.push_back(std::move(places));
  alike.clear();  // its keys refer to the facts that are moved below
  for (std::vector<std::size_t>& places : groups) {
    std::vector<T> group;
    for (const std::size_t place : places) group.push_back(std::move(facts[place]));
    if (group.size() <= kMaxAlike) JoinAlike(group, places);
    for (std::size_t i = 0; i < group.size(); ++i) kept.emplace(places[i], std::move(group[i]));
  }
  facts.clear();
  for (auto& [place, fact] : kept) facts.push_back(std::move(fact));
}

// Returns whether all sites of the operator are under one of the filter's paths.
bool OnlyUnder(const Filter& filter, const Operator& op) {
  return !filter.paths.empty() &&
         std::all_of(op.sites.begin(), op.sites.end(), [&](const Site& site) {
           return std::any_of(filter.paths.begin(), filter.paths.end(), [&](const auto& glob) {
             return GlobMatch(glob, site.location.path);
           });
         });
}

template <typename T>
void Append(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// Facts without a version, such as kernels, apply to the newest version.
template <typename Versions>
void FoldUnversioned(Versions& versions) {
  if (versions.size() < 2 || versions.begin()->first != 0) return;
  auto& from = versions.begin()->second;
  auto& to = versions.rbegin()->second;
  Append(to.sites, from.sites);
  Append(to.aliases, from.aliases);
  Append(to.fields, from.fields);
  Append(to.evaluated, from.evaluated);
  versions.erase(versions.begin());
}

// Of the kernels that must be listed in a table, keeps those that are, under both conditions.
template <typename Versions>
void KeepCompiled(Versions& versions, std::vector<Kernel>& kernels) {
  std::map<std::string, Condition> compiled;
  for (auto& [version, draft] : versions) {
    for (const FieldFact& fact : draft.fields) {
      if (fact.field != kTableKey) continue;
      const auto [entry, fresh] = compiled.try_emplace(fact.value.value, fact.value.condition);
      if (!fresh) entry->second = entry->second.Or(fact.value.condition);
    }
    std::erase_if(draft.fields, [](const FieldFact& fact) { return fact.field == kTableKey; });
  }
  std::erase_if(kernels, [&](Kernel& kernel) {
    const auto key = kernel.details.find(kTableKey);
    if (key == kernel.details.end()) return false;
    const auto entry = compiled.find(key->second);
    if (entry == compiled.end()) return true;
    kernel.condition = kernel.condition.And(entry->second);
    kernel.details.erase(key);
    return !kernel.condition.CanBeTrue();
  });
}

bool HasField(const std::string& field, const std::vector<FieldFact>& facts) {
  return !field.empty() && std::any_of(facts.begin(), facts.end(),
                                       [&](const FieldFact& fact) { return fact.field == field; });
}

// Returns whether the facts of an operator match: a value under one of the keys, or a schema
// without the text.
bool FilterHolds(const Filter& filter, const std::vector<FieldFact>& facts) {
  if (!filter.field.empty()) {
    const auto has_key = [&](const FieldFact& fact) {
      return std::find(filter.keys.begin(), filter.keys.end(), fact.value.key) != filter.keys.end();
    };
    const bool others = std::any_of(facts.begin(), facts.end(), [&](const FieldFact& fact) {
      return fact.field == filter.field && !has_key(fact);
    });
    if (filter.only && others) return false;
    return std::any_of(facts.begin(), facts.end(), [&](const FieldFact& fact) {
      return fact.field == filter.field && has_key(fact) &&
             fact.value.value.find(filter.value_contains) != std::string::npos;
    });
  }
  const bool of_inputs = !filter.inputs_without.empty();
  const std::string& without = of_inputs ? filter.inputs_without : filter.schema_without;
  if (without.empty()) return false;
  bool known = false;
  for (const FieldFact& fact : facts) {
    if (fact.field != "inputs" && fact.field != "outputs") continue;
    known = true;
    if (of_inputs && fact.field == "outputs") continue;
    if (fact.value.value.find(without) != std::string::npos) return false;
  }
  return known;
}

// Replaces the macro of the build in the name by its value.
std::string WithBuildName(const std::string& name, const std::string& macro,
                          const std::string& value) {
  const std::size_t at = name.find(macro);
  if (at == std::string::npos) return name;
  return name.substr(0, at) + value + name.substr(at + macro.size());
}

// In "-> (Tensor, Tensor)", equal values are two results.
bool IsUnnamedResult(const FieldFact& fact) {
  return fact.field == "outputs" && fact.value.key.empty() && fact.value.condition.IsAlways();
}

bool FilterHolds(const Filter& filter, const Operator& op) {
  return filter.Matches(op.name) || OnlyUnder(filter, op);
}

}  // namespace

void Merge::AddDynamic(const Dynamic& dynamic) {
  const KnownDynamic* known = KnownDynamicFor(dialect_, dynamic.location.path, dynamic.expression);
  if (known != nullptr) {
    manifest_.dynamic.push_back({dynamic.location, dynamic.expression, known->reason});
    return;
  }
  const std::string why = dynamic.why.empty() ? "" : " (" + dynamic.why + ")";
  manifest_.incomplete.push_back(
      {dynamic.location, "registration",
       "registers a name computed at run time: '" + dynamic.expression + "'" + why +
           "; if that is intended, list it under known_dynamic in the dialect"});
}

// Returns the operator's name with the macros of the build that the dialect defines for its folder.
std::string Merge::NameOf(const Registration& registration) const {
  for (const BuildName& known : dialect_.build_names) {
    const bool here = known.path.empty() || GlobMatch(known.path, registration.site.location.path);
    if (known.value.empty() || !here) continue;
    std::string name = WithBuildName(registration.name, known.macro, known.value);
    if (name != registration.name) return name;
  }
  return registration.name;
}

// Returns whether the macro has several values in one build.
bool Merge::IsSeveral(const std::string& macro) const {
  return std::any_of(
      dialect_.build_names.begin(), dialect_.build_names.end(),
      [&](const BuildName& of) { return of.macro == macro && of.values.size() > 1; });
}

// Says why a name with a macro of the build is not known, and how to define it.
std::string Merge::WhyUnnamed(const std::string& name, const BuildName& of,
                              const Location& place) const {
  const std::string path(place.path);
  const std::string folder = path.substr(0, path.rfind('/') + 1) + "**";
  std::string why = "the name '" + name + "' contains the macro '" + of.macro + "' of the build";
  if (of.values.size() > 1) why += ", which is " + Join(of.values, " or ");
  const std::string entry =
      "{\"macro\": \"" + of.macro + "\", \"path\": \"" + folder + "\", \"value\": \"NAME\"}";
  why += "; set it for this folder in a dialect that extends '" + dialect_.name +
         "', with \"build_names\": [" + entry + "]";
  return of.values.size() > 1 ? why : why + ", or everywhere with -D " + of.macro + "=NAME";
}

// Replaces the remaining macros of the build by their values from the configuration or -D, and
// reports those that have none. A -D for a namespace always applies.
void Merge::NameByBuild(const std::string& configuration, const Defines& defines) {
  const std::optional<Configuration> known = manifest_.KnownOf(configuration);
  std::map<std::string, Versions> named;
  for (auto& [name, versions] : operators_) {
    std::string now = name;
    const auto space = defines.find(name.substr(0, name.find(dialect_.separator)));
    if (space != defines.end() && now.size() > space->first.size() && !IsSeveral(space->first)) {
      now.replace(0, space->first.size(), space->second);
    }
    for (const BuildName& of : dialect_.build_names) {
      if (now.find(of.macro) == std::string::npos || !of.path.empty()) continue;
      auto value = defines.find(of.macro);
      bool found = value != defines.end() && of.values.size() < 2;
      if (!found && known) {
        value = known->defines.find(of.macro);
        found = value != known->defines.end();
      }
      if (found) now = WithBuildName(now, of.macro, value->second);
      if (found) continue;
      for (const Site& site : versions.rbegin()->second.sites) {
        manifest_.incomplete.push_back(
            {site.location, "registration", WhyUnnamed(now, of, site.location)});
      }
    }
    if (auto kernels = kernels_.extract(name); now != name && !kernels.empty()) {
      Append(kernels_[now], kernels.mapped());
    } else if (!kernels.empty()) {
      kernels_.insert(std::move(kernels));
    }
    for (auto& [version, draft] : versions) {
      Draft& to = named[now][version];
      Append(to.sites, draft.sites);
      Append(to.aliases, draft.aliases);
      Append(to.fields, draft.fields);
      Append(to.evaluated, draft.evaluated);
    }
  }
  operators_ = std::move(named);
}

void Merge::Add(const Facts& facts) {
  for (const Registration& registration : facts.registrations) {
    const std::string name = NameOf(registration);
    if (!registration.kernels.empty() && (wanted_.empty() || wanted_.contains("kernels"))) {
      std::vector<Kernel>& kernels = kernels_[name];
      kernels.insert(kernels.end(), registration.kernels.begin(), registration.kernels.end());
    }
    Draft& draft = operators_[name][registration.version];
    if (registration.adds) {
      Add(registration, draft.fields);
      continue;
    }
    draft.sites.push_back(registration.site);
    draft.aliases.insert(draft.aliases.end(), registration.aliases.begin(),
                         registration.aliases.end());
    draft.fields.insert(draft.fields.end(), registration.fields.begin(), registration.fields.end());
    if (registration.calls.empty()) continue;
    Registration& evaluated = draft.evaluated.emplace_back();
    evaluated.name = name;
    evaluated.site = registration.site;
    evaluated.calls = registration.calls;
  }
  for (const Dynamic& dynamic : facts.dynamic) AddDynamic(dynamic);
  manifest_.defaults.insert(manifest_.defaults.end(), facts.defaults.begin(), facts.defaults.end());
  balance_ += facts.balance;
  for (const HeaderMention& mention : facts.header_mentions) {
    header_mentions_[{mention.location, mention.name, false}] |= mention.read;
  }
  manifest_.incomplete.insert(manifest_.incomplete.end(), facts.incomplete.begin(),
                              facts.incomplete.end());
}

void Merge::BookHeaders() {
  for (const auto& [mention, read] : header_mentions_) {
    ++(read ? balance_.registered : balance_.incomplete);
    if (!read) manifest_.incomplete.push_back(LeftOver(mention.location, mention.name));
  }
}

// Records where facts were added to an operator from elsewhere.
void Merge::Add(const Registration& addition, std::vector<FieldFact>& fields) {
  const Location& at = addition.site.location;
  for (const FieldFact& fact : addition.fields) {
    fields.push_back(fact);
    fields.back().value.details["at"] = at.path + ":" + std::to_string(at.line);
  }
}

std::string Merge::Exemption(const Operator& op, const std::vector<FieldFact>& facts) const {
  for (const Filter& filter : dialect_.exempt) {
    if (HasField(filter.unless_field, facts)) continue;
    if (FilterHolds(filter, op) || FilterHolds(filter, facts)) return filter.name;
  }
  return {};
}

bool Merge::Dropped(const Operator& op) const {
  auto holds = [&](const Filter& filter) { return FilterHolds(filter, op); };
  const auto& keep = dialect_.keep;
  return std::any_of(dialect_.drop.begin(), dialect_.drop.end(), holds) ||
         (!keep.empty() && std::none_of(keep.begin(), keep.end(), holds));
}

// Decides which conditional facts hold in a configuration.
class ConfigurationFilter {
 public:
  ConfigurationFilter(const Manifest& manifest, const std::string& configuration,
                      const Defines& defines)
      : all_(configuration == "union") {
    if (std::optional<Configuration> known = manifest.KnownOf(configuration)) {
      known_of_build_ = std::move(*known);
    }
    for (const auto& [name, value] : defines) {
      known_of_build_.defines[name] = value;
      known_of_build_.undefined.erase(name);
      fixed_ = fixed_.And(Condition::Defined(name));
      bool number = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
      if (number) fixed_ = fixed_.And(Condition::FromExpression(name + " == " + value));
    }
  }
  bool Holds(const Condition& condition, std::string_view path) {
    if (fixed_.IsAlways() && condition.IsAlways()) return true;
    const std::size_t dot = path.rfind('.');
    std::string extension(dot == std::string_view::npos ? "" : path.substr(dot));
    auto [known, fresh] = known_.try_emplace({condition, extension}, false);
    if (fresh) {
      known->second = all_ ? condition.And(fixed_).And(kOfLanguage).CanBeTrue()
                           : condition.MayHoldIn(known_of_build_, path);
    }
    return known->second;
  }
  template <typename T>
  void Filter(std::vector<T>& facts) {
    std::erase_if(facts, [&](const T& fact) { return !Holds(fact.condition, PathOf(fact)); });
  }

 private:
  // Defined in every configuration.
  inline static const Condition kOfLanguage = Condition::Defined("__cplusplus");

  template <typename T>
  static std::string_view PathOf(const T& fact) {
    if constexpr (requires { fact.location.path; }) return fact.location.path;
    return {};
  }

  bool all_;
  Configuration known_of_build_;
  Condition fixed_;
  std::map<std::pair<Condition, std::string>, bool> known_;  // by condition and file extension
};

void Merge::Evaluate(Draft& draft) {
  ChainFields reader(dialect_, evaluator_);
  std::sort(draft.evaluated.begin(), draft.evaluated.end(),
            [](const Registration& a, const Registration& b) { return a.site < b.site; });
  for (const Registration& registration : draft.evaluated) {
    std::vector<std::string> problems;
    std::vector<FieldFact> fields = reader.Read(registration, problems);
    draft.fields.insert(draft.fields.end(), std::make_move_iterator(fields.begin()),
                        std::make_move_iterator(fields.end()));
    for (std::string& problem : problems) {
      manifest_.incomplete.push_back({registration.site.location, "field",
                                      "'" + registration.name + "': " + std::move(problem)});
    }
  }
  draft.evaluated.clear();
}

// Returns the operator's fields. Values are in the order of their chains, without repetitions.
Fields Merge::FieldsOf(const Operator& op, Draft& draft, ConfigurationFilter& filter) {
  Evaluate(draft);
  int order = 0;
  for (const FactOverride& known : dialect_.fact_overrides) {
    if (known.op != op.name) continue;
    FieldFact& fact = draft.fields.emplace_back();
    fact.order = order++;
    fact.field = known.field;
    fact.value.key = known.key;
    fact.value.value = known.value;
    fact.value.details.insert(known.details.begin(), known.details.end());
  }
  SortUnique(draft.fields);
  const TypeNames& types = dialect_.types;
  const bool typed = !types.variables.empty() && (wanted_.empty() || wanted_.contains("dtypes"));
  Fields fields;
  std::set<std::pair<std::string, FieldValue>> known;
  for (FieldFact& fact : draft.fields) {
    bool of_types = typed && (fact.field == types.variables || fact.field == types.inputs);
    if (!of_types && !wanted_.empty() && !wanted_.contains(fact.field)) continue;
    std::vector<FieldValue>& values = fields[fact.field];
    const bool fresh = known.emplace(fact.field, fact.value).second;
    if (fresh || IsUnnamedResult(fact)) values.push_back(std::move(fact.value));
  }
  for (auto& [field, values] : fields) {
    const bool plain = std::all_of(values.begin(), values.end(),
                                   [](const auto& value) { return value.condition.IsAlways(); });
    if (field != "outputs" || !plain) JoinConditions(values);
    sets_.Resolve(op.sites, values);
    filter.Filter(values);
  }
  if (typed) AddDtypes(types, fields);
  AddImplied(types, fields);
  std::erase_if(fields, [&](const auto& field) {
    return field.second.empty() || (!wanted_.empty() && !wanted_.contains(field.first));
  });
  return fields;
}

void Merge::AddAbsent(const std::string& name, const Site& site) {
  Operator op;
  op.name = name;
  op.sites.push_back(site);
  if (Dropped(op) || !Exemption(op, {}).empty()) return;
  manifest_.absent.push_back({name, site.location, site.condition});
}

// Returns nullopt if the operator does not exist in the configuration or is not reported.
std::optional<Operator> Merge::MakeOperator(const std::string& name, Versions& versions,
                                            ConfigurationFilter& filter) {
  Operator op;
  op.name = name;
  std::optional<Site> absent;
  FoldUnversioned(versions);
  for (auto& [version, draft] : versions) {
    SortUnique(draft.sites);
    JoinConditions(draft.sites);
    if (!draft.sites.empty()) absent = draft.sites.front();
    filter.Filter(draft.sites);
    op.aliases.insert(op.aliases.end(), draft.aliases.begin(), draft.aliases.end());
  }
  std::vector<FieldFact> additions;
  if (!versions.empty()) additions = versions.begin()->second.fields;
  std::erase_if(versions, [](const auto& version) { return version.second.sites.empty(); });
  if (versions.empty()) {
    if (absent) {
      AddAbsent(name, *absent);
    } else {
      for (FieldFact& fact : additions) {
        if (fact.value.location.path.empty() || !filter.Holds(fact.value.condition, "")) continue;
        manifest_.unmatched.push_back({name, fact.field, std::move(fact.value)});
      }
    }
    return std::nullopt;
  }
  op.since = versions.rbegin()->first;
  op.sites = versions.rbegin()->second.sites;
  if (Dropped(op)) return std::nullopt;
  SortUnique(op.aliases);
  JoinConditions(op.aliases);
  filter.Filter(op.aliases);
  op.exempt = op.IsUnreachable() ? kUnreachable : Exemption(op, versions.rbegin()->second.fields);
  // If only some fields are wanted, the manifest is for a check, which skips exempt operators.
  if (!wanted_.empty() && !op.exempt.empty()) return op;
  std::vector<Kernel> kernels = std::move(kernels_[name]);
  if (dialect_.HasTable()) KeepCompiled(versions, kernels);
  const std::string& delegate = dialect_.kernels.delegate;
  for (const FieldFact& fact : versions.rbegin()->second.fields) {
    if (!delegate.empty() && fact.field == delegate) delegates_[name] = fact.value.value;
  }
  op.fields = FieldsOf(op, versions.rbegin()->second, filter);
  op.kernels = std::move(kernels);
  KernelsOfFields(dialect_.kernels, element_types_, op, manifest_.incomplete).Run();
  JoinKernels(op.kernels);
  JoinConditions(op.kernels);
  filter.Filter(op.kernels);
  versions.erase(std::prev(versions.end()));
  for (auto& [version, draft] : versions) {
    op.earlier.push_back({version, draft.sites, FieldsOf(op, draft, filter)});
  }
  return op;
}

// Keeps one default for each macro that some configuration leaves open.
void Merge::SortDefaults() {
  std::vector<MacroDefault>& defaults = manifest_.defaults;
  SortUnique(defaults);
  const auto repeated =
      std::unique(defaults.begin(), defaults.end(),
                  [](const MacroDefault& a, const MacroDefault& b) { return a.macro == b.macro; });
  defaults.erase(repeated, defaults.end());
  std::erase_if(defaults, [&](const MacroDefault& of) {
    return std::all_of(manifest_.configurations.begin(), manifest_.configurations.end(),
                       [&](const auto& named) { return named.second.Names(of.macro); });
  });
}

// Gives operators the kernels of the operators that they delegate to.
void Merge::FollowDelegates() {
  std::vector<Operator>& operators = manifest_.operators;  // sorted by name
  for (Operator& op : operators) {
    const auto found = delegates_.find(op.name);
    if (found == delegates_.end()) continue;
    const std::size_t space = op.name.find(dialect_.separator);
    const std::string to =
        space == std::string::npos
            ? found->second
            : op.name.substr(0, space + dialect_.separator.size()) + found->second;
    const auto at =
        std::lower_bound(operators.begin(), operators.end(), to,
                         [](const Operator& a, const std::string& b) { return a.name < b; });
    if (at == operators.end() || at->name != to) continue;
    op.kernels.insert(op.kernels.end(), at->kernels.begin(), at->kernels.end());
    JoinKernels(op.kernels);
    JoinConditions(op.kernels);
  }
}

// Such a name comes from a file that is not C++ or Python itself, such as a template.
void Merge::AddRefused(const Operator& op) {
  for (const Site& site : op.sites) {
    manifest_.incomplete.push_back(
        {site.location, "registration",
         "'" + op.name +
             "' is not a name that the framework accepts (\"name_pattern\" of dialect '" +
             dialect_.name +
             "'); if code is generated from this file, exclude it and scan the generated code"});
  }
}

Manifest Merge::Finish(const std::string& configuration, const Defines& defines) {
  manifest_.dialect = dialect_.name;
  manifest_.configuration = configuration;
  manifest_.configurations = dialect_.configurations;
  manifest_.default_configuration = dialect_.default_configuration;
  manifest_.relations = dialect_.relations;
  SortDefaults();
  if (!dialect_.build_names.empty() || (dialect_.HasScopes() && !defines.empty())) {
    NameByBuild(configuration, defines);
  }
  ConfigurationFilter filter(manifest_, configuration, defines);
  const llvm::Regex accepted(dialect_.name_pattern.empty() ? "." : dialect_.name_pattern);
  for (auto& [name, versions] : operators_) {
    std::optional<Operator> op = MakeOperator(name, versions, filter);
    if (!op) continue;
    if (accepted.match(op->name)) {
      manifest_.operators.push_back(std::move(*op));
    } else {
      AddRefused(*op);
    }
  }
  operators_.clear();
  FollowDelegates();
  BookHeaders();
  SortUnique(manifest_.unmatched);
  SortUnique(manifest_.dynamic);
  SortUnique(manifest_.incomplete);
  return std::move(manifest_);
}

bool CheckConfiguration(const Dialect& dialect, const std::string& configuration,
                        Diagnostics& diagnostics) {
  if (configuration == "union" || dialect.configurations.contains(configuration)) return true;
  std::vector<std::string> known{"union"};
  for (const auto& [name, known_of] : dialect.configurations) known.push_back(name);
  diagnostics.Error({}, "unknown configuration '" + configuration + "'",
                    ChoiceHint(configuration, known));
  return false;
}

}  // namespace opledger::scan
