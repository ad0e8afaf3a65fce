// Whose method a call is: what stands before it is followed through the aliases, variables and
// parameters of the unit.
//   using R = dmlc::Registry<nnvm::Op>;  auto* reg = R::Get();  reg->Register("x")
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/scan/tokens/tokens.h"

namespace opledger::scan {

enum class ReceiverFit {
  kFits,
  kOther,  // it is another type's
  kNone,   // nothing stands before the call: a method of the class it stands in
  kUnknown
};

class Receiver {
 public:
  explicit Receiver(const Sink& sink);

  // Of the call of the sink whose name is at `name`.
  ReceiverFit FitOf(const TokenStream& tokens, TokenStream::Index name);
  bool IsAny() const { return wanted_.empty(); }
  // Whether the type of one of the receivers names the class.
  bool Names(std::string_view class_name) const;

 private:
  using Index = TokenStream::Index;
  using Texts = std::vector<TextToken>;

  // One of those that the dialect gives: "nnvm::Op>::Get()->".
  struct Wanted {
    std::string text;
    LexedText type;  // nnvm::Op>
  };
  // The type that stands before the accessor, "Registry<Op>" of "Registry<Op>::Get()".
  ReceiverFit FitOfType(const TokenStream& tokens, Texts type, Index at, int depth);
  ReceiverFit FitOfExpression(const TokenStream& tokens, Texts expression, Index at, int depth);
  ReceiverFit FitOfName(const TokenStream& tokens, std::string_view name, Index at, bool type,
                        int depth);
  ReceiverFit FitOfTail(const Texts& type, const Texts& wanted) const;
  bool IsOther(std::string text) const;

  std::vector<Wanted> wanted_;
  std::vector<std::string> others_;
  long steps_ = 0;  // that were made to look for declarations
};

// Whether the method whose name is at `name` is one of a class that stands here without bases, and
// is called on an object of it, or on what its own methods return, which is such an object:
//   struct Own { Own& op(const char*); };  Own().op("a").op("b")
bool IsOfOtherClass(const TokenStream& tokens, TokenStream::Index name);

}  // namespace opledger::scan
