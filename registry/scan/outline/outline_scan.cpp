// The raw pass: makes an outline in one walk over the raw tokens of a file.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bitset>
#include <map>
#include <unordered_set>

#include "registry/scan/lex/hash_set.h"
#include "registry/scan/lex/raw_lexer.h"
#include "registry/scan/outline/macro_growth.h"
#include "registry/scan/outline/macro_states.h"
#include "registry/scan/outline/outline.h"
#include "registry/scan/outline/unreadable.h"
#include "registry/text/text.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

// A list of unique names, usually a few.
class UniqueNames {
 public:
  bool Contains(const std::string& name) const;
  void Add(const std::string& name);
  std::vector<std::string> Take() { return std::move(all_); }

 private:
  static constexpr std::size_t kFew = 32;

  std::vector<std::string> all_;
  std::unordered_set<std::string> set_;
};

// Collects the names that a macro's body uses, and those that it may paste. Takes one token at a
// time, so that a body is lexed once.
//   #define OP(a) REGISTER(a##_op) DOC   ->   identifiers REGISTER, DOC; pastes {"", "_op"}
class MacroBodyReader {
 public:
  MacroBodyReader(RawLexer& lexer, MacroDefinition& macro) : lexer_(lexer), macro_(macro) {}

  void AddParameter(const std::string& name) { parameters_.Add(name); }
  // Adds the next token of the body.
  void Add(const RawToken& token);
  // Fills in the macro, after the last token.
  void Finish();

 private:
  void FinishChain();

  RawLexer& lexer_;
  MacroDefinition& macro_;
  UniqueNames parameters_;
  UniqueNames used_;
  std::vector<std::string> chain_;  // pieces joined by ##; "" for a parameter
  bool only_parameters_ = true;     // false after ", ## __VA_ARGS__"
  bool pasting_ = false;
};

bool UniqueNames::Contains(const std::string& name) const {
  if (all_.size() > kFew) return set_.contains(name);
  return std::find(all_.begin(), all_.end(), name) != all_.end();
}

void UniqueNames::Add(const std::string& name) {
  if (Contains(name)) return;
  all_.push_back(name);
  if (all_.size() == kFew + 1) set_.insert(all_.begin(), all_.end());
  if (all_.size() > kFew + 1) set_.insert(name);
}

void MacroBodyReader::Add(const RawToken& token) {
  if (token.Is(tok::hashhash)) {
    pasting_ = true;
    return;
  }
  bool word = token.Is(tok::raw_identifier) || token.Is(tok::numeric_constant);
  std::string text = word ? std::string(lexer_.Text(token)) : std::string();
  bool parameter = word && parameters_.Contains(text);
  if (token.Is(tok::raw_identifier) && !parameter) used_.Add(text);
  if (!pasting_) FinishChain();
  pasting_ = false;
  chain_.push_back(parameter || !word ? std::string() : text);
  only_parameters_ = only_parameters_ && parameter;
}

void MacroBodyReader::Finish() {
  FinishChain();
  macro_.identifiers = used_.Take();
}

void MacroBodyReader::FinishChain() {
  if (chain_.size() > 1) {
    std::pair<std::string, std::string> paste{chain_.front(), chain_.back()};
    // Only literal pieces: the whole name is known.
    if (std::none_of(chain_.begin(), chain_.end(), [](const auto& s) { return s.empty(); })) {
      std::string whole;
      for (const std::string& piece : chain_) whole += piece;
      used_.Add(whole);
    } else if (!paste.first.empty() || !paste.second.empty()) {
      macro_.pastes.push_back(std::move(paste));
    } else if (only_parameters_) {
      macro_.glues = true;
    }
  }
  chain_.clear();
  only_parameters_ = true;
}

class RawPass {
 public:
  RawPass(std::string_view text, const Dialect& dialect)
      : text_(text),
        suspicious_(dialect.suspicious),
        sets_(dialect.attribute_sets),
        set_hash_(HashIdentifier(sets_.declare)),
        lexer_(text) {}

  Outline Run();

