// Evaluates the constants of a Python module in the order of its statements. Member functions are
// defined in the files of this room by subject.
//   A = ['a'];  B = A + [x + '2' for x in A]  ->  B: 'a', 'a2'
// Values that depend on a test that cannot be decided have a condition: a feature's name, or
// unread(LINE).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "registry/list_source/evaluate/hooks.h"
#include "registry/list_source/evaluate/python_uses.h"
#include "registry/list_source/evaluate/value.h"

namespace opledger {

// A name whose value is a container or unknown.
struct PythonName {
  std::string name;  // "A"; "f.A" for a local, "f" for the return value of f, "C.A" for a class
  PythonId place = 0;
  PythonValue value;
  bool inner = false;  // not a name of the module itself
};

class PythonEvaluator {
 public:
  using Kind = PythonValue::Kind;

  // `hooks` may be null and must outlive this object. With hooks, `module` is the value of
  // __name__.
  explicit PythonEvaluator(const PythonTree& tree, const PythonHooks* hooks = nullptr,
                           std::string module = {})
      : tree_(tree), hooks_(hooks), module_name_(std::move(module)) {}

  // Returns the names in the order of their first assignment, followed by the inner names.
  std::vector<PythonName> Run();

  // With hooks: evaluates the statements of the module.
  void RunModule();
  // With hooks, after RunModule(): evaluates the functions that were not called, with unknown
  // parameters. Calls in them have the condition that the function is called.
  void RunUncalled();
  // Returns a name of the module, after RunModule(), or nullptr.
  const PythonBinding* Global(std::string_view name) const;
  std::vector<std::string> GlobalNames() const;
  // Returns the outermost function or class that contains the byte, or 0.
  PythonId Outermost(std::uint32_t offset) const;
  // Returns whether the value is an instance of a class that was evaluated.
  static bool IsObject(const PythonValue& value) {
    return value.kind == Kind::kClass && value.scope != nullptr && value.scope->self != nullptr;
  }
  bool IsVisited(PythonId call) const { return visits_.calls.contains(call); }
  // Returns whether the call was skipped because calls were nested too deeply.
  bool IsCut(PythonId call) const { return cut_.contains(call); }
  // Returns the functions that return an object representing something that registers operators.
  const std::set<PythonId>& makers() const { return makers_; }
  // Returns whether the node is in a block whose test is never true.
  bool IsAbsent(PythonId id) const;
  // Returns the imported name of a name or attribute, as of the end of the module.
  std::string NameOfImport(PythonId id) { return Imported(id); }
  // Calls a function or class of this module with values that belong to this tree or to none.
  PythonValue CallFrom(const PythonValue& callee, const PythonArguments& arguments,
                       const Condition& when);
  // Copies a value of another evaluator to `place`. Functions, classes and objects are shared.
  PythonValue Adopt(const PythonValue& value, PythonId place, int depth = 0);
  PythonValue UnknownAt(PythonId place, std::string name);
  // Calls a function of this module at the current statement.
  PythonValue CallAt(const PythonValue& function, const PythonArguments& arguments,
                     PythonId place) {
    return CallFunction(function, arguments, place);
  }
  // Assigns a name of the module.
  void SetGlobal(std::string_view name, const PythonValue& value);
  // Returns an attribute of a class or object, or nullptr.
  const PythonBinding* Member(const PythonValue& object, std::string_view name) const {
    return FindMember(object, name);
  }
  PythonValue TextAt(std::string text, PythonId place) { return Text(std::move(text), place); }
  // Calls a method that this module defines. The result is unknown if the class does not have it.
  PythonValue CallMethodFrom(const PythonValue& object, std::string_view method,
                             const PythonArguments& arguments, const Condition& when);

  const PythonTree& tree() const { return tree_; }
  const Condition& when() const { return when_; }
  // Returns the function or class whose decorators are being evaluated, or 0.
  PythonId decorated() const { return decorated_; }
  // Returns the open calls of the module's own functions, outermost first.
  const std::vector<std::pair<PythonId, PythonArguments>>& frames() const { return frames_; }
  // Returns whether the current statement is in a function without known callers.
  bool is_uncalled() const { return uncalled_; }
  const PythonProblem& Problem(int number) const { return problem_list_[number]; }
  // Returns why a value is unknown; empty after ForgetProblems().
  std::string WhyUnknown(const PythonValue& value) const {
    const auto number = static_cast<std::size_t>(value.problem);
    return number < problem_list_.size() ? problem_list_[number].message : std::string();
  }
  // Discards the reasons for unknown values, which take most of the memory.
  void ForgetProblems() {
    problem_list_ = {};
    problem_of_ = {};
  }
  // Returns the problems of the module itself, not of a single list.
  const std::set<int>& module_problems() const { return module_problems_; }

