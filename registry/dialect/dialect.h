// A dialect: how one framework registers operators, as data. The scanner itself knows no framework;
// everything specific to one is in registry/dialects/NAME.json (schemas/dialect.schema.json). In:
// that file. Out: its rules, matched against names and paths.
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
  kToken,   // the argument as written, like the # operator: REGISTER(abs)
  kString,  // a constant string after macro expansion, adjacent literals joined: REGISTER("Abs")
  kSchema,  // a string up to its '(': "add.out(Tensor a, Tensor b) -> Tensor" is add.out;
            // the rest gives the inputs and outputs
  kType,    // the last name of a type: ns::v1::Abs<float> is Abs
};

// A macro that opens a block in which methods of a variable register operators in a namespace:
//   TORCH_LIBRARY(ns, m) { m.def("add(Tensor a) -> Tensor"); }
struct Scope {
  int space = 0;         // index of the namespace argument
  int receiver = 1;      // index of the argument that names the variable
  int key = -1;          // index of the argument that is the default key; -1: none
  bool expands = false;  // whether a macro passed as the namespace is expanded
};

// A method that registers an operator on the variable of a scope.
struct ScopeMethod {
  std::string method;
  bool registers = true;      // otherwise it may only appear in a chain
  bool returns_scope = true;  // returns the variable, as in m.def("a").def("b")
  int name = 0;               // index of the name argument
  NameForm form = NameForm::kSchema;
  // The field to add to an operator registered elsewhere; empty: registers an operator.
  std::string adds;
  int value = -1;            // index of the argument that is the field's value
  int key = -1;              // index of the argument that is its key; replaces the scope's
  std::string key_function;  // alternatively, a function called in the value with key and value
};

// A file other than C++ that lists operators: YAML with a sequence of mappings, one per operator,
// or with a mapping by name; or text in which a pattern matches the operators.
struct DataFile {
  std::string path;                // glob
  std::vector<std::string> names;  // members that may hold the name, as a schema
  bool keyed = false;              // alternatively, the keys of the mapping are the names
  std::string under;  // the member of the file that holds the operators; empty: the file itself
  std::string alias;  // the member that holds aliases; empty: none
  bool alias_in_parentheses = false;  // "matmul (matmul_v2)": a name and its alias
  std::string pattern;                // a regular expression: group 1 is the name,
                                      // group 2, if present, an alias
  std::string comment;                // starts a comment that extends to the end of the line
  std::string separator;              // between namespace and name
  std::string space;                  // the namespace; empty: none
  std::map<std::string, std::string> fields;  // member -> field of the operator
  // A field value that applies to items with none of the members `unless`.
  struct Implicit {
    std::vector<std::string> unless;  // empty: no implicit value
    std::string field;
    std::string key;
  } implicit;
  // A member that lists further operators, separated by commas, and the kernels that they have.
  struct Further {
    std::string member;  // empty: none
    std::string field;
    std::string key;
    // For an item with an implicit value: applies only if this field has this value.
    std::string needs_field;
    std::string needs_value;
  } further;
};

// What the arguments of a call say about a kernel; -1: no argument does.
//   .TypeConstraint<Eigen::half>("T"), .Device(DEVICE_GPU), REGISTER(abs, CPU, Abs, float, double)
struct KernelCall {
  int device = -1;    // index of the device argument
  std::string on;     // alternatively, a fixed device
  int label = -1;     // index of the label by which a model has to request the kernel
  int variable = -1;  // index of the type variable that `dtypes` constrain
  int dtypes = -1;    // index of the first element type; all later arguments are element types too
  std::vector<int> dtype_arguments;  // alternatively, the indices of the element types
  bool templates = false;            // the template arguments are the element types
  int function = -1;  // index of the function or class that determines the kernel's element types
  std::map<std::string, int> details;  // name -> index of the argument
  std::vector<int> key;  // indices of the arguments that identify it in a table; empty: not needed
  // Index of the argument that is a condition, such as Device() == kCpu && Type("x") == kFloat.
  // `condition_device` and `condition_dtype` are the functions in it that return the device and the
  // element type of their argument.
  int condition = -1;
  std::string condition_device;
  std::string condition_dtype;
};

// A method of the chain that describes a kernel.
struct KernelMethod {
  std::string method;
  KernelCall says;
};

