// opledger classify: makes minimal edits of list files.
// SPDX-License-Identifier: Apache-2.0
#include "checker/edit/classify.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "checker/commands/classify_in_turn.h"
#include "checker/commands/commands.h"
#include "checker/commands/shared_options.h"
#include "checker/project/checked_lists.h"
#include "checker/project/checked_project.h"
#include "checker/project/kept_rows.h"
#include "checker/project/list_choice.h"
#include "checker/terminal/terminal.h"
#include "registry/files/files.h"
#include "registry/json/json.h"
#include "registry/project/contained_path.h"
#include "registry/text/suggestion.h"

namespace opledger {
namespace {

struct ClassifyOptions {
  GlobalOptions global;
  std::vector<std::string> ops;
  std::string policy;
  std::string like;
  std::vector<std::string> lists;
  std::string reason;
  std::string note;
  std::string from;       // a JSON report of findings
  std::string operators;  // a manifest to read instead of scanning
  bool unchecked = false;
  bool interactive = false;
  // For --as conditional.
  std::string attribute;
  std::vector<std::string> values;
  std::string then;
  std::string otherwise;
};

bool ReadCondition(const ClassifyOptions& options, Classification& wanted,
                   Diagnostics& diagnostics) {
  const bool given = !options.attribute.empty() || !options.values.empty() ||
                     !options.then.empty() || !options.otherwise.empty();
  if (wanted.policy != Policy::kConditional) {
    if (given) {
      diagnostics.Error({},
                        "--attribute, --values, --then and --otherwise need --as "
                        "conditional");
    }
    return !given;
  }
  if (options.attribute.empty() || options.values.empty() || options.then.empty()) {
    return diagnostics.Error({}, "--as conditional needs --attribute, --values and --then",
                             "such as --attribute act_type --values elu,selu --then fp32");
  }
  wanted.attribute = options.attribute;
  wanted.values = options.values;
  wanted.then = ParsePolicy(options.then).value_or(Policy::kEither);
  wanted.otherwise = ParsePolicy(options.otherwise);
  return true;
}

// Returns the classification without its operator, or nullopt with an error.
std::optional<Classification> ReadOptions(const ClassifyOptions& options,
                                          Diagnostics& diagnostics) {
  Classification wanted;
  wanted.reason = options.reason;
  wanted.note = options.note;
  for (const std::string& op : options.ops) {
    if (!op.empty() && Printable(op) == op) continue;
    return diagnostics.Error({}, "'" + op + "' is not a valid operator name");
  }
  if (options.ops.empty() && options.from.empty()) {
    return diagnostics.Error({}, "OPERATOR is required",
                             "name operators, or a report of findings with --from");
  }
  if (options.policy.empty() == options.like.empty()) {
    return diagnostics.Error(
        {}, options.like.empty() ? "--as is required" : "--as and --like cannot be combined",
        "give --as POLICY, or --like OPERATOR to copy the policy of another operator");
  }
  wanted.policy = ParsePolicy(options.policy).value_or(Policy::kEither);
  if (!ReadCondition(options, wanted, diagnostics)) return std::nullopt;
  return wanted;
}

// --like: copies the policy, condition and reason that the list gives the operator `like`.
bool TakeLike(const std::string& like, const PrecisionList& list, Classification& wanted,
              Diagnostics& diagnostics) {
  for (const ListEntry& entry : list.entries) {
    if (entry.op != like) continue;
    wanted.policy = entry.policy;
    if (wanted.reason.empty()) wanted.reason = entry.reason;
    if (entry.policy != Policy::kConditional) return true;
    const Clause& clause = entry.clauses.front();
    if (entry.clauses.size() > 1 || clause.is_range || !clause.input.empty()) {
      return diagnostics.Error(entry.location,
                               "the condition of '" + like + "' cannot be copied by --like",
                               "edit the file by hand");
    }
    wanted.attribute = clause.attribute;
    wanted.values = clause.values;
    wanted.then = clause.then;
    wanted.otherwise = entry.otherwise;
    return true;
  }
  return diagnostics.Error({list.path, 0, 0, 0, 0}, "'" + like + "' has no policy in this list",
                           "name an operator of it with --like, or a policy with --as");
}

const char* ChangeText(EntryChange change) {
  switch (change) {
    case EntryChange::kAdded:
      return "' is now under '";
    case EntryChange::kMoved:
      return "' moved to '";
    case EntryChange::kChanged:
      return "' was changed under '";
    case EntryChange::kNone:
      return "' is already under '";
  }
  return "";
}

// A list and the operators that are to be classified in it.
struct Task {
  PrecisionList list;
  std::vector<std::string> ops;
  bool of_project = false;  // the file must lie inside the project
};

// --from: returns the operators without a policy in a JSON report of `check`, by list. If operators
// are named too, returns only those.
std::optional<std::vector<Task>> TasksOfReport(const ClassifyOptions& options,
                                               const Project& project, Diagnostics& diagnostics) {
  const auto report =
      ReadJson(project.source(), project.FromRoot(options.from), Reach::kAnywhere, diagnostics);
  if (!report) return std::nullopt;
  const JsonValue* const findings = report->root.Find("findings");
  if (findings == nullptr) {
    return diagnostics.Error({report->path, 0, 0, 0, 0}, "this is not a report of findings",
                             "`opledger check --output-format json=FILE` writes one");
  }
  const auto text = [](const JsonValue& finding, const char* key) {
    const JsonValue* const value = finding.Find(key);
    return value == nullptr ? std::string() : value->string;
  };
  std::vector<Task> tasks;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> by_list;  // and dialect
  for (const JsonValue& finding : findings->items) {
    const bool open =
        text(finding, "rule") == "unclassified-operator" && text(finding, "status") == "new";
    const std::string op = text(finding, "operator");
    const bool named = options.ops.empty() ||
                       std::find(options.ops.begin(), options.ops.end(), op) != options.ops.end();
    if (open && named) by_list[{text(finding, "dialect"), text(finding, "list")}].push_back(op);
  }
  for (auto& [place, ops] : by_list) {
    const auto& [dialect, label] = place;
    std::vector<PrecisionList> lists = ChooseLists({label}, project, diagnostics, dialect);
    if (lists.empty()) return std::nullopt;
    tasks.push_back({std::move(lists.front()), std::move(ops)});
  }
  return tasks;
}

using FileEdits = std::map<std::string, FileEdit>;  // by path
using FilePlaces = std::map<std::string, FilePlace>;

// Returns the places of the list files named on the command line. These may lie outside the project
// or behind links.
FilePlaces PlacesOfNamed(const ClassifyOptions& options, const Project& project) {
  FilePlaces places;
  for (const std::string& choice : options.lists) {
    if (!IsListFile(choice)) continue;
    const std::string path = project.FromRoot(choice);
    std::optional<FilePlace> place = FindFilePlace({}, project.source().Absolute(path));
    if (place) places.emplace(path, std::move(*place));
  }
  return places;
}

// Reads the lists again after locking their files. No other run can change them while `edits`
// exist.
bool ReadAgain(const Project& project, const FilePlaces& named, std::vector<Task>& tasks,
               FileEdits& edits, Diagnostics& diagnostics) {
  std::map<std::string, bool> paths;  // sorted, so that all runs lock files in the same order
  for (const Task& task : tasks) paths.emplace(task.list.path, task.of_project);
  for (const auto& [path, of_project] : paths) {
    std::optional<FileEdit> edit = project.Edit(path, of_project, diagnostics);
    if (!edit) return false;
    const auto place = named.find(path);
    if (place != named.end() && !edit->IsAt(place->second, diagnostics)) return false;
    edits.emplace(path, std::move(*edit));
  }
  for (Task& task : tasks) {
    auto list = ReadListAlone(project.source(), task.list.path,
                              task.of_project ? Reach::kBelow : Reach::kAnywhere, diagnostics);
    if (!list) return false;
    task.list = std::move(*list);
  }
  return true;
}

std::optional<std::vector<Task>> ReadTasks(const ClassifyOptions& options, const Project& project,
                                           Diagnostics& diagnostics) {
  if (!options.from.empty()) return TasksOfReport(options, project, diagnostics);
  std::vector<Task> tasks;
  for (PrecisionList& list : ChooseLists(options.lists, project, diagnostics)) {
    tasks.push_back({std::move(list), options.ops});
  }
  if (tasks.empty()) return std::nullopt;
  return tasks;
}

// Returns how to scan the sources. With several dialects, scans for the dialect of the lists.
CheckOptions ScanOptions(const ClassifyOptions& options, const std::vector<Task>& tasks) {
  CheckOptions check;
  check.global = options.global;
  check.operators = options.operators;
  check.allow_empty = true;
  check.silent = true;
  const bool several = !tasks.empty() && OptionsOfDialects(check).size() > 1;
  if (several) check.dialect = tasks.front().list.framework;
  return check;
}

// Reports an error for operators that do not exist. Accepts any name if the scan fails, is
// incomplete or finds nothing.
bool CheckExist(const ClassifyOptions& options, const std::vector<Task>& tasks,
                Diagnostics& diagnostics) {
  if (options.unchecked || !options.from.empty()) return true;
  const CheckOptions check = ScanOptions(options, tasks);
  CheckedProject checked;
  Diagnostics ignored;
  const bool named = !options.operators.empty();
  if (!OpenCheckedProject(check, checked, named ? diagnostics : ignored)) return !named;
  if (checked.manifest->operators.empty() || !checked.manifest->IsWhole()) return true;
  for (const std::string& op : options.ops) {
    if (checked.index->Resolve(op) != nullptr) continue;
    std::vector<std::string> names;
    for (const Operator& each : checked.manifest->operators) {
      names.push_back(each.name);
      for (const Alias& alias : each.aliases) names.push_back(alias.name);
    }
    const std::string hint = DidYouMean(op, names);
    return diagnostics.Error(
        {}, "there is no operator '" + op + "'",
        hint.empty() ? "--unchecked accepts names that are not registered yet" : hint);
  }
  return true;
}

// Makes one edit in the list's own file.
std::optional<Classified> EditList(Task& task, const Classification& wanted,
                                   Diagnostics& diagnostics) {
  std::optional<Classified> result = Classify(task.list, wanted, diagnostics);
  if (!result || result->change == EntryChange::kNone) return result;
  auto next = ParsePrecisionList(task.list.path, result->text, diagnostics);
  if (!next) return std::nullopt;
  task.list = std::move(*next);
  return result;
}

// The outcome for one operator.
struct Done {
  std::string op;
  Policy policy = Policy::kFp32;
  EntryChange change = EntryChange::kNone;
  bool lost_reason = false;
  std::optional<Location> location;  // nullopt for a row of the framework, which may still move
  std::string lists;                 // labels, if several lists share the row
  std::string list;                  // path of the list
  std::string said = {};             // replaces the usual message
};

class Edits {
 public:
  Edits(const ClassifyOptions& options, const std::vector<Task>& tasks,
        std::optional<KeptRows>& kept, Diagnostics& diagnostics)
      : options_(options), kept_(kept), diagnostics_(diagnostics) {
    for (const Task& task : tasks) named_.insert(task.list.path);
  }

