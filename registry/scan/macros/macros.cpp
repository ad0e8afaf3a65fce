// Inclusion is a bit for each component of the include graph. Leading macros are a fixpoint from
// the sinks through macro bodies: NNVM_REGISTER_OP <- REGISTER_UNARY <- REGISTER_UNARY_WITH_GRAD.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/macros/macros.h"

#include <algorithm>
#include <cerrno>

#include "registry/scan/macros/statement_walk.h"
#include "registry/scan/tree/include_graph.h"

namespace opledger::scan {
namespace {

// Least length that a word must share with a leading macro to be part of a pasted name.
constexpr std::size_t kTellingLength = 6;
// Least length of the text that ## joins with a parameter: "R_" in R_##n.
constexpr std::size_t kMinPasted = 2;

bool PastesInto(const MacroDefinition& macro, const std::string& name) {
  return std::any_of(macro.pastes.begin(), macro.pastes.end(), [&](const auto& paste) {
    return name.starts_with(paste.first) && name.ends_with(paste.second);
  });
}

// Like PastesInto, but only if the pieces are long enough to be significant.
bool MayPaste(const MacroDefinition& macro, const std::string& name) {
  for (const auto& [prefix, suffix] : macro.pastes) {
    if (prefix.size() + suffix.size() >= kMinPasted &&
        name.size() > prefix.size() + suffix.size() && name.starts_with(prefix) &&
        name.ends_with(suffix)) {
      return true;
    }
  }
  return false;
}

bool IsPiece(std::string_view piece, std::string_view name) {
  return IsTellingPiece(piece) && piece.size() < name.size() &&
         (name.starts_with(piece) || name.ends_with(piece));
}

// Returns whether two sorted ranges share a value.
bool Intersect(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  const auto& few = a.size() < b.size() ? a : b;
  const auto& many = a.size() < b.size() ? b : a;
  return std::any_of(few.begin(), few.end(), [&](std::uint32_t value) {
    return std::binary_search(many.begin(), many.end(), value);
  });
}

}  // namespace

bool IsTellingPiece(std::string_view piece) {
  constexpr std::size_t kMinPiece = 4;
  return piece.size() >= (piece.ends_with('_') ? kMinPasted : kMinPiece);
}

MacroIndex::MacroIndex(const SourceTree& tree, const Dialect& dialect)
    : tree_(tree), dialect_(dialect) {
  FindLeading();
  CollectActiveHeaders();
}

MacroIndex::MacroIndex(const SourceTree& tree, const Dialect& dialect,
                       std::vector<int> active_headers, std::vector<int> attached_headers)
    : tree_(tree),
      dialect_(dialect),
      active_headers_(std::move(active_headers)),
      attached_headers_(std::move(attached_headers)) {
  FindLeading();
}

MacroIndex::MacroIndex(const SourceTree& tree, const Dialect& dialect, Found found)
    : tree_(tree),
      dialect_(dialect),
      leading_(std::move(found.leading)),
      inner_(std::move(found.inner)),
      active_headers_(std::move(found.active_headers)),
      attached_headers_(std::move(found.attached_headers)) {
  ComputeReach();
  FindAsking();
  CollectHeaderMacros();
  FindUnsettled();
  FindGluing();
  HashLeading();
}

void MacroIndex::FindLeading() {
  ComputeReach();
  FindAsking();
  CollectHeaderMacros();
  FindUnsettled();
  FindGluing();
  std::vector<std::string> sinks;
  for (const Sink& sink : dialect_.sinks) {
    if (sink.identity) continue;  // it registers nothing by itself
    if (leading_.insert(sink.macro).second) sinks.push_back(sink.macro);
  }
  while (!sinks.empty()) {
    std::string name = std::move(sinks.back());
    sinks.pop_back();
    Grow(name, -1, leading_, sinks);
  }
  if (dialect_.HasScopes()) FindInner();
  HashLeading();
}

void MacroIndex::HashLeading() {
  others_ = OtherDialects(tree_, dialect_);
  for (const std::string& name : leading_) {
    name_hashes_.push_back(HashIdentifier(name));
    leading_bits_.set(name_hashes_.back() % leading_bits_.size());
  }
  leading_hashes_ = name_hashes_;
  std::sort(leading_hashes_.begin(), leading_hashes_.end());
  nothing_own_.resize(tree_.files().size());
}

// Finds #include NAME where NAME is defined. A macro of a third party matters no more than a
// missing header.
void MacroIndex::FindUnsettled() {
  auto by_build = [&](const std::string& name, const SourceFile& source) {
    return source.command.defines.contains(name) || !TextsOfBuilds(name).empty();
  };
  for (int file = 0; file < static_cast<int>(tree_.files().size()); ++file) {
    const SourceFile& source = tree_.files()[file];
    for (const Include& include : source.outline.includes) {
      if (!include.computed) continue;
      const std::vector<std::string> names = NamesIn(include.target);
      const bool known =
          !names.empty() &&
          (!HeaderDefinitions(names[0]).empty() || by_build(names[0], source) ||
           std::any_of(source.outline.macros.begin(), source.outline.macros.end(),
                       [&](const MacroDefinition& macro) { return macro.name == names[0]; }) ||
           DefinedByIncluder(names[0], file));
      if (known) unsettled_.push_back({file, include.directive.begin});
    }
  }
}

std::vector<FilePlace> MacroIndex::UnsettledIncludes(int unit) const {
  std::vector<FilePlace> reached;
  for (FilePlace place : unsettled_) {
    if (place.file == unit || Reaches(unit, place.file)) reached.push_back(place);
  }
  return reached;
}

void MacroIndex::FindInner() {
  std::vector<std::string> names;
  for (const ScopeMethod& method : dialect_.scope_methods) names.push_back(method.method);
  for (const Sink& sink : dialect_.sinks) {
    if (sink.identity) names.push_back(sink.macro);
  }
  while (!names.empty()) {
    std::string name = std::move(names.back());
    names.pop_back();
    Grow(name, -1, inner_, names);
  }
}

// Returns the names in the statements that may register, except the sinks, and the names in the
// conditions around these statements.
MacroIndex::StatementNames MacroIndex::NamesInStatements(std::string_view text, int file,
                                                         const NameSet& leading) const {
  StatementNames names;
  const Outline& outline = tree_.files()[file].outline;
  for (const Statement& statement :
       WalkStatements(text, outline, leading, PlainSinks(dialect_)).all) {
    names.used.insert(statement.identifiers.begin(), statement.identifiers.end());
    for (const int branch : statement.branches) {
      const std::set<std::string> tested = StackCondition(file, branch).Macros();
      names.tested.insert(tested.begin(), tested.end());
      // The condition does not include macros with arguments.
      for (int around = branch; around != kNoBranch; around = outline.branches[around].parent) {
        if (outline.branches[around].guard) continue;
        for (const int other : outline.GroupOf(outline.FirstOf(around))) {
          for (std::string& name : NamesIn(outline.branches[other].Expression())) {
            names.tested.insert(std::move(name));
          }
        }
      }
    }
  }
  std::erase_if(names.used, [&](const std::string& name) { return dialect_.IsSink(name); });
  return names;
}

// Returns whether the header or what it includes defines all macros that it needs to register. A
// header that includes itself is evaluated under different conditions each time.
bool MacroIndex::Sufficient(int header) const {
  const SourceFile& source = tree_.files()[header];
  if (IncludesItself(header)) return false;
  std::optional<std::string> text = ReadSource(tree_.source(), source.path);
  if (!text || DigestOf(*text) != source.content) {
    unread_[header] = text ? "the file changed during the scan; scan again" : WhyUnread(errno);
    return false;
  }
  const StatementNames names = NamesInStatements(*text, header, leading_);
  if (std::any_of(names.tested.begin(), names.tested.end(),
                  [&](const std::string& name) { return DefinedByIncluder(name, header); })) {
    return false;
  }
  if (ChangesItself(header, names.tested)) return false;
  std::vector<std::string> waiting(names.used.begin(), names.used.end());
  NameSet seen = names.used;
  auto need = [&](const std::string& name) {
    if (!dialect_.IsSink(name) && seen.insert(name).second) waiting.push_back(name);
  };
  while (!waiting.empty()) {
    std::string name = std::move(waiting.back());
    waiting.pop_back();
    std::vector<DefinitionRef> known = DefinitionsFor(name, header);
    std::erase_if(known, [&](DefinitionRef ref) { return Definition(ref).undefines; });
    if (known.empty() && (leading_.contains(name) || IsFunctionLike(name))) return false;
    if (known.empty() && DefinedByIncluder(name, header)) return false;
    Condition none;
    for (DefinitionRef ref : known) none = none.And(DefinitionCondition(ref).Not());
    if (!known.empty() && none.CanBeTrue() && DefinedElsewhere(name, header)) return false;
    for (DefinitionRef ref : known) {
      for (const std::string& other : Definition(ref).identifiers) need(other);
      for (const std::string& other : leading_) {
        bool pasted = PastesInto(Definition(ref), other);
        if (pasted && !DefinitionsFor(other, header).empty()) need(other);
      }
    }
  }
  return true;
}

// Returns whether what the unit registers depends on macros of files that include it.
bool MacroIndex::NeedsIncluder(int unit) const {
  const SourceFile& source = tree_.files()[unit];
  const std::optional<std::string> text = ReadSource(tree_.source(), source.path);
  if (!text) return false;  // reported when the unit is scanned
  StatementNames names = NamesInStatements(*text, unit, LeadingIn(unit));
  NameSet seen = std::move(names.used);
  seen.merge(names.tested);
  std::vector<std::string> waiting(seen.begin(), seen.end());
  const auto need = [&](const std::string& name) {
    if (!dialect_.IsSink(name) && seen.insert(name).second) waiting.push_back(name);
  };
  while (!waiting.empty()) {
    const std::string name = std::move(waiting.back());
    waiting.pop_back();
    Condition none;
    for (const DefinitionRef ref : DefinitionsFor(name, unit)) {
      none = none.And(DefinitionCondition(ref).Not());
      for (const std::string& other : Definition(ref).identifiers) need(other);
    }
    if (none.CanBeTrue() && DefinedByIncluder(name, unit)) return true;
  }
  return false;
}

bool MacroIndex::IsGivenByIncluder(const std::string& macro, int unit) const {
  const bool attached =
      std::binary_search(attached_headers_.begin(), attached_headers_.end(), unit);
  return attached && tree_.files()[unit].is_unit && DefinedByIncluder(macro, unit);
}

// Returns the definitions in the header itself and in what it includes.
std::vector<DefinitionRef> MacroIndex::DefinitionsFor(std::string_view name, int header) const {
  std::vector<DefinitionRef> known = Visible(name, header);
  const auto& macros = tree_.files()[header].outline.macros;
  for (int macro = 0; macro < static_cast<int>(macros.size()); ++macro) {
    if (macros[macro].name == name) known.push_back({header, macro});
  }
  return known;
}

// Returns whether a file that `header` does not include, but its includer may, defines the macro.
bool MacroIndex::DefinedElsewhere(std::string_view name, int header) const {
  for (int file = 0; file < static_cast<int>(tree_.files().size()); ++file) {
    if (Reaches(header, file)) continue;
    const auto& macros = tree_.files()[file].outline.macros;
    bool defines = std::any_of(macros.begin(), macros.end(), [&](const MacroDefinition& macro) {
      return macro.name == name && !macro.undefines;
    });
    if (defines && (tree_.files()[file].included || Reaches(file, header))) return true;
  }
  return false;
}

// Returns whether a file that includes `header`, or another file that the includer includes,
// defines the macro: #define ITERATION 2.
bool MacroIndex::DefinedByIncluder(std::string_view name, int header) const {
  if (macro_bits_.none()) {
    for (const SourceFile& file : tree_.files()) {
      for (const MacroDefinition& macro : file.outline.macros) {
        macro_bits_.set(HashIdentifier(macro.name) % macro_bits_.size());
      }
    }
  }
  if (!macro_bits_[HashIdentifier(name) % macro_bits_.size()]) return false;
  const int files = static_cast<int>(tree_.files().size());
  std::vector<int> beside;  // files that define the macro without including the header
  for (int file = 0; file < files; ++file) {
    if (file == header) continue;
    const auto& macros = tree_.files()[file].outline.macros;
    if (std::none_of(macros.begin(), macros.end(),
                     [&](const MacroDefinition& macro) { return macro.name == name; })) {
      continue;
    }
    if (Reaches(file, header)) return true;
    if (tree_.files()[file].included && !Reaches(header, file)) beside.push_back(file);
  }
  for (int file = 0; file < files && !beside.empty(); ++file) {
    if (file == header || !Reaches(file, header)) continue;
    if (std::any_of(beside.begin(), beside.end(),
                    [&](int other) { return Reaches(file, other); })) {
      return true;
    }
  }
  return false;
}

// Returns whether the header, or what it includes, defines a macro that it tests, so that its text
// differs if it is included again.
bool MacroIndex::ChangesItself(int header, const NameSet& tested) const {
  if (tree_.files()[header].outline.guarded) return false;
  return std::any_of(tested.begin(), tested.end(), [&](const std::string& name) {
    return !DefinitionsFor(name, header).empty();
  });
}

// Returns whether a header defines the macro with parameters.
bool MacroIndex::IsFunctionLike(std::string_view name) const {
  auto found = header_macros_.find(name);
  return found != header_macros_.end() &&
         std::any_of(found->second.definitions.begin(), found->second.definitions.end(),
                     [&](DefinitionRef ref) {
                       const std::string& text = Definition(ref).text;
                       return text.size() > name.size() && text[name.size()] == '(';
                     });
}

void MacroIndex::CollectActiveHeaders() {
  const auto& files = tree_.files();
  // Files that some unit includes unconditionally.
  std::vector<bool> surely(files.size());
  std::vector<int> waiting;
  for (int file = 0; file < static_cast<int>(files.size()); ++file) {
    if (files[file].is_unit) waiting.push_back(file);
  }
  while (!waiting.empty()) {
    int file = waiting.back();
    waiting.pop_back();
    for (std::size_t i = 0; i < files[file].include_files.size(); ++i) {
      int other = files[file].include_files[i];
      if (other < 0 || surely[other]) continue;
      if (!StackCondition(file, files[file].outline.includes[i].branch).IsAlways()) continue;
      surely[other] = true;
      waiting.push_back(other);
    }
  }
  for (int file = 0; file < static_cast<int>(files.size()); ++file) {
    const SourceFile& source = files[file];
    if (!source.included || !Active(file, LeadingIn(file))) continue;
    if (source.is_unit) {
      if (NeedsIncluder(file)) attached_headers_.push_back(file);
      continue;
    }
    bool alone = surely[file] && Sufficient(file);
    (alone ? active_headers_ : attached_headers_).push_back(file);
  }
}

void MacroIndex::ComputeReach() {
  const auto& files = tree_.files();
  IncludeComponents components(files);
  component_ = components.Take();
  // Most files of a large tree are units that no file includes, so nothing asks who reaches them.
  columns_.assign(components.count(), -1);
  int columns = 0;
  for (const SourceFile& file : files) {
    for (const int other : file.includes) {
      int& column = columns_[component_[other]];
      if (column < 0) column = columns++;
    }
  }
  const std::size_t words = (static_cast<std::size_t>(columns) + 63) / 64;
  reach_.assign(components.count(), std::vector<std::uint64_t>(words, 0));
  std::vector<std::vector<int>> members(components.count());
  for (std::size_t file = 0; file < files.size(); ++file) {
    members[component_[file]].push_back(static_cast<int>(file));
  }
  for (int component = 0; component < components.count(); ++component) {
    auto& bits = reach_[component];
    const int column = columns_[component];
    if (column >= 0) bits[column / 64] |= std::uint64_t{1} << (column % 64);
    for (int file : members[component]) {
      for (int other : files[file].includes) {
        if (component_[other] == component) continue;
        const auto& more = reach_[component_[other]];
        for (std::size_t i = 0; i < words; ++i) bits[i] |= more[i];
      }
    }
  }
}

bool MacroIndex::Reaches(int file, int other) const {
  const int column = columns_[component_[other]];
  if (column < 0) return component_[file] == component_[other];
  return (reach_[component_[file]][column / 64] >> (column % 64) & 1) != 0;
}

// A file with __has_include in a condition tests the headers that it includes itself. If a macro
// has __has_include, any file may use it.
void MacroIndex::FindAsking() {
  constexpr std::string_view kHasInclude = "__has_include";
  const auto asks = [&](const std::string& text) {
    return text.find(kHasInclude) != std::string::npos;
  };
  bool everywhere = false;
  for (int file = 0; file < static_cast<int>(tree_.files().size()); ++file) {
    const Outline& outline = tree_.files()[file].outline;
    everywhere = everywhere || std::any_of(outline.macros.begin(), outline.macros.end(),
                                           [&](const auto& macro) { return asks(macro.text); });
    const bool here = std::any_of(
        outline.branches.begin(), outline.branches.end(),
        [&](const Branch& branch) { return asks(branch.text) || asks(branch.written); });
    if (here) asking_.push_back(file);
  }
  if (!everywhere) return;
  asking_.clear();
  for (int file = 0; file < static_cast<int>(tree_.files().size()); ++file) {
    const SourceFile& source = tree_.files()[file];
    if (!source.outline.branches.empty() && !source.include_files.empty()) asking_.push_back(file);
  }
}

void MacroIndex::AddTable(int header, const NameSet& leading, DigestBuilder& digest) const {
  const SourceFile& source = tree_.files()[header];
  digest.Add("table").Add(source.path);
  for (const std::string* name : Mentioned(source.outline, leading)) digest.Add(*name);
}

void MacroIndex::AddUnsettledIncludes(int unit, DigestBuilder& digest) const {
  for (const FilePlace& place : UnsettledIncludes(unit)) {
    digest.Add("unsettled").Add(tree_.files()[place.file].path);
    digest.Add(std::to_string(place.offset));
  }
}

void MacroIndex::AddFoundHeaders(int unit, DigestBuilder& digest) const {
  for (const int file : asking_) {
    if (!Reaches(unit, file)) continue;
    const SourceFile& source = tree_.files()[file];
    digest.Add("asks").Add(source.path);
    for (std::size_t i = 0; i < source.include_files.size(); ++i) {
      if (source.include_files[i] < 0) digest.Add(source.outline.includes[i].target);
    }
  }
}

bool MacroIndex::IncludesItself(int file) const {
  const SourceFile& source = tree_.files()[file];
  return source.included && !source.outline.guarded &&
         std::any_of(source.includes.begin(), source.includes.end(),
                     [&](int other) { return Reaches(other, file); });
}

void MacroIndex::CollectHeaderMacros() {
  for (int file = 0; file < static_cast<int>(tree_.files().size()); ++file) {
    if (!tree_.files()[file].included) continue;
    const auto& macros = tree_.files()[file].outline.macros;
    for (int macro = 0; macro < static_cast<int>(macros.size()); ++macro) {
      if (macros[macro].given) continue;
      header_bits_.set(HashIdentifier(macros[macro].name) % header_bits_.size());
      header_macros_[macros[macro].name].definitions.push_back({file, macro});
      if (!macros[macro].pastes.empty()) pasting_.push_back({file, macro});
      const auto& identifiers = macros[macro].identifiers;
      for (std::size_t i = 0; i < identifiers.size(); ++i) {
        mentions_.push_back({HashIdentifier(identifiers[i]), {file, macro}, i});
      }
    }
  }
  std::stable_sort(mentions_.begin(), mentions_.end(),
                   [](const Mention& a, const Mention& b) { return a.identifier < b.identifier; });
}

// Returns the macros whose bodies have the name.
std::vector<DefinitionRef> MacroIndex::MacrosNaming(std::string_view name) const {
  std::vector<DefinitionRef> macros;
  const std::uint32_t hash = HashIdentifier(name);
  auto at = std::lower_bound(
      mentions_.begin(), mentions_.end(), hash,
      [](const Mention& mention, std::uint32_t value) { return mention.identifier < value; });
  for (; at != mentions_.end() && at->identifier == hash; ++at) {
    if (Definition(at->macro).identifiers[at->index] == name) macros.push_back(at->macro);
  }
  return macros;
}

void MacroIndex::Grow(const std::string& name, int unit, NameSet& leading,
                      std::vector<std::string>& added) const {
  auto add = [&](DefinitionRef ref) {
    if (unit >= 0 && !Reaches(unit, ref.file)) return;
    const std::string& leads = Definition(ref).name;
    if (leading.insert(leads).second) added.push_back(leads);
  };
  for (DefinitionRef ref : MacrosNaming(name)) add(ref);
  for (DefinitionRef ref : pasting_) {
    if (MayPaste(Definition(ref), name)) add(ref);
  }
  for (DefinitionRef ref : gluing_callers_) {
    if (LeadsByPieces(Definition(ref), unit, name)) add(ref);
  }
}

void MacroIndex::AddMeanings(std::string_view name, int unit, DigestBuilder& digest) const {
  for (DefinitionRef ref : Visible(name, unit)) {
    const MacroDefinition& macro = Definition(ref);
    digest.Add(macro.undefines ? "#undef" : macro.text);
    digest.Add(std::to_string(ConditionIn(unit, ref).hash()));
  }
}

// Finds macros that join parameters, and macros that pass their parameters on to these:
//   #define CAT_(a, b) a##b
//   #define CAT(a, b) CAT_(a, b)
void MacroIndex::FindGluing() {
  std::vector<std::string> waiting;
  for (const auto& [name, macro] : header_macros_) {
    for (DefinitionRef ref : macro.definitions) {
      if (Definition(ref).glues && gluing_.insert(Definition(ref).name).second) {
        waiting.push_back(Definition(ref).name);
      }
    }
  }
  while (!waiting.empty()) {
    const std::string name = std::move(waiting.back());
    waiting.pop_back();
    for (DefinitionRef ref : MacrosNaming(name)) {
      const MacroDefinition& caller = Definition(ref);
      gluing_callers_.push_back(ref);
      // A macro that only passes its parameters on is equivalent.
      if (caller.identifiers.size() == 1 && gluing_.insert(caller.name).second) {
        waiting.push_back(caller.name);
      }
    }
  }
  for (const std::string& name : gluing_) gluing_hashes_.push_back(HashIdentifier(name));
  std::sort(gluing_hashes_.begin(), gluing_hashes_.end());
}

bool MacroIndex::Glues(std::string_view name, int unit) const {
  if (gluing_.contains(name)) return true;
  if (unit < 0) return false;
  auto [own, fresh] = own_gluing_.try_emplace(unit);
  if (fresh) {
    const auto& macros = tree_.files()[unit].outline.macros;
    for (std::size_t before = macros.size() + 1; before != own->second.size();) {
      before = own->second.size();
      for (const MacroDefinition& macro : macros) {
        const bool passes =
            macro.identifiers.size() == 1 && (gluing_.contains(macro.identifiers.front()) ||
                                              own->second.contains(macro.identifiers.front()));
        if (macro.glues || passes) own->second.insert(macro.name);
      }
    }
  }
  return own->second.contains(name);
}

bool MacroIndex::CallsGluing(const MacroDefinition& macro, int unit) const {
  return std::any_of(macro.identifiers.begin(), macro.identifiers.end(),
                     [&](const std::string& word) { return Glues(word, unit); });
}

// Returns whether a macro that calls a gluing macro names a piece of `name`.
bool MacroIndex::LeadsByPieces(const MacroDefinition& macro, int unit,
                               std::string_view name) const {
  const auto& words = macro.identifiers;
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return IsPiece(word, name); }) &&
         CallsGluing(macro, unit);
}

