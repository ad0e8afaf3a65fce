// Scans a unit. The fast way defines the needed macros instead of including headers. If the plan
// requires it, or if a macro that registers is not expanded, the unit is read with all its headers.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/unit/unit.h"

#include <algorithm>
#include <iterator>

#include "registry/scan/ledger/ledger.h"
#include "registry/scan/match/match.h"
#include "registry/scan/preprocess/patch.h"
#include "registry/scan/preprocess/preprocess.h"
#include "registry/scan/preprocess/read_again.h"
#include "registry/scan/tokens/token_recorder.h"
#include "registry/scan/unit/data_file.h"
#include "registry/scan/unit/decisions.h"
#include "registry/scan/unit/evaluated_passes.h"
#include "registry/scan/unit/macro_values.h"
#include "registry/scan/unit/unreachable.h"
#include "registry/scan/workers/worker_hook.h"
#include "registry/text/glob.h"
#include "registry/text/text.h"

namespace opledger::scan {
namespace {

// Lists the first few missing headers.
std::string Missing(const std::vector<std::string>& headers) {
  constexpr std::size_t kMost = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, headers.size()); ++i) {
    text += (i > 0 ? ", " : "") + headers[i];
  }
  if (headers.size() > kMost) text += " and " + std::to_string(headers.size() - kMost) + " more";
  return text;
}

// Names whose use at one place may change what the text at another place means.
constexpr std::string_view kChangingOthers[] = {"__COUNTER__", "_Pragma", "__pragma"};

bool ChangesOthers(const std::string& name) {
  return std::find(std::begin(kChangingOthers), std::end(kChangingOthers), name) !=
         std::end(kChangingOthers);
}

