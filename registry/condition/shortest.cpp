// Finds short expressions of a function; see shortest.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/condition/shortest.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace opledger {
namespace {

constexpr std::size_t kMaxProducts = 160;
constexpr std::size_t kMaxCoverSteps = 4000;  // per cover

// A variable and the values that it must have. Products list them in diagram order.
struct Literal {
  std::uint32_t variable = 0;
  ValueSet values;

  bool operator==(const Literal&) const = default;
};
using Product = std::vector<Literal>;

ValueSet ValuesOf(const ConditionTest& test, bool answer) {
  ValueSet values{false, {}};
  if (test.defined) {
    values = ValueSet::All();
    values.undefined = false;
  } else {
    // An undefined macro counts as 0.
    values = {test.at_most >= 0, {{ValueSet::All().intervals[0].least, test.at_most}}};
  }
  return answer ? values : values.Complement();
}

std::size_t LeavesOf(const ConditionNode& node) {
  using NodeKind = ConditionNode::Kind;
  if (node.kind != NodeKind::kAnd && node.kind != NodeKind::kOr) return 1;
  std::size_t leaves = 0;
  for (const ConditionTree& operand : node.operands) leaves += LeavesOf(*operand);
  return leaves;
}

// ---- Irredundant covers ----

class Cover {
 public:
  // Computes an irredundant sum of products of the function.
  explicit Cover(ConditionFunction f) {
    products_ = Run(f, f).products;
    if (!failed_) Enlarge(f);
  }

  // Returns nullopt if there are too many products.
  std::optional<std::vector<Product>> Take() {
    if (failed_) return std::nullopt;
    return std::move(products_);
  }

 private:
  struct Part {
    std::vector<Product> products;
    ConditionFunction function = kNeverFunction;
  };

  Part Run(ConditionFunction least, ConditionFunction most);
  Part Under(const ConditionTest& test, bool answer, Part part) const;
  ConditionFunction Of(const Literal& literal) const;
  ConditionFunction Of(const Product& product) const;
  void Enlarge(ConditionFunction f);
  Product Enlarged(Product product, ConditionFunction f) const;
  ValueSet Allowed(const Product& product, std::size_t at, ConditionFunction f) const;