// A macro that supplies types for another macro with the same first arguments:
//   SPECIFY(kCpu, Clip, 0, float, double)  ->  ENABLED(kCpu, Clip, 0)
struct TypeListMacro {
  std::string defines;
  std::string use;
  int dtypes = 0;  // index of the first type
};

// How functions that run operators select code by element type, with macros:
//   AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, x.scalar_type(), "erf", [&] { ... })
struct ElementTypes {
  using Sets = std::map<std::string, std::vector<std::string>>;
  std::vector<std::string> prefixes;  // of these macros; empty: the framework has no such macros
  std::string case_prefix;            // of macros that are one case of a switch
  std::string switches;               // suffix of a switch over cases: type, name, cases
  std::string listed;  // suffix of a macro with trailing types: type, name, lambda, types
  std::vector<std::string> unrelated;  // suffixes of macros that select by something else
  Sets sets;  // suffix -> types; NAME_AND2 takes two more as its first arguments
  std::map<std::string, int> listed_first;   // suffix -> number of leading type arguments
  Sets values;                               // sets that may be passed as trailing types
  std::map<std::string, std::string> names;  // the framework's name of a type -> dtype
  Sets predicates;                     // functions that test a type -> types for which they hold
  std::vector<std::string> functions;  // macros that begin a function, which their argument names
  // NAME, &function -> device; empty: the file's device.
  std::map<std::string, std::string> registers;
  std::map<std::string, std::string> paths;  // globs -> the device of a file's functions
  // Methods, members and functions whose result has the type of their object or argument.
  std::vector<std::string> keeps;
  // Globs: macros and functions that neither return from the caller nor change their arguments.
  std::vector<std::string> checks;
  int operand = 0;  // the parameter whose type is tested, from 1; 0: all of them
  // Parameters that receive results. They have the type of the operands only if a value of the
  // operator's field `same_type_field` matches one of the globs `same_type`.
  std::vector<std::string> results;
  std::string same_type_field;
  std::vector<std::string> same_type;
  // Words of a condition under which nothing is computed, such as functions that count elements.
  std::vector<std::string> nothing;
  // Classes that derive from `base` and do not override `method` take only these types.
  struct DefaultTypes {
    std::string base;  // empty: no such class
    std::string method;
    std::vector<std::string> types;
  } defaults;
};

// The framework's vocabulary for kernels.
struct KernelNames {
  std::vector<KernelMethod> methods;
  std::map<std::string, std::string> devices;  // the framework's name -> "cpu", "cuda", "*" for all
  std::vector<std::string> type_traits;        // templates whose arguments are the actual types
  std::vector<TypeListMacro> type_lists;
  std::string field;                          // of the operator, with devices as keys; empty: none
  std::map<std::string, std::string> fields;  // fields whose value is a function -> its device
  std::string delegate;        // names the operator whose kernels this one also has; may be empty
  ElementTypes element_types;  // of the functions that `field` names
};

// A macro, or a function called like one, whose use registers an operator. The scanner replaces its
// definition, so the framework's own headers are not needed and cannot hide a registration.
struct Sink {
  std::string macro;
  int parameters = 1;      // usual number of arguments; -1: any
  int name = 0;            // index of the name argument
  bool templates = false;  // template arguments precede the arguments: Register<Abs>("x")
  NameForm form = NameForm::kToken;
  std::string prefix;  // prepended to the name
  // Alternatively, index of the argument (string or constant) that holds it.
  int prefix_argument = -1;
  std::string prefix_method;     // ... an argument of this chained method; empty: of the sink
  std::string prefix_separator;  // ... separates prefix and name
  bool prefix_token = false;     // ... taken as written, such as a namespace: vision, a::b
  bool prefix_optional = false;  // the name without the prefix is an alias
  bool is_call = false;          // a function: its declaration does not count as a use
  // Allowed text immediately before the call, without spaces: "Registry<Op>::Get()->". Empty: any.
  std::vector<std::string> receivers;
  // Globs: receivers whose method of this name does not register.
  std::vector<std::string> other_receivers;
  int version = -1;  // index of the version argument; -1: none
  int chain = -1;    // index of the argument that holds the chain; -1: the chain follows the call
  std::optional<Scope> scope;        // set if it opens a block instead
  bool identity = false;             // it only wraps a name for other sinks
  std::vector<std::string> methods;  // if not empty, only these methods of its chain register
  // A class: a variable constructed with arguments also registers, Sink r("a", f).
  bool variable = false;
  std::string expression;  // C++ that evaluates to the name, {} is the argument: "{}::OpName()"
  // Operators registered along with it, {} is its name: "_backward_{}".
  std::vector<std::string> also;
  std::optional<KernelCall> kernel;  // set if it registers a kernel of the operator
  // Set if it is an entry of the table of compiled-in kernels: indices of its key arguments.
  std::vector<int> table;
  std::string within;        // only among the template arguments of this macro; empty: anywhere
  bool operator_too = true;  // registers the operator along with the kernel
  std::vector<std::string> paths;  // globs; empty: everywhere
};