 private:
  using ContainerKind = PythonContainer::Kind;
  using Arguments = PythonArguments;
  using Ids = std::span<const PythonId>;
  enum class Jump { kNone, kBreak, kContinue, kReturn };
  static constexpr std::size_t kMaxPythonIterations = 100000;
  static constexpr std::size_t kMostOthers = 8;  // values of one name, with hooks
  static constexpr std::size_t kMaxTests = 24;   // per condition, with hooks
  enum class Truth { kTrue, kFalse, kUnknown };
  class Nesting;  // limits recursion

  // Values and problems (evaluator.cpp).
  int AddProblem(PythonId place, std::string message, std::string hint = {});
  PythonValue Unknown(PythonId place, std::string what);
  PythonValue UnknownOf(int problem) const;
  PythonValue Text(std::string text, PythonId place);
  PythonValue Number(long long number, PythonId place);
  PythonValue Bool(bool truth, PythonId place);
  PythonValue NoneAt(PythonId place) const;
  PythonContainer& NewContainer(ContainerKind kind, PythonId place);
  PythonValue Of(PythonContainer& container) const;
  bool Spend(std::size_t steps);
  Condition Both(const Condition& one, const Condition& other) const;
  // With hooks, contradictions are not detected, because that is slow if there are many tests.
  bool IsPossible(const Condition& when) const {
    return hooks_ == nullptr ? when.CanBeTrue() : !when.IsNever();
  }
  void MakeKin(PythonContainer& copy, PythonContainer& original);
  PythonValue Merge(const PythonValue& one, const Condition& when, const PythonValue& other,
                    PythonId place);
  // Returns false and appends nothing if the evaluation limit is reached.
  bool Append(PythonContainer& to, const PythonValue& value, const Condition& feature);
  // Appends a value; to a set only if it is not in it yet.
  void Insert(PythonContainer& to, const PythonValue& value, const Condition& feature);
  void SetItem(PythonContainer& to, const PythonValue& key, const PythonValue& value,
               const Condition& feature);
  // Returns each value of a set once and the last value of each key of a dict; with `keys`, each
  // key once.
  std::vector<PythonElement> Settled(const PythonContainer& container, bool keys) const;
  // Adds the elements that iteration yields. If they are unknown, returns false and adds a problem.
  bool Iterate(const PythonValue& value, PythonId place, PythonContainer& into);
  Truth TruthOf(const PythonValue& value) const;

  // Names (evaluator.cpp).
  PythonValue Lookup(PythonId id);
  PythonBinding* FindBinding(std::string_view name);
  void Bind(PythonId target, const PythonValue& value);
  void BindName(PythonScope& scope, std::string_view name, PythonId place, PythonValue value);
  void KeepOther(PythonBinding& binding, const PythonValue& old, const Condition& when) const;
  void FlushPending();

  // Tests (tests.cpp).
  // Returns always, never, a condition on features, or unread(LINE) and its problem.
  Condition Test(PythonId id, std::string_view statement, int& problem);
  std::optional<Condition> FeatureTest(PythonId id);
  std::optional<Condition> Query(PythonId id);
  PythonValue Comparison(PythonId id);
  Truth Compared(const PythonValue& left, std::string_view op, const PythonValue& right) const;
  Truth Contains(const PythonValue& container, const PythonValue& value) const;
  Truth Equal(const PythonValue& left, const PythonValue& right) const;
  PythonValue Boolean(PythonId id);

  // Expressions (expressions.cpp).
  PythonValue Evaluate(PythonId id);
  PythonValue EvaluateKind(PythonId id);
  PythonValue EvaluateGiven(PythonId id);
  PythonValue Literal(PythonId id);
  PythonValue Named(PythonId id);
  PythonValue Display(PythonId id, ContainerKind kind);
  void EvaluateInto(PythonId id, PythonContainer& into, const Condition& feature);
  PythonValue DictDisplay(PythonId id);
  PythonValue Unary(PythonId id);
  PythonValue Binary(PythonId id);
  PythonValue Operate(std::string_view op, const PythonValue& left, const PythonValue& right,
                      PythonId place);
  PythonValue Arithmetic(std::string_view op, long long left, long long right, PythonId place);
  PythonValue Repeat(const PythonValue& value, long long times, PythonId place);
  PythonValue SetOperation(std::string_view op, const PythonValue& left, const PythonValue& right,
                           PythonId place);
  PythonValue Conditional(PythonId id);
  PythonValue Subscript(PythonId id);
  PythonValue Item(const PythonValue& value, const PythonValue& index, PythonId place);
  PythonValue Slice(const PythonValue& value, PythonId slice, PythonId place);
  PythonValue Attribute(PythonId id);
  PythonValue Comprehension(PythonId id, ContainerKind kind);
  void Clauses(Ids clauses, PythonId element, const Condition& feature, PythonContainer& into);
  void Filter(Ids clauses, Ids tests, PythonId element, Condition feature, PythonContainer& into);