const NameSet& MacroIndex::PiecesIn(int unit) const {
  auto [pieces, fresh] = pieces_in_.try_emplace(unit);
  if (!fresh) return pieces->second;
  const Outline& outline = tree_.files()[unit].outline;
  const auto& macros = outline.macros;
  const bool own = std::any_of(macros.begin(), macros.end(), [&](const MacroDefinition& macro) {
    return Glues(macro.name, unit) && outline.Mentions(macro.name);
  });
  if (!own && !Intersect(gluing_hashes_, outline.identifiers)) return pieces->second;
  const NameSet& leading = LeadingIn(unit);
  for (const std::string& name : leading) {
    for (std::size_t size = 1; size < name.size(); ++size) {
      for (std::string piece : {name.substr(0, size), name.substr(name.size() - size)}) {
        if (!IsTellingPiece(piece) || !outline.Mentions(piece) || leading.contains(piece)) continue;
        pieces->second.insert(std::move(piece));
      }
    }
  }
  return pieces->second;
}

// Adds the macros of headers and of the unit that lead to the names `added`. A header may name what
// the unit defines (#define LIST X(a) X(b)), and vice versa.
void MacroIndex::GrowWithOwn(int unit, std::vector<std::string> added, NameSet& leading) const {
  const auto& macros = tree_.files()[unit].outline.macros;
  std::unordered_map<std::string_view, std::vector<const MacroDefinition*>> own;
  std::vector<const MacroDefinition*> pasting;
  std::vector<const MacroDefinition*> gluing;
  for (const MacroDefinition& macro : macros) {
    for (const std::string& identifier : macro.identifiers) own[identifier].push_back(&macro);
    if (!macro.pastes.empty()) pasting.push_back(&macro);
    if (CallsGluing(macro, unit)) gluing.push_back(&macro);
  }
  auto add = [&](const MacroDefinition* macro) {
    if (leading.insert(macro->name).second) added.push_back(macro->name);
  };
  while (!added.empty()) {
    std::string name = std::move(added.back());
    added.pop_back();
    if (auto found = own.find(name); found != own.end()) {
      for (const MacroDefinition* macro : found->second) add(macro);
    }
    for (const MacroDefinition* macro : pasting) {
      if (MayPaste(*macro, name)) add(macro);
    }
    for (const MacroDefinition* macro : gluing) {
      if (LeadsByPieces(*macro, unit, name)) add(macro);
    }
    Grow(name, unit, leading, added);
  }
}

