// There are few such files, so each is read here and not added to the tree.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/ledger/unread_files.h"

#include <algorithm>
#include <cerrno>

#include "registry/scan/outline/macro_states.h"

namespace opledger::scan {
namespace {

bool MentionsAny(std::string_view text, const NameSet& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return text.find(name) != std::string_view::npos;
  });
}

// Adds the file's own macros whose bodies lead to a registration to `names`. Returns the first, or
// null.
const MacroDefinition* AddOwn(const Outline& outline, NameSet& names) {
  const MacroDefinition* first = nullptr;
  for (bool grows = true; grows;) {
    grows = false;
    for (const MacroDefinition& macro : outline.macros) {
      const bool leads = std::any_of(macro.identifiers.begin(), macro.identifiers.end(),
                                     [&](const std::string& name) { return names.contains(name); });
      if (!leads) continue;
      if (first == nullptr || macro.offset < first->offset) first = &macro;
      grows = names.insert(macro.name).second || grows;
    }
  }
  return first;
}

}  // namespace

void AddUnreadFile(const MacroIndex& index, const SourceTree& tree, const Dialect& dialect,
                   const std::string& path, const std::string& why,
                   std::vector<Incomplete>& incomplete) {
  const std::optional<std::string> text = ReadSource(tree.source(), path);
  if (!text) {
    incomplete.push_back({{path}, "file", WhyUnread(errno)});
    return;
  }
  if (!MentionsAny(*text, index.leading())) return;
  const Outline outline = MakeOutline(*text, dialect);
  NameSet names = index.leading();
  const MacroDefinition* const definition = AddOwn(outline, names);
  std::vector<Mention> uses = FindMentions(*text, outline, names);
  std::erase_if(uses, [&](const Mention& mention) {
    return mention.form != Mention::Form::kUse || dialect.IsExcepted(mention.name, path) ||
           !outline.StackCondition(mention.branch).CanBeTrue();
  });
  if (uses.empty() && definition != nullptr && IsSourceTemplate(path)) {
    uses.emplace_back();
    uses.back().name = definition->name;
    uses.back().offset = definition->offset;
  }
  if (uses.empty()) return;
  std::string more;
  if (uses.size() > 1) more = " (and " + std::to_string(uses.size() - 1) + " more in this file)";
  incomplete.push_back({PlaceOf(uses.front(), path, LineIndex(*text)), "registration",
                        "'" + uses.front().name + "' is used here" + more + ", but " + why});
}

void AddConfigurationMacros(const MacroIndex& index, const SourceTree& tree, const Dialect& dialect,
                            std::vector<Incomplete>& incomplete) {
  // Macro -> first configuration that makes it lead.
  std::map<std::string, std::string> configurations;
  for (const auto& [configuration, build] : dialect.configurations) {
    for (const auto& [macro, value] : build.defines) {
      const std::vector<std::string> names = NamesIn(value);
      const bool leads = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return index.leading().contains(name);
      });
      if (leads) configurations.emplace(macro.substr(0, macro.find('(')), configuration);
    }
  }
  for (const auto& [macro, configuration] : configurations) {
    for (int file = 0; file < static_cast<int>(tree.files().size()); ++file) {
      const SourceFile& source = tree.files()[file];
      const bool defined =
          !index.HeaderDefinitions(macro).empty() ||
          std::any_of(source.outline.macros.begin(), source.outline.macros.end(),
                      [&name = macro](const MacroDefinition& own) { return own.name == name; });
      if (defined || !source.outline.Mentions(macro)) continue;
      const std::string text = ReadSource(tree.source(), source.path).value_or("");
      for (const Mention& mention : FindMentions(text, source.outline, {macro})) {
        incomplete.push_back(
            {PlaceOf(mention, source.path, LineIndex(text)), "registration",
             "'" + macro + "' registers through its definition in configuration '" + configuration +
                 "', which the scanner does not follow; #define it in the sources "
                 "under an #if"});
      }
    }
  }
}

}  // namespace opledger::scan
