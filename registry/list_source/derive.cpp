// Derives entries. Rows keep their locations in the framework, so findings about an entry point
// there.
// SPDX-License-Identifier: Apache-2.0
#include "registry/list_source/derive.h"

#include <algorithm>
#include <set>
#include <vector>

#include "registry/list_source/list_rows.h"
#include "registry/list_source/names/named_operators.h"
#include "registry/list_source/read_module.h"
#include "registry/list_source/row_place.h"
#include "registry/project/contained_path.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr std::size_t kLargestListFile = std::size_t{16} << 20U;

// The item of an entry that is a row, and so is not in the list's own file. Sorts after all items.
constexpr Span kNoItem = {std::string::npos, std::string::npos};

CommentStyle StyleOf(ListFormat format) {
  return format == ListFormat::kPython || format == ListFormat::kYaml ? CommentStyle::kHash
                                                                      : CommentStyle::kCpp;
}

// Returns the prefix of `path` that is a symbolic link, or an empty string.
std::string LinkOn(const Source& source, const std::string& path) {
  for (std::size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    std::string part = path.substr(0, end);
    if (source.ExamineLink(part).kind == PathKind::kLink) return part;
  }
  return {};
}

// Replaces the names of features in a condition by macros of a build: "ONEDNN" with "USE_{}"
// becomes "USE_ONEDNN".
Condition OfBuild(const Condition& condition, const std::string& feature) {
  if (feature.empty() || condition.IsAlways()) return condition;
  const std::set<std::string> macros = condition.Macros();
  const std::string& text = condition.text();
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && IsWordCharacter(text[end])) ++end;
    const std::string word = text.substr(i, end - i);
    if (end == i) {
      out += text[end++];
    } else if (macros.contains(word)) {
      std::string macro = feature;
      out += macro.replace(macro.find("{}"), 2, word);
    } else {
      out += word;
    }
    i = end;
  }
  return Condition::FromExpression(out);
}

// Returns the reason at the start of a note such as "numeric, #123", or an empty string.
std::string ReasonIn(std::string_view note) {
  const std::string first(note.substr(0, note.find_first_of(",:; ")));
  const auto& reasons = ReasonNames();
  return std::find(reasons.begin(), reasons.end(), first) == reasons.end() ? "" : first;
}

}  // namespace

struct ListDeriver::File {
  std::optional<ListModule> module;
  Diagnostics said;     // messages of the reader
  std::string problem;  // why there is no module
};

void ListDeriver::Miss(const Location& place, std::string what, PrecisionList& list) {
  manifest_.incomplete.push_back({place, kListStage, std::move(what)});
  list.whole = false;
}

std::shared_ptr<const std::string> ListDeriver::TextOf(const std::string& path) {
  const auto [known, is_new] = texts_.try_emplace(path);
  if (is_new && StaysBelow(path)) {
    auto text = source_.Read(path, kLargestListFile, Reach::kBelow);
    if (text) known->second = std::make_shared<const std::string>(std::move(*text));
  }
  return known->second;
}

const ListDeriver::File& ListDeriver::ReadModule(const ListOrigin& origin) {
  std::shared_ptr<const File>& known = files_[{origin.file, origin.format}];
  if (known != nullptr) return *known;
  auto file = std::make_shared<File>();
  known = file;
  if (!StaysBelow(origin.file)) {
    file->problem = "is outside the project";
  } else if (const std::string link = LinkOn(source_, origin.file); !link.empty()) {
    file->problem = (link == origin.file ? "is" : "leads through '" + link + "', which is") +
                    std::string(" a symbolic link; lists are not read through symbolic links");
  } else if (source_.Examine(origin.file).kind == PathKind::kAbsent) {
    file->problem = "does not exist; if the list has moved, change \"file\"";
  } else {
    Diagnostics unread;
    auto text = source_.Read(origin.file, kLargestListFile, Reach::kBelow, unread);
    if (text) texts_[origin.file] = std::make_shared<const std::string>(*text);
    if (!text) {
      file->problem = unread.all().empty() ? "cannot be read" : unread.all().front().message;
      return *file;
    }
    file->module = ReadListModule(origin.format, origin.file, std::move(*text), file->said);
    if (!file->module) file->problem = "cannot be read";
    for (const Diagnostic& each : file->said.all()) {
      if (!file->module && each.severity == Severity::kError) file->problem += ": " + each.message;
    }
  }
  return *file;
}

