// Which macros lead to a registration, and what a name means in a translation unit. In: the
// outlines of all files together; out: an index of macros, the statements that may register, and
// what looks like a registration that nobody understood.
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

// Whether the method registers an operator by its schema.
inline bool TakesSchema(const ScopeMethod& method) {
  return method.registers && method.adds.empty() && method.form == NameForm::kSchema;
}

// A macro definition by place: files()[file].outline.macros[macro].
struct DefinitionRef {
  int file = 0;
  int macro = 0;
};

// Whether a part of a macro's name is long enough to tell that ## may make the name of it: K_,
// KERNEL.
bool IsTellingPiece(std::string_view piece);

class MacroIndex {
 public:
  // Both must outlive the index. All outlines must be in place.
  MacroIndex(const SourceTree& tree, const Dialect& dialect);
  // The same where the active headers are known. The outlines of files that nobody includes may be
  // missing; the index then knows nothing of those files.
  MacroIndex(const SourceTree& tree, const Dialect& dialect, std::vector<int> active_headers,
             std::vector<int> attached_headers);

  // What another index over these files found, where the outlines of some units and what they can
  // include are there: the index knows nothing of other files.
  struct Found {
    NameSet leading;
    NameSet inner;
    std::vector<int> active_headers;
    std::vector<int> attached_headers;
  };
  MacroIndex(const SourceTree& tree, const Dialect& dialect, Found found);
  Found TakeFound() const { return {leading_, inner_, active_headers_, attached_headers_}; }

  // The sinks, and the macros of headers that lead to one. A unit's own macros come on top.
  const NameSet& leading() const { return leading_; }
  // Whether another dialect of the project reads the macro in this file.
  bool IsOfOtherDialect(std::string_view name, int file) const {
    return others_.Read(name, tree_.files()[file]);
  }
  // The same as seen by `unit`: with the macros it defines itself, and those of headers that
  // mention them.
  const NameSet& LeadingIn(int unit) const;
  // Words of the unit's code that a macro it calls may glue into a leading name: NNVM_REGISTER_ in
  // CAT(NNVM_REGISTER_, OP)(abs). They are none themselves.
  const NameSet& PiecesIn(int unit) const;
  // Whether a macro of this name joins its arguments to names, in headers or in `unit`.
  bool Glues(std::string_view name, int unit) const;
  bool CallsGluing(const MacroDefinition& macro, int unit) const;
  // Macros of headers that may register inside a block: they lead to a method of a scope.
  const NameSet& inner() const { return inner_; }

  // Those of `leading` that the file mentions outside directives, in their order.
  std::vector<const std::string*> Mentioned(const Outline& outline, const NameSet& leading) const;

  // Whether `file` can include `other` (itself included), directly or not.
  bool Reaches(int file, int other) const;
  // Whether it does, directly or not, and no guard stops it.
  bool IncludesItself(int file) const;

  // The definitions (and #undefs) of `name` in files other than `unit` that it can include, with
  // identical ones told once; none under a dead `#if 0`.
  // Holds until another unit is asked for.
  const std::vector<DefinitionRef>& Visible(std::string_view name, int unit) const;
  // The same with every repetition.
  const std::vector<DefinitionRef>& AllVisible(std::string_view name, int unit) const;

  const MacroDefinition& Definition(DefinitionRef ref) const {
    return tree_.files()[ref.file].outline.macros[ref.macro];
  }
  const Condition& DefinitionCondition(DefinitionRef ref) const;
  // The same for a definition as seen from `unit`: with what the unit's own macros mean where it
  // includes the header, and, where there are several of one name, the conditions on including it.
  Condition ConditionIn(int unit, DefinitionRef ref) const;

  // All definitions (and #undefs) of the name in headers, whoever includes them.
  const std::vector<DefinitionRef>& HeaderDefinitions(std::string_view name) const;

  // The texts that configurations define the macro as.
  std::set<std::string> TextsOfBuilds(const std::string& macro) const {
    return TextsOf(dialect_.configurations, macro);
  }
  // Conditions in terms of macros as they are where a file begins.
  PresenceConditions& presence() const { return presence_; }
  // Of a place in a header, by the #includes that lead to it (the unit's first, the place last), in
  // terms of macros where the unit begins.
  Condition ConditionAt(const std::vector<FilePlace>& places) const;

  // A file as `unit` sees it when it includes it by the #include at `at`, or by the first that
  // leads to it: its branches, macros and #includes.
  const Outline& OutlineIn(int unit, int file, std::optional<Offset> at = std::nullopt) const;

  // Headers that register by themselves, whoever includes them: scanned like units.
  const std::vector<int>& active_headers() const { return active_headers_; }
  // Those that need the help of what their includers define, units among them, in order.
  const std::vector<int>& attached_headers() const { return attached_headers_; }
  // The headers that register something when `unit` includes them: those that use a macro which
  // `unit` defines itself (an X-macro table), and those that need their includer's macros, or its
  // conditions.
  std::vector<int> Tables(int unit, const NameSet& leading) const;

