// A dialect: how one framework registers operators, as data. The scanner knows no framework; what
// differs between them stands in registry/dialects/NAME.json (schemas/dialect.schema.json).
// In: that file. Out: its rules, matched against names and paths.
// May include: registry/condition, registry/json, registry/platform, registry/precision_list,
// registry/project, registry/source, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/condition/configuration.h"
#include "registry/dialect/python_dialect.h"
#include "registry/dialect/relations.h"
#include "registry/precision_list/derived_from.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// How the name argument of a sink is read.
enum class NameForm {
  kToken,   // the argument's own spelling, as the # operator sees it: REGISTER(abs)
  kString,  // a constant string after macro expansion, adjacent literals joined: REGISTER("Abs")
  kSchema,  // the same, up to its '(': "add.out(Tensor a, Tensor b) -> Tensor" is add.out; what
            // follows gives the inputs and outputs
  kType,    // the last name of a type: ns::v1::Abs<float> is Abs
};

// A macro that opens a block, in which methods of a variable register in a namespace:
//   TORCH_LIBRARY(ns, m) { m.def("add(Tensor a) -> Tensor"); }
struct Scope {
  int space = 0;         // index of the argument that is the namespace
  int receiver = 1;      // of the one that names the variable
  int key = -1;          // of one that is the key of what is added; -1: none
  bool expands = false;  // a macro that is given as the namespace is expanded
};

// A method that registers on the variable of a scope.
struct ScopeMethod {
  std::string method;
  bool registers = true;      // else it is only one that may stand in a chain
  bool returns_scope = true;  // what it returns is the variable again: m.def("a").def("b")
  int name = 0;               // index of the argument that carries the name
  NameForm form = NameForm::kSchema;
  std::string adds;  // the field that it adds to an operator registered elsewhere; empty: registers
  int value = -1;    // index of the argument that is the field's value
  int key = -1;      // of the one that is its key, in the place of the scope's
  std::string key_function;  // or: the value is a call of this, which holds the key and the value
};

// A file that is no C++ but says what there is: YAML with a sequence of mappings, one per operator,
// or with a mapping by name; or text in which a pattern finds them.
struct DataFile {
  std::string path;                           // glob
  std::vector<std::string> names;             // members, one of which carries the name, as a schema
  bool keyed = false;                         // or: the keys of the mapping are the names
  std::string under;                          // the member of the file that holds them; empty: all
  std::string alias;                          // the member that has aliases; empty: none
  bool alias_in_parentheses = false;          // "matmul (matmul_v2)": a name and its alias
  std::string pattern;                        // a regular expression: its first group is the name,
                                              // the second, if any, an alias
  std::string comment;                        // what begins a comment up to the end of a line
  std::string separator;                      // between namespace and name
  std::string space;                          // the namespace; empty: none
  std::map<std::string, std::string> fields;  // member -> field of the operator
  // What holds for an item with none of the members `unless`: a value of a field.
  struct Implicit {
    std::vector<std::string> unless;  // empty: there is nothing of the kind
    std::string field;
    std::string key;
  } implicit;
  // A member that names further operators, with commas between them, and what their kernels are.
  struct Further {
    std::string member;  // empty: none
    std::string field;
    std::string key;
    // Of an item with an implicit value only where this field has this one.
    std::string needs_field;
    std::string needs_value;
  } further;
};

// What the arguments of a call say of a kernel; -1: nothing does.
//   .TypeConstraint<Eigen::half>("T"), .Device(DEVICE_GPU), REGISTER(abs, CPU, Abs, float, double)
struct KernelCall {
  int device = -1;    // index of the argument that names the device
  std::string on;     // or: the device, whatever the arguments
  int label = -1;     // of the name by which a model has to ask for it
  int variable = -1;  // of the type variable that `dtypes` are of
  int dtypes = -1;    // of the first argument of those, up to the last, that are element types
  std::vector<int> dtype_arguments;  // or of exactly these
  bool templates = false;            // the template arguments are the element types
  int function = -1;  // of the function or class whose element types are the kernel's
  std::map<std::string, int> details;  // name -> index of the argument
  std::vector<int> key;  // of the arguments by which a table names it; empty: it needs none
  // Index of the argument that is a condition, Device() == kCpu && Type("x") == kFloat, and the
  // functions in it that stand for the device and for the element type of what they are given.
  int condition = -1;
  std::string condition_device;
  std::string condition_dtype;
};