 private:
  // Nesting of braces and parentheses, to which an #else returns.
  struct Nesting {
    int parentheses = 0;
    bool statement_start = true;
  };
  struct OpenGroup {
    int last_branch;  // its latest branch
    int parent;
    Nesting nesting;
    std::size_t length = 0;  // number of branches
  };

  void Advance() {
    last_end_ = token_.end;
    lexer_.Next(token_);
    if (token_.Is(tok::unknown)) last_unknown_ = token_;
  }
  bool InDirective() const { return !token_.starts_line && !token_.Is(tok::eof); }
  void SkipDirective() {
    while (InDirective()) Advance();
  }

  void Directive(Offset hash);
  void Define();
  void Undefine();
  void Conditional(Branch::Kind kind, Offset hash, Range keyword);
  void CloseBranch(Offset at);
  void EndIf(Offset hash);
  void IncludeFile(Offset hash, const RawToken& keyword);
  void Embed(Offset hash);
  void Pragma();
  void PushOrPop(std::string_view what, Offset at);
  void FindLines();
  void NameIncludes();
  std::string NamedBy(std::string name, const Include& include) const;
  void Code();
  void Identifier();
  void PragmaOperator();
  void CountUse(std::uint32_t hash);
  void CountParenthesis();
  const char* TooMuch() const;
  const char* CutOff() const;
  void FindGuard();
  bool IsDefault(const MacroDefinition& guard) const;
  std::string Slice(Offset begin, Offset end) const {
    return std::string(text_.substr(begin, end - begin));
  }
  int CurrentBranch() const { return groups_.empty() ? kNoBranch : groups_.back().last_branch; }

  std::string_view text_;
  std::string_view suspicious_;
  const AttributeSets& sets_;
  std::uint32_t set_hash_;
  std::optional<Range> set_names_;  // from the first to the last mention of sets_.declare
  RawLexer lexer_;
  RawToken token_;
  Outline outline_;
  HashSet identifiers_;
  std::vector<OpenGroup> groups_;
  Nesting nesting_;
  bool code_before_directives_ = false;
  Offset last_code_ = 0;  // end of the last token outside directives
  Offset last_end_ = 0;   // end of the previous token
  RawToken last_unknown_;
  bool seen_directive_ = false;
  bool sets_lines_ = false;  // a #line was seen
  // For each macro, offsets and branches of the pushes that have not been popped.
  std::map<std::string, std::vector<std::pair<Offset, int>>, std::less<>> pushed_;
  // How the code uses the file's own macros. Several names may share a hash.
  std::bitset<4096> own_macros_;
  MacroUses uses_;
  std::vector<int> own_calls_;  // parentheses around each open call
  bool own_name_ = false;       // the previous token is such a name
};

void RawPass::Define() {
  if (!token_.Is(tok::raw_identifier) || !InDirective()) return SkipDirective();
  MacroDefinition macro;
  macro.name = lexer_.Text(token_);
  macro.offset = token_.begin;
  macro.branch = CurrentBranch();
  Offset begin = token_.begin;
  Offset end = token_.end;
  MacroBodyReader body(lexer_, macro);
  Advance();
  if (InDirective() && token_.Is(tok::l_paren) && !token_.spaced) {
    while (InDirective() && !token_.Is(tok::r_paren)) {
      if (token_.Is(tok::raw_identifier)) body.AddParameter(std::string(lexer_.Text(token_)));
      if (token_.Is(tok::ellipsis)) body.AddParameter("__VA_ARGS__");
      end = token_.end;
      Advance();
    }
    if (InDirective()) {
      end = token_.end;
      Advance();
    }
  }
  for (; InDirective(); Advance()) {
    body.Add(token_);
    end = token_.end;
  }
  body.Finish();
  macro.text = Slice(begin, end);
  own_macros_.set(HashIdentifier(macro.name) % own_macros_.size());
  outline_.macros.push_back(std::move(macro));
}

void RawPass::Undefine() {
  if (token_.Is(tok::raw_identifier) && InDirective()) {
    MacroDefinition macro;
    macro.name = lexer_.Text(token_);
    macro.undefines = true;
    macro.offset = token_.begin;
    macro.branch = CurrentBranch();
    outline_.macros.push_back(std::move(macro));
  }
  SkipDirective();
}