  // Makes all edits of one list in memory.
  bool Make(Task& task, Classification wanted) {
    const PrecisionList* const rows = kept_ ? kept_->Find(task.list.path) : nullptr;
    const PrecisionList& list = rows != nullptr ? *rows : task.list;
    if (!options_.like.empty() && !TakeLike(options_.like, list, wanted, diagnostics_)) {
      return false;
    }
    for (const std::string& op : task.ops) {
      wanted.op = op;
      if (HasByNow(list, op) || made_.contains({task.list.path, op})) continue;
      if (rows != nullptr && IsKeptInRows(*rows, op)) {
        if (!MakeRow(task.list.path, wanted)) return false;
        continue;
      }
      const std::optional<Classified> result = EditList(task, wanted, diagnostics_);
      if (!result) return false;
      done_.push_back({op, wanted.policy, result->change, result->lost_reason, result->location, "",
                       task.list.path});
    }
    return true;
  }

  std::string Said() const {
    std::string said;
    for (const Done& each : done_) {
      said += each.said;
      if (!each.said.empty()) continue;
      said +=
          ShownPlace(PlaceOf(each)) + ": '" + Printable(each.op) + ChangeText(each.change) +
          PolicyName(each.policy) + "'" + (each.lists.empty() ? "" : " in " + each.lists) +
          (each.lost_reason
               ? ", without the reason for its old policy; give a new one with --reason or --note\n"
               : "\n");
    }
    return said;
  }