// A method of the chain that says something of a kernel.
struct KernelMethod {
  std::string method;
  KernelCall says;
};

// A macro that gives types to what another macro names by the same first arguments:
//   SPECIFY(kCpu, Clip, 0, float, double)  ->  ENABLED(kCpu, Clip, 0)
struct TypeListMacro {
  std::string defines;
  std::string use;
  int dtypes = 0;  // index of the first type
};

// How functions that run operators choose code by element type, with macros:
//   AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, x.scalar_type(), "erf", [&] { ... })
struct ElementTypes {
  using Sets = std::map<std::string, std::vector<std::string>>;
  std::vector<std::string> prefixes;  // of these macros; none: the framework has none
  std::string case_prefix;            // of those that are one case of a switch
  std::string switches;  // what follows the prefix of a switch of cases: type, name, cases
  std::string listed;    // ... and of one with all types behind: type, name, lambda, types
  std::vector<std::string> unrelated;  // ... and of those that choose by something else
  Sets sets;  // what follows -> types; NAME_AND2 takes two more as its first arguments
  std::map<std::string, int>
      listed_first;  // what follows -> how many types are its first arguments
  Sets values;       // the same as arguments of the one with all types behind
  std::map<std::string, std::string> names;  // the framework's name of a type -> dtype
  Sets predicates;                           // functions that ask for a type -> those it holds for
  std::vector<std::string> functions;  // macros that begin a function, named by their argument
  std::map<std::string, std::string> registers;  // NAME, &function -> device; empty: of its file
  std::map<std::string, std::string> paths;      // globs -> the device of a file's functions
  // Methods, members and functions whose result is of the type of what they are called on or given.
  std::vector<std::string> keeps;
  std::vector<std::string> checks;  // globs: macros and functions that neither return nor change
  int operand = 0;                  // the parameter whose type is looked at, from 1; 0: all of them
  // Parameters that results are written to. They are of the type of the operands only where the
  // operator's field `same_type_field` has a value that one of the globs matches.
  std::vector<std::string> results;
  std::string same_type_field;
  std::vector<std::string> same_type;
  // Words of a condition under which nothing is computed: the function that counts elements.
  std::vector<std::string> nothing;
  // Classes that derive from `base` and do not override its method `method` take these types alone.
  struct DefaultTypes {
    std::string base;  // empty: there is no such class
    std::string method;
    std::vector<std::string> types;
  } defaults;
};

// How the framework speaks of kernels.
struct KernelNames {
  std::vector<KernelMethod> methods;
  std::map<std::string, std::string> devices;  // its name of a device -> "cpu", "cuda", "*" for all
  std::vector<std::string> type_traits;        // templates whose arguments are the types meant
  std::vector<TypeListMacro> type_lists;
  std::string field;  // of the operator, whose keys are devices; empty: none is
  std::map<std::string, std::string> fields;  // others, whose value is a function -> its device
  std::string delegate;  // the field that names the operator whose kernels it has too; may be empty
  ElementTypes element_types;  // of the functions that the field names
};

// A macro (or function called like one) whose use registers an operator. The scanner replaces its
// definition, so the framework's own headers are not needed and cannot hide a registration.
struct Sink {
  std::string macro;
  int parameters = 1;      // how many arguments it usually takes; -1: any number
  int name = 0;            // index of the argument that carries the name
  bool templates = false;  // template arguments are its first arguments: Register<Abs>("x")
  NameForm form = NameForm::kToken;
  std::string prefix;            // put before the name
  int prefix_argument = -1;      // or: index of the argument that says it, a string or a constant
  std::string prefix_method;     // ... of this method of the chain; empty: of the sink
  std::string prefix_separator;  // ... that stands between what it says and the name
  bool prefix_token = false;     // ... which is its own spelling, as a namespace is: vision, a::b
  bool prefix_optional = false;  // the name without it is an alias
  bool is_call = false;          // a function: a use that is its declaration does not count
  // What may stand right before the call, without spaces: "Registry<Op>::Get()->"; none: anything.
  std::vector<std::string> receivers;
  std::vector<std::string> other_receivers;  // globs: whose method of this name registers nothing
  int version = -1;  // index of the argument that is the operator's version; -1: none
  int chain = -1;    // index of the argument that holds the chain; -1: it follows the call
  std::optional<Scope> scope;        // it opens a block instead
  bool identity = false;             // it only wraps names of others
  std::vector<std::string> methods;  // if any: not the call registers, but these of its chain
  bool variable = false;   // a class: a variable made with arguments registers too, Sink r("a", f)
  std::string expression;  // C++ that comes to the name, {} the argument: "{}::OpName()"
  std::vector<std::string> also;     // operators that come with it, {} its name: "_backward_{}"
  std::optional<KernelCall> kernel;  // it registers a kernel of the operator
  // It is an entry of the table of the kernels that are compiled in: of those arguments.
  std::vector<int> table;
  std::string within;        // counts only among the template arguments of this; empty: anywhere
  bool operator_too = true;  // with the kernel the operator; else that is done elsewhere
  std::vector<std::string> paths;  // globs; empty: everywhere
};