namespace {

// Returns the lists with this name or, if there are none, those whose last part it is.
std::vector<const NamedList*> ListsNamed(const ListModule& module, const std::string& name) {
  if (const NamedList* const exact = module.Find(name)) return {exact};
  std::vector<const NamedList*> fitting;
  for (const NamedList& each : module.lists) {
    if (each.name.ends_with("::" + name) || each.name.ends_with("." + name)) {
      fitting.push_back(&each);
    }
  }
  return fitting;
}

}  // namespace

const NamedList* ListDeriver::FindList(const File& file, const ListOrigin& origin,
                                       const MappedList& mapped, PrecisionList& list) {
  std::vector<const NamedList*> fitting;
  for (const std::string_view name : SplitAt(mapped.name, '|')) {
    fitting = ListsNamed(*file.module, std::string(name));
    if (!fitting.empty()) break;
  }
  if (fitting.size() == 1) return fitting.front();
  if (!mapped.role.HasEntries() && fitting.empty()) return nullptr;
  if (fitting.empty()) {
    Miss(mapped.location,
         "'" + origin.file + "' has no list '" + mapped.name +
             "'; if it was renamed, change its name in \"map\"",
         list);
  } else {
    Miss(mapped.location,
         "'" + origin.file + "' has several lists '" + mapped.name + "'; use one of " +
             Join(fitting, ", ", [](const NamedList* each) { return each->name; }),
         list);
  }
  return nullptr;
}

namespace {

// Returns whether the list has no rows in any build.
bool IsEmpty(const NamedList& list) {
  return std::all_of(list.items.begin(), list.items.end(),
                     [](const ListItem& item) { return item.feature.IsNever(); });
}

// Returns the problem that the reader reported for this list or after its beginning.
std::optional<ListProblem> WhyIncomplete(const Diagnostics& said, const NamedList& list) {
  if (!list.problems.empty()) return list.problems.front();
  std::optional<ListProblem> behind;
  for (const Diagnostic& each : said.all()) {
    const ListProblem problem{each.location, each.message, each.hint};
    if (each.message.find("'" + list.name + "'") != std::string::npos) return problem;
    if (!behind && each.location >= list.location) behind = problem;
  }
  return behind;
}

}  // namespace

void ListDeriver::ReadLists(const ListOrigin& origin, PrecisionList& list,
                            std::vector<ListEntry>& rows) {
  const File& file = ReadModule(origin);
  if (!file.module) {
    const Diagnostic* const error = file.said.all().empty() ? nullptr : &file.said.all().front();
    const bool in_file = error != nullptr && error->location.path == origin.file;
    return Miss(in_file ? error->location : origin.location,
                "'" + origin.file + "' " + file.problem, list);
  }
  ListRows read([&](const Location& place, const std::string& message,
                    const std::string&) { Miss(place, message, list); },
                [](const Location&, const std::string&, const std::string&) {});
  std::vector<std::pair<const NamedList*, ListRole>> marks;
  for (const MappedList& mapped : origin.map) {
    if (mapped.role.kind == ListRole::Kind::kIgnore) continue;
    const NamedList* const named = FindList(file, origin, mapped, list);
    if (named == nullptr) continue;
    if (!named->complete) {
      const std::optional<ListProblem> why = WhyIncomplete(file.said, *named);
      Miss(why ? why->location : named->location,
           "'" + named->name + "' cannot be read in full" + (why ? ": " + why->message : ""), list);
    } else if (mapped.role.HasEntries() && IsEmpty(*named)) {
      Miss(named->location,
           "'" + named->name +
               "' is empty; if this is intended, remove it from "
               "\"map\"",
           list);
    }
    if (mapped.role.HasEntries()) {
      list.source_lists.push_back({named->name, mapped.role.policy, named->location});
      read.Add(*named, mapped.role);
    } else {
      marks.emplace_back(named, mapped.role);
    }
  }
  for (const auto& [named, role] : marks) read.Mark(*named, role);
  for (ListEntry& row : read.Take()) {
    row.op.insert(0, origin.prefix);
    row.condition = OfBuild(row.condition, origin.feature);
    rows.push_back(std::move(row));
  }
}