void RawPass::CloseBranch(Offset at) { outline_.branches[groups_.back().last_branch].end = at; }

void RawPass::Conditional(Branch::Kind kind, Offset hash, Range keyword) {
  bool opens = kind <= Branch::Kind::kIfndef;
  Branch branch;
  branch.kind = kind;
  branch.directive = hash;
  branch.end = static_cast<Offset>(text_.size());
  branch.keyword = keyword;
  if (InDirective() && kind != Branch::Kind::kElse) {
    branch.expression.begin = token_.begin;
    std::string first(lexer_.Text(token_));
    for (; InDirective(); Advance()) branch.expression.end = token_.end;
    branch.text = Slice(branch.expression.begin, branch.expression.end);
    bool named = kind != Branch::Kind::kIf && kind != Branch::Kind::kElif;
    if (named) branch.text = first;  // ignore what follows the name
  }
  SkipDirective();
  if (opens) {
    branch.parent = CurrentBranch();
    groups_.push_back({kNoBranch, branch.parent, nesting_});
  } else {
    if (groups_.empty()) return;  // an #else without #if: the preprocessor reports it
    branch.parent = groups_.back().parent;
    branch.previous = groups_.back().last_branch;
    CloseBranch(hash);
    nesting_ = groups_.back().nesting;
  }
  ++groups_.back().length;
  groups_.back().last_branch = static_cast<int>(outline_.branches.size());
  outline_.branches.push_back(std::move(branch));
}

void RawPass::EndIf(Offset hash) {
  SkipDirective();
  if (groups_.empty()) return;
  CloseBranch(hash);
  groups_.pop_back();
}

void RawPass::IncludeFile(Offset hash, const RawToken& keyword) {
  Include include;
  include.branch = CurrentBranch();
  include.directive = {hash, keyword.end};
  std::size_t at = text_.find_first_not_of(" \t", keyword.end);
  char open = at < text_.size() ? text_[at] : '\0';
  std::size_t close =
      open == '<' ? text_.find_first_of(">\n", at + 1) : text_.find_first_of("\"\n", at + 1);
  if ((open == '<' || open == '"') && close < text_.size() && text_[close] != '\n') {
    include.angled = open == '<';
    include.target = text_.substr(at + 1, close - at - 1);
    include.directive.end = static_cast<Offset>(close + 1);
  } else {
    include.computed = true;
    for (; InDirective(); Advance()) include.directive.end = token_.end;
    include.target = Slice(keyword.end, include.directive.end);
  }
  if (include.computed && (open == '<' || open == '"')) {
    outline_.unsafe_directives.push_back(include.directive);
  }
  outline_.includes.push_back(std::move(include));
  SkipDirective();
}

void RawPass::Embed(Offset hash) {
  Range directive{hash, token_.end};
  for (; InDirective(); Advance()) directive.end = token_.end;
  outline_.unsafe_directives.push_back(directive);
}

// Called at the word after #pragma, or inside a _Pragma.
void RawPass::Pragma() {
  if (InDirective() && token_.Is(tok::raw_identifier)) {
    if (lexer_.Text(token_) == "once") outline_.guarded = true;
    const Offset begin = token_.begin;
    const bool of_macro = lexer_.Text(token_).ends_with("_macro");
    SkipDirective();
    if (of_macro) PushOrPop(text_.substr(begin, last_end_ - begin), begin);
  }
  SkipDirective();
}