const NameSet& MacroIndex::LeadingIn(int unit) const {
  if (nothing_own_[unit]) return leading_;
  auto found = leading_in_.find(unit);
  if (found != leading_in_.end()) return found->second;
  auto leads = [&](const MacroDefinition& macro) {
    for (const std::string& identifier : macro.identifiers) {
      if (IsLeading(identifier)) return true;
    }
    const bool glues = CallsGluing(macro, unit);
    return (glues || !macro.pastes.empty()) &&
           std::any_of(leading_.begin(), leading_.end(), [&](const std::string& name) {
             return MayPaste(macro, name) || (glues && LeadsByPieces(macro, unit, name));
           });
  };
  std::set<std::string> added;
  for (const MacroDefinition& macro : tree_.files()[unit].outline.macros) {
    if (!IsLeading(macro.name) && leads(macro)) added.insert(macro.name);
  }
  if (added.empty()) {
    nothing_own_[unit] = true;
    return leading_;
  }
  NameSet leading = leading_;
  leading.insert(added.begin(), added.end());
  GrowWithOwn(unit, {added.begin(), added.end()}, leading);
  return leading_in_.emplace(unit, std::move(leading)).first->second;
}

const MacroIndex::HeaderMacro* MacroIndex::Seen(std::string_view name, int unit) const {
  if (!header_bits_[HashIdentifier(name) % header_bits_.size()]) return nullptr;
  auto found = header_macros_.find(name);
  if (found == header_macros_.end()) return nullptr;
  const HeaderMacro& macro = found->second;
  if (macro.unit == unit) return &macro;
  macro.unit = unit;
  macro.visible.clear();
  macro.all_visible.clear();
  for (DefinitionRef ref : macro.definitions) {
    if (ref.file == unit || !Reaches(unit, ref.file)) continue;
    if (DefinitionCondition(ref).IsNever()) continue;
    macro.all_visible.push_back(ref);
    const MacroDefinition& definition = Definition(ref);
    bool known = std::any_of(macro.visible.begin(), macro.visible.end(), [&](DefinitionRef other) {
      const MacroDefinition& seen = Definition(other);
      return seen.text == definition.text && seen.undefines == definition.undefines &&
             DefinitionCondition(other) == DefinitionCondition(ref);
    });
    if (!known) macro.visible.push_back(ref);
  }
  return &macro;
}