 private:
  // Returns whether the list already has an entry. A report may be older than the list.
  bool HasByNow(const PrecisionList& list, const std::string& op) {
    const auto has = std::find_if(list.entries.begin(), list.entries.end(),
                                  [&](const ListEntry& entry) { return entry.op == op; });
    if (options_.from.empty() || has == list.entries.end()) return false;
    done_.emplace_back().said = ShownPlace(has->location) + ": '" + Printable(op) +
                                "' already has a policy, '" + PolicyName(has->policy) + "'\n";
    return true;
  }

  bool MakeRow(const std::string& path, const Classification& wanted) {
    const auto row = kept_->Classify(path, wanted, named_, diagnostics_);
    if (!row || !KeepsWhatIsSaid(path, wanted, *row)) return false;
    std::string labels;
    for (const PrecisionList& list : kept_->lists()) {
      if (!row->paths.contains(list.path)) continue;
      labels += (labels.empty() ? "" : ", ") + list.Label();
      if (row->change != EntryChange::kNone) made_.insert({list.path, wanted.op});
    }
    done_.push_back({wanted.op,
                     wanted.policy,
                     row->change,
                     row->lost_reason,
                     {},
                     row->paths.size() > 1 ? labels : "",
                     path});
    return true;
  }

  // Reports an error if a row exists already and lacks the new reason or note: existing rows and
  // their comments are not edited, so it would be lost.
  bool KeepsWhatIsSaid(const std::string& path, const Classification& wanted,
                       const ClassifiedRow& row) const {
    const std::string said = wanted.note.empty() ? wanted.reason : wanted.note;
    if (row.change != EntryChange::kNone || said.empty()) return true;
    for (const ListEntry& entry : kept_->Find(path)->entries) {
      if (entry.op != wanted.op || entry.policy != wanted.policy) continue;
      if (entry.note.find(said) != std::string::npos) return true;
      return diagnostics_.Error(entry.location,
                                "'" + wanted.op + "' is already under '" +
                                    PolicyName(wanted.policy) + "'; its comment is not edited",
                                "write in a comment on this row: opledger: " + said);
    }
    return true;
  }

