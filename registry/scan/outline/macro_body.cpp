// Filled in token by token, so that a body is lexed once.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/outline/macro_body.h"

#include <algorithm>

namespace opledger::scan {

namespace tok = clang::tok;

bool Names::Contains(const std::string& name) const {
  if (all_.size() > kFew) return set_.contains(name);
  return std::find(all_.begin(), all_.end(), name) != all_.end();
}

void Names::Add(const std::string& name) {
  if (Contains(name)) return;
  all_.push_back(name);
  if (all_.size() == kFew + 1) set_.insert(all_.begin(), all_.end());
  if (all_.size() > kFew + 1) set_.insert(name);
}

void BodyReader::Add(const RawToken& token) {
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
}

void BodyReader::Finish() {
  FinishChain();
  macro_.identifiers = used_.Take();
}

void BodyReader::FinishChain() {
  if (chain_.size() > 1) {
    std::pair<std::string, std::string> paste{chain_.front(), chain_.back()};
    // Literal pieces alone: the whole name is known.
    if (std::none_of(chain_.begin(), chain_.end(), [](const auto& s) { return s.empty(); })) {
      std::string whole;
      for (const std::string& piece : chain_) whole += piece;
      used_.Add(whole);
    } else if (!paste.first.empty() || !paste.second.empty()) {
      macro_.pastes.push_back(std::move(paste));
    }
  }
  chain_.clear();
}

}  // namespace opledger::scan