const std::vector<DefinitionRef>& MacroIndex::AllVisible(std::string_view name, int unit) const {
  static const std::vector<DefinitionRef> none;
  const HeaderMacro* macro = Seen(name, unit);
  return macro == nullptr ? none : macro->all_visible;
}

const std::vector<DefinitionRef>& MacroIndex::Visible(std::string_view name, int unit) const {
  static const std::vector<DefinitionRef> none;
  const HeaderMacro* macro = Seen(name, unit);
  return macro == nullptr ? none : macro->visible;
}

const std::vector<DefinitionRef>& MacroIndex::HeaderDefinitions(std::string_view name) const {
  static const std::vector<DefinitionRef> none;
  if (!header_bits_[HashIdentifier(name) % header_bits_.size()]) return none;
  auto found = header_macros_.find(name);
  return found == header_macros_.end() ? none : found->second.definitions;
}

const Condition& MacroIndex::StackCondition(int file, int branch) const {
  static const Condition always;
  if (branch == kNoBranch) return always;
  auto [known, fresh] = stack_conditions_.try_emplace({file, branch});
  if (fresh) known->second = tree_.files()[file].outline.StackCondition(branch);
  return known->second;
}

const Condition& MacroIndex::DefinitionCondition(DefinitionRef ref) const {
  return StackCondition(ref.file, Definition(ref).branch);
}