// The value of a registration that casts in a way that could not be determined.
constexpr char kUndecided[] = "undecided";

void ListDeriver::AddRegistration(const std::string& op, const FieldValue& value,
                                  const Location& place, PrecisionList& list,
                                  std::vector<ListEntry>& rows) {
  const std::optional<Policy> policy = ParsePolicy(value.value);
  if (value.value == kUndecided) {
    list.undecided.insert(NameOf(op));
    return;
  }
  const auto dtype = value.details.find("dtype");
  if (dtype != value.details.end() && dtype->second != DtypeName(list.target_dtype)) {
    list.other_type.push_back({op, dtype->second, place, value.condition});
    return;
  }
  if (!policy) {
    Miss(
        place,
        "'" + op + "' is registered with '" + value.value + "', which has no policy in the dialect",
        list);
    return;
  }
  ListEntry& row = rows.emplace_back();
  row.op = op;
  row.policy = *policy;
  row.location = place;
  row.condition = value.condition;
  row.source = ListFormatName(ListFormat::kRegistrations);
}

void ListDeriver::ReadRegistrations(const ListOrigin& origin, PrecisionList& list,
                                    std::vector<ListEntry>& rows) {
  const std::size_t before = rows.size();
  for (const Operator& op : manifest_.operators) {
    const auto values = op.fields.find(origin.field);
    if (values == op.fields.end()) continue;
    for (const FieldValue& value : values->second) {
      if (value.key != origin.device) continue;
      Location place = value.location;
      if (place.path.empty() && !op.sites.empty()) place = op.sites.front().location;
      AddRegistration(op.name, value, place, list, rows);
    }
  }
  for (const UnmatchedValue& each : manifest_.unmatched) {
    if (each.field == origin.field && each.value.key == origin.device) {
      AddRegistration(each.op, each.value, each.value.location, list, rows);
    }
  }
  const bool any = rows.size() > before || !list.undecided.empty() || !list.other_type.empty();
  if (any || origin.may_be_empty) return;
  Miss(origin.location,
       "no operator is registered with a '" + origin.field + "'" +
           (origin.device.empty() ? "" : " for '" + origin.device + "'"),
       list);
}

namespace {

// The positions in the text of one file that has rows.
class PlacedRows {
 public:
  explicit PlacedRows(const std::string& text) : text_(text), lines_(text) {}

  std::optional<std::size_t> At(const Location& place) const {
    if (place.line < 1 || place.line > lines_.count() || place.column < 1) return std::nullopt;
    const std::size_t at = lines_.Start(place.line) + static_cast<std::size_t>(place.column) - 1;
    return at < text_.size() ? std::optional(at) : std::nullopt;
  }
  Location Place(const std::string& path, Span span) const {
    const auto [line, column] = lines_.At(span.begin);
    const auto [end_line, end_column] = lines_.At(span.end);
    return {path, line, column, end_line, end_column};
  }
  const std::string& text() const { return text_; }

 private:
  const std::string& text_;
  LineIndex lines_;
};

void AddNote(const PlacedRows& file, std::size_t at, CommentStyle style, ListEntry& row) {
  const std::string note = RowNote(file.text(), at, style);
  if (note.empty()) return;
  row.note = note;
  if (const std::string reason = ReasonIn(note); !reason.empty()) row.reason = reason;
}

}  // namespace

// Adds notes to rows and, for registrations, the lists that contain them.
void ListDeriver::DeriveFrom(const ListOrigin& origin, PrecisionList& list,
                             std::vector<ListEntry>& all) {
  std::vector<ListEntry> rows;
  const bool registered = origin.format == ListFormat::kRegistrations;
  if (registered) {
    ReadRegistrations(origin, list, rows);
  } else {
    ReadLists(origin, list, rows);
  }
  std::map<InternedString, std::vector<ListEntry*>> by_file;
  for (ListEntry& row : rows) {
    row.item = kNoItem;
    by_file[row.location.path].push_back(&row);
  }
  for (auto& [path, of_file] : by_file) {
    const std::shared_ptr<const std::string> text = TextOf(path);
    if (text == nullptr) continue;
    list.source_texts[path] = text;
    const PlacedRows placed(*text);
    const RowHeads heads(registered ? std::string_view(*text) : std::string_view());
    for (ListEntry* row : of_file) {
      const std::optional<std::size_t> at = placed.At(row->location);
      if (!at) continue;
      AddNote(placed, *at, StyleOf(origin.format), *row);
      const std::optional<RowHead> head = registered ? heads.Find(*at) : std::nullopt;
      if (!head) continue;
      row->source = head->name;
      const auto same = [&](const SourceList& each) {
        return each.name == row->source && each.policy == row->policy;
      };
      if (std::none_of(list.source_lists.begin(), list.source_lists.end(), same)) {
        list.source_lists.push_back({head->name, row->policy, placed.Place(path, head->place)});
      }
    }
  }
  std::move(rows.begin(), rows.end(), std::back_inserter(all));
}

