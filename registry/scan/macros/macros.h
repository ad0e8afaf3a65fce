// Finds which macros lead to a registration, and what a name means in a translation unit. Input:
// the outlines of all files. Output: an index of macros, the statements that may register, and what
// looks like a registration but was not understood.
// May include: registry/dialect, registry/manifest, registry/scan/cache, registry/scan/lex,
// registry/scan/outline, registry/scan/tree.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/scan/cache/digest.h"
#include "registry/scan/lex/hash_set.h"
#include "registry/scan/macros/other_dialects.h"
#include "registry/scan/macros/presence_conditions.h"
#include "registry/scan/tree/tree.h"

namespace opledger::scan {

using NameSet = std::set<std::string, std::less<>>;

// Returns whether the method registers an operator by its schema.
inline bool TakesSchema(const ScopeMethod& method) {
  return method.registers && method.adds.empty() && method.form == NameForm::kSchema;
}

// Refers to the macro definition files()[file].outline.macros[macro].
struct DefinitionRef {
  int file = 0;
  int macro = 0;
};

// Returns whether a word is long enough to be taken for a part of a macro's name, which ## may
// complete: K_, KERNEL.
bool IsTellingPiece(std::string_view piece);

class MacroIndex {
 public:
  // Both arguments must outlive the index. All outlines must be available.
  MacroIndex(const SourceTree& tree, const Dialect& dialect);
  // Like the above, if the active headers are known. Outlines of files that no file includes may be
  // missing. The index then ignores these files.
  MacroIndex(const SourceTree& tree, const Dialect& dialect, std::vector<int> active_headers,
             std::vector<int> attached_headers);

  // What an index over all files found. From it, an index can be made that covers only some units
  // and the files that they can include, whose outlines are available. It ignores all other files.
  struct Found {
    NameSet leading;
    NameSet inner;
    std::vector<int> active_headers;
    std::vector<int> attached_headers;
  };
  MacroIndex(const SourceTree& tree, const Dialect& dialect, Found found);
  Found TakeFound() const { return {leading_, inner_, active_headers_, attached_headers_}; }

  // Returns the sinks, and the macros of headers that lead to one. Does not include a unit's own
  // macros.
  const NameSet& leading() const { return leading_; }
  // Returns whether another dialect of the project reads the macro in this file.
  bool IsOfOtherDialect(std::string_view name, int file) const {
    return others_.Read(name, tree_.files()[file]);
  }
  // The leading names in `unit`: also the macros that it defines itself, and those of headers that
  // mention them.
  const NameSet& LeadingIn(int unit) const;
  // Words of the unit's code that a macro it calls may join to a leading name, without being
  // leading names: NNVM_REGISTER_ in CAT(NNVM_REGISTER_, OP)(abs).
  const NameSet& PiecesIn(int unit) const;
  // Returns whether a macro of this name, in headers or in `unit`, joins its arguments to names.
  bool Glues(std::string_view name, int unit) const;
  // Returns whether the macro's body names a macro that joins its arguments to names.
  bool CallsGluing(const MacroDefinition& macro, int unit) const;
  // Macros of headers that may register inside a block, because they lead to a method of a scope.
  const NameSet& inner() const { return inner_; }

  // Returns those of `leading` that the file mentions outside directives, in order.
  std::vector<const std::string*> Mentioned(const Outline& outline, const NameSet& leading) const;

  // Returns whether `file` can include `other`, directly or indirectly. A file reaches itself.
  bool Reaches(int file, int other) const;
  // Returns whether the file includes itself, directly or indirectly, without an include guard.
  bool IncludesItself(int file) const;

  // Returns the definitions (and #undefs) of `name` in other files that `unit` can include. Omits
  // identical ones and those under `#if 0`. The reference is valid until another unit is asked for.
  const std::vector<DefinitionRef>& Visible(std::string_view name, int unit) const;
  // Like Visible(), with identical ones.
  const std::vector<DefinitionRef>& AllVisible(std::string_view name, int unit) const;