constexpr std::size_t kMaxFurtherWays = 100;  // to files that are already reached in another way

// Returns the condition under which the unit includes the file in any way. It is too complex if
// there are too many ways.
const Condition& MacroIndex::IncludeCondition(int unit, int file) const {
  auto [answer, first] = include_conditions_.try_emplace({unit, file}, Condition::Never());
  if (!first) return answer->second;
  std::map<int, Condition> known{{unit, Condition()}};
  std::vector<int> waiting{unit};
  std::size_t further = 0;
  for (std::size_t next = 0; next < waiting.size(); ++next) {
    const SourceFile& source = tree_.files()[waiting[next]];
    for (std::size_t i = 0; i < source.include_files.size(); ++i) {
      int other = source.include_files[i];
      if (other < 0 || !Reaches(other, file)) continue;
      Condition when = known[waiting[next]].And(
          StackCondition(waiting[next], source.outline.includes[i].branch));
      const auto [way, is_first] = known.try_emplace(other, Condition::Never());
      Condition& so_far = way->second;
      if (!when.And(so_far.Not()).CanBeTrue()) continue;
      if (!is_first && ++further == kMaxFurtherWays) {
        return answer->second = Condition::TooComplex("#include " + tree_.files()[file].path);
      }
      so_far = when.IsAlways() ? when : so_far.Or(when);
      waiting.push_back(other);
    }
  }
  if (auto found = known.find(file); found != known.end()) answer->second = found->second;
  return answer->second;
}

