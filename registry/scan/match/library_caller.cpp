// Functions that take the variable of a scope: each caller registers what they register.
//   void AddMore(Library& m) { m.def("b"); }
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/match/matcher.h"

namespace opledger::scan {
// Called at the type of a parameter whose name is `name` tokens ahead.
bool Matcher::ReadHelperParameter(unsigned name) {
  const clang::Token& token = stream_.LookAhead(name);
  const bool parameter = token.is(tok::identifier) &&
                         stream_.LookAhead(name + 1).isOneOf(tok::comma, tok::r_paren, tok::equal);
  const Index open = stream_.Enclosing(stream_.position());
  if (!parameter || open == TokenStream::kNone || stream_.KindAt(open) != tok::l_paren) {
    return false;
  }
  Helper helper;
  const tok::TokenKind before = stream_.KindAt(open - 1);
  if (before == tok::identifier) {
    helper.name = stream_.TextAt(open - 1);
  } else if (before == tok::r_square) {
    const Index lambda = stream_.OpeningOf(open - 1);
    if (lambda != TokenStream::kNone && stream_.KindAt(lambda - 1) == tok::equal) {
      helper.name = stream_.TextAt(lambda - 2);
    }
  } else {
    return false;
  }
  if (stream_.Is(tok::kw_auto) && before != tok::r_square) return false;
  helper.parameter = ArgumentIndex(stream_, open, stream_.position());
  Variable variable;
  variable.kind = Variable::Kind::kLibrary;
  variable.library.helper = static_cast<int>(helpers_.size());
  helpers_.push_back(std::move(helper));
  AddParameter(token.getIdentifierInfo(), std::move(variable), stream_.brackets() - 1);
  return true;
}

// Returns the libraries that are passed to the helper, directly or through other helpers.
std::vector<Matcher::Library> Matcher::LibrariesOf(int helper, std::set<int>& seen) {
  std::vector<Library> libraries;
  if (!seen.insert(helper).second) return libraries;
  for (const HelperCall& call : helper_calls_) {
    if (!Matches(helpers_[static_cast<std::size_t>(helper)], call)) continue;
    if (call.library.helper < 0) {
      libraries.push_back(call.library);
      continue;
    }
    for (Library& library : LibrariesOf(call.library.helper, seen)) {
      libraries.push_back(std::move(library));
    }
  }
  return libraries;
}

// Registers what each helper adds, once for each library that it is called with.
void Matcher::EndHelpers() {
  for (const HelperCall& call : helper_calls_) {
    const auto count = std::count_if(helpers_.begin(), helpers_.end(), [&](const Helper& helper) {
      return helper.body != TokenStream::kNone && Matches(helper, call);
    });
    if (count == 1) continue;
    const std::string& path = context_.tree.files()[context_.unit].path;
    if (count == 0 && context_.dialect.IsExcepted(call.name, path)) continue;
    Unresolved(call.location, "the library is passed to '" +
                                  (call.name.empty() ? "a lambda" : call.name) + "', which " +
                                  (count == 0 ? "is not defined" : "has several definitions") +
                                  " in this file, so what it registers was not tracked; define it "
                                  "here, once, with a parameter of the library's type" +
                                  (count == 0 ? ", or add its name to suspicious.except if it "
                                                "registers nothing"
                                              : ""));
  }
  while (!in_helpers_.empty()) {
    const InHelper one = std::move(in_helpers_.front());
    in_helpers_.pop_front();
    std::set<int> seen;
    std::vector<Library> libraries = LibrariesOf(one.helper, seen);
    const std::vector<TokenSpan> arguments = SplitArguments(one.tokens);
    if (libraries.empty()) {
      // A generic lambda that registers nothing?
      Library unknown;
      unknown.unknown = true;
      libraries.push_back(unknown);
    }
    for (const Library& library : libraries) {
      use_token_ = one.token;
      RegisterInScope(*one.method, library, arguments, one.location);
    }
  }
}

}  // namespace opledger::scan
