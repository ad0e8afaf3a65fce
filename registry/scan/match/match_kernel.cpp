// REGISTER_KERNEL_BUILDER(Name("MatMul").Device(DEVICE_GPU).TypeConstraint<Eigen::half>("T"), C)
//   -> Registration{adds to MatMul, Kernel{"cuda", T: float16}}
// SPDX-License-Identifier: Apache-2.0
#include <cctype>

#include "registry/scan/match/kernel_types.h"
#include "registry/scan/match/matcher.h"

namespace opledger::scan {
namespace {

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The tokens as one text, with a space between words only; what stands in braces included.
std::string Dense(TokenSpan tokens) {
  std::string text;
  for (const TextToken& token : tokens) {
    if (token.text.empty()) continue;
    if (!text.empty() && IsWord(text.back()) && IsWord(token.text[0])) text += ' ';
    text += token.text;
  }
  return text;
}

}  // namespace

std::string Matcher::DeviceOf(TokenSpan argument) const {
  const std::string text = StringValue(argument).value_or(Dense(argument));
  const std::string last(LastComponent(text));
  auto known = context_.dialect.kernels.devices.find(last);
  return known == context_.dialect.kernels.devices.end() ? last : known->second;
}

// A constant string, one of our types, or the argument's text.
std::string Matcher::DetailOf(TokenSpan argument) const {
  if (std::optional<std::string> text = StringValue(argument)) return *text;
  KernelTypes types;
  AddKernelTypes(context_.dialect, Dense(argument), types);
  if (!types.unread.empty() || types.dtypes.empty()) return CanonicalText(argument);
  std::string all;
  for (const std::string& dtype : types.dtypes) all += (all.empty() ? "" : ", ") + dtype;
  return all;
}

// Adds to the kernel what the arguments of one call say of it.
void Matcher::SayKernel(const KernelCall& call, const std::vector<TokenSpan>& templates,
                        const std::vector<TokenSpan>& arguments, Kernel& kernel) const {
  if (!call.on.empty()) kernel.device = call.on;
  if (TokenSpan device = ArgumentAt(arguments, call.device); !device.empty()) {
    kernel.device = DeviceOf(device);
  }
  if (TokenSpan label = ArgumentAt(arguments, call.label); !label.empty()) {
    const std::string text = StringValue(label).value_or(Dense(label));
    auto constant = context_.dialect.constants.find(std::string(LastComponent(text)));
    kernel.label = constant == context_.dialect.constants.end() ? text : constant->second;
  }
  for (const auto& [name, index] : call.details) {
    TokenSpan detail = ArgumentAt(arguments, index);
    if (detail.empty()) continue;
    std::string& text = kernel.details[name];
    text += (text.empty() ? "" : "; ") + DetailOf(detail);
  }
  const bool trailing =
      call.dtypes >= 0 && static_cast<std::size_t>(call.dtypes) < arguments.size();
  if (!call.templates && !trailing) return;
  const TokenSpan variable = ArgumentAt(arguments, call.variable);
  KernelTypes& types =
      kernel.types[StringValue(variable).value_or(variable.empty() ? "" : CanonicalText(variable))];
  types = {};
  for (TokenSpan type : templates) {
    if (call.templates) AddKernelTypes(context_.dialect, Dense(type), types);
  }
  for (std::size_t i = 0; trailing && i < arguments.size(); ++i) {
    if (static_cast<int>(i) < call.dtypes) continue;
    const std::string written = Dense(arguments[i]);
    AddKernelTypes(context_.dialect, written, types);
    if (written.starts_with('{')) break;  // a list is complete: what follows says something else
  }
}

// A method of the chain of a kernel.
void Matcher::MethodOfKernel(const std::string& name, const std::vector<TokenSpan>& templates,
                             const std::vector<TokenSpan>& arguments,
                             clang::SourceLocation location) {
  for (const KernelMethod& method : context_.dialect.kernels.methods) {
    if (method.method != name) continue;
    // Of two forms of one method, the one that was written.
    if ((method.says.templates && templates.empty()) ||
        (method.says.dtypes >= 0 && !templates.empty())) {
      continue;
    }
    SayKernel(method.says, templates, arguments, *kernel_);
    Condition when = places_.When(location);
    for (TokenSpan argument : templates) when = when.And(WhenAll(argument));
    for (TokenSpan argument : arguments) when = when.And(WhenAll(argument));
    kernel_->condition = kernel_->condition.And(when);
  }
}

// The kernel that the sink registers, and its chain; at the token behind the call. False: none.
bool Matcher::ReadKernel(const Sink& sink, const std::vector<TokenSpan>& arguments,
                         clang::SourceLocation location, Registration& registration) {
  Kernel kernel;
  kernel.location = registration.site.location;
  kernel.condition = registration.site.condition;
  const std::vector<TokenSpan> own(arguments.begin() + 2, arguments.end());
  SayKernel(*sink.kernel, {}, own, kernel);
  if (sink.kernel->dtypes >= 0) {
    for (TokenSpan argument : own) kernel.condition = kernel.condition.And(WhenAll(argument));
  }
  Kernel* const outer = kernel_;
  kernel_ = &kernel;
  if (sink.chain >= 0) ChainIn(ArgumentAt(own, sink.chain), registration);
  Chain(registration);
  kernel_ = outer;
  if (kernel.device.empty()) {
    Unresolved(location, "the kernel of '" + registration.name + "' names no device");
    return false;
  }
  if (kernel.condition.IsNever()) return false;
  registration.kernels.push_back(std::move(kernel));
  registration.adds = !sink.operator_too;
  return true;
}

}  // namespace opledger::scan