// Returns the first #includes that lead from the unit to the file. The first of them is at `at`, if
// that is set.
std::vector<FilePlace> MacroIndex::WayTo(int unit, int file, std::optional<Offset> at) const {
  std::vector<FilePlace> way;
  std::set<int> seen;
  for (int from = unit; from != file && seen.insert(from).second; at.reset()) {
    const SourceFile& source = tree_.files()[from];
    int next = -1;
    for (std::size_t i = 0; i < source.include_files.size() && next < 0; ++i) {
      const int other = source.include_files[i];
      const Offset here = source.outline.includes[i].directive.begin;
      if (other < 0 || !Reaches(other, file) || (at && *at != here)) continue;
      next = other;
      way.push_back({from, here});
    }
    if (next < 0) break;
    from = next;
  }
  return way;
}

Condition MacroIndex::ConditionAt(const std::vector<FilePlace>& places) const {
  Condition when;
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    when = presence_.AtBegin(*place, when);
    const Outline& outline = tree_.files()[place->file].outline;
    when = when.And(presence_.Stack(place->file, outline.BranchAt(place->offset)));
  }
  return when;
}

const Outline& MacroIndex::OutlineIn(int unit, int file, std::optional<Offset> at) const {
  const Outline& outline = tree_.files()[file].outline;
  auto [known, fresh] = outlines_in_.try_emplace({unit, file, at.value_or(0)});
  if (!fresh) return known->second ? *known->second : outline;
  const std::vector<FilePlace> way = WayTo(unit, file, at);
  Outline seen;
  seen.branches = outline.branches;
  bool changes = false;
  for (int i = 0; i < static_cast<int>(seen.branches.size()); ++i) {
    Branch& branch = seen.branches[i];
    if (branch.kind == Branch::Kind::kElse || branch.guard) continue;
    Condition when = presence_.Directive(file, i);
    for (auto place = way.rbegin(); place != way.rend(); ++place) {
      when = presence_.AtBegin(*place, when);
    }
    std::string text = when.IsAlways() ? "1" : when.text();
    if (branch.resolved && branch.text == text) continue;
    branch.resolved = changes = true;
    branch.text = std::move(text);
  }
  if (!changes) return outline;
  seen.macros = outline.macros;
  seen.includes = outline.includes;
  return outlines_in_[{unit, file, at.value_or(0)}].emplace(std::move(seen));
}