  ConditionDiagram& diagram_ = ConditionDiagram::Shared();
  std::vector<Product> products_;
  std::map<std::pair<ConditionFunction, ConditionFunction>, Part> known_;
  std::size_t steps_ = 0;
  bool failed_ = false;
};

Cover::Part Cover::Run(ConditionFunction least, ConditionFunction most) {
  failed_ = failed_ || ++steps_ > kMaxCoverSteps || least == kTooLargeFunction ||
            most == kTooLargeFunction;
  if (failed_ || least == kNeverFunction) return {};
  if (most == kAlwaysFunction) return {{{}}, kAlwaysFunction};
  const auto key = std::pair(least, most);
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  const ConditionTest test = diagram_.FirstTest(least, most);
  const ConditionFunction least_yes = diagram_.Restrict(least, test, true);
  const ConditionFunction least_no = diagram_.Restrict(least, test, false);
  const ConditionFunction most_yes = diagram_.Restrict(most, test, true);
  const ConditionFunction most_no = diagram_.Restrict(most, test, false);
  const Part yes = Run(diagram_.And(least_yes, diagram_.Not(most_no)), most_yes);
  const Part no = Run(diagram_.And(least_no, diagram_.Not(most_yes)), most_no);
  if (failed_) return {};
  const ConditionFunction left = diagram_.Or(diagram_.And(least_yes, diagram_.Not(yes.function)),
                                             diagram_.And(least_no, diagram_.Not(no.function)));
  Part all = Run(left, diagram_.And(most_yes, most_no));
  for (const Part& part : {Under(test, true, yes), Under(test, false, no)}) {
    all.products.insert(all.products.end(), part.products.begin(), part.products.end());
    all.function = diagram_.Or(all.function, part.function);
  }
  failed_ = failed_ || all.products.size() > kMaxProducts || all.function == kTooLargeFunction;
  return known_[key] = std::move(all);
}

Cover::Part Cover::Under(const ConditionTest& test, bool answer, Part part) const {
  const Literal literal{test.variable, ValuesOf(test, answer)};
  for (Product& product : part.products) {
    // The products below a test begin with the same variable or a later one.
    if (!product.empty() && product.front().variable == test.variable) {
      product.front().values = product.front().values.And(literal.values);
    } else {
      product.insert(product.begin(), literal);
    }
  }
  part.function = diagram_.And(part.function, Of(literal));
  return part;
}

ConditionFunction Cover::Of(const Literal& literal) const {
  const ConditionTree& term = diagram_.TermOf(literal.variable);
  ConditionFunction all = kNeverFunction;
  const ValueInterval any = ValueSet::All().intervals[0];
  for (const ValueInterval& one : literal.values.intervals) {
    ConditionFunction in = kAlwaysFunction;
    if (one.greatest != any.greatest) in = diagram_.AtMost(term, one.greatest);
    if (one.least != any.least) {
      in = diagram_.And(in, diagram_.Not(diagram_.AtMost(term, one.least - 1)));
    }
    all = diagram_.Or(all, in);
  }
  if (term->kind != ConditionNode::Kind::kMacro ||
      literal.values.undefined == literal.values.Contains(0)) {
    return all;
  }
  const ConditionFunction defined = diagram_.Defined(term->name);
  return literal.values.undefined ? diagram_.Or(all, diagram_.Not(defined))
                                  : diagram_.And(all, defined);
}

ConditionFunction Cover::Of(const Product& product) const {
  ConditionFunction all = kAlwaysFunction;
  for (auto literal = product.rbegin(); literal != product.rend(); ++literal) {
    all = diagram_.And(all, Of(*literal));
  }
  return all;
}

// Returns the values that the literal may have while the others stay as they are.
ValueSet Cover::Allowed(const Product& product, std::size_t at, ConditionFunction f) const {
  Product others = product;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(at));
  const ConditionFunction rest = Of(others);
  const std::uint32_t variable = product[at].variable;
  // The assignments where `f` is false although the other literals hold.
  const ConditionFunction fails = diagram_.And(rest, diagram_.Not(f));
  if (fails == kTooLargeFunction) return product[at].values;
  ValueSet bad{false, {}};
  std::vector<ConditionFunction> waiting{fails};
  std::set<ConditionFunction> seen;
  while (!waiting.empty()) {
    const ConditionFunction node = waiting.back();
    waiting.pop_back();
    if (node == kNeverFunction || !seen.insert(node).second) continue;
    const bool asked = node != kAlwaysFunction && diagram_.TestOf(node).variable == variable;
    const bool may_ask =
        node != kAlwaysFunction && diagram_.ComesBefore(diagram_.TestOf(node).variable, variable);
    if (!asked && !may_ask) return product[at].values;  // any value fails
    if (asked) {
      bad = bad.Or(PossibleValues(node));
    } else {
      for (const ConditionOutcome& one : diagram_.OutcomesOf(node)) waiting.push_back(one.then);
    }
  }
  return bad.Complement();
}