void Append(Facts& facts, Facts more) {
  auto append = [](auto& to, auto& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  append(facts.registrations, more.registrations);
  append(facts.dynamic, more.dynamic);
  append(facts.incomplete, more.incomplete);
  facts.uncacheable = facts.uncacheable || more.uncacheable;
}

// The scan of one unit.
class Run {
 public:
  Run(const UnitScanner& scanner, int unit, const std::string& text)
      : scanner_(scanner),
        unit_(unit),
        text_(text),
        outline_(scanner.tree.files()[unit].outline),
        leading_(scanner.index.LeadingIn(unit)) {
    for (const Sink& sink : scanner.dialect.sinks) {
      const std::string& path = scanner.tree.files()[unit].path;
      const bool here = sink.paths.empty() || GlobMatchAny(sink.paths, path);
      if (!here || scanner.dialect.IsExcepted(sink.macro, path)) continue;
      sinks_.push_back(&sink);
      pinned_.insert(sink.macro);
    }
    const std::vector<int>& active = scanner.index.active_headers();
    others_.insert(active.begin(), active.end());
    others_.erase(unit);
    for (int table : scanner.index.Tables(unit, leading_)) others_.erase(table);
    includes_itself_ = scanner.index.IncludesItself(unit);
    unsettled_ = scanner.index.UnsettledIncludes(unit);
    plan_ = PlanUnit(scanner.index, scanner.tree, scanner.dialect, unit, leading_, text,
                     scanner.tree.files()[unit].command.defines);
  }

  // Runs all passes and returns the facts of the unit. To be called once.
  Facts Make();

 private:
  bool Brings(const std::string& path) const;
  void BookUnsettled(Facts& facts) const;
  void LeaveOutErrors(Facts& facts) const;
  void BookCutIncludes(Facts& facts) const;
  void MustExpand();
  // Header macros that a pass defines before the unit, by name.
  using Injected = std::map<std::string, DefinitionRef>;

  bool Pass(const scan::Pass& pass, bool headers, Facts& facts);
  // Preprocesses the unit and adds what it registers to `facts`. `headers`: with its headers;
  // `idle`: without the text that registers nothing (UnitPlan::idle).
  MatchResult Read(const scan::Pass& pass, bool headers, const Injected& injected, bool idle,
                   Facts& facts) const;
  bool MayHide(const MacroDefinition& macro) const;
  // Returns whether the pass finds the same without the text in UnitPlan::idle.
  bool CanLeaveIdle(const scan::Pass& pass, const Injected& injected) const;
  // Returns the definition of the macro that applies in the pass; its file is -1 if none does.
  DefinitionRef Choose(const NeededMacro& macro, const scan::Pass& pass) const;
  bool ComesAgain(int header) const;
  bool DecidesItself(int header, int branch) const;
  void AddGuessed(const scan::Pass& pass, std::map<int, std::set<int>>& branches) const;
  std::map<int, std::string> Overlays(const scan::Pass& pass) const;
  bool Takes(const scan::Pass& pass, int branch) const;
  // Returns whether the condition is true in the pass.
  bool Holds(const DecidingCondition& one, const scan::Pass& pass) const;
  // The next two add the condition of a branch, and those of the states of a macro.
  void AddBranch(const DecidingCondition& one, std::vector<PassCondition>& conditions) const;
  void AddValues(const std::string& macro, std::vector<PassCondition>& conditions) const;
  bool Has(const scan::Pass& pass, const MacroMeaning& meaning) const;
  int VariedAround(const Site& site, const LineIndex& lines) const;
  // Returns the conditions that may tell the passes of the plan apart.
  ConditionsOfPasses PassConditions() const;
  Condition PossibleStates() const;
  void SetApart(std::size_t first, Facts& facts);
  // Replaces `facts` by those of all passes. Returns false if something was not expanded.
  bool AllPasses(bool headers, Facts& facts);
  void FindNames();
  std::vector<Mention> BookOwn(Balance& balance) const;
  // Returns what BookOwn() returns, without counting.
  std::vector<Mention> LeftOver() const;
  bool IsIncluded(int header, int branch) const;
  // Reports mentions without an outcome, and records those in tables (MacroIndex::Tables()).
  void BookMentions(Facts& facts) const;
  bool NamesToEvaluate(const Facts& facts) const;
  void BookHeaderConditions(Facts& facts) const;
  void Evaluate(TokenRecorder& recorder, std::vector<UnknownName> unknown,
                const std::vector<std::string>& missing, Facts& facts) const;

  const UnitScanner& scanner_;
  int unit_;
  const std::string& text_;
  const Outline& outline_;
  const NameSet& leading_;
  std::vector<const Sink*> sinks_;  // those that apply to the unit's path
  NameSet pinned_;                  // their macros
  NameSet must_expand_;             // macros that are defined here unconditionally (MustExpand())
  std::set<int> others_;            // headers that are scanned by themselves
  UnitPlan plan_;
  NameSet names_;                  // leading names that may register here
  std::vector<Mention> mentions_;  // occurrences of names_ in the unit
  int excepted_ = 0;               // number of occurrences that the dialect excludes
  mutable Spots spots_;            // outcomes of mentions_ in the passes so far
  bool evaluate_ = false;          // whether to evaluate names that are not constants
  std::size_t pass_ = 0;           // index of the current pass in the plan
  // Registrations whose conditions are found by comparing the passes.
  mutable std::vector<EvaluatedRegistration> evaluated_;
  mutable bool in_code_ = false;  // a registration may be in code that does not run
  bool includes_itself_ = false;
  std::vector<FilePlace> unsettled_;          // #includes of files that macros name
  mutable std::vector<EnteredFile> entered_;  // only if unsettled_ is not empty
};

// Ignores names of sinks that do not apply to this file, and names that the dialect excludes.
void Run::FindNames() {
  const std::string& path = scanner_.tree.files()[unit_].path;
  names_ = leading_;
  for (const Sink& sink : scanner_.dialect.sinks) {
    if (!pinned_.contains(sink.macro)) names_.erase(sink.macro);
  }
  std::erase_if(names_, [&](const auto& name) { return scanner_.dialect.IsExcepted(name, path); });
  mentions_ =
      FindMentions(text_, outline_, leading_, scanner_.index.PiecesIn(unit_),
                   [&](std::string_view name) { return scanner_.index.Glues(name, unit_); });
  excepted_ = static_cast<int>(std::erase_if(mentions_, [&](const Mention& mention) {
    return !mention.piece && !names_.contains(mention.name);
  }));
  for (const Mention& mention : mentions_) spots_.wanted.push_back(mention.offset);
}

// Finds leading macros that are defined unconditionally for this unit: all must be expanded.
void Run::MustExpand() {
  // The name of a macro that registers in a block may be pasted together, and never be mentioned.
  NameSet names = scanner_.index.inner();
  for (const std::string* name : scanner_.index.Mentioned(outline_, leading_)) names.insert(*name);
  for (const std::string& name : names) {
    if (pinned_.contains(name)) continue;
    bool own = std::any_of(outline_.macros.begin(), outline_.macros.end(),
                           [&](const MacroDefinition& macro) {
                             return macro.name == name && macro.branch == kNoBranch;
                           });
    const std::vector<DefinitionRef>& visible = scanner_.index.Visible(name, unit_);
    bool other = std::any_of(visible.begin(), visible.end(), [&](DefinitionRef ref) {
      return scanner_.index.ConditionIn(unit_, ref).IsAlways();
    });
    if (own || other) must_expand_.insert(name);
  }
}

DefinitionRef Run::Choose(const NeededMacro& macro, const scan::Pass& pass) const {
  for (DefinitionRef ref : macro.definitions) {
    const ForcedBranch branch{ref.file, scanner_.index.Definition(ref).branch};
    if (std::find(pass.forced.begin(), pass.forced.end(), branch) != pass.forced.end()) return ref;
  }
  for (DefinitionRef ref : macro.definitions) {
    if (scanner_.index.ConditionIn(unit_, ref).Evaluate(pass.defines)) return ref;
  }
  return {-1, -1};
}

// Returns whether the unit may include the header more than once.
bool Run::ComesAgain(int header) const {
  if (scanner_.tree.files()[header].outline.guarded) return false;
  int times = header == unit_;
  std::vector<int> waiting{unit_};
  std::set<int> seen;
  while (!waiting.empty() && times < 2) {
    const int from = waiting.back();
    waiting.pop_back();
    const SourceFile& source = scanner_.tree.files()[from];
    const bool again = !seen.insert(from).second;
    if (again && source.outline.guarded) continue;
    for (const int other : source.include_files) {
      if (other < 0 || !scanner_.index.Reaches(other, header)) continue;
      times += other == header || again;
      waiting.push_back(other);
    }
  }
  return times > 1;
}

// Returns whether Clang must decide the branch: it tests a macro that files of the tree define, and
// its file may be included more than once with different results.
bool Run::DecidesItself(int header, int branch) const {
  const SourceFile& source = scanner_.tree.files()[header];
  for (const std::string& name : NamesIn(source.outline.branches[branch].Expression())) {
    const auto is_name = [&](const MacroDefinition& macro) { return macro.name == name; };
    if (!scanner_.index.HeaderDefinitions(name).empty() ||
        std::any_of(outline_.macros.begin(), outline_.macros.end(), is_name)) {
      return ComesAgain(header);
    }
  }
  return false;
}

// Adds the branches of headers that test macros whose values Clang does not know.
void Run::AddGuessed(const scan::Pass& pass, std::map<int, std::set<int>>& branches) const {
  for (int file = 0; file < static_cast<int>(scanner_.tree.files().size()); ++file) {
    const Outline& outline = scanner_.tree.files()[file].outline;
    if (file == unit_ || outline.branches.empty() || !scanner_.index.Reaches(unit_, file)) continue;
    const Outline& here = scanner_.index.OutlineIn(unit_, file);
    for (int branch = 0; branch < static_cast<int>(outline.branches.size()); ++branch) {
      if (outline.branches[branch].guard) continue;
      const std::set<std::string> macros = here.OwnCondition(branch).Macros();
      if (std::any_of(macros.begin(), macros.end(),
                      [&](const std::string& name) { return pass.guessed.contains(name); })) {
        branches[file].insert(branch);
      }
    }
  }
}

// Returns the headers whose conditionals decide the meaning of a needed macro, patched for the
// pass.
std::map<int, std::string> Run::Overlays(const scan::Pass& pass) const {
  std::map<int, std::set<int>> branches;
  for (const NeededMacro& macro : plan_.macros) {
    for (DefinitionRef ref : macro.definitions) {
      const Outline& outline = scanner_.tree.files()[ref.file].outline;
      for (int b = outline.macros[ref.macro].branch; b != kNoBranch;
           b = outline.branches[b].parent) {
        if (!outline.branches[b].guard) branches[ref.file].insert(b);
      }
    }
  }
  if (!pass.guessed.empty()) AddGuessed(pass, branches);
  std::map<int, std::string> overlays;
  for (auto& [file, some] : branches) {
    const SourceFile& source = scanner_.tree.files()[file];
    std::vector<int> whole;
    std::set<int> groups;
    for (int branch : some) {
      bool itself = DecidesItself(file, branch);
      while (source.outline.branches[branch].previous != kNoBranch) {
        branch = source.outline.branches[branch].previous;
        itself = itself || DecidesItself(file, branch);
      }
      if (!itself) groups.insert(branch);
    }
    for (int branch = 0; branch < static_cast<int>(source.outline.branches.size()); ++branch) {
      if (groups.contains(branch) || groups.contains(source.outline.branches[branch].previous)) {
        groups.insert(branch);
        whole.push_back(branch);
      }
    }
    std::string text = ReadAgain(scanner_.tree, file);
    const Outline& here = scanner_.index.OutlineIn(unit_, file);
    auto condition = [&](int branch) { return here.OwnCondition(branch); };
    overlays[file] = PatchText(text, here, {file, whole, condition, pass, false, pinned_, {}});
  }
  return overlays;
}

// Returns whether the macro may make text register that names no leading macro, or may change the
// meaning of other text.
bool Run::MayHide(const MacroDefinition& macro) const {
  if (leading_.contains(macro.name)) return false;
  if (macro.text.find("##") != std::string::npos || macro.text.find("%:") != std::string::npos) {
    return true;
  }
  return std::any_of(macro.identifiers.begin(), macro.identifiers.end(), ChangesOthers);
}

bool Run::CanLeaveIdle(const scan::Pass& pass, const Injected& injected) const {
  if (plan_.idle.empty()) return false;
  for (std::string_view name : kChangingOthers) {
    if (outline_.Mentions(name)) return false;
  }
  // Types of receivers, and aliases and variables of classes, may be declared anywhere.
  auto here = [&](const Sink* sink) {
    auto names = [&](const MacroDefinition& macro) {
      return std::find(macro.identifiers.begin(), macro.identifiers.end(), sink->macro) !=
             macro.identifiers.end();
    };
    return outline_.Mentions(sink->macro) ||
           std::any_of(outline_.macros.begin(), outline_.macros.end(), names) ||
           std::any_of(injected.begin(), injected.end(), [&](const auto& macro) {
             return names(scanner_.index.Definition(macro.second));
           });
  };
  return std::none_of(sinks_.begin(), sinks_.end(),
                      [&](const Sink* sink) {
                        return (sink->variable || !sink->receivers.empty()) && here(sink);
                      }) &&
         std::none_of(outline_.macros.begin(), outline_.macros.end(),
                      [&](const MacroDefinition& macro) { return MayHide(macro); }) &&
         std::none_of(
             injected.begin(), injected.end(),
             [&](const auto& macro) { return MayHide(scanner_.index.Definition(macro.second)); }) &&
         std::none_of(pass.defines.begin(), pass.defines.end(), [](const auto& define) {
           return define.second.find_first_of("#%_") != std::string::npos;
         });
}

// Returns false if something was not expanded.
bool Run::Pass(const scan::Pass& pass, bool headers, Facts& facts) {
  Injected injected;
  for (const NeededMacro& macro : plan_.macros) {
    if (headers) break;
    DefinitionRef ref = Choose(macro, pass);
    if (ref.file >= 0 && !pass.defines.contains(macro.name)) injected[macro.name] = ref;
  }
  if (!headers && CanLeaveIdle(pass, injected)) {
    Facts some;
    MatchResult result = Read(pass, headers, injected, true, some);
    if (!result.ran_on) {
      Append(facts, std::move(some));
      return result.unexpanded.empty() && !result.doubtful;
    }
  }
  const MatchResult result = Read(pass, headers, injected, false, facts);
  return result.unexpanded.empty() && !result.doubtful;
}

MatchResult Run::Read(const scan::Pass& pass, bool headers, const Injected& injected, bool idle,
                      Facts& facts) const {
  static const std::vector<Range> kNothing;
  auto condition = [&](int branch) { return scanner_.index.presence().InGroup(unit_, branch); };
  std::vector<int> branches = plan_.branches;
  if (includes_itself_) std::erase_if(branches, [&](int one) { return DecidesItself(unit_, one); });
  std::string patched = PatchText(
      text_, outline_,
      {unit_, branches, condition, pass, !headers, pinned_, idle ? plan_.idle : kNothing});
  PreprocessJob job{scanner_.tree, unit_, patched, PinSinks(sinks_), {}, headers, {}};
  for (const auto& [name, value] : pass.defines) {
    const bool guessed = pass.guessed.contains(name);
    job.definitions +=
        "#define " + name + " " + (guessed ? std::string(kValueOf) + name : value) + "\n";
  }
  for (const auto& [name, ref] : injected) {
    job.definitions += "#define " + scanner_.index.Definition(ref).text + "\n";
  }
  if (headers) {
    for (const std::string& header : scanner_.tree.files()[unit_].command.headers) {
      job.definitions += "#include \"" + header + "\"\n";
    }
  }
  TokenRecorder recorder;
  std::vector<std::string> missing;
  if (headers) job.overlays = Overlays(pass);
  if (headers) job.asked = &facts.asked;
  if (evaluate_) job.missing = &missing;
  if (!unsettled_.empty()) job.entered = &entered_;
  for (const Sink* sink : sinks_) job.pinned.push_back(sink->macro);
  MatchContext context{scanner_.tree,
                       scanner_.dialect,
                       unit_,
                       text_,
                       scanner_.index,
                       sinks_,
                       [&](const std::string& name) {
                         auto found = injected.find(name);
                         return found == injected.end() ? DefinitionRef{-1, -1} : found->second;
                       },
                       must_expand_,
                       others_,
                       plan_.looked_up,
                       names_,
                       spots_,
                       evaluate_ ? &recorder : nullptr};
  MatchResult result;
  bool listed = Preprocess(job, [&](clang::Preprocessor& preprocessor) {
    result = Match(preprocessor, context, facts);
  });
  facts.uncacheable = facts.uncacheable || !listed;
  in_code_ = in_code_ || result.in_code;
  if (!result.unknown.empty()) Evaluate(recorder, std::move(result.unknown), missing, facts);
  return result;
}

// Returns whether some name is not constant, and not listed as such.
bool Run::NamesToEvaluate(const Facts& facts) const {
  return std::any_of(facts.dynamic.begin(), facts.dynamic.end(), [&](const Dynamic& dynamic) {
    return KnownDynamicFor(scanner_.dialect, dynamic.location.path, dynamic.expression) == nullptr;
  });
}

bool Run::Holds(const DecidingCondition& one, const scan::Pass& pass) const {
  return one.branch.file == unit_ ? Takes(pass, one.branch.branch)
                                  : one.when.Evaluate(pass.defines);
}

// Reports computed names that may depend on conditions in headers for which no pass could be made.
void Run::BookHeaderConditions(Facts& facts) const {
  for (const auto& [place, decision] : plan_.decisions) {
    if (!decision.all) {
      facts.incomplete.push_back(
          {place, "registration",
           "the names registered here depend on too many conditions at once, so other names may be "
           "missing; register them in several places"});
      continue;
    }
    for (const DecidingCondition& one : decision.conditions) {
      if (one.branch.file == unit_) continue;
      const auto comes = [&](bool wanted) {
        return std::any_of(plan_.passes.begin(), plan_.passes.end(), [&](const scan::Pass& pass) {
          return pass.exact && Holds(one, pass) == wanted;
        });
      };
      if (!one.when.HasUnparsable() && comes(true) && comes(false)) continue;
      const SourceFile& header = scanner_.tree.files()[one.branch.file];
      // Without its line, which changes with unrelated text above it.
      const std::string text = ReadAgain(scanner_.tree, one.branch.file);
      const std::size_t at = header.outline.branches[one.branch.branch].directive;
      const std::string_view directive =
          std::string_view(text).substr(at, text.find('\n', at) - at);
      facts.incomplete.push_back(
          {place, "registration",
           "the names registered here depend on '" + std::string(directive) + "' in " +
               header.path +
               ", which is not followed in a header; declare what they depend on in this file"});
      break;
    }
  }
}

// Makes a registration of each value of a name. Names that are not fully known become dynamic.
void Run::Evaluate(TokenRecorder& recorder, std::vector<UnknownName> unknown,
                   const std::vector<std::string>& missing, Facts& facts) const {
  std::string text;
  for (const std::string& line : scanner_.dialect.declarations) text += line + "\n";
  text += recorder.Text();
  const bool included = scanner_.tree.files()[static_cast<std::size_t>(unit_)].included;
  const std::vector<EvaluatedName> names =
      EvaluateNames(text, unknown.size(), included, scanner_.limits);
  for (std::size_t i = 0; i < names.size(); ++i) {
    bool whole = names[i].whole;
    for (const std::string& value : names[i].values) {
      const bool file = value.find(scanner_.tree.root() + "/") != std::string::npos;
      if (value.empty() || file || value.find('\0') != std::string::npos) {
        whole = false;
        continue;
      }
      Registration registration = unknown[i].registration;
      SetName(value, unknown[i].rule, scanner_.dialect.separator, registration);
      if (unknown[i].rule.prefix_optional) {
        registration.aliases.push_back(
            {value, registration.site.location, registration.site.condition});
      }
      evaluated_.push_back({pass_, std::move(registration), unknown[i].dynamic.location});
    }
    if (whole) continue;
    facts.uncacheable = facts.uncacheable || names[i].failed;  // not to be kept
    Dynamic& dynamic = unknown[i].dynamic;
    dynamic.why = names[i].whole ? "it is empty, or contains a NUL byte or the path of the sources"
                                 : names[i].why;
    if (!missing.empty()) {
      dynamic.why += "; not found: " + Missing(missing) +
                     "; include_directories or the dialect's declarations may help";
    }
    facts.dynamic.push_back(std::move(dynamic));
  }
}

// Returns whether the pass takes the branch and all around it (patch.h).
bool Run::Takes(const scan::Pass& pass, int branch) const {
  PresenceConditions& presence = scanner_.index.presence();
  if (pass.exact) return presence.Stack(unit_, branch).Evaluate(pass.defines);
  for (; branch != kNoBranch; branch = outline_.branches[branch].parent) {
    bool taken = presence.InGroup(unit_, branch).Evaluate(pass.defines);
    for (const ForcedBranch& forced : pass.forced) {
      if (forced.file != unit_ || outline_.FirstOf(forced.branch) != outline_.FirstOf(branch))
        continue;
      taken = forced.branch == branch;
    }
    if (!taken) return false;
  }
  return true;
}

void Run::AddBranch(const DecidingCondition& one, std::vector<PassCondition>& conditions) const {
  PassCondition& added = conditions.emplace_back();
  added.condition = added.shown = one.when;
  for (const scan::Pass& pass : plan_.passes) added.holds.push_back(Holds(one, pass));
}

void Run::AddValues(const std::string& macro, std::vector<PassCondition>& conditions) const {
  std::vector<ValueState> all = plan_.values.at(macro);
  // A default of the sources may apply although no configuration leaves the macro undefined.
  const Condition undefined = Condition::Defined(macro).Not();
  all.push_back({undefined, undefined});
  for (const ValueState& state : all) {
    PassCondition& one = conditions.emplace_back();
    one.condition = state.when;
    one.shown = state.shown;
    one.macro = macro;
    for (const scan::Pass& pass : plan_.passes) {
      one.holds.push_back(state.when.Evaluate(pass.defines));
    }
  }
}

// Returns whether the macro has the meaning in the pass.
bool Run::Has(const scan::Pass& pass, const MacroMeaning& meaning) const {
  if (pass.exact || meaning.forced.empty()) return meaning.when.Evaluate(pass.defines);
  return std::all_of(meaning.forced.begin(), meaning.forced.end(), [&](const ForcedBranch& one) {
    if (one.file == unit_) return Takes(pass, one.branch);
    return std::find(pass.forced.begin(), pass.forced.end(), one) != pass.forced.end() ||
           meaning.when.Evaluate(pass.defines);
  });
}

ConditionsOfPasses Run::PassConditions() const {
  ConditionsOfPasses all;
  all.combined = plan_.values_combined;
  for (const int branch : plan_.branches) {
    AddBranch({{unit_, branch}, scanner_.index.presence().Stack(unit_, branch)}, all.any);
  }
  for (const int branch : plan_.splitting) {
    AddBranch({{unit_, branch}, scanner_.index.presence().Stack(unit_, branch)}, all.constants);
  }
  for (const auto& [macro, states] : plan_.values) AddValues(macro, all.constants);
  all.any.insert(all.any.end(), all.constants.begin(), all.constants.end());
  for (const VariedText& text : plan_.varied) {
    std::vector<PassCondition>& here = all.varied.emplace_back();
    NameSet values;
    for (const MacroMeaning& meaning : text.meanings) {
      const bool value = plan_.values.contains(meaning.macro);
      if (value && values.insert(meaning.macro).second) AddValues(meaning.macro, here);
      if (value && meaning.forced.empty()) continue;
      PassCondition& added = here.emplace_back();
      added.condition = added.shown = meaning.when;
      added.macro = meaning.macro;
      for (const scan::Pass& pass : plan_.passes) added.holds.push_back(Has(pass, meaning));
    }
    here.insert(here.end(), all.constants.begin(), all.constants.end());
  }
  for (const auto& [place, decision] : plan_.decisions) {
    std::vector<PassCondition>& here = all.of_place[place];
    for (const DecidingCondition& one : decision.conditions) AddBranch(one, here);
    for (const std::string& macro : decision.macros) AddValues(macro, here);
  }
  return all;
}

// Returns the condition that each macro of the build is in one of its states.
Condition Run::PossibleStates() const {
  Condition possible;
  for (const auto& [macro, states] : plan_.values) {
    Condition any = Condition::Never();
    for (const ValueState& state : states) any = any.Or(state.when);
    possible = possible.And(any);
  }
  return possible;
}

// Returns the index of the text in plan_.varied that contains the site; -1 if there is none.
int Run::VariedAround(const Site& site, const LineIndex& lines) const {
  if (plan_.varied.empty()) return -1;
  const std::string& path = scanner_.tree.files()[static_cast<std::size_t>(unit_)].path;
  // The name first: the macro call may be before its statement.
  for (const Location* const at : {&site.location, &CallOf(site)}) {
    const std::optional<Offset> place = OffsetOf(*at, path, lines);
    if (!place) continue;
    for (std::size_t i = 0; i < plan_.varied.size(); ++i) {
      const Range range = plan_.varied[i].range;
      if (range.begin <= *place && *place < range.end) return static_cast<int>(i);
    }
  }
  return -1;
}

// Sets registrations of this pass aside whose conditions are found by comparing the passes.
void Run::SetApart(std::size_t first, Facts& facts) {
  const bool all = !plan_.values.empty() || !plan_.splitting.empty();
  if (!all && plan_.varied.empty()) return;
  const LineIndex lines(plan_.varied.empty() ? std::string_view() : text_);
  std::size_t kept = first;
  for (std::size_t i = first; i < facts.registrations.size(); ++i) {
    Registration& one = facts.registrations[i];
    const int varied = VariedAround(one.site, lines);
    if (all || varied >= 0) {
      evaluated_.push_back({pass_, std::move(one), std::nullopt, varied});
    } else if (kept++ != i) {
      facts.registrations[kept - 1] = std::move(one);
    }
  }
  facts.registrations.resize(kept);
}

bool Run::AllPasses(bool headers, Facts& facts) {
  facts = {};
  spots_.Clear();
  bool ok = true;
  for (pass_ = 0; pass_ < plan_.passes.size(); ++pass_) {
    const std::size_t before = facts.registrations.size();
    ok = Pass(plan_.passes[pass_], headers, facts) && ok;
    SetApart(before, facts);
  }
  if (!evaluated_.empty()) {
    AddEvaluated(std::exchange(evaluated_, {}), plan_.passes, PassConditions(), PossibleStates(),
                 facts);
  }
  if (!plan_.cut_includes.empty()) BookCutIncludes(facts);
  if (plan_.too_many) {
    Location location;
    location.path = scanner_.tree.files()[unit_].path;
    facts.incomplete.push_back(
        {location, "file",
         "its conditionals combine in too many ways; registrations may be missing"});
  }
  return ok;
}

void Run::BookCutIncludes(Facts& facts) const {
  const LineIndex lines(text_);
  for (const Offset at : plan_.cut_includes) {
    Mention mention;
    mention.offset = at;
    facts.incomplete.push_back(
        {PlaceOf(mention, scanner_.tree.files()[unit_].path, lines), "registration",
         "a block includes a file that was not found, or whose #if is not followed there, so "
         "registrations may be missing; write its lines here, or the conditions around the "
         "#include"});
  }
}

// Returns the mentions of the unit without an outcome, except those that headers exclude.
std::vector<Mention> Run::BookOwn(Balance& balance) const {
  std::vector<Mention> left = Book(mentions_, unit_, outline_, spots_, balance);
  const auto absent = std::erase_if(left, [&](const Mention& mention) {
    return !scanner_.index.presence().Stack(unit_, mention.branch).CanBeTrue();
  });
  balance.absent += static_cast<int>(absent);
  balance.incomplete -= static_cast<int>(absent);
  return left;
}

std::vector<Mention> Run::LeftOver() const {
  Balance unused;
  return BookOwn(unused);
}

// Returns whether some #include of the unit can include this branch of the header.
bool Run::IsIncluded(int header, int branch) const {
  const SourceFile& source = scanner_.tree.files()[unit_];
  for (std::size_t i = 0; i < source.include_files.size(); ++i) {
    const int other = source.include_files[i];
    if (other < 0 || !scanner_.index.Reaches(other, header)) continue;
    const Include& include = outline_.includes[i];
    const Outline& there = scanner_.index.OutlineIn(unit_, header, include.directive.begin);
    const Condition when =
        outline_.StackCondition(include.branch).And(there.StackCondition(branch));
    if (when.CanBeTrue()) return true;
  }
  return false;
}

void Run::BookMentions(Facts& facts) const {
  const std::string& path = scanner_.tree.files()[unit_].path;
  const LineIndex lines(text_);
  auto reported = [&](const Location& location) {
    return std::any_of(facts.incomplete.begin(), facts.incomplete.end(), [&](const auto& known) {
      return known.location.path == path && known.location.line == location.line;
    });
  };
  for (const Mention& mention : BookOwn(facts.balance)) {
    const Location location = PlaceOf(mention, path, lines);
    if (!reported(location)) facts.incomplete.push_back(scan::LeftOver(location, mention.name));
  }
  facts.balance.excepted = excepted_;
  for (int header : scanner_.index.Tables(unit_, leading_)) {
    if (others_.contains(header)) continue;
    const std::string text = ReadAgain(scanner_.tree, header);
    const SourceFile& source = scanner_.tree.files()[header];
    const LineIndex header_lines(text);
    std::vector<Mention> all = FindMentions(text, source.outline, names_);
    Balance unused;
    const std::vector<Mention> left = Book(all, header, source.outline, spots_, unused);
    for (const Mention& mention : all) {
      const bool read = spots_.read.contains({header, mention.offset});
      const bool is_left = std::any_of(left.begin(), left.end(), [&](const Mention& other) {
        return other.offset == mention.offset;
      });
      if (!read && !(is_left && IsIncluded(header, mention.branch))) continue;
      facts.header_mentions.push_back(
          {PlaceOf(mention, source.path, header_lines), mention.name, read});
    }
  }
}

// Returns whether a file that is not among the unit's known includes may matter because it names
// something that leads to a registration.
bool Run::Brings(const std::string& path) const {
  const int file = scanner_.tree.Known(scanner_.tree.PathInTree(path));
  if (file == unit_ || (file >= 0 && scanner_.index.Reaches(unit_, file))) return false;
  const std::optional<std::string> text = ReadSource(scanner_.tree.source(), NormalPath(path));
  if (!text) return true;
  const Outline outline = MakeOutline(*text, scanner_.dialect);
  const auto leads = [&](const std::string& name) { return leading_.contains(name); };
  return !outline.unreadable.empty() || !scanner_.index.Mentioned(outline, leading_).empty() ||
         std::any_of(outline.macros.begin(), outline.macros.end(), [&](const auto& macro) {
           return std::any_of(macro.identifiers.begin(), macro.identifiers.end(), leads);
         });
}

// Reports files named by macros: their registrations and definitions were not followed.
void Run::BookUnsettled(Facts& facts) const {
  if (unsettled_.empty()) return;
  facts.uncacheable = true;
  std::set<std::string> brings;
  for (const EnteredFile& file : entered_) {
    if (Brings(file.path)) brings.insert(file.path);
  }
  for (const FilePlace place : unsettled_) {
    const SourceFile& source = scanner_.tree.files()[place.file];
    const auto include =
        std::find_if(source.outline.includes.begin(), source.outline.includes.end(),
                     [&](const Include& one) { return one.directive.begin == place.offset; });
    const std::string path = NormalPath(scanner_.tree.Absolute(source.path));
    const bool found = std::any_of(entered_.begin(), entered_.end(), [&](const EnteredFile& file) {
      return NormalPath(file.includer) == path && file.offset >= include->directive.begin &&
             file.offset <= include->directive.end;
    });
    bool settled = found;
    for (const std::string& name : NamesIn(include->target)) {
      for (const DefinitionRef ref : scanner_.index.HeaderDefinitions(name)) {
        settled = settled && scanner_.index.DefinitionCondition(ref).IsAlways();
      }
      for (const MacroDefinition& macro : source.outline.macros) {
        if (macro.name == name) settled = settled && macro.branch == include->branch;
      }
    }
    if (settled && brings.empty()) continue;
    const LineIndex lines(place.file == unit_ ? text_ : ReadAgain(scanner_.tree, place.file));
    Mention mention;
    mention.offset = place.offset;
    facts.incomplete.push_back(
        {PlaceOf(mention, source.path, lines), "registration",
         "the file that '" + std::string(Trimmed(include->target)) +
             "' names was not followed, so registrations may be missing; #include it by its name"});
  }
}

// Drops registrations that are only present where an #error is.
void Run::LeaveOutErrors(Facts& facts) const {
  const Condition possible = PossibleStates();
  for (const int branch : outline_.error_branches) {
    const Condition error = scanner_.index.presence().Stack(unit_, branch);
    if (error.IsAlways()) continue;
    std::erase_if(facts.registrations, [&](const Registration& registration) {
      return registration.site.condition.And(possible).Implies(error);
    });
  }
}

Facts Run::Make() {
  FindNames();
  MustExpand();
  Facts facts;
  bool headers = scanner_.exhaustive || includes_itself_ || !unsettled_.empty() ||
                 !plan_.full_headers_reason.empty();
  bool ok = AllPasses(headers, facts);
  if (!headers && (!ok || !LeftOver().empty())) {
    headers = true;
    AllPasses(true, facts);
  }
  if (NamesToEvaluate(facts)) {
    const std::vector<Dynamic> unknown = facts.dynamic;
    headers = true;
    evaluate_ = true;
    std::set<Location> places;
    for (const Dynamic& dynamic : unknown) places.insert(dynamic.location);
    const std::vector<Decision> decisions =
        FindDecisions(scanner_.index, scanner_.tree, unit_, text_, places, leading_);
    plan_ = PlanUnit(scanner_.index, scanner_.tree, scanner_.dialect, unit_, leading_, text_,
                     scanner_.tree.files()[static_cast<std::size_t>(unit_)].command.defines,
                     &decisions);
    AllPasses(true, facts);
    BookHeaderConditions(facts);
  }
  LeaveOutErrors(facts);
  SettleUnknownValues(facts, [&](const std::string& macro) {
    return scanner_.index.IsGivenByIncluder(macro, unit_);
  });
  BookComplexConditions(facts);
  BookMentions(facts);
  BookUnsettled(facts);
  scanner_.defaults.AddTo(facts, unit_);
  facts.full_headers = headers;
  facts.looked_up = plan_.looked_up;
  facts.meaning = MeaningDigest(scanner_.index, unit_, leading_, outline_, plan_.looked_up);
  if (in_code_ || plan_.in_code) {
    MarkUnreachable(scanner_.tree, scanner_.index, scanner_.dialect, unit_, text_, facts);
  }
  facts.Normalise();
  return facts;
}

}  // namespace

PoolLimits LimitsOfUnits(const SourceTree& tree, PoolLimits limits) {
  limits.readable = tree.Readable();
  limits.prepare = [&tree] {
    tree.source().files()->AfterFork();
    StartEvaluator();
  };
  return limits;
}

Facts UnitScanner::Scan(int unit) const {
  WorkerHook("facts", tree.files()[unit].path);
  std::string text = ReadAgain(tree, unit);
  const std::string& path = tree.files()[unit].path;
  const std::vector<const DataFile*> data = DataFilesAt(dialect, path);
  const bool only_data = IsOnlyData(dialect, path);
  Facts facts = only_data ? Facts() : Run(*this, unit, text).Make();
  for (const DataFile* const each : data) {
    Facts more = ReadDataFile(*each, path, text);
    facts.registrations.insert(facts.registrations.end(), more.registrations.begin(),
                               more.registrations.end());
    facts.incomplete.insert(facts.incomplete.end(), more.incomplete.begin(), more.incomplete.end());
  }
  if (only_data) {
    const Outline none;
    facts.meaning = MeaningDigest(index, unit, index.LeadingIn(unit), none, {});
  }
  if (!data.empty()) facts.Normalise();
  return facts;
}

}  // namespace opledger::scan