// Handles `push_macro("NAME")` or a pop at `at`; its quotes may be escaped.
void RawPass::PushOrPop(std::string_view what, Offset at) {
  const bool pops = what.starts_with("pop_macro");
  std::size_t open = what.find('"');
  if ((!pops && !what.starts_with("push_macro")) || open == std::string_view::npos) return;
  std::size_t close = what.find_first_of("\\\"", open + 1);
  if (close == std::string_view::npos) return;
  MacroDefinition macro;
  macro.name = what.substr(open + 1, close - open - 1);
  macro.offset = at + static_cast<Offset>(open) + 1;
  macro.branch = CurrentBranch();
  auto& pushed = pushed_[macro.name];
  if (!pops) {
    pushed.push_back({macro.offset, macro.branch});
    return;
  }
  macro.undefines = true;
  macro.pops = true;
  macro.text = what.substr(open + 1);
  if (!pushed.empty()) {
    // A push under another #if may not have happened.
    int around = macro.branch;
    while (around != kNoBranch && around != pushed.back().second) {
      around = outline_.branches[around].parent;
    }
    if (around == pushed.back().second) macro.pushed = pushed.back().first;
    pushed.pop_back();
  }
  outline_.macros.push_back(std::move(macro));
}

// Sets the line of each branch if __LINE__ may occur in a condition.
void RawPass::FindLines() {
  const bool named =
      std::any_of(
          outline_.branches.begin(), outline_.branches.end(),
          [](const Branch& branch) { return branch.text.find("__LINE__") != std::string::npos; }) ||
      std::any_of(outline_.macros.begin(), outline_.macros.end(), [](const auto& macro) {
        return std::find(macro.identifiers.begin(), macro.identifiers.end(), "__LINE__") !=
               macro.identifiers.end();
      });
  if (!named || sets_lines_) return;
  Offset at = 0;
  int line = 1;
  for (Branch& branch : outline_.branches) {
    line +=
        static_cast<int>(std::count(text_.begin() + at, text_.begin() + branch.directive, '\n'));
    at = branch.directive;
    if (branch.text.find('\n') == std::string::npos) branch.line = line;
  }
}

// Follows object-like macros from `name` to the quoted name that the #include means. Returns "" if
// the file alone does not determine it.
std::string RawPass::NamedBy(std::string name, const Include& include) const {
  constexpr int kMaxDepth = 8;
  const Condition around = outline_.StackCondition(include.branch);
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    std::vector<MacroEvent> events;
    for (const MacroDefinition& macro : outline_.macros) {
      if (macro.name != name) continue;
      events.push_back({macro.offset, {outline_.StackCondition(macro.branch), &macro, -1}});
    }
    const std::vector<MacroState> states = StatesAt(events, include.directive.begin, around);
    if (states.size() != 1 || states[0].macro == nullptr || states[0].macro->undefines) return {};
    const MacroDefinition& macro = *states[0].macro;
    const bool between =
        std::any_of(outline_.includes.begin(), outline_.includes.end(), [&](const Include& other) {
          return other.directive.begin > macro.offset && &other < &include;
        });
    const std::string_view body = std::string_view(macro.text).substr(name.size());
    if (between || body.starts_with('(')) return {};
    name = Trimmed(body);
    if (name.starts_with('"') || name.starts_with('<')) return name;
  }
  return {};
}

// Resolves #define FILE "x.inc" / #include FILE.
void RawPass::NameIncludes() {
  for (Include& include : outline_.includes) {
    if (!include.computed) continue;
    const std::string name = NamedBy(std::string(Trimmed(include.target)), include);
    const std::size_t close = name.empty() ? 0 : name.find(name[0] == '<' ? '>' : '"', 1);
    if (name.empty() || close == std::string::npos) continue;
    include.computed = false;
    include.angled = name[0] == '<';
    include.target = name.substr(1, close - 1);
  }
}

void RawPass::Directive(Offset hash) {
  Advance();
  if (!InDirective()) return;  // a lone '#'
  if (!seen_directive_ && last_code_ > 0) code_before_directives_ = true;
  seen_directive_ = true;
  RawToken keyword = token_;
  Range range{keyword.begin, keyword.end};
  std::string name(lexer_.Text(keyword));
  Advance();
  using Kind = Branch::Kind;
  if (name == "define") return Define();
  if (name == "undef") return Undefine();
  if (name == "include" || name == "include_next" || name == "import") {
    return IncludeFile(hash, keyword);
  }
  if (name == "if") return Conditional(Kind::kIf, hash, range);
  if (name == "ifdef") return Conditional(Kind::kIfdef, hash, range);
  if (name == "ifndef") return Conditional(Kind::kIfndef, hash, range);
  if (name == "elif") return Conditional(Kind::kElif, hash, range);
  if (name == "elifdef") return Conditional(Kind::kElifdef, hash, range);
  if (name == "elifndef") return Conditional(Kind::kElifndef, hash, range);
  if (name == "else") return Conditional(Kind::kElse, hash, range);
  if (name == "endif") return EndIf(hash);
  if (name == "embed") return Embed(hash);
  if (name == "pragma") return Pragma();
  if (name == "error" && CurrentBranch() != kNoBranch) {
    outline_.error_branches.push_back(CurrentBranch());
  }
  if (name == "line" || keyword.Is(tok::numeric_constant)) sets_lines_ = true;
  SkipDirective();
}