Condition MacroIndex::ConditionIn(int unit, DefinitionRef ref) const {
  Condition own = DefinitionCondition(ref);
  if (!own.IsAlways()) {
    own = presence_.Stack(ref.file, Definition(ref).branch);
    const std::vector<FilePlace> way = WayTo(unit, ref.file, std::nullopt);
    for (auto place = way.rbegin(); place != way.rend(); ++place) {
      own = presence_.AtBegin(*place, own);
    }
  }
  if (Visible(Definition(ref).name, unit).size() < 2) return own;
  return own.And(IncludeCondition(unit, ref.file));
}

std::vector<const std::string*> MacroIndex::Mentioned(const Outline& outline,
                                                      const NameSet& leading) const {
  std::vector<const std::string*> mentioned;
  const bool shared = &leading == &leading_;
  std::size_t i = 0;
  for (const std::string& name : leading) {
    const std::uint32_t hash = shared ? name_hashes_[i++] : HashIdentifier(name);
    if (std::binary_search(outline.identifiers.begin(), outline.identifiers.end(), hash)) {
      mentioned.push_back(&name);
    }
  }
  return mentioned;
}

bool MacroIndex::GivesSchema(int file) const {
  const std::vector<NamedUse>& uses = tree_.files()[file].outline.named_uses;
  return std::any_of(uses.begin(), uses.end(), [&](const NamedUse& use) {
    const bool in_unit = tree_.files()[file].is_unit;
    const bool counts = in_unit || (!use.inside && !use.module.empty());
    return use.form == NamedForm::kMethod && use.schema && counts &&
           std::any_of(dialect_.scope_methods.begin(), dialect_.scope_methods.end(),
                       [&](const ScopeMethod& method) {
                         return method.method == use.name && TakesSchema(method);
                       });
  });
}