  const MacroDefinition& Definition(DefinitionRef ref) const {
    return tree_.files()[ref.file].outline.macros[ref.macro];
  }
  const Condition& DefinitionCondition(DefinitionRef ref) const;
  // Returns the condition of a definition as seen from `unit`, which may define macros in it before
  // it includes the header. If there are several definitions, adds the condition of including it.
  Condition ConditionIn(int unit, DefinitionRef ref) const;

  // Returns all definitions (and #undefs) of the name in headers.
  const std::vector<DefinitionRef>& HeaderDefinitions(std::string_view name) const;

  // Returns the texts that configurations define the macro as.
  std::set<std::string> TextsOfBuilds(const std::string& macro) const {
    return TextsOf(dialect_.configurations, macro);
  }
  // Conditions in terms of macros at the start of a file.
  PresenceConditions& presence() const { return presence_; }
  // Returns the condition of a place in a header, in terms of macros at the start of the unit.
  // `places`: the #includes that lead to it, beginning in the unit, and last the place.
  Condition ConditionAt(const std::vector<FilePlace>& places) const;

  // Returns the branches, macros and #includes of a file as `unit` sees them if it includes the
  // file by the #include at `at`, or by the first that leads to it.
  const Outline& OutlineIn(int unit, int file, std::optional<Offset> at = std::nullopt) const;

  // Headers that register without the help of their includers. They are scanned like units.
  const std::vector<int>& active_headers() const { return active_headers_; }
  // Files that need macros of their includers to register, units included, sorted.
  const std::vector<int>& attached_headers() const { return attached_headers_; }
  // Returns the headers that register something when `unit` includes them: those that use a macro
  // that `unit` defines itself (an X-macro table), and those that need macros or conditions of
  // their includer.
  std::vector<int> Tables(int unit, const NameSet& leading) const;

  // Returns whether other files include this unit and define the macro for it. Its registrations
  // then count there.
  bool IsGivenByIncluder(const std::string& macro, int unit) const;

  // Returns the reachable #includes of a file that a macro names, if the tree or a build defines
  // the macro.
  std::vector<FilePlace> UnsettledIncludes(int unit) const;

  // The next four functions add to a digest what the facts of a unit depend on.
  // Adds a header that registers when units include it, and which of `leading` it mentions.
  void AddTable(int header, const NameSet& leading, DigestBuilder& digest) const;
  // Adds the #includes that UnsettledIncludes() returns.
  void AddUnsettledIncludes(int unit, DigestBuilder& digest) const;
  // Adds what the name means in the unit.
  void AddMeanings(std::string_view name, int unit, DigestBuilder& digest) const;
  // Adds which headers are found, for the files that `unit` reaches and that may test them with
  // __has_include.
  void AddFoundHeaders(int unit, DigestBuilder& digest) const;

  // Headers for which it is unknown whether they register by themselves, with the reason.
  const std::map<int, std::string>& unread() const { return unread_; }

  // Returns the units and active headers that may register something.
  std::vector<int> FilesToScan() const;
  // Returns the macros of headers that the file or its own macros mention outside directives.
  std::vector<std::string_view> HeaderMacrosIn(int file) const;
  // Returns the macros of headers whose names have this prefix and suffix and something between
  // them, so that pasting may form them.
  const std::vector<std::string>& HeaderMacrosLike(const std::string& prefix,
                                                   const std::string& suffix) const;

  // Returns whether the file may register anything: it uses a leading macro, or a piece of its
  // name, or passes a schema to a method that takes one.
  bool Active(int file, const NameSet& leading) const;

 private:
  // A header macro whose body mentions the identifier with this hash.
  struct Mention {
    std::uint32_t identifier;
    DefinitionRef macro;
    std::size_t index;  // in its identifiers
  };

  bool GivesSchema(int file) const;
  void FindLeading();
  void HashLeading();
  // All definitions of a header macro, and those visible to the unit that was last asked about.
  struct HeaderMacro {
    std::vector<DefinitionRef> definitions;
    mutable int unit = -1;
    mutable std::vector<DefinitionRef> visible;
    mutable std::vector<DefinitionRef> all_visible;
  };