  // Strings (texts.cpp).
  PythonValue Format(PythonId id);
  bool AppendFormatted(const PythonValue& value, std::string_view conversion, std::string& out);
  PythonValue Percent(const PythonValue& format, const PythonValue& values, PythonId place);
  PythonValue TextMethod(const PythonValue& text, std::string_view method, PythonId call);
  PythonValue FormatMethod(const std::string& format, PythonId call);
  PythonValue Split(const std::string& text, PythonId call);
  PythonValue Join(const std::string& separator, PythonId call);
  std::optional<PythonValue> Trimmed(const std::string& text, std::string_view method,
                                     const std::vector<PythonValue>& given, PythonId call);

  // Calls (calls.cpp).
  Arguments ReadArguments(PythonId call);
  PythonValue Call(PythonId id);
  std::string Imported(PythonId id);
  PythonValue Foreign(PythonId call);
  std::optional<PythonValue> LibraryCall(PythonId call);
  PythonValue ChainOfAll(const PythonValue& lists, PythonId call);
  PythonValue FromKeys(const Arguments& arguments, PythonId call);
  PythonValue Copied(const PythonValue& value, bool deep, int depth);
  std::optional<PythonValue> Builtin(std::string_view name, PythonId call);
  std::optional<PythonValue> ScalarBuiltin(std::string_view name, const PythonValue& value,
                                           PythonId call);
  PythonValue Converted(ContainerKind kind, const Arguments& arguments, PythonId call);
  PythonValue DictOf(const Arguments& arguments, PythonId call);
  PythonValue Chain(const Arguments& arguments, PythonId call);
  PythonValue Sorted(const Arguments& arguments, bool reversed, PythonId call);
  PythonValue Range(const Arguments& arguments, PythonId call);
  PythonValue Enumerated(const Arguments& arguments, PythonId call);
  PythonValue Zipped(const Arguments& arguments, PythonId call);
  bool Sort(PythonContainer& container) const;

  // Methods without side effects (methods.cpp).
  PythonValue Method(PythonId call);
  PythonValue NotRead(PythonContainer& container, PythonId base);
  PythonContainer* Unassigned(PythonId name, std::string_view method);
  std::optional<PythonValue> PureMethod(const PythonValue& receiver, std::string_view method,
                                        PythonId call);
  std::optional<PythonValue> SetMethod(const PythonValue& receiver, std::string_view method,
                                       PythonId call);
  PythonValue Get(const PythonValue& dict, PythonId call);
  PythonValue Views(const PythonContainer& dict, std::string_view method, PythonId call);

  // Changes of lists under the condition `when` (mutations.cpp).
  std::optional<PythonValue> Mutate(PythonContainer& container, std::string_view method,
                                    PythonId call);
  bool MutateList(PythonContainer& container, std::string_view method, const Arguments& arguments,
                  PythonId call);
  bool MutateSet(PythonContainer& container, std::string_view method, const Arguments& arguments,
                 PythonId call);
  void InsertAt(PythonContainer& list, const PythonValue& index, const PythonValue& value);
  PythonValue SetDefault(PythonContainer& dict, const Arguments& arguments, PythonId call);
  void Extend(PythonContainer& to, const PythonValue& from, PythonId place, const Condition& when);
  void UpdateDict(PythonContainer& to, const PythonValue& from, PythonId place,
                  const Condition& when);
  void Remove(PythonContainer& from, const PythonValue& value, PythonId place);
  std::map<std::string, Condition> Members(const PythonValue& values, PythonContainer& of,
                                           PythonId place);
  void RemoveAll(PythonContainer& from, const PythonValue& values, PythonId place,
                 const Condition& when);
  void KeepOnly(PythonContainer& of, const PythonValue& values, PythonId place,
                const Condition& when);
  void Toggle(PythonContainer& of, const PythonValue& values, PythonId place,
              const Condition& when);
  void Leave(PythonContainer& container, std::size_t index, const Condition& when);
  PythonValue Pop(PythonContainer& container, const Arguments& arguments, PythonId call);
  PythonValue PopKey(PythonContainer& dict, const PythonValue& key, PythonId call);
  bool AugmentInPlace(PythonContainer& container, std::string_view op, const PythonValue& value,
                      PythonId place);
  bool Writable(PythonContainer& container, PythonId place);
  bool IsNamed(const PythonContainer* container) const;