// A method of the chain that follows a registration, and where its arguments are stored.
struct ChainMethod {
  // Another argument stored with the value.
  struct Detail {
    std::string name;
    int argument = 0;
    // If set, only Boolean (true) or only non-Boolean (false) arguments.
    std::optional<bool> boolean;
    std::string absent;                         // the value if the argument is absent
    std::map<std::string, std::string> values;  // if not empty, only these arguments, mapped

    // Returns the detail for an argument with the value `text`, or nullopt if it is not kept.
    std::optional<std::string> Kept(const std::string& text) const;
  };
  std::string method;
  std::string field;  // "alias", "ignore", or the name of a field of the operator
  int key = -1;       // index of the key, a string argument; -1: no key
  int value = 0;      // index of the value argument; -1: no value
  int order = -1;     // index of the argument that gives the value's ordinal; -1: none
  std::vector<Detail> details;
  // Globs. A matching value is the type of something the user has to supply, and is stored in the
  // field `otherwise`.
  std::vector<std::string> types;
  std::string otherwise;
  bool populates = false;  // its argument is a function that calls further methods
  std::string within;  // only a function called inside an argument of this method; empty: a method
};

// What the scanner evaluates, for dialects whose chains are not fully literal:
//   .TypeConstraint("T", OpSchema::all_float_types(), "...")
struct Evaluation {
  // Functions that return these types, and constants of them, are read from the sources.
  std::vector<std::string> definitions;
  std::vector<std::string> names;  // only names that contain one of these; empty: any name
  // Values of other names, called or not: {0} is an argument (template arguments first), {0:lower}
  // is it in lower case. A list as argument yields a list. Several texts yield the concatenation of
  // their lists.
  std::map<std::string, std::vector<std::string>> words;
  bool empty() const { return definitions.empty() && words.empty(); }
};

// A fact about a registered operator that a scanner cannot read from the sources.
struct FactOverride {
  std::string op;
  std::string field;
  std::string key;
  std::string value;
  std::map<std::string, std::string> details;
};

// Maps attribute keys to fields of their own: key "FInferType" of field "attribute" goes to field
// "type_inference" without a key. `values` maps constants to opledger's words: kFollow -> "widest".
struct KeyField {
  std::string key;
  std::string field;
  std::string as;  // replaces the key; empty: removes it
  std::map<std::string, std::string> values;
};

// A macro that the build defines and that occurs in names: TORCH_EXTENSION_NAME.
struct BuildName {
  std::string macro;
  std::string path;   // glob of files it applies to; empty: all
  std::string value;  // empty: defined by the configuration or -D
  // For an empty value: the values that build files give in several places.
  std::vector<std::string> values;
};

// A registration whose name is computed at run time on purpose.
struct KnownDynamic {
  std::string path;        // glob
  std::string expression;  // the argument as written
  std::string reason;
};

// Code that registers no operator although it looks like it or reaches a sink.
struct NotRegistration {
  std::string name;    // exact, or PREFIX*; empty: any
  std::string path;    // glob; empty: anywhere
  std::string reason;  // for readers
  // Returns whether this applies to the name `mention` in `file`.
  bool Holds(std::string_view mention, const std::string& file) const;
};

// Matches operators by a part, prefix or suffix of the name, the whole name, or one of the other
// tests. Used for operators that need no policy and for those to report or drop.
struct Filter {
  std::string name;      // recorded in the manifest as the reason
  std::string contains;  // exactly one test is set
  std::string prefix;
  std::string suffix;
  std::string equals;
  // Alternatively, operators registered only in files that match these globs.
  std::vector<std::string> paths;
  std::string field;  // alternatively, operators whose field has a value under one of `keys`
  std::vector<std::string> keys;
  bool only = false;           // ... and no value under another key
  std::string value_contains;  // ... that contains this; empty: any value
  // Alternatively, the schema is known and no input's type contains this.
  std::string inputs_without;
  std::string unless_field;    // in addition to any test: not if this field has a value
  std::string schema_without;  // alternatively, the schema is known and no type in it contains this
  // Returns whether the name passes the test; false if the filter tests something else.
  bool Matches(const std::string& op) const;
};