// Handles _Pragma("push_macro(\\"X\\")"), which is a statement of its own.
void RawPass::PragmaOperator() {
  Advance();
  if (token_.Is(tok::l_paren)) Advance();
  if (token_.Is(tok::string_literal)) {
    std::string_view what = lexer_.Text(token_);
    const std::size_t word = what.find('p');
    if (word != std::string_view::npos) {
      PushOrPop(what.substr(word), token_.begin + static_cast<Offset>(word));
    }
    Advance();
  }
  if (token_.Is(tok::r_paren)) Advance();
}

void RawPass::CountUse(std::uint32_t hash) {
  own_name_ = own_macros_[hash % own_macros_.size()];
  uses_.count += own_name_;
}

// Called at '(' or ')': tracks how deeply calls of own macros are nested in arguments.
void RawPass::CountParenthesis() {
  while (!own_calls_.empty() && own_calls_.back() >= nesting_.parentheses) own_calls_.pop_back();
  if (!own_name_ || !token_.Is(tok::l_paren)) return;
  own_calls_.push_back(nesting_.parentheses);
  uses_.nesting = std::max(uses_.nesting, own_calls_.size());
}

void RawPass::Identifier() {
  std::string_view name = lexer_.Text(token_);
  std::uint32_t hash = HashIdentifier(name);
  identifiers_.Insert(hash);
  CountUse(hash);
  if (hash == set_hash_ && name == sets_.declare) {
    if (!set_names_) set_names_ = {token_.begin, token_.end};
    set_names_->end = token_.end;
  }
  if (name == "_Pragma") return PragmaOperator();
  const bool starts = nesting_.statement_start;
  nesting_.statement_start = name == "return";
  if (suspicious_.empty() || name.find(suspicious_) == std::string_view::npos) return Advance();
  SuspiciousName suspicious;
  suspicious.name = name;
  suspicious.offset = token_.begin;
  suspicious.branch = CurrentBranch();
  Advance();
  suspicious.registers = starts && token_.Is(tok::l_paren);
  outline_.suspicious_names.push_back(std::move(suspicious));
}

// Handles a token outside directives.
void RawPass::Code() {
  last_code_ = token_.end;
  if (token_.Is(tok::raw_identifier)) return Identifier();
  bool starts = false;
  switch (token_.kind) {
    case tok::l_brace:
    case tok::r_brace:
    case tok::semi:
    case tok::equal:
      starts = true;
      break;
    case tok::l_paren:
      CountParenthesis();
      ++nesting_.parentheses;
      break;
    case tok::r_paren:
      nesting_.parentheses = std::max(0, nesting_.parentheses - 1);
      CountParenthesis();
      starts = nesting_.parentheses == 0;
      break;
    default:
      break;
  }
  own_name_ = false;
  nesting_.statement_start = starts;
  Advance();
}

// Finds an include guard: #ifndef X (or #if !defined(X)) around everything, with #define X inside.
void RawPass::FindGuard() {
  if (outline_.branches.empty() || code_before_directives_) return;
  Branch& first = outline_.branches.front();
  bool negative = first.kind == Branch::Kind::kIfndef ||
                  (first.kind == Branch::Kind::kIf && first.text.starts_with("!"));
  if (!negative || first.end < last_code_ || outline_.macros.empty()) return;
  for (std::size_t i = 1; i < outline_.branches.size(); ++i) {
    if (outline_.branches[i].parent == kNoBranch) return;  // an #else, or a second group
  }
  const MacroDefinition& guard = outline_.macros.front();
  if (guard.undefines || guard.branch != 0 || first.text.find(guard.name) == std::string::npos) {
    return;
  }
  if (IsDefault(guard)) return;
  first.guard = true;
  outline_.guarded = true;
}