  // Uses that may change a list in an unknown way (uses.cpp).
  static bool IsUnread(const Condition& when);
  void Uncertain(PythonContainer& container);
  bool Differ(const PythonContainer& one, const PythonContainer& other) const;
  void Expose(const PythonValue& value, int problem, int depth);
  void ExposeArgument(PythonId call, const PythonValue& value, bool starred);
  void ExposeUses();
  void Escape(const PythonValue& function, PythonId place);
  void ExposeScope(PythonScope& scope, int problem);
  void ExposeBinding(PythonBinding& binding, PythonId place, int problem);
  bool ReadsArguments(PythonId call);

  // Statements (statements.cpp).
  Jump Execute(Ids statements);
  Jump ExecuteBlock(PythonId block) {
    return block == 0 ? Jump::kNone : Execute(tree_.Children(block));
  }
  Jump Leaves(Jump jump);
  Jump Statement(PythonId id);
  void Simple(PythonId id);
  Jump If(PythonId id);
  Jump Guarded(PythonId block, const Condition& condition);
  Condition Rest(const Condition& when) const;
  Jump Try(PythonId id);
  Jump With(PythonId id);
  Jump Return(PythonId id);
  void Import(PythonId id);

  // Loops (loops.cpp).
  Jump For(PythonId id);
  Jump Iteration(PythonId id, const PythonElement& element);
  Jump While(PythonId id);
  void Forget(PythonId target);
  bool HasBreak(PythonId id) const;
  void DisturbRebound(PythonId id, int problem);

  // Functions and classes (functions.cpp).
  void Define(PythonId id);
  void DefineClass(PythonId id);
  PythonScope& NewScope(PythonScope* parent);
  bool IsPlain(PythonId function) const;
  PythonValue CallFunction(const PythonValue& function, const Arguments& arguments, PythonId call);
  PythonValue RunFunction(PythonId function, PythonScope& scope, const std::function<bool()>& bind);
  PythonValue Returned(PythonId function, bool falls);
  bool BindParameters(const PythonValue& function, const Arguments& arguments, PythonScope& scope);

  // Assignments, and the effects of blocks that are not evaluated (assignments.cpp).
  void Assign(PythonId target, const PythonValue& value);
  void Unpack(PythonId target, const PythonValue& value);
  void AssignItem(PythonId target, const PythonValue& value);
  void Augment(PythonId id);
  void Delete(PythonId target);
  void DeleteItem(PythonId target);
  // Returns the position of an index, or nullopt if unknown.
  std::optional<std::size_t> Position(const PythonContainer& list, const PythonValue& index) const;
  void Disturb(PythonId id, int problem);
  void DisturbTarget(PythonId target, int problem);
  void DisturbName(PythonId target, int problem);

  // Names to report (names.cpp).
  PythonValue Where(const PythonValue& value, const Condition& when);
  void AddNames(const PythonScope& scope, const std::string& prefix, int depth,
                std::vector<PythonName>& names);
  void AddMembers(const PythonName& name, int depth, std::vector<PythonName>& names);
  void AddClasses(const PythonScope& scope, const std::string& prefix, int depth,
                  std::vector<PythonName>& names);
  void AnalyzeFunctions(PythonScope& scope, const std::string& prefix, int depth,
                        std::vector<PythonName>& names);
  void AnalyzeFunction(const PythonBinding& binding, const std::string& name, int depth,
                       std::vector<PythonName>& names);