// A method of the chain that follows a registration, and where what it says is kept.
struct ChainMethod {
  // One more argument that is kept with the value.
  struct Detail {
    std::string name;
    int argument = 0;
    std::optional<bool> boolean;  // only if the argument is one, or only if it is none
    std::string absent;           // what it is where there is no such argument
    std::map<std::string, std::string> values;  // if any: only if the argument is one, as it has it

    // What is kept of an argument that comes to `text`; none: nothing.
    std::optional<std::string> Kept(const std::string& text) const;
  };
  std::string method;
  std::string field;  // "alias", "ignore", or the name of a field of the operator
  int key = -1;       // index of the string argument that is the key; -1: no key
  int value = 0;      // index of the argument that is the value; -1: no value
  int order = -1;     // index of the argument that says the how manieth value it is; -1: none does
  std::vector<Detail> details;
  // Globs: a value that is one of them is the type of what is required of a user, and goes to the
  // field `otherwise`.
  std::vector<std::string> types;
  std::string otherwise;
  bool populates = false;  // its argument is a function that calls further methods
  std::string within;      // a function called inside an argument of this method; empty: a method
};

// What the scanner may compute, for dialects whose chains do not say everything literally:
//   .TypeConstraint("T", OpSchema::all_float_types(), "...")
struct Evaluation {
  // Functions that return these types, and constants of them, are read from the sources.
  std::vector<std::string> definitions;
  std::vector<std::string> names;  // pieces of names, one of which theirs hold; empty: any name
  // What further names come to, called or not: {0} is an argument (template arguments first),
  // {0:lower} the same in lower case. A list as argument gives a list; several texts give the
  // lists they come to, one after the other.
  std::map<std::string, std::vector<std::string>> words;
  bool empty() const { return definitions.empty() && words.empty(); }
};

// What the sources say in no form that a scanner can read, about an operator they register.
struct FactOverride {
  std::string op;
  std::string field;
  std::string key;
  std::string value;
  std::map<std::string, std::string> details;
};

// Attribute keys worth a field of their own: key "FInferType" of field "attribute" goes to field
// "type_inference" with no key. `values` are constants worth a word of ours: kFollow -> "widest".
struct KeyField {
  std::string key;
  std::string field;
  std::string as;  // another key in its place; empty: see above
  std::map<std::string, std::string> values;
};

// A macro that the build defines and names are made of: TORCH_EXTENSION_NAME.
struct BuildName {
  std::string macro;
  std::string path;   // glob: where it is this; empty: anywhere
  std::string value;  // empty: what the configuration or -D says
  // Of an empty one: what files of the build say that it is in several places.
  std::vector<std::string> values;
};

// A registration whose name is computed at run time, known and meant.
struct KnownDynamic {
  std::string path;        // where
  std::string expression;  // the argument as written
  std::string reason;
};

// What registers no operator, though it looks like it or comes to a sink.
struct NotRegistration {
  std::string name;    // exact, or PREFIX*; empty: any
  std::string path;    // glob; empty: anywhere
  std::string reason;  // for readers
  bool Holds(std::string_view mention, const std::string& file) const;
};