// If a header has only directives and its "guard" is a number, the guard is a default of that
// macro.
bool RawPass::IsDefault(const MacroDefinition& guard) const {
  const std::string_view body = Trimmed(std::string_view(guard.text).substr(guard.name.size()));
  const bool number =
      !body.empty() && body.find_first_not_of("0123456789") == std::string_view::npos;
  const bool alone =
      outline_.macros.size() == 1 && outline_.includes.empty() && outline_.branches.size() == 1;
  return last_code_ == 0 && number && (alone || body != "1");
}

const char* RawPass::TooMuch() const {
  return WhyTooMuch(outline_, groups_.size(), groups_.empty() ? 0 : groups_.back().length);
}

// Returns why the rest of the file is hidden; nullptr if it is not.
const char* RawPass::CutOff() const {
  std::string_view tail = text_.substr(last_end_);
  for (std::size_t at = tail.find('/'); at != std::string_view::npos; at = tail.find('/', at)) {
    bool block = tail.substr(at).starts_with("/*");
    std::size_t end = block ? tail.find("*/", at + 2) : tail.find('\n', at);
    while (!block && end != std::string_view::npos && tail[end - 1] == '\\') {
      end = tail.find('\n', end + 1);
    }
    if (end == std::string_view::npos) return block ? "ends within a comment" : nullptr;
    at = end + (block ? 2 : 1);
  }
  if (last_unknown_.end != last_end_ || last_end_ == 0) return nullptr;
  std::string_view last = text_.substr(last_unknown_.begin, 5);
  return last.substr(0, last.find('"')).ends_with('R') ? "ends within a raw string" : nullptr;
}

Outline RawPass::Run() {
  Advance();
  while (!token_.Is(tok::eof)) {
    if (token_.Is(tok::hash) && token_.starts_line) {
      Directive(token_.begin);
      if (TooMuch() != nullptr) break;
    } else {
      Code();
    }
  }
  if (const char* why = TooMuch()) {
    outline_ = Outline();
    outline_.unreadable = std::string(why) + ", so it was not read";
    return std::move(outline_);
  }
  if (const char* why = CutOff()) outline_.unreadable = why;
  if (std::optional<Offset> bomb = FindMacroBomb(text_, outline_, uses_)) {
    auto line = 1 + std::count(text_.begin(), text_.begin() + *bomb, '\n');
    outline_.unreadable = "contains a macro bomb: in line " + std::to_string(line) +
                          ", its own macros expand to more than 20 million tokens";
  }
  outline_.identifiers = identifiers_.Sorted();
  FindGuard();
  FindLines();
  ResolveConditions(outline_);
  NameIncludes();
  if (set_names_) outline_.attribute_sets = FindAttributeSets(text_, *set_names_, sets_);
  for (const MacroDefinition& macro : outline_.macros) {
    if (std::optional<AttributeSet> of = ValuesOfMacro(macro, sets_)) {
      outline_.attribute_sets.push_back(std::move(*of));
    }
  }
  return std::move(outline_);
}

}  // namespace

Outline MakeOutline(std::string_view text, const Dialect& dialect) {
  if (std::string why = WhyUnreadable(text); !why.empty()) {
    Outline outline;
    outline.unreadable = std::move(why);
    return outline;
  }
  Outline outline = RawPass(text, dialect).Run();
  if (!dialect.never_defined.empty()) outline.AssumeUndefined(dialect.never_defined);
  outline.definitions = FindDefinitions(text, dialect.evaluation);
  outline.kernel_functions =
      FindKernelFunctions(text, outline.macros, dialect.kernels.element_types);
  if (outline.unreadable.empty()) outline.named_uses = FindLikelyCalls(text);
  return outline;
}

}  // namespace opledger::scan