// Weakens each literal as far as possible: drops it, or replaces it by a set that is shorter to
// write.
Product Cover::Enlarged(Product product, ConditionFunction f) const {
  for (std::size_t i = 0; i < product.size();) {
    const ValueSet most = Allowed(product, i, f);
    if (most == ValueSet::All()) {
      product.erase(product.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    const ConditionTree& term = diagram_.TermOf(product[i].variable);
    // The greatest set that can be written with the fewest comparisons.
    ValueSet values = most;
    values.undefined = values.Contains(0);
    const bool between = product[i].values.IsWithin(values) && values.IsWithin(most);
    const auto comparisons = [&](const ValueSet& set) {
      return LeavesOf(*MembershipTree(term, set));
    };
    if (!between || comparisons(most) <= comparisons(values)) values = most;
    if (comparisons(values) <= comparisons(product[i].values)) product[i].values = values;
    ++i;
  }
  return product;
}

void Cover::Enlarge(ConditionFunction f) {
  for (Product& product : products_) product = Enlarged(std::move(product), f);
  // Products with the most literals first, so that those are dropped if others cover them.
  std::stable_sort(products_.begin(), products_.end(),
                   [](const Product& a, const Product& b) { return a.size() > b.size(); });
  std::vector<ConditionFunction> functions;
  for (const Product& product : products_) functions.push_back(Of(product));
  ConditionFunction kept = kNeverFunction;
  std::vector<Product> needed;
  for (const std::size_t i : NeededOperands(false, functions)) {
    kept = diagram_.Or(kept, functions[i]);
    needed.push_back(std::move(products_[i]));
  }
  failed_ = failed_ || kept != f;
  products_ = std::move(needed);
}

// ---- Factoring ----

ConditionTree TreeOf(const Literal& literal) {
  return MembershipTree(ConditionDiagram::Shared().TermOf(literal.variable), literal.values);
}

ConditionTree TreeOf(const Product& product) {
  std::vector<ConditionTree> literals;
  for (const Literal& literal : product) literals.push_back(TreeOf(literal));
  return Conjunction(literals);
}

bool Holds(const Product& product, const Literal& literal) {
  return std::find(product.begin(), product.end(), literal) != product.end();
}

// Returns the products that contain the literal, with the literal removed.
std::vector<Product> Quotient(const std::vector<Product>& products, const Literal& literal) {
  std::vector<Product> quotient;
  for (const Product& product : products) {
    if (!Holds(product, literal)) continue;
    quotient.push_back(product);
    std::erase(quotient.back(), literal);
  }
  return quotient;
}

ConditionTree Factored(const std::vector<Product>& products);

// Factors out the shared literal and all literals with the same quotient: (A || B) && (C || D).
ConditionTree FactoredBy(const Literal& shared, const std::vector<Product>& products) {
  const std::vector<Product> quotient = Quotient(products, shared);
  std::vector<Literal> factors;
  for (const Product& product : products) {
    for (const Literal& literal : product) {
      if (std::find(factors.begin(), factors.end(), literal) == factors.end() &&
          Quotient(products, literal) == quotient) {
        factors.push_back(literal);
      }
    }
  }
  std::vector<ConditionTree> sum;
  std::vector<Product> rest;
  for (const Literal& literal : factors) sum.push_back(TreeOf(literal));
  for (const Product& product : products) {
    const bool taken = std::any_of(factors.begin(), factors.end(),
                                   [&](const Literal& literal) { return Holds(product, literal); });
    if (!taken) rest.push_back(product);
  }
  std::vector<ConditionTree> all{Conjunction({Disjunction(sum), Factored(quotient)})};
  if (!rest.empty()) all.push_back(Factored(rest));
  return Disjunction(all);
}

ConditionTree Factored(const std::vector<Product>& products) {
  const Literal* shared = nullptr;
  std::ptrdiff_t most = 1;
  for (const Product& product : products) {
    for (const Literal& literal : product) {
      const auto count = std::count_if(products.begin(), products.end(),
                                       [&](const Product& one) { return Holds(one, literal); });
      if (count > most) {
        shared = &literal;
        most = count;
      }
    }
  }
  if (shared != nullptr) return FactoredBy(Literal(*shared), products);
  std::vector<ConditionTree> sum;
  for (const Product& product : products) sum.push_back(TreeOf(product));
  return Disjunction(sum);
}

}  // namespace

std::vector<std::size_t> NeededOperands(bool all, const std::vector<ConditionFunction>& operands) {
  ConditionDiagram& diagram = ConditionDiagram::Shared();
  const auto joined = [&](ConditionFunction a, ConditionFunction b) {
    return all ? diagram.And(a, b) : diagram.Or(a, b);
  };
  const ConditionFunction neutral = all ? kAlwaysFunction : kNeverFunction;
  // after[i] joins all operands from i on; `kept` joins the operands kept so far.
  std::vector<ConditionFunction> after(operands.size() + 1, neutral);
  for (std::size_t i = operands.size(); i-- > 0;) after[i] = joined(operands[i], after[i + 1]);
  ConditionFunction kept = neutral;
  std::vector<std::size_t> needed;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const ConditionFunction without = joined(kept, after[i + 1]);
    if (without != kTooLargeFunction && without == after[0]) continue;
    kept = joined(kept, operands[i]);
    needed.push_back(i);
  }
  return needed;
}

ValueSet PossibleValues(ConditionFunction f) {
  const ConditionDiagram& diagram = ConditionDiagram::Shared();
  ValueSet values{false, {}};
  for (const ConditionOutcome& one : diagram.OutcomesOf(f)) {
    if (one.then == kNeverFunction) continue;
    if (one.undefined) values.undefined = true;
    if (!one.undefined) values.Append({one.least, one.greatest});
  }
  if (!diagram.TestOf(f).defined) values.undefined = values.Contains(0);
  return values;
}

std::vector<ConditionTree> ShortTreesOf(ConditionFunction f) {
  std::vector<ConditionTree> trees;
  if (auto products = Cover(f).Take()) trees.push_back(Factored(*products));
  const ConditionFunction opposite = ConditionDiagram::Shared().Not(f);
  if (opposite == kTooLargeFunction) return trees;
  if (auto products = Cover(opposite).Take())
    trees.push_back(NegatedAtLeaves(Factored(*products), true));
  return trees;
}

}  // namespace opledger