// Operators that need no class: their names contain, start with, end with or equal the text.
struct Filter {
  std::string name;      // recorded in the manifest as the reason
  std::string contains;  // exactly one of these is set
  std::string prefix;
  std::string suffix;
  std::string equals;
  std::vector<std::string> paths;  // or: every operator registered only under these globs
  std::string field;               // or: this field has a value under one of `keys`
  std::vector<std::string> keys;
  bool only = false;           // ... and no value under another key
  std::string value_contains;  // ... which contains this; empty: any value
  std::string inputs_without;  // or: the schema is known and no input's type contains this
  std::string unless_field;    // beside any of these: not where this field has a value
  std::string schema_without;  // or: the schema is known and no type in it contains this
  bool Matches(const std::string& op) const;
};

// A condition that the build system, not the preprocessor, puts on whole files.
struct PathCondition {
  std::string path;  // glob
  Condition condition;
};

// How attribute sets are declared, apart from the operators that name them:
//   DMLC_DECLARE_PARAMETER(ActivationParam) {
//     DMLC_DECLARE_FIELD(act_type).add_enum("relu", kReLU).set_default(kReLU);
//   }
//   ... .add_arguments(ActivationParam::__FIELDS__())
struct AttributeSets {
  std::string declare;    // macro that opens a set; its argument is the set's name; empty: none
  std::string field;      // macro that declares one attribute
  std::string value;      // method that adds one allowed value, a string; may be empty
  std::string initial;    // method that gives the default; may be empty
  std::string reference;  // what stands behind a set's name where an operator takes it
  std::string optional;   // class template of types with one more value, none; may be empty
  std::string none;       // how that value is written
  // How types and defaults are shown that C++ names otherwise, namespaces left out. A key may end
  // in
  // "<*>", then {} in what is shown is the argument: "Tuple<*>" -> "tuple of <{}>".
  std::map<std::string, std::string> types;
  std::map<std::string, std::string> defaults;  // keys are globs
};

// How registrations say which element types an operator takes: by type variables that its inputs
// name. "T: {half, float}" and "x: T" of TensorFlow; ONNX has names and types apart.
struct TypeNames {
  std::string variables;  // the field that declares them; empty: operators do not say
  std::string inputs;     // the field of the inputs
  std::string outputs;    // the field of the outputs, where `implies` is for them too
  std::map<std::string, std::string> implies;  // type -> field of operators that name it there
  std::string separator;  // between name and type, where they are one string; may be empty
  // The framework's name -> dtypes; none: a type that is none of ours.
  std::map<std::string, std::vector<std::string>> names;
};

// A precision list that the framework keeps itself. Of several with the same type and device the
// first counts whose files are all there.
struct KeptList {
  std::string target_dtype;
  std::string device;         // may be empty
  std::string configuration;  // the build that it is for; empty: the default
  std::string unlisted;       // as in a list
  std::vector<ListOrigin> derived_from;
  std::string derived_text;  // the same, as the dialect has it

  // "float16-cuda", as PrecisionList::Label().
  std::string Label() const { return device.empty() ? target_dtype : target_dtype + "-" + device; }
};

// The place in the framework's sources that says what happens to an operator without a policy.
struct UnlistedSource {
  std::string file;  // relative to the root; empty: nothing is known
  std::string says;  // text on one line there
};

// Which of the keys of a field that holds kernels stand for which device.
struct DeviceKernels {
  std::string field;         // empty: nothing is known
  std::string unless_field;  // where this field has a value, the kernels are another operator's
  std::map<std::string, std::vector<std::string>> devices;  // device -> keys
  std::vector<std::string> no_device;  // keys that tell nothing of a device; any other: every one
};

// Which of the keys of a field that holds kernels cast an operator's arguments, device by device.
struct AutocastKernels {
  std::string field;   // that holds the kernels; empty: there are none such
  std::string policy;  // the field for what a kernel's body says
  std::map<std::string, std::vector<std::string>> devices;  // device -> keys
  // The Python function that enables autocast, "autocast"; empty: `opledger init` does not ask.
  std::string context;
  // What a project writes to have one: {name}, {device} and {dtype} stand for those of the operator
  // and of the list; `default_device` where the list has none.
  std::string rule;
  std::string default_device;

  // The device of the key; empty: it is of none.
  std::string DeviceOf(std::string_view key) const;
};

