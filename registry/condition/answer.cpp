// Simplifies a condition by what is known about a build.
// SPDX-License-Identifier: Apache-2.0
#include "registry/condition/answer.h"

#include <algorithm>
#include <iterator>

#include "registry/condition/evaluate.h"
#include "registry/condition/function.h"
#include "registry/condition/parser.h"
#include "registry/condition/tree.h"

namespace opledger {
namespace {

using NodeKind = ConditionNode::Kind;

// Macros that g++ and nvcc define on Linux, with values that depend on version and machine.
constexpr std::string_view kPredefined[] = {"__BYTE_ORDER__",
                                            "__CHAR_BIT__",
                                            "__COUNTER__",
                                            "__DATE__",
                                            "__ELF__",
                                            "__FILE__",
                                            "__GNUC_MINOR__",
                                            "__GNUC__",
                                            "__GNUG__",
                                            "__INCLUDE_LEVEL__",
                                            "__INT_MAX__",
                                            "__LINE__",
                                            "__LONG_MAX__",
                                            "__LP64__",
                                            "__OPTIMIZE__",
                                            "__SIZEOF_INT__",
                                            "__STDC_HOSTED__",
                                            "__STDC__",
                                            "__TIME__",
                                            "__VERSION__",
                                            "__amd64__",
                                            "__cplusplus",
                                            "__gnu_linux__",
                                            "__has_attribute",
                                            "__has_builtin",
                                            "__has_cpp_attribute",
                                            "__has_include",
                                            "__linux",
                                            "__linux__",
                                            "__unix__",
                                            "__x86_64__",
                                            "linux",
                                            "unix"};
// Macros of other compilers, systems and processors. __CUDA_ARCH__ is among them: nvcc's device
// pass is not analyzed.
constexpr std::string_view kOfOthers[] = {"_MSC_VER",
                                          "_M_AMD64",
                                          "_M_ARM",
                                          "_M_ARM64",
                                          "_M_ARM64EC",
                                          "_M_IX86",
                                          "_M_X64",
                                          "_WIN32",
                                          "_WIN64",
                                          "WIN32",
                                          "__ANDROID__",
                                          "__APPLE__",
                                          "__ARM_ARCH",
                                          "__ARM_NEON",
                                          "__ARM_NEON__",
                                          "__BORLANDC__",
                                          "__CUDA_ARCH__",
                                          "__CYGWIN__",
                                          "__DragonFly__",
                                          "__EMSCRIPTEN__",
                                          "__FreeBSD__",
                                          "__HIPCC__",
                                          "__HIP__",
                                          "__ICC",
                                          "__INTEL_COMPILER",
                                          "__MACH__",
                                          "__MINGW32__",
                                          "__MINGW64__",
                                          "__NetBSD__",
                                          "__OpenBSD__",
                                          "__SYCL_DEVICE_ONLY__",
                                          "__aarch64__",
                                          "__arm64__",
                                          "__arm__",
                                          "__clang__",
                                          "__i386__",
                                          "__powerpc64__",
                                          "__powerpc__",
                                          "__ppc__",
                                          "__riscv",
                                          "__s390x__",
                                          "__wasm__"};
// Defined only by compilers for CUDA.
constexpr std::string_view kOfCuda[] = {"__CUDACC__", "__NVCC__"};

bool IsIn(const std::string& name, const std::string_view* begin, const std::string_view* end) {
  return std::find(begin, end, name) != end;
}

// Returns whether the file is compiled as CUDA, or nullopt for headers and unknown extensions.
std::optional<bool> IsCuda(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  const std::string_view extension = dot == std::string_view::npos ? "" : path.substr(dot + 1);
  if (extension == "cu" || extension == "cuh") return true;
  for (std::string_view other : {"cc", "cpp", "cxx", "c", "C", "mm"}) {
    if (extension == other) return false;
  }
  return std::nullopt;
}

class Substitution {
 public:
  Substitution(const Configuration& configuration, std::string_view path)
      : configuration_(configuration), is_cuda_(IsCuda(path)) {}