// Returns the name of the operator that `op` is an alias of, or `op` itself.
std::string ListDeriver::NameOf(const std::string& op) const {
  if (manifest_.Find(op) != nullptr) return op;
  for (const Operator& each : manifest_.operators) {
    for (const Alias& alias : each.aliases) {
      if (alias.name == op) return each.name;
    }
  }
  return op;
}

void ListDeriver::Annotate(std::vector<ListEntry>& rows, PrecisionList& list) const {
  std::map<std::string, std::vector<ListEntry*>> by_name;
  if (list.annotations.empty()) return;
  for (ListEntry& row : rows) by_name[NameOf(row.op)].push_back(&row);
  for (ListEntry& annotation : list.annotations) {
    const std::string name = NameOf(annotation.op);
    const auto found = by_name.find(name);
    if (found == by_name.end()) {
      if (!list.undecided.contains(name)) list.unused_annotations.push_back(annotation);
      continue;
    }
    for (ListEntry* row : found->second) {
      if (!annotation.reason.empty()) row->reason = annotation.reason;
      if (!annotation.note.empty()) row->note = annotation.note;
      if (annotation.accumulate) row->accumulate = annotation.accumulate;
      if (annotation.output) row->output = annotation.output;
      if (!annotation.evidence.empty()) row->evidence = annotation.evidence;
      if (!annotation.keep_fp32_inputs.empty()) {
        row->keep_fp32_inputs = annotation.keep_fp32_inputs;
      }
    }
  }
}

// Merges rows with the file's own entries. If both have an operator, the row takes effect.
void ListDeriver::Settle(std::vector<ListEntry> rows, PrecisionList& list) const {
  Annotate(rows, list);
  std::vector<ListEntry> own = std::move(list.entries);
  list.entries.clear();
  for (ListEntry& entry : own) {
    const std::string name = NameOf(entry.op);
    std::vector<ListEntry*> same;
    for (ListEntry& row : rows) {
      if (row.op == entry.op || NameOf(row.op) == name) same.push_back(&row);
    }
    const auto agrees = std::find_if(same.begin(), same.end(), [&](const ListEntry* row) {
      return row->policy == entry.policy;
    });
    if (same.empty()) {
      (list.complete ? list.unsourced : list.entries).push_back(std::move(entry));
    } else if (agrees == same.end()) {
      list.overridden.push_back({std::move(entry), *same.front()});
    } else {
      ListEntry& row = **agrees;
      if (!entry.reason.empty()) row.reason = entry.reason;
      if (!entry.note.empty()) row.note = entry.note;
      if (entry.accumulate) row.accumulate = entry.accumulate;
      if (entry.output) row.output = entry.output;
      if (!entry.keep_fp32_inputs.empty()) row.keep_fp32_inputs = entry.keep_fp32_inputs;
    }
  }
  std::move(rows.begin(), rows.end(), std::back_inserter(list.entries));
}

void ListDeriver::Derive(PrecisionList& list) {
  if (list.base != nullptr) {
    auto base = std::make_shared<PrecisionList>(*list.base);
    Derive(*base);
    list.whole = list.whole && base->whole;
    list.base = std::move(base);
  }
  std::vector<ListEntry> rows;
  for (const ListOrigin& origin : list.derived_from) DeriveFrom(origin, list, rows);
  if (!list.derived_from.empty()) Settle(std::move(rows), list);
  if (list.base != nullptr) InheritEntries(*list.base, list);
  ReadNamedOperators(source_, list);
}

}  // namespace opledger
