// Functions at the level of namespaces, by tokens; macros of the file that make them are expanded.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "registry/scan/outline/kernel_bound.h"
#include "registry/scan/outline/outline.h"
#include "registry/text/text.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

constexpr int kMaxMacroDepth = 32;                   // macros inside macros
constexpr std::size_t kMaxExpandedOfFile = 1 << 22;  // bytes of macros that are put in

class FunctionFinder {
 public:
  explicit FunctionFinder(const ElementTypes& how) : how_(how) {}

  std::vector<KernelFunction> Run(std::string_view text) {
    const std::vector<CodeToken> tokens = CodeTokensOf(text, &macros_);
    Find(tokens, 0);
    if (cut_) found_.push_back({{}, {}, std::string(kCutBound)});
    return std::move(found_);
  }

 private:
  void Find(CodeTokens tokens, int depth);
  std::size_t Call(CodeTokens tokens, std::size_t name, int depth);
  void Registration(const std::string& device, CodeTokens inside);
  void Function(std::string name, CodeTokens parameters, CodeTokens body);

  const ElementTypes& how_;
  FunctionMacros macros_;
  std::size_t expanded_ = 0;
  std::set<std::string> open_;  // macros that are being expanded
  bool cut_ = false;            // not all macros were
  std::vector<KernelFunction> found_;
};

bool OpensNamespace(CodeTokens tokens, std::size_t brace) {
  std::size_t at = brace;
  while (at > 0 && (tokens[at - 1].Is(tok::raw_identifier) || tokens[at - 1].Is(tok::coloncolon))) {
    --at;
    if (tokens[at].Is("namespace")) return true;
  }
  return at > 0 && at == brace && tokens[at - 1].Is(tok::string_literal);  // extern "C"
}

void FunctionFinder::Find(CodeTokens tokens, int depth) {
  for (std::size_t at = 0; at < tokens.size();) {
    const bool call = tokens[at].Is(tok::raw_identifier) && at + 1 < tokens.size() &&
                      tokens[at + 1].Is(tok::l_paren);
    if (call) {
      at = Call(tokens, at, depth);
    } else if (tokens[at].Is(tok::l_brace) && !OpensNamespace(tokens, at)) {
      at = BehindGroup(tokens, at);
    } else {
      ++at;
    }
  }
}

// At NAME (: behind what it turns out to be.
std::size_t FunctionFinder::Call(CodeTokens tokens, std::size_t name, int depth) {
  const std::string& word = tokens[name].text;
  std::size_t end = BehindGroup(tokens, name + 1);
  CodeTokens inside = tokens.subspan(name + 2, end - std::min(end, name + 3));
  if (const auto device = how_.registers.find(word); device != how_.registers.end()) {
    Registration(device->second, inside);
    return end;
  }
  const auto [first, last] = macros_.equal_range(word);
  if (first != last && !open_.contains(word)) {
    open_.insert(word);
    for (auto macro = first; macro != last; ++macro) {
      const std::string text = Expanded(macro->second, Parts(inside));
      expanded_ += text.size() + 1;
      const bool cut = expanded_ > kMaxExpandedOfFile || depth == kMaxMacroDepth;
      cut_ = cut_ || cut;
      if (!cut) Find(CodeTokensOf(text, nullptr), depth + 1);
    }
    open_.erase(word);
    return end;
  }
  std::string function = word;
  const auto& makers = how_.functions;
  if (std::find(makers.begin(), makers.end(), word) != makers.end() && end < tokens.size() &&
      tokens[end].Is(tok::l_paren) && !inside.empty()) {
    function = word + " " + inside.front().text;
    const std::size_t open = end;
    end = BehindGroup(tokens, open);
    inside = tokens.subspan(open + 1, end - std::min(end, open + 2));
  }
  std::size_t body = end;
  while (body < tokens.size() && !tokens[body].Is(tok::l_brace) && !tokens[body].Is(tok::semi) &&
         !tokens[body].Is(tok::l_paren) && !tokens[body].Is(tok::equal)) {
    ++body;  // const, noexcept, -> Tensor
  }
  if (body >= tokens.size() || !tokens[body].Is(tok::l_brace)) return end;
  end = BehindGroup(tokens, body);
  Function(std::move(function), inside, tokens.subspan(body + 1, end - std::min(end, body + 2)));
  return end;
}

// NAME, &function<...>
void FunctionFinder::Registration(const std::string& device, CodeTokens inside) {
  const std::vector<CodeTokens> parts = Parts(inside);
  if (parts.size() < 2 || parts.front().size() != 1) return;
  CodeTokens kernel = parts.back();
  std::string bound = "*";
  if (kernel.size() == 1 && kernel.front().Is("nullptr")) return;
  if (!kernel.empty() && kernel.front().Is(tok::amp)) kernel = kernel.subspan(1);
  const bool name = std::all_of(kernel.begin(), kernel.end(), [](const CodeToken& token) {
    return token.Is(tok::raw_identifier) || token.Is(tok::coloncolon);
  });
  if (name && !kernel.empty()) bound = "= " + kernel.back().text;
  found_.push_back(
      {parts.front().front().text, device.empty() ? std::string(kDeviceOfFile) : device, bound});
}

void FunctionFinder::Function(std::string name, CodeTokens parameters, CodeTokens body) {
  std::vector<std::string> names{"this"};
  for (CodeTokens parameter : Parts(parameters)) {
    std::string last;
    for (const CodeToken& token : parameter) {
      if (token.Is(tok::equal)) break;
      if (token.Is(tok::raw_identifier)) last = token.text;
    }
    names.push_back(std::move(last));
  }
  found_.push_back({std::move(name), {}, BoundOf(body, names, macros_, how_)});
}

}  // namespace

std::vector<KernelFunction> FindKernelFunctions(std::string_view text, const ElementTypes& how) {
  if (how.prefix.empty()) return {};
  const bool any =
      text.find(how.prefix) != std::string_view::npos ||
      std::any_of(how.functions.begin(), how.functions.end(),
                  [&](const auto& word) { return text.find(word) != std::string_view::npos; }) ||
      std::any_of(how.registers.begin(), how.registers.end(), [&](const auto& word) {
        return text.find(word.first) != std::string_view::npos;
      });
  return any ? FunctionFinder(how).Run(text) : std::vector<KernelFunction>();
}

}  // namespace opledger::scan