  // Whether other units include this one and define the macro for it, which counts where they do.
  bool IsGivenByIncluder(const std::string& macro, int unit) const;

  // The #includes that the unit reaches of files that a macro names, where the tree or a build says
  // which but the file with the #include does not.
  std::vector<FilePlace> UnsettledIncludes(int unit) const;

  // What facts of a unit depend on, for the digests of these.
  // A header that registers when units include it, and which of `leading` it mentions.
  void AddTable(int header, const NameSet& leading, DigestBuilder& digest) const;
  void AddUnsettledIncludes(int unit, DigestBuilder& digest) const;
  // What the name means in the unit.
  void AddMeanings(std::string_view name, int unit, DigestBuilder& digest) const;
  // Which of the headers that conditions ask for by __has_include are found, as far as `unit`
  // reaches the files that ask.
  void AddFoundHeaders(int unit, DigestBuilder& digest) const;

  // Headers of which it is not known whether they register by themselves, and why.
  const std::map<int, std::string>& unread() const { return unread_; }

  // The units and active headers that may register something.
  std::vector<int> FilesToScan() const;
  // The macros of headers that the file mentions outside directives, or that its own mention.
  std::vector<std::string_view> HeaderMacrosIn(int file) const;
  // Those whose names begin and end so, with something between: what pasting may come to.
  const std::vector<std::string>& HeaderMacrosLike(const std::string& prefix,
                                                   const std::string& suffix) const;

  // Whether the file may register anything: it uses a leading macro, or a piece of its name, or
  // gives a schema to a method that takes one.
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
  // All definitions of a header macro, and those that the unit last asked about can see.
  struct HeaderMacro {
    std::vector<DefinitionRef> definitions;
    mutable int unit = -1;
    mutable std::vector<DefinitionRef> visible;
    mutable std::vector<DefinitionRef> all_visible;
  };

  const HeaderMacro* Seen(std::string_view name, int unit) const;
  // As the outline tells it: headers left out.
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
  // Adds to `leading`, and to `added`, the header macros that lead to `name`; `unit` >= 0: only
  // those it reaches.
  std::vector<DefinitionRef> MacrosNaming(std::string_view name) const;
  void Grow(const std::string& name, int unit, NameSet& leading,
            std::vector<std::string>& added) const;
  void GrowWithOwn(int unit, std::vector<std::string> added, NameSet& leading) const;

  const SourceTree& tree_;
  const Dialect& dialect_;
  std::vector<int> component_;                     // of each file
  std::vector<int> columns_;                       // in reach_, of each component; -1: none
  std::vector<std::vector<std::uint64_t>> reach_;  // of each component, a bit per column
  std::unordered_map<std::string_view, HeaderMacro> header_macros_;
  std::vector<Mention> mentions_;              // by identifier
  std::vector<DefinitionRef> pasting_;         // header macros that paste names together
  NameSet gluing_;                             // header macros that join their arguments to a name
  std::vector<std::uint32_t> gluing_hashes_;   // sorted
  std::vector<DefinitionRef> gluing_callers_;  // header macros that call one of these
  mutable std::map<int, NameSet> own_gluing_;  // of the units that define such macros
  mutable std::map<int, NameSet> pieces_in_;
  mutable std::map<std::pair<std::string, std::string>, std::vector<std::string>> macros_like_;
  std::vector<FilePlace> unsettled_;  // by file
  NameSet leading_;
  OtherDialects others_;
  NameSet inner_;
  std::vector<std::uint32_t> leading_hashes_;  // sorted
  std::vector<std::uint32_t> name_hashes_;     // in the order of their names
  std::bitset<4096> leading_bits_;             // by hash: most names are none of them
  std::bitset<65536> header_bits_;             // the same for header_macros_
  mutable std::bitset<65536> macro_bits_;      // the same for all macros; none: not yet asked for
  mutable std::map<std::pair<int, int>, Condition> stack_conditions_;  // of file and branch
  mutable PresenceConditions presence_{tree_, *this};
  mutable std::map<std::pair<int, int>, Condition> include_conditions_;
  mutable std::map<std::tuple<int, int, Offset>, std::optional<Outline>> outlines_in_;
  mutable std::vector<std::pair<std::uint32_t, std::string_view>> hashed_macros_;  // sorted
  void FindAsking();

  std::vector<int> asking_;  // files that may ask by __has_include
  mutable std::map<int, std::string> unread_;
  std::vector<int> active_headers_;
  std::vector<int> attached_headers_;          // active with the help of their includers only
  mutable std::map<int, NameSet> leading_in_;  // of the units that define leading macros
  mutable std::vector<bool> nothing_own_;      // units that are known not to
};

}  // namespace opledger::scan