bool MacroIndex::Active(int file, const NameSet& leading) const {
  if (!DataFilesAt(dialect_, tree_.files()[file].path).empty()) return true;
  const Outline& outline = tree_.files()[file].outline;
  if (Intersect(leading_hashes_, outline.identifiers) || !PiecesIn(file).empty()) return true;
  if (GivesSchema(file)) return true;
  for (const std::string& name : leading) {
    if (&leading != &leading_ && !leading_.contains(name) && outline.Mentions(name)) return true;
  }
  // Pieces from which an expansion may paste a leading name.
  for (const SuspiciousName& suspicious : outline.suspicious_names) {
    if (suspicious.name.size() < kTellingLength) continue;
    for (const std::string& name : leading) {
      if (name.size() > suspicious.name.size() &&
          (name.starts_with(suspicious.name) || name.ends_with(suspicious.name))) {
        return true;
      }
    }
  }
  return false;
}

std::vector<int> MacroIndex::Tables(int unit, const NameSet& leading) const {
  std::vector<int> tables;
  for (int header : attached_headers_) {
    if (header != unit && Reaches(unit, header)) tables.push_back(header);
  }
  std::vector<const std::string*> own;
  for (const std::string& name : leading) {
    if (&leading != &leading_ && !leading_.contains(name)) own.push_back(&name);
  }
  if (own.empty()) return tables;
  for (int file = 0; file < static_cast<int>(tree_.files().size()); ++file) {
    if (file == unit || !tree_.files()[file].included || !Reaches(unit, file)) continue;
    const Outline& outline = tree_.files()[file].outline;
    for (const std::string* name : own) {
      if (!outline.Mentions(*name)) continue;
      if (std::find(tables.begin(), tables.end(), file) == tables.end()) tables.push_back(file);
    }
  }
  return tables;
}

std::vector<int> MacroIndex::FilesToScan() const {
  std::vector<int> units;
  for (int file = 0; file < static_cast<int>(tree_.files().size()); ++file) {
    const SourceFile& source = tree_.files()[file];
    if (!source.is_unit || !source.outline.unreadable.empty()) continue;
    const NameSet& leading = LeadingIn(file);
    // A function that takes a scope variable registers for its callers.
    const std::vector<std::string>& types = dialect_.scope_types;
    const bool helps = std::any_of(types.begin(), types.end(), [&](const std::string& type) {
      return source.outline.Mentions(type);
    });
    if (helps || Active(file, leading) || !Tables(file, leading).empty() ||
        !UnsettledIncludes(file).empty()) {
      units.push_back(file);
    }
  }
  units.insert(units.end(), active_headers_.begin(), active_headers_.end());
  return units;
}

const std::vector<std::string>& MacroIndex::HeaderMacrosLike(const std::string& prefix,
                                                             const std::string& suffix) const {
  auto [like, fresh] = macros_like_.try_emplace({prefix, suffix});
  if (!fresh || prefix.size() + suffix.size() < kMinPasted) return like->second;
  for (const auto& [name, macro] : header_macros_) {
    if (name.size() > prefix.size() + suffix.size() && name.starts_with(prefix) &&
        name.ends_with(suffix)) {
      like->second.emplace_back(name);
    }
  }
  std::sort(like->second.begin(), like->second.end());
  return like->second;
}

std::vector<std::string_view> MacroIndex::HeaderMacrosIn(int file) const {
  if (hashed_macros_.empty()) {
    for (const auto& [name, macro] : header_macros_) {
      hashed_macros_.emplace_back(HashIdentifier(name), name);
    }
    std::sort(hashed_macros_.begin(), hashed_macros_.end());
  }
  std::vector<std::string_view> names;
  const Outline& outline = tree_.files()[file].outline;
  auto at = outline.identifiers.begin();  // both are sorted
  for (const auto& [hash, name] : hashed_macros_) {
    while (at != outline.identifiers.end() && *at < hash) ++at;
    if (at != outline.identifiers.end() && *at == hash) names.push_back(name);
  }
  for (const MacroDefinition& macro : outline.macros) {
    for (const std::string& identifier : macro.identifiers) {
      auto found = header_macros_.find(identifier);
      if (found != header_macros_.end()) names.push_back(found->first);
    }
  }
  return names;
}

}  // namespace opledger::scan
