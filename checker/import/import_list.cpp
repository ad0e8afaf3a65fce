// Makes an opledger list from a framework's own lists.
// SPDX-License-Identifier: Apache-2.0
#include "checker/import/import_list.h"

#include <algorithm>
#include <set>

#include "checker/import/imported_entries.h"
#include "registry/json/json_write.h"
#include "registry/list_source/list_rows.h"
#include "registry/text/glob.h"
#include "registry/text/source_text.h"

namespace opledger {
namespace {

// Inner lists repeat the module's own lists, so only a rule with an exact or dotted name applies to
// them.
bool Fits(const ListRule& rule, const NamedList& list) {
  return !list.inner || rule.name == list.name || rule.name.find('.') != std::string::npos;
}

const ListRule* FindRule(const std::vector<ListRule>& rules, const NamedList& list,
                         const std::string& framework) {
  const auto rule = std::find_if(rules.begin(), rules.end(), [&](const ListRule& each) {
    return (framework.empty() || each.framework.empty() || each.framework == framework) &&
           Fits(each, list) && GlobMatch(each.name, list.name);
  });
  return rule == rules.end() ? nullptr : &*rule;
}

// Returns the only element of a set, or "".
std::string Only(const std::set<std::string>& values) {
  return values.size() == 1 ? *values.begin() : std::string();
}

std::string GuessFramework(const ListModule& module) {
  std::set<std::string> frameworks;
  for (const ListRule& rule : ListRules()) {
    for (const NamedList& list : module.lists) {
      if (Fits(rule, list) && GlobMatch(rule.name, list.name)) frameworks.insert(rule.framework);
    }
  }
  return Only(frameworks);
}

// Guesses from the matching rules, otherwise from the name of the file.
std::string GuessDtype(const ListModule& module, const ImportTarget& target,
                       const std::string& framework) {
  std::set<std::string> dtypes;
  for (const NamedList& list : module.lists) {
    const ListRule* rule = FindRule(ListRules(), list, framework);
    if (rule != nullptr && !rule->target_dtype.empty()) dtypes.insert(rule->target_dtype);
  }
  if (!dtypes.empty()) return Only(dtypes);
  const std::string stem = target.path.substr(target.path.find_last_of('/') + 1);
  const auto has = [&](std::string_view part) { return stem.find(part) != std::string::npos; };
  if (has("bf16") || has("bfloat16")) return "bfloat16";
  return has("fp16") || has("float16") ? "float16" : "";
}

class Importer {
 public:
  Importer(const ListModule& module, const ImportTarget& target, Diagnostics& diagnostics)
      : module_(module), target_(target), diagnostics_(diagnostics) {}

  std::optional<ImportedList> Run() {
    framework_ = target_.framework.empty() ? GuessFramework(module_) : target_.framework;
    dtype_ = target_.target_dtype.empty() ? GuessDtype(module_, target_, framework_)
                                          : target_.target_dtype;
    if (!Known("the framework", framework_, "--dialect NAME")) return std::nullopt;
    if (!Known("the 16-bit type", dtype_, "--target-dtype float16")) return std::nullopt;
    for (const NamedList& list : module_.lists) several_ = several_ || IsOf(list, dtype_);
    for (const NamedList& list : module_.lists) {
      if (!several_ || !IsOfAnother(list)) Assign(list);
    }
    if (used_ == 0) {
      return diagnostics_.Error(
          {target_.path, 0, 0, 0, 0}, "the file has no known list of '" + framework_ + "'",
          "name the file with the lists, or give their policies with --map NAME=POLICY");
    }
    // Process marks last, because their operators may be listed further down.
    for (const auto& [list, role] : marks_) rows_.Mark(*list, role);
    ImportedEntries entries(rows_.Take());
    entries.Settle(*module_.source, diagnostics_);
    result_.json = Json(entries);
    return std::move(result_);
  }