  Location PlaceOf(const Done& done) const {
    if (done.location) return *done.location;
    for (const ListEntry& entry : kept_->Find(done.list)->entries) {
      if (entry.op == done.op && entry.policy == done.policy) return entry.location;
    }
    return {done.list, 0, 0, 0, 0};
  }

  const ClassifyOptions& options_;
  std::optional<KeptRows>& kept_;
  Diagnostics& diagnostics_;
  std::set<std::string> named_;                         // paths of lists
  std::set<std::pair<std::string, std::string>> made_;  // path of a list, operator
  std::vector<Done> done_;
};

// Opens the rows of lists that the framework keeps. Leaves `kept` empty if there is no such list.
bool OpenKeptRows(const CheckOptions& check, const Project& project, const std::vector<Task>& tasks,
                  std::optional<KeptRows>& kept, Diagnostics& diagnostics) {
  std::set<std::string> paths;
  bool derived = false;
  for (const Task& task : tasks) {
    paths.insert(task.list.path);
    derived = derived || !task.list.derived_from.empty();
  }
  if (!derived) return true;
  kept = KeptRows::Open(check, project, paths, diagnostics);
  return kept.has_value();
}

// Operators named on the command line must belong to one dialect.
bool AreOfOneDialect(const std::vector<Task>& tasks, Diagnostics& diagnostics) {
  const PrecisionList& first = tasks.front().list;
  const auto other = std::find_if(tasks.begin(), tasks.end(), [&](const Task& task) {
    return task.list.framework != first.framework;
  });
  if (other == tasks.end()) return true;
  return diagnostics.Error({},
                           "the lists are for several dialects: '" + first.framework + "' (" +
                               first.path + ") and '" + other->list.framework + "' (" +
                               other->list.path + ')',
                           "choose the lists for one dialect with --list FILE");
}

// Changes either all files or none.
int RunClassify(const ClassifyOptions& options) {
  Diagnostics diagnostics;
  if (options.interactive) return ClassifyInTurn(options.global, options.operators, options.ops);
  const std::optional<Classification> wanted = ReadOptions(options, diagnostics);
  if (!wanted) return Fail(diagnostics);
  const std::optional<Project> project = Project::Open(options.global, ".", diagnostics);
  if (!project) return Fail(diagnostics);
  const FilePlaces named = PlacesOfNamed(options, *project);
  std::optional<std::vector<Task>> tasks = ReadTasks(options, *project, diagnostics);
  if (!tasks) return Fail(diagnostics);
  for (Task& task : *tasks) {
    task.of_project = StaysBelow(task.list.path) && !named.contains(task.list.path);
  }
  if (options.from.empty() && !AreOfOneDialect(*tasks, diagnostics)) return Fail(diagnostics);
  FileEdits files;
  if (!CheckExist(options, *tasks, diagnostics) ||
      !ReadAgain(*project, named, *tasks, files, diagnostics)) {
    return Fail(diagnostics);
  }
  const CheckOptions check = ScanOptions(options, *tasks);
  std::optional<KeptRows> kept;
  if (!OpenKeptRows(check, *project, *tasks, kept, diagnostics)) return Fail(diagnostics);
  Edits edits(options, *tasks, kept, diagnostics);
  std::vector<std::string> before;
  for (Task& task : *tasks) {
    before.push_back(task.list.document.text);
    if (!edits.Make(task, *wanted)) return Fail(diagnostics);
  }
  if (kept && !kept->Verify(check, *project, diagnostics)) return Fail(diagnostics);
  if (kept && !kept->Write(*project, diagnostics)) return Fail(diagnostics);
  for (std::size_t i = 0; i < tasks->size(); ++i) {
    const PrecisionList& list = (*tasks)[i].list;
    if (list.document.text == before[i]) continue;
    const std::string& text = list.document.text;
    if (!files.at(list.path).Replace(before[i], text, diagnostics)) {
      return Fail(diagnostics);
    }
  }
  if (!options.global.quiet) Print(edits.Said());
  return kExitClean;
}

VerbCall PrepareClassify() {
  std::vector<std::string> policies;
  for (const Policy policy : kPolicies) policies.emplace_back(PolicyName(policy));
  std::vector<std::string> outcomes = policies;  // policies that a condition may give
  std::erase(outcomes, PolicyName(Policy::kConditional));
  auto options = std::make_shared<ClassifyOptions>();
  return MakeCall(
      options,
      {{"OPERATOR", "", "The operators", &options->ops},
       {"--as", "POLICY", "Their policy", &options->policy, policies},
       {"--like", "OPERATOR",
        "Copy the policy, condition and reason that the list has for this operator",
        &options->like},
       ListOption(options->lists),
       {"--from", "FILE",
        "Classify the operators without a policy in a report by `check --output-format json=FILE`, "
        "each in the list that lacks it",
        &options->from},
       {"--interactive", "", "Ask for the policy of each operator without one; needs a terminal",
        &options->interactive},
       {"--reason", "REASON", "The reason, in one word", &options->reason, ReasonNames()},
       {"--note", "TEXT", "An explanation, in free text", &options->note},
       {"--attribute", "NAME", "With --as conditional: the attribute", &options->attribute},
       {.names = "--values",
        .value = "V,W",
        .help = "Its values, separated by commas",
        .target = &options->values,
        .commas = true},
       {"--then", "POLICY", "The policy for these values", &options->then, outcomes},
       {"--otherwise", "POLICY", "The policy for all others; default: either", &options->otherwise,
        outcomes},
       {"--operators", "FILE", "Look for the operators in this manifest instead of scanning",
        &options->operators},
       {"--unchecked", "", "Do not check that the operators exist", &options->unchecked}},
      RunClassify);
}

}  // namespace

extern const Command kClassifyCommand = {
    "classify", "Give operators a policy: minimal edits of list files",
    "Examples:\n"
    "  opledger classify hard_swish --as fp32 --list float16 --reason numeric\n"
    "  opledger classify activation --list float16 --as conditional --attribute act_type "
    "--values elu,selu --then fp32\n"
    "  opledger classify hard_swish sqrt --like exp --list all\n"
    "      with the policy that exp has in each list\n"
    "  opledger check --output-format json=findings.json\n"
    "  opledger classify --from findings.json --as fp32\n"
    "Nothing else in the files changes. An operator listed under another policy is moved. Reasons "
    "for\n"
    "the old policy are dropped: give new ones with --reason or --note.",
    PrepareClassify};

}  // namespace opledger