// A condition that the build system, not the preprocessor, imposes on whole files.
struct PathCondition {
  std::string path;  // glob
  Condition condition;
};

// How attribute sets are declared, separately from the operators that refer to them:
//   DMLC_DECLARE_PARAMETER(ActivationParam) {
//     DMLC_DECLARE_FIELD(act_type).add_enum("relu", kReLU).set_default(kReLU);
//   }
//   ... .add_arguments(ActivationParam::__FIELDS__())
struct AttributeSets {
  std::string declare;    // macro that opens a set; its argument is the set's name; empty: none
  std::string field;      // macro that declares one attribute
  std::string value;      // method that adds one allowed value, a string; may be empty
  std::string initial;    // method that sets the default; may be empty
  std::string reference;  // follows a set's name where an operator refers to it
  std::string optional;   // class template of types with an additional "none" value; may be empty
  std::string none;       // how "none" is written
  // C++ types and defaults -> their displayed form, without namespaces. A key may end in "<*>";
  // then {} is the argument in the displayed form: "Tuple<*>" -> "tuple of <{}>".
  std::map<std::string, std::string> types;
  std::map<std::string, std::string> defaults;  // keys are globs
};

// How registrations declare element types: by type variables that inputs refer to, as in
// TensorFlow's "T: {half, float}" and "x: T". In ONNX, name and type are separate.
struct TypeNames {
  std::string variables;  // the field that declares them; empty: operators do not declare types
  std::string inputs;     // the field of the inputs
  std::string outputs;    // the field of the outputs, if `implies` applies to them too
  std::map<std::string, std::string> implies;  // type -> field of operators that use it there
  std::string separator;  // between name and type, where they are one string; may be empty
  // The framework's name -> dtypes; empty if opledger has no such dtype.
  std::map<std::string, std::vector<std::string>> names;
};

// A precision list that the framework maintains itself. Among lists with the same type and device,
// the first whose files all exist is used.
struct KeptList {
  std::string target_dtype;
  std::string device;         // may be empty
  std::string configuration;  // the build that it applies to; empty: the default
  std::string unlisted;       // as in a precision list
  std::vector<ListOrigin> derived_from;
  std::string derived_text;  // JSON source of `derived_from`

  // Returns a label such as "float16-cuda", like PrecisionList::Label().
  std::string Label() const { return device.empty() ? target_dtype : target_dtype + "-" + device; }
};

// The place in the framework's sources that determines what happens to operators without a policy.
struct UnlistedSource {
  std::string file;  // relative to the root; empty: unknown
  std::string says;  // text of one line of that file
};

// Maps the keys of a field that holds kernels to devices.
struct DeviceKernels {
  std::string field;         // empty: unknown
  std::string unless_field;  // if this field has a value, the kernels belong to another operator
  std::map<std::string, std::vector<std::string>> devices;  // device -> keys
  // Keys that say nothing about the device; other unknown keys mean every device.
  std::vector<std::string> no_device;
};

// Which keys of a field that holds kernels cast an operator's arguments, by device.
struct AutocastKernels {
  std::string field;   // holds the kernels; empty: the framework has none
  std::string policy;  // the field for the policy found in a kernel's body
  std::map<std::string, std::vector<std::string>> devices;  // device -> keys
  // The Python function that enables autocast, "autocast"; empty: `opledger init` does not ask.
  std::string context;
  // The code with which a project registers such a kernel. {name}, {device} and {dtype} are
  // replaced by those of the operator and the list; `default_device` is used if the list has no
  // device.
  std::string rule;
  std::string default_device;

  // Returns the device of the key, or an empty string if it belongs to no device.
  std::string DeviceOf(std::string_view key) const;
};