  const HeaderMacro* Seen(std::string_view name, int unit) const;
  // Takes the condition from the outline alone, without headers.
  const Condition& StackCondition(int file, int branch) const;
  std::vector<FilePlace> WayTo(int unit, int file, std::optional<Offset> at) const;
  void FindInner();
  void FindUnsettled();
  void FindGluing();
  bool LeadsByPieces(const MacroDefinition& macro, int unit, std::string_view name) const;
  void ComputeReach();
  void CollectHeaderMacros();
  void CollectActiveHeaders();
  bool IsLeading(std::string_view name) const {
    return leading_bits_[HashIdentifier(name) % leading_bits_.size()] && leading_.contains(name);
  }
  struct StatementNames {
    NameSet used;
    NameSet tested;
  };
  StatementNames NamesInStatements(std::string_view text, int file, const NameSet& leading) const;
  bool Sufficient(int header) const;
  bool NeedsIncluder(int unit) const;
  std::vector<DefinitionRef> DefinitionsFor(std::string_view name, int header) const;
  bool DefinedElsewhere(std::string_view name, int header) const;
  bool DefinedByIncluder(std::string_view name, int header) const;
  bool ChangesItself(int header, const NameSet& tested) const;
  bool IsFunctionLike(std::string_view name) const;
  const Condition& IncludeCondition(int unit, int file) const;
  // Grow() adds the header macros that lead to `name` to `leading` and `added`. If `unit` >= 0, it
  // only adds those that the unit reaches.
  std::vector<DefinitionRef> MacrosNaming(std::string_view name) const;
  void Grow(const std::string& name, int unit, NameSet& leading,
            std::vector<std::string>& added) const;
  void GrowWithOwn(int unit, std::vector<std::string> added, NameSet& leading) const;

  const SourceTree& tree_;
  const Dialect& dialect_;
  std::vector<int> component_;                     // of each file
  std::vector<int> columns_;                       // index in reach_ of each component, or -1
  std::vector<std::vector<std::uint64_t>> reach_;  // a bit per column, for each component
  std::unordered_map<std::string_view, HeaderMacro> header_macros_;
  std::vector<Mention> mentions_;              // sorted by identifier
  std::vector<DefinitionRef> pasting_;         // header macros that paste names
  NameSet gluing_;                             // header macros that join their arguments to a name
  std::vector<std::uint32_t> gluing_hashes_;   // sorted
  std::vector<DefinitionRef> gluing_callers_;  // header macros that call a gluing macro
  mutable std::map<int, NameSet> own_gluing_;  // of units that define gluing macros
  mutable std::map<int, NameSet> pieces_in_;
  mutable std::map<std::pair<std::string, std::string>, std::vector<std::string>> macros_like_;
  std::vector<FilePlace> unsettled_;  // sorted by file
  NameSet leading_;
  OtherDialects others_;
  NameSet inner_;
  std::vector<std::uint32_t> leading_hashes_;  // sorted
  std::vector<std::uint32_t> name_hashes_;     // in the order of the names
  std::bitset<4096> leading_bits_;             // filter by hash, since most names do not lead
  std::bitset<65536> header_bits_;             // filter for header_macros_
  mutable std::bitset<65536> macro_bits_;  // filter for all macros; empty until it is first used
  mutable std::map<std::pair<int, int>, Condition> stack_conditions_;  // by file and branch
  mutable PresenceConditions presence_{tree_, *this};
  mutable std::map<std::pair<int, int>, Condition> include_conditions_;
  mutable std::map<std::tuple<int, int, Offset>, std::optional<Outline>> outlines_in_;
  mutable std::vector<std::pair<std::uint32_t, std::string_view>> hashed_macros_;  // sorted
  void FindAsking();

  std::vector<int> asking_;  // files that may use __has_include
  mutable std::map<int, std::string> unread_;
  std::vector<int> active_headers_;
  std::vector<int> attached_headers_;          // active only with the help of their includers
  mutable std::map<int, NameSet> leading_in_;  // of units that define leading macros
  mutable std::vector<bool> nothing_own_;      // units known to define none
};

}  // namespace opledger::scan
