// The search for values of macros; see satisfy.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/condition/satisfy.h"

#include <algorithm>
#include <map>

#include "registry/condition/evaluate.h"
#include "registry/condition/parts.h"
#include "registry/condition/relax.h"

namespace opledger {
namespace {

constexpr std::size_t kExhaustive = 4096;
constexpr std::size_t kMaxVariables = 500;
constexpr std::size_t kMaxSteps = 1 << 20;
constexpr std::size_t kMaxTries = 1 << 14;  // of all terms together, which is what takes long

// What to try for one macro or atom; the first candidate is what the base has. None: undefined.
struct Variable {
  std::string name;
  bool is_free;  // an opaque atom: changing it costs nothing
  std::vector<std::optional<std::string>> candidates;
};

Variable MakeVariable(const std::string& name, const ConditionUse& use, const Defines& base) {
  Variable variable{name, use.is_opaque, {}};
  std::vector<std::optional<std::string>>& candidates = variable.candidates;
  const auto add = [&](std::optional<std::string> candidate) {
    if (std::find(candidates.begin(), candidates.end(), candidate) == candidates.end()) {
      candidates.push_back(std::move(candidate));
    }
  };
  const auto define = base.find(name);
  const bool defined = define != base.end();
  add(defined ? std::optional<std::string>(define->second) : std::nullopt);
  add("1");
  // Where only the value counts, 0 and undefined are one candidate: the one nearer to the base.
  if (use.value && (use.defined || defined)) add("0");
  for (const ConditionInteger& literal : use.literals) add(ConditionText(*Integer(literal)));
  if (use.defined) add(std::nullopt);
  return variable;
}

// Terms that share variables, and their search: by the number of macros changed, then in order.
class Search {
 public:
  Search(const ConditionPart& part, Defines& defines) : part_(part), defines_(defines) {
    for (const auto& [name, use] : part.uses)
      variables_.push_back(MakeVariable(name, use, defines));
  }

  // Capped just above kExhaustive.
  std::size_t Combinations() const {
    std::size_t product = 1;
    for (const Variable& variable : variables_) {
      product = std::min(product * variable.candidates.size(), kExhaustive + 1);
    }
    return product;
  }

  // On success the defines hold the solution, otherwise they are as before.
  bool Run() {
    if (variables_.size() > kMaxVariables) return false;
    const auto costly = [](const Variable& variable) { return !variable.is_free; };
    const auto macros = std::count_if(variables_.begin(), variables_.end(), costly);
    for (std::ptrdiff_t changes = 0; changes <= macros; ++changes) {
      if (Assign(0, changes, macros)) return true;
    }
    return false;
  }

 private:
  // Tries all assignments from variable `index` on with exactly `changes` changed macros, of
  // which there are still `macros`.
  bool Assign(std::size_t index, std::ptrdiff_t changes, std::ptrdiff_t macros) {
    if (changes < 0 || changes > macros || ++steps_ > kMaxSteps) return false;
    if (index == variables_.size()) return ++tries_ <= kMaxTries && Holds();
    if (tries_ > kMaxTries) return false;
    const Variable& variable = variables_[index];
    const std::ptrdiff_t cost = variable.is_free ? 0 : 1;
    for (std::size_t i = 0; i < variable.candidates.size(); ++i) {
      Set(variable.name, variable.candidates[i]);
      if (Assign(index + 1, i == 0 ? changes : changes - cost, macros - cost)) return true;
    }
    Set(variable.name, variable.candidates[0]);
    return false;
  }

  void Set(const std::string& name, const std::optional<std::string>& value) {
    if (value) {
      defines_[name] = *value;
    } else {
      defines_.erase(name);
    }
  }

  bool Holds() {
    const auto holds = [this](const ConditionTree& term) {
      return EvaluateTree(*term, defines_, parsed_).bits != 0;
    };
    return std::all_of(part_.terms.begin(), part_.terms.end(), holds);
  }

  const ConditionPart& part_;
  Defines& defines_;
  std::vector<Variable> variables_;
  std::size_t steps_ = 0;
  std::size_t tries_ = 0;
  ParsedTexts parsed_;
};

}  // namespace

bool TreeCanBeTrue(const ConditionTree& tree) {
  const std::vector<ConditionPart> parts = SplitCondition(RelaxCondition(tree), {});
  return std::all_of(parts.begin(), parts.end(), [](const ConditionPart& part) {
    Defines defines;
    Search search(part, defines);
    return search.Combinations() > kExhaustive || search.Run();
  });
}

std::optional<Defines> SatisfyTree(const ConditionTree& tree, const Defines& base) {
  Defines defines = base;
  const std::vector<ConditionPart> parts = SplitCondition(tree, base);
  for (const ConditionPart& part : parts) {
    if (!Search(part, defines).Run()) return std::nullopt;
  }
  for (const ConditionPart& part : parts) {
    for (const auto& [name, use] : part.uses) {
      if (use.is_opaque && base.count(name) == 0) defines.erase(name);
    }
  }
  return defines;
}

}  // namespace opledger