 private:
  bool Known(const std::string& what, const std::string& value, const std::string& flag) {
    if (value.empty()) {
      diagnostics_.Error({target_.path, 0, 0, 0, 0},
                         what + " cannot be guessed from the names of the lists", "give " + flag);
    }
    return !value.empty();
  }

  const ListRule* RuleOf(const NamedList& list) const {
    const ListRule* rule = FindRule(target_.rules, list, framework_);
    return rule == nullptr ? FindRule(ListRules(), list, framework_) : rule;
  }

  bool IsOf(const NamedList& list, const std::string& dtype) const {
    const ListRule* rule = RuleOf(list);
    return rule != nullptr && rule->target_dtype == dtype;
  }

  // Returns whether the list is for a type other than the requested one.
  bool IsOfAnother(const NamedList& list) const {
    const ListRule* rule = RuleOf(list);
    return rule != nullptr && !rule->target_dtype.empty() && rule->target_dtype != dtype_;
  }

  void Warn(const Location& location, std::string message, std::string hint = {}) {
    module_.source->Warn(location, std::move(message), std::move(hint), diagnostics_);
  }

  void Assign(const NamedList& list) {
    const ListRule* rule = RuleOf(list);
    if (rule == nullptr) {
      // Warn only about values that are known to be lists.
      if (list.items.empty() || list.shared || list.inner) return;
      Warn(list.location, "no rule gives the meaning of '" + list.name + "'",
           "give --map " + list.name + "=POLICY, or =ignore");
      return;
    }
    if (rule->role.kind == ListRole::Kind::kIgnore) return;
    ++used_;
    devices_.insert(rule->device);
    result_.complete = result_.complete && list.complete;
    for (const ListProblem& problem : list.problems) {
      if (list.inner) Warn(problem.location, problem.message, problem.hint);
    }
    CheckDtype(list, *rule);
    if (rule->role.HasEntries()) {
      rows_.Add(list, rule->role);
    } else {
      marks_.emplace_back(&list, rule->role);
    }
  }

  void CheckDtype(const NamedList& list, const ListRule& rule) {
    if (rule.target_dtype.empty() || rule.target_dtype == dtype_) return;
    Warn(list.location,
         "'" + list.name + "' is a list for " + rule.target_dtype + ", not " + dtype_,
         "give --target-dtype " + rule.target_dtype);
  }

  std::string Json(const ImportedEntries& entries) const {
    std::string out = "{\n  \"framework\": " + JsonQuote(framework_) +
                      ",\n  \"target_dtype\": " + JsonQuote(dtype_);
    if (!target_.configuration.empty()) {
      out += ",\n  \"configuration\": " + JsonQuote(target_.configuration);
    }
    const std::string device = target_.device.empty() ? Only(devices_) : target_.device;
    if (!device.empty()) out += ",\n  \"device\": " + JsonQuote(device);
    const std::string policies = entries.Json(target_.places);
    if (!policies.empty()) out += ",\n" + policies;
    return out + "\n}\n";
  }

  const ListModule& module_;
  const ImportTarget& target_;
  Diagnostics& diagnostics_;
  std::string framework_;
  std::string dtype_;
  bool several_ = false;  // the file has lists whose names give the requested type
  std::set<std::string> devices_;
  int used_ = 0;
  ListRows rows_ = {
      [this](const Location& place, const std::string& message, const std::string& hint) {
        Warn(place, message, hint);
        result_.complete = false;
      },
      [this](const Location& place, const std::string& message, const std::string& hint) {
        Warn(place, message, hint);
      }};
  std::vector<std::pair<const NamedList*, ListRole>> marks_;
  ImportedList result_;
};

}  // namespace

std::optional<ImportedList> ImportLists(const ListModule& module, const ImportTarget& target,
                                        Diagnostics& diagnostics) {
  return Importer(module, target, diagnostics).Run();
}

}  // namespace opledger