struct Dialect {
  std::string name;
  std::string extends;  // the shipped dialect that this one extends; empty: none
  std::string path;     // of the file it was read from
  // The contents of the file, after those of the dialect that it extends; part of every cache key.
  std::string text;
  std::vector<std::string> root_markers;  // files at the root of a checkout
  // Words of which a matching C++ source contains at least one; empty: the names of the sinks.
  std::vector<std::string> detect;
  std::vector<std::string> sources;     // globs, relative to the root
  std::vector<std::string> exclude;     // globs
  std::vector<std::string> extensions;  // of translation units, with the dot
  std::vector<std::string> include_directories;
  std::vector<Sink> sinks;
  std::vector<ScopeMethod> scope_methods;
  std::vector<std::string> scope_types;  // the classes of a scope's variable
  std::string separator = "::";          // between a scope's namespace and a name
  std::string name_pattern;  // regular expression that every operator name matches; empty: any
  std::vector<std::string> identity_functions;   // functions whose first argument may be the name
  std::map<std::string, std::string> constants;  // values of constants used as names
  std::vector<DataFile> data;
  std::vector<KnownDynamic> known_dynamic;
  std::vector<BuildName> build_names;
  std::vector<ChainMethod> chain;
  std::vector<KeyField> key_fields;
  KernelNames kernels;
  Evaluation evaluation;
  std::vector<std::string> declarations;  // lines of C++ that stand in for missing headers
  std::vector<FactOverride> fact_overrides;
  // Fields whose value is the list of strings that the argument returns.
  std::vector<std::string> string_lists;
  AttributeSets attribute_sets;
  std::string suspicious;  // identifiers that contain this and are called at the start of a
                           // statement or value must be explained; empty: none
  std::vector<NotRegistration> not_registrations;  // ... or be listed here
  std::vector<Filter> exempt;
  std::vector<Filter> drop;  // operators that are not reported at all
  std::vector<Filter> keep;  // if not empty, operators that match none are not reported
  Configurations configurations;
  std::string default_configuration;
  std::vector<std::string> never_defined;  // macros that no supported build defines
  Relations relations;
  TypeNames types;
  std::vector<PathCondition> path_conditions;
  std::vector<KeptList> lists;
  std::string unlisted;  // what the framework does with an unlisted operator, as prose
  UnlistedSource unlisted_source;
  DeviceKernels device_kernels;
  AutocastKernels autocast_kernels;
  PythonDialect python;
  std::string unlisted_default = "required";  // value of "unlisted" in lists that `init` writes

  // The project's other dialects; this one need not read their registrations. Not part of the file.
  std::vector<std::shared_ptr<const Dialect>> others;

  bool IsSink(std::string_view name) const;
  bool HasScopes() const;  // whether some sink opens a block
  bool HasTable() const;   // whether some sink is an entry of a kernel table
  bool IsExcepted(std::string_view name, const std::string& path) const;
  bool HasExtension(std::string_view path) const;  // whether it ends with one of `extensions`
  // Returns whether the file is one of the sources, C++ or Python.
  bool HasSource(const std::string& path) const;
};

// Returns the dialect's rules for the data file at `path`; empty if it is not a data file or is
// excluded.
std::vector<const DataFile*> DataFilesAt(const Dialect& dialect, const std::string& path);
// Returns whether compilers treat the file as a translation unit, by its name: C++ and its modules,
// C, Objective-C, CUDA, HIP.
bool IsTranslationUnit(std::string_view path);
// Returns whether the file is a translation unit, a header or an included fragment.
bool IsCode(std::string_view path);
// Returns whether code is generated from the file, by its name: ops.cc.in, ops.h.j2.
bool IsSourceTemplate(std::string_view path);

// Returns whether the file is a data file but not C++.
bool IsOnlyData(const Dialect& dialect, const std::string& path);

// Returns the dialect's entry for a registration with a computed name, or nullptr.
const KnownDynamic* KnownDynamicFor(const Dialect& dialect, const std::string& path,
                                    const std::string& expression);

// Reads a dialect file. Reports errors with their locations and returns nullopt.
std::optional<Dialect> ReadDialect(const Source& source, const std::string& path, Reach reach,
                                   Diagnostics& diagnostics);

// Finds and reads a dialect. `name_or_file` is the name of a shipped dialect or a path (see
// IsDialectFile in registry/project). Reports an error, with a suggestion for an unknown name, and
// returns nullopt if there is no such dialect or it cannot be read.
std::optional<Dialect> FindDialect(const Source& source, const std::string& name_or_file,
                                   Reach reach, Diagnostics& diagnostics);

// Returns the names of all shipped dialects, sorted. Reports an error if they cannot be listed.
std::vector<std::string> ShippedDialects(Diagnostics& diagnostics);

}  // namespace opledger