  // With hooks (hooks.cpp, objects.cpp).
  std::string NameWithHooks(PythonId id);
  static std::string OnlyName(const PythonBinding& binding);
  PythonValue Instantiate(const PythonValue& of_class, const PythonArguments& arguments,
                          PythonId call);
  PythonValue CallMember(const PythonValue& object, std::string_view method,
                         PythonArguments arguments, PythonId call);
  std::vector<const PythonScope*> OrderOf(const PythonScope* of_class, int depth) const;
  const PythonBinding* FindInClass(const PythonScope* of_class, std::string_view name,
                                   const PythonScope** owner = nullptr) const;
  std::string NameOfGetattr(PythonId call);
  std::optional<PythonValue> CallSuper(PythonId call);
  const PythonBinding* FindMember(const PythonValue& object, std::string_view name) const;
  bool IsElsewhere(const PythonValue& definition) const {
    return hooks_ != nullptr && definition.home != this;
  }
  PythonValue CallElsewhere(const PythonValue& callee, const PythonArguments& arguments,
                            PythonId call);
  // Calls anything callable: functions, classes, objects, and imported names.
  PythonValue CallValue(const PythonValue& callee, const PythonArguments& arguments, PythonId call);
  static bool IsOwn(const PythonValue& object, std::string_view name);
  static PythonValue Bound(const PythonValue& object, PythonValue member);
  void CallForeignBase(const PythonValue& object, const PythonScope* of_class,
                       const PythonArguments& arguments, PythonId call);
  std::shared_ptr<const std::map<PythonId, PythonValue>> ReadDefaults(PythonId function);
  void NoteMaker(PythonId function, const PythonValue& value);
  PythonElement UnknownItem(PythonId place, PythonId iterable);
  PythonValue Lambda(PythonId id);
  std::optional<PythonValue> Mapped(const PythonArguments& arguments, PythonId call);
  PythonId ParametersOf(PythonId function) const;
  PythonId BodyOf(PythonId function) const;
  Condition TextCondition(std::string_view text);
  Condition TextTest(PythonId id);
  Condition TryTest(PythonId id);
  PythonValue FromOutside(const Condition& when, const std::function<PythonValue()>& evaluate);
  PythonValue CallEach(const PythonBinding& binding, PythonId call);
  PythonValue CallAll(const std::vector<PythonOther>& callees, const PythonArguments& arguments,
                      PythonId call);
  std::optional<PythonValue> Decorate(PythonId id, PythonId decorator,
                                      const PythonValue& decorated);
  std::optional<PythonValue> Hooked(PythonId call, const PythonArguments& arguments);
  std::optional<PythonValue> ImportedValue(PythonId id);
  void ImportAll(PythonId alias, const std::string& module);
  void AnalyzeUncalled(const PythonValue& function);

  const PythonTree& tree_;
  const PythonHooks* hooks_ = nullptr;
  std::string module_name_;
  std::vector<std::pair<PythonId, PythonArguments>> frames_;
  std::set<PythonId> called_;  // functions
  // Object and the class that defines the method.
  std::vector<std::pair<PythonValue, const PythonScope*>> methods_;
  std::set<PythonId> absent_;  // blocks
  std::unordered_map<PythonId, int> problem_of_;
  std::map<std::string, Condition, std::less<>> text_conditions_;
  std::vector<PythonValue> functions_;
  std::map<const PythonScope*, std::vector<PythonScope*>> bases_;  // of classes
  PythonId decorated_ = 0;
  int outside_ = 0;     // number of open calls from other modules
  bool given_ = false;  // whether a value that depends on a parameter was read
  bool uncalled_ = false;
  std::deque<PythonContainer> containers_;
  std::deque<PythonScope> scopes_;
  std::vector<PythonProblem> problem_list_;
  std::map<PythonProblem, int> problem_numbers_;
  std::set<int> module_problems_;
  std::set<PythonId> analyzed_;  // functions
  std::set<int> foreign_;        // problems for changes outside the function being analyzed
  PythonScope* module_ = nullptr;
  PythonScope* scope_ = nullptr;  // the current scope
  Condition when_;                // condition of the current statement
  std::vector<int> pending_;      // undecided tests whose bodies have not changed a list yet
  PythonValue returned_;
  Condition returned_when_ = Condition::Never();
  // The conditions under which a jump was taken in the current iteration, loop and call.
  Condition continued_ = Condition::Never();
  Condition broken_ = Condition::Never();
  Condition left_ = Condition::Never();
  bool yielded_ = false;
  PythonVisits visits_;
  std::set<PythonId> cut_;
  std::set<PythonId> makers_;
  std::map<const PythonScope*, std::string> foreign_bases_;
  PythonId statement_ = 0;  // the current statement
  int epoch_ = 0;           // 0: the module; otherwise the analysis of a function
  int epochs_ = 0;
  int loose_ = 0;  // number of enclosing loops with an unknown order
  int nesting_ = 0;
  int calls_ = 0;
  std::size_t steps_ = 0;
  std::size_t iterations_ = 0;
};

class PythonEvaluator::Nesting {
 public:
  explicit Nesting(PythonEvaluator& evaluator) : evaluator_(evaluator) { ++evaluator_.nesting_; }
  ~Nesting() { --evaluator_.nesting_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  bool too_deep() const { return evaluator_.nesting_ > 300; }

 private:
  PythonEvaluator& evaluator_;
};

}  // namespace opledger
