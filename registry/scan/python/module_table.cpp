// Parses modules on demand and follows names through them; see module_table.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/python/module_table.h"

#include <algorithm>
#include <utility>

namespace opledger::scan {
namespace {

constexpr std::size_t kMaxReexports = 64;  // for one name, each in another module

}  // namespace

PythonModule* PythonModuleTable::Parse(const std::string& path) {
  std::unique_ptr<PythonModule>& slot = modules_[path];
  if (slot != nullptr) return slot.get();
  const auto text = texts_.find(path);
  if (text == texts_.end()) return nullptr;
  slot = std::make_unique<PythonModule>();
  slot->path = path;
  slot->text = std::make_shared<const SourceText>(path, text->second);
  slot->tree = ParsePythonStatements(slot->text, slot->diagnostics);
  return slot.get();
}

void PythonModuleTable::Restart(PythonModule& module) {
  if (module.evaluator != nullptr) retired_.push_back(std::move(module.evaluator));
  module.whole = false;
  module.facts.clear();
  module.callees.clear();
  module.registering.clear();
  module.handing_on.clear();
  module.lacks_values = false;
  module.evaluated = false;
  module.evaluator =
      std::make_unique<PythonEvaluator>(*module.tree, &hooks_, names_.NameOf(module.path));
  by_evaluator_[module.evaluator.get()] = &module;
  module.evaluator->RunModule();
  module.evaluated = true;
}

PythonModule* PythonModuleTable::Load(const std::string& path) {
  PythonModule* const module = Parse(path);
  if (module == nullptr || !module->tree) return nullptr;
  if (module->evaluator == nullptr) Restart(*module);
  return module;
}

PythonModule* PythonModuleTable::Of(const PythonEvaluator& evaluator) const {
  const auto found = by_evaluator_.find(&evaluator);
  return found == by_evaluator_.end() ? nullptr : found->second;
}

PythonMeaning PythonModuleTable::Meaning(const std::string& from, const std::string& name) {
  Way way;
  return Follow(from, name, way);
}

PythonMeaning PythonModuleTable::Follow(const std::string& from, const std::string& name,
                                        Way& way) {
  PythonMeaning meaning;
  const std::pair<std::string, std::string> here(from, name);
  if (std::find(way.begin(), way.end(), here) != way.end()) return meaning;
  way.push_back(here);
  if (way.size() > kMaxReexports) {
    PythonModule* const first = Parse(way.front().first);
    first->diagnostics.Error(
        {.path = first->path},
        "'" + way.front().second + "' is imported through more than " +
            std::to_string(kMaxReexports) +
            " modules, so its meaning is not known; import it from where it is defined");
    return meaning;
  }
  const std::size_t object = name.find('(');
  const PythonTarget target = names_.Resolve(from, name.substr(0, object));
  if (target.path.empty() || target.path == from || object != std::string::npos) {
    meaning.kind = PythonMeaning::Kind::kForeign;
    meaning.name = name;
    if (target.path.empty() && object == std::string::npos) meaning.name = target.absolute;
    return meaning;
  }
  PythonModule* const module = Load(target.path);
  if (module == nullptr) return meaning;
  if (!target.rest.empty()) return MeaningIn(*module, target.rest, way);
  meaning.kind = PythonMeaning::Kind::kModule;
  meaning.module = module;
  return meaning;
}

PythonMeaning PythonModuleTable::MeaningIn(PythonModule& module, const std::string& rest,
                                           Way& way) {
  PythonMeaning meaning;
  const std::string first = rest.substr(0, rest.find('.'));
  const std::string more = first.size() == rest.size() ? "" : rest.substr(first.size());
  const PythonBinding* binding = module.evaluator->Global(first);
  const bool unknown = binding != nullptr && binding->value.IsUnknown();
  if (unknown && binding->value.text.empty() && module.evaluated && !module.imports) {
    module.imports = true;
    Restart(module);
    binding = module.evaluator->Global(first);
  }
  if (binding == nullptr) return meaning;
  // If tests decide between several values, only callable ones count.
  std::string name = binding->value.IsUnknown() ? binding->value.text : "";
  for (const PythonOther& each : binding->others) {
    const PythonValue& other = each.value;
    const bool named = other.IsUnknown() && !other.text.empty();
    const bool callable = other.kind == PythonValue::Kind::kFunction;
    if (named && !name.empty() && name != other.text) return meaning;
    if (named) name = other.text;
    if (!named && !callable && name.empty() &&
        binding->value.kind != PythonValue::Kind::kFunction) {
      return meaning;
    }
  }
  if (!name.empty()) return Follow(module.path, name + more, way);

  meaning.kind = PythonMeaning::Kind::kValue;
  meaning.module = &module;
  meaning.value = binding->value;
  if (more.empty()) return meaning;
  const PythonBinding* member = nullptr;
  if (binding->value.kind == PythonValue::Kind::kClass) {
    member = binding->value.scope->Find(more.substr(1));
  }
  if (member == nullptr) return {};
  meaning.value = member->value;
  return meaning;
}

std::vector<std::pair<std::string, std::string>> PythonModuleTable::Starred(
    const std::string& from, const std::string& module) {
  std::vector<std::pair<std::string, std::string>> names;
  const PythonTarget target = names_.Resolve(from, module);
  if (target.path.empty() || !target.rest.empty() || target.path == from) return names;
  PythonModule* const loaded = Load(target.path);
  if (loaded == nullptr) return names;
  for (const std::string& name : loaded->evaluator->GlobalNames()) {
    const bool dots_only = module.find_first_not_of('.') == std::string::npos;
    if (!name.starts_with('_')) names.emplace_back(name, module + (dots_only ? "" : ".") + name);
  }
  return names;
}

}  // namespace opledger::scan