struct Dialect {
  std::string name;
  std::string extends;                    // the shipped dialect to which it adds; empty: none
  std::string path;                       // of the file it was read from
  std::string text;                       // the file's bytes: part of every cache key
  std::vector<std::string> root_markers;  // files that stand at the root of a checkout
  // Words, one of which a C++ source holds where the dialect fits; empty: the names of sinks.
  std::vector<std::string> detect;
  std::vector<std::string> sources;     // globs, relative to the root
  std::vector<std::string> exclude;     // globs
  std::vector<std::string> extensions;  // of translation units, with the dot
  std::vector<std::string> include_directories;
  std::vector<Sink> sinks;
  std::vector<ScopeMethod> scope_methods;
  std::vector<std::string> scope_types;  // the classes of a scope's variable
  std::string separator = "::";          // between a scope's namespace and a name
  std::string name_pattern;  // a regular expression that every operator's name matches; empty: any
  std::vector<std::string> identity_functions;   // their first argument may be the name
  std::map<std::string, std::string> constants;  // what constants come to that are names
  std::vector<DataFile> data;
  std::vector<KnownDynamic> known_dynamic;
  std::vector<BuildName> build_names;
  std::vector<ChainMethod> chain;
  std::vector<KeyField> key_fields;
  KernelNames kernels;
  Evaluation evaluation;
  std::vector<std::string> declarations;  // lines of C++ for headers that cannot be found
  std::vector<FactOverride> fact_overrides;
  std::vector<std::string> string_lists;  // fields whose value is the strings the argument returns
  AttributeSets attribute_sets;
  std::string suspicious;  // identifiers containing it, called where a
                           // statement or value begins, must be explained; empty: none
  std::vector<NotRegistration> not_registrations;  // ... or stand here
  std::vector<Filter> exempt;
  std::vector<Filter> drop;  // operators that are not reported at all
  std::vector<Filter> keep;  // if any: operators that match none are not reported
  Configurations configurations;
  std::string default_configuration;
  std::vector<std::string> never_defined;  // macros that no build defines which is meant
  Relations relations;
  TypeNames types;
  std::vector<PathCondition> path_conditions;
  std::vector<KeptList> lists;
  std::string unlisted;  // what the framework does with an unlisted operator, in words
  UnlistedSource unlisted_source;
  DeviceKernels device_kernels;
  AutocastKernels autocast_kernels;
  PythonDialect python;
  std::string unlisted_default = "required";  // "unlisted" of lists that `init` writes

  // The project's other dialects, which read what this one need not; not of the file.
  std::vector<std::shared_ptr<const Dialect>> others;

  bool IsSink(std::string_view name) const;
  bool HasScopes() const;  // some sink opens a block
  bool HasTable() const;   // some sink is an entry of a table of kernels
  bool IsExcepted(std::string_view name, const std::string& path) const;
  bool HasExtension(std::string_view path) const;  // one of `extensions`
  // Whether it is among the sources, C++ or Python.
  bool HasSource(const std::string& path) const;
};

// What the dialect says of the data file at `path`; empty: it is no data file, or excluded.
std::vector<const DataFile*> DataFilesAt(const Dialect& dialect, const std::string& path);
// Whether compilers take the file as a translation unit, by its name: C++ and its modules, C,
// Objective-C, CUDA, HIP.
bool IsTranslationUnit(std::string_view path);
// Whether the file is one, or a header or fragment of one.
bool IsCode(std::string_view path);
// Whether code is generated from the file, by its name: ops.cc.in, ops.h.j2.
bool IsSourceTemplate(std::string_view path);

// Whether it is a data file and no C++ too.
bool IsOnlyData(const Dialect& dialect, const std::string& path);

// What the dialect knows of a registration with a computed name; none: nothing.
const KnownDynamic* KnownDynamicFor(const Dialect& dialect, const std::string& path,
                                    const std::string& expression);

// Reads a dialect file. Errors carry positions.
std::optional<Dialect> ReadDialect(const Source& source, const std::string& path, Reach reach,
                                   Diagnostics& diagnostics);

// `name_or_file`: a shipped dialect's name, or a path (IsDialectFile of registry/project). An
// unknown name gets a suggestion.
std::optional<Dialect> FindDialect(const Source& source, const std::string& name_or_file,
                                   Reach reach, Diagnostics& diagnostics);

// Every shipped dialect's name, sorted. An error where not all can be listed.
std::vector<std::string> ShippedDialects(Diagnostics& diagnostics);

}  // namespace opledger
