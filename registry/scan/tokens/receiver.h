// Tells to which class a called method belongs. Follows the object through the aliases, variables
// and parameters of the unit.
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
  kOther,  // a method of another type
  kNone,   // no object: a method of the enclosing class
  kUnknown
};

class Receiver {
 public:
  explicit Receiver(const Sink& sink);

  // Classifies the call of the sink whose name is at `name`.
  ReceiverFit FitOf(const TokenStream& tokens, TokenStream::Index name);
  bool IsAny() const { return wanted_.empty(); }
  // Returns whether the type of one of the receivers names the class.
  bool Names(std::string_view class_name) const;

 private:
  using Index = TokenStream::Index;
  using Texts = std::vector<TextToken>;

  // A receiver as the dialect states it: "nnvm::Op>::Get()->".
  struct Wanted {
    std::string text;
    LexedText type;  // nnvm::Op>
  };
  // Classifies the type before an accessor: "Registry<Op>" in "Registry<Op>::Get()".
  ReceiverFit FitOfType(const TokenStream& tokens, Texts type, Index at, int depth);
  ReceiverFit FitOfExpression(const TokenStream& tokens, Texts expression, Index at, int depth);
  ReceiverFit FitOfName(const TokenStream& tokens, std::string_view name, Index at, bool type,
                        int depth);
  ReceiverFit FitOfTail(const Texts& type, const Texts& wanted) const;
  bool IsOther(std::string text) const;

  std::vector<Wanted> wanted_;
  std::vector<std::string> others_;
  long steps_ = 0;  // tokens examined so far
};

// Returns whether the method at `name` belongs to a class of this unit without bases, and is called
// on an object of it, or on the result of methods that return such objects:
//   struct Own { Own& op(const char*); };  Own().op("a").op("b")
bool IsOfOtherClass(const TokenStream& tokens, TokenStream::Index name);

}  // namespace opledger::scan
