// Computes a size for each macro, and a factor for each of its parameters: how often an argument's
// tokens occur in the expansion. Both are sums over the body, in which each token counts as often
// as the factors of the enclosing calls say.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/outline/macro_growth.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <vector>

#include "registry/scan/lex/raw_lexer.h"
#include "registry/scan/lex/token_text.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

constexpr double kEnough = 1e18;      // larger values need not be exact
constexpr int kMaxChainDepth = 1000;  // length of a chain of macros; growth is detected long before

struct Growth {
  double size = 0;
  std::vector<double> factors;  // by parameter
  bool function_like = false;

  double Factor(std::size_t argument) const {  // the last parameter may be "..."
    if (factors.empty()) return 0;
    return factors[std::min(argument, factors.size() - 1)];
  }
  // Keeps the larger values of two definitions of a name.
  void Join(const Growth& other) {
    size = std::max(size, other.size);
    function_like = function_like || other.function_like;
    factors.resize(std::max(factors.size(), other.factors.size()));
    for (std::size_t i = 0; i < other.factors.size(); ++i) {
      factors[i] = std::max(factors[i], other.factors[i]);
    }
  }
};

// Sums the sizes of a run of tokens.
class Meter {
 public:
  double Factor() const { return calls_.empty() ? 1 : calls_.back().factor; }

  void Token(double size) {
    total_ = std::min(kEnough, total_ + Factor() * size);
    callee_ = nullptr;
  }
  // Adds the name of a function-like macro, which is a call if '(' follows.
  void Callee(const Growth* macro) {
    Token(1);
    callee_ = macro;
  }
  void Open() {
    const Growth* macro = callee_;
    double outer = Factor();
    Token(macro == nullptr ? 1 : macro->size);
    double factor = macro == nullptr ? outer : outer * macro->Factor(0);
    calls_.push_back({macro, 0, outer, std::min(kEnough, factor)});
  }
  void Comma() {
    if (!calls_.empty() && calls_.back().macro != nullptr) {
      Call& call = calls_.back();
      call.factor = std::min(kEnough, call.outer * call.macro->Factor(++call.argument));
    }
    Token(1);
  }
  void Close() {
    if (!calls_.empty()) calls_.pop_back();
    Token(1);
  }
  double total() const { return total_; }

 private:
  struct Call {
    const Growth* macro;
    std::size_t argument;
    double outer;
    double factor;
  };
  std::vector<Call> calls_;
  const Growth* callee_ = nullptr;
  double total_ = 0;
};

class Estimate {
 public:
  explicit Estimate(const Outline& outline) : outline_(outline) {
    for (std::size_t i = 0; i < outline.macros.size(); ++i) {
      if (!outline.macros[i].undefines) own_[outline.macros[i].name].definitions.push_back(i);
    }
  }

  // Returns an upper bound on the size, in tokens, of code that uses macros in this way.
  double Worst(const MacroUses& uses);
  // Returns the offset at which the code exceeds kMaxTokens, or nullopt if it does not.
  std::optional<Offset> InCode(std::string_view text);

 private:
  struct Own {
    std::vector<std::size_t> definitions;
    Growth growth;
    enum { kUnknown, kOpen, kKnown } state = kUnknown;
  };

  const Growth* Find(std::string_view name, int depth);
  Growth Measure(const MacroDefinition& macro, int depth);
  void Add(Meter& meter, tok::TokenKind kind, std::string_view text, int depth);

  const Outline& outline_;
  std::unordered_map<std::string_view, Own> own_;
};

// Returns nullptr if the name is not a macro of this file, or is already being expanded.
const Growth* Estimate::Find(std::string_view name, int depth) {
  auto found = own_.find(name);
  if (found == own_.end() || found->second.state == Own::kOpen || depth > kMaxChainDepth)
    return nullptr;
  Own& own = found->second;
  if (own.state == Own::kUnknown) {
    own.state = Own::kOpen;
    for (std::size_t definition : own.definitions) {
      own.growth.Join(Measure(outline_.macros[definition], depth + 1));
    }
    own.state = Own::kKnown;
  }
  return &own.growth;
}

void Estimate::Add(Meter& meter, tok::TokenKind kind, std::string_view text, int depth) {
  switch (kind) {
    case tok::raw_identifier: {
      const Growth* macro = Find(text, depth);
      if (macro != nullptr && macro->function_like) {
        meter.Callee(macro);
      } else {
        meter.Token(macro == nullptr ? 1 : macro->size);
      }
      break;
    }
    case tok::l_paren:
      meter.Open();
      break;
    case tok::r_paren:
      meter.Close();
      break;
    case tok::comma:
      meter.Comma();
      break;
    default:
      meter.Token(1);
  }
}

Growth Estimate::Measure(const MacroDefinition& macro, int depth) {
  const LexedText definition(macro.text);
  const MacroParts parts = PartsOfMacro(definition.tokens);
  Growth growth;
  growth.function_like = parts.function_like;
  growth.factors.assign(parts.parameters.size(), 0);
  Meter meter;
  for (const TextToken& token : parts.body) {
    const auto parameter = std::find(parts.parameters.begin(), parts.parameters.end(), token.text);
    if (parameter == parts.parameters.end()) {
      Add(meter, token.kind, token.text, depth);
    } else {
      double& factor =
          growth.factors[static_cast<std::size_t>(parameter - parts.parameters.begin())];
      factor = std::min(kEnough, factor + meter.Factor());
      meter.Token(0);
    }
  }
  growth.size = meter.total();
  return growth;
}

double Estimate::Worst(const MacroUses& uses) {
  double size = 1;
  double factor = 1;
  for (const MacroDefinition& macro : outline_.macros) {
    if (macro.undefines) continue;
    const Growth* growth = Find(macro.name, 0);
    size = std::max(size, growth->size);
    for (double each : growth->factors) factor = std::max(factor, each);
  }
  // An argument may itself be a use of the largest macro.
  return static_cast<double>(uses.count) * size *
         std::pow(factor, static_cast<double>(uses.nesting));
}

std::optional<Offset> Estimate::InCode(std::string_view text) {
  RawLexer lexer(text);
  Meter meter;
  RawToken token;
  for (lexer.NextOfCode(token); !token.Is(tok::eof); lexer.NextOfCode(token)) {
    Add(meter, token.kind, lexer.Text(token), 0);
    if (meter.total() > static_cast<double>(kMaxTokens)) return token.begin;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Offset> FindMacroBomb(std::string_view text, const Outline& outline,
                                    const MacroUses& uses) {
  if (uses.count == 0) return std::nullopt;
  Estimate estimate(outline);
  if (estimate.Worst(uses) <= static_cast<double>(kMaxTokens)) return std::nullopt;
  return estimate.InCode(text);
}

}  // namespace opledger::scan