  ConditionTree Run(const ConditionTree& tree) {
    switch (tree->kind) {
      case NodeKind::kInteger:
        return tree;
      case NodeKind::kMacro:
      case NodeKind::kOpaque:
        return Value(tree);
      case NodeKind::kDefined:
        return Defined(tree);
      case NodeKind::kNot:
        return Negation(Run(tree->operands[0]));
      case NodeKind::kAnd:
        return Conjunction(All(tree->operands));
      case NodeKind::kOr:
        return Disjunction(All(tree->operands));
      case NodeKind::kUnary:
        return Unary(tree->op, Run(tree->operands[0]));
      case NodeKind::kBinary:
        return Arithmetic(tree->op, Run(tree->operands[0]), Run(tree->operands[1]));
      case NodeKind::kChoice:
        break;
    }
    return Choice(Run(tree->operands[0]), Run(tree->operands[1]), Run(tree->operands[2]));
  }

  // Returns nullopt if neither the configuration nor the compiler determines it.
  std::optional<bool> IsDefined(const std::string& name) const {
    if (configuration_.defines.contains(name)) return true;
    if (configuration_.undefined.contains(name)) return false;
    return ByCompiler(name);
  }

 private:
  static constexpr int kMaxChain = 16;
  static ConditionTree Truth(bool value) { return Integer({value ? 1u : 0u, false}); }

  std::vector<ConditionTree> All(const std::vector<ConditionTree>& trees) {
    std::vector<ConditionTree> all;
    for (const ConditionTree& tree : trees) all.push_back(Run(tree));
    return all;
  }

  // Keeps a division by zero as an unparsable atom.
  static ConditionTree Arithmetic(ConditionOperator op, const ConditionTree& left,
                                  const ConditionTree& right) {
    const bool divides = op == ConditionOperator::kDivide || op == ConditionOperator::kRemainder;
    const bool zero = right->kind == NodeKind::kInteger && right->value.bits == 0;
    ConditionTree result = Binary(op, left, right);
    return divides && zero ? UnparsableAtom(ConditionText(*result)) : result;
  }

  // Returns whether the compiler defines a macro that the configuration does not name, or nullopt
  // if unknown.
  std::optional<bool> ByCompiler(const std::string& name) const {
    if (IsIn(name, std::begin(kOfCuda), std::end(kOfCuda))) return is_cuda_;
    if (IsIn(name, std::begin(kPredefined), std::end(kPredefined))) return true;
    if (IsIn(name, std::begin(kOfOthers), std::end(kOfOthers))) return false;
    return std::nullopt;
  }

  ConditionTree Defined(const ConditionTree& tree) const {
    const std::optional<bool> defined = IsDefined(tree->name);
    return defined ? Truth(*defined) : tree;
  }

  // Evaluates the atom is(MACRO,text).
  ConditionTree ValueAtom(const ConditionTree& tree, const std::string& macro,
                          const std::string& text) const {
    const auto define = configuration_.defines.find(macro);
    if (define != configuration_.defines.end()) {
      return Truth(CanonicalTokens(define->second) == text);
    }
    return IsDefined(macro).value_or(true) ? tree : Truth(false);
  }

  ConditionTree Value(const ConditionTree& tree) {
    if (const auto value = PartsOfValueAtom(tree->name)) {
      return ValueAtom(tree, value->first, value->second);
    }
    const auto define = configuration_.defines.find(tree->name);
    if (define == configuration_.defines.end()) {
      return IsDefined(tree->name).value_or(true) ? tree : Truth(false);
    }
    if (define->second.empty()) return Truth(false);
    const ConditionTree text = chain_ < kMaxChain ? ParseConditionTree(define->second) : nullptr;
    if (!text) return UnparsableAtom(define->second);
    ++chain_;
    ConditionTree value = Run(text);
    --chain_;
    return value;
  }

  const Configuration& configuration_;
  std::optional<bool> is_cuda_;
  int chain_ = 0;
};

}  // namespace

ConditionFunction KnownPutIn(ConditionFunction f, const Configuration& configuration,
                             std::string_view path) {
  Substitution substitution(configuration, path);
  return Replaced(f, [&](const ConditionTest& test) -> std::optional<ConditionFunction> {
    const ConditionTree& term = ConditionDiagram::Shared().TermOf(test.variable);
    if (test.defined) {
      const std::optional<bool> defined = substitution.IsDefined(term->name);
      if (!defined) return std::nullopt;
      return *defined ? kAlwaysFunction : kNeverFunction;
    }
    ConditionTree value = substitution.Run(term);
    if (value == term) return std::nullopt;
    if (value->kind == NodeKind::kInteger) {
      value = Integer({static_cast<std::uint64_t>(SignedValue(value->value)), false});
    }
    const auto bound = static_cast<std::uint64_t>(test.at_most);
    return FunctionOf(Binary(ConditionOperator::kLessEqual, value, Integer({bound, false})));
  });
}

}  // namespace opledger
