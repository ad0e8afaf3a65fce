// Keeps an existing entry byte for byte if its policy is still the framework's.
// SPDX-License-Identifier: Apache-2.0
#include "checker/import/synced_list.h"

#include <algorithm>
#include <map>

#include "checker/import/imported_entries.h"
#include "checker/terminal/terminal.h"
#include "registry/json/json_write.h"
#include "registry/text/diagnostics.h"

namespace opledger {
namespace {

constexpr std::string_view kMadeBy = "made by `opledger lists sync` from ";

std::string Quoted(std::string_view text) { return '\'' + Printable(text) + '\''; }

std::string Shown(const std::string& value) { return value.empty() ? "none" : Quoted(value); }

bool HasAnnotations(const ListEntry& entry) {
  return !entry.reason.empty() || !entry.note.empty() || entry.accumulate.has_value() ||
         entry.output.has_value() || !entry.keep_fp32_inputs.empty() || !entry.evidence.empty();
}

// Returns "reason numeric, note 'overflows from 12 on'".
std::string AnnotationsText(const ListEntry& entry) {
  std::vector<std::string> parts;
  if (!entry.reason.empty()) parts.push_back("reason " + std::string(entry.reason));
  if (!entry.note.empty()) parts.push_back("note " + Quoted(entry.note));
  if (entry.accumulate) parts.push_back(std::string("accumulate ") + DtypeName(*entry.accumulate));
  if (entry.output) parts.push_back(std::string("output ") + DtypeName(*entry.output));
  for (const std::string& input : entry.keep_fp32_inputs) {
    parts.push_back("keep_fp32_inputs " + Quoted(input));
  }
  if (!entry.evidence.empty()) parts.push_back("evidence " + Quoted(entry.evidence));
  return Join(parts, ", ", [](const std::string& part) { return part; });
}

bool SameClauses(const ListEntry& a, const ListEntry& b) {
  return a.otherwise == b.otherwise &&
         std::equal(
             a.clauses.begin(), a.clauses.end(), b.clauses.begin(), b.clauses.end(),
             [](const Clause& left, const Clause& right) { return left.Said() == right.Said(); });
}

// A "$comment" such as "lists.py:12", as written by `import`, is true for one revision only.
bool NamesPlace(std::string_view item) {
  const std::size_t comment = item.find("\"$comment\"");
  if (comment == std::string_view::npos) return false;
  std::string_view tail = item.substr(comment);
  while (!tail.empty() && std::string_view("\"} ").find(tail.back()) != std::string_view::npos) {
    tail.remove_suffix(1);
  }
  const std::size_t digits = tail.find_last_not_of("0123456789");
  return digits != std::string_view::npos && digits + 1 < tail.size() && tail[digits] == ':';
}

class ListSync {
 public:
  ListSync(const PrecisionList& derived, const PrecisionList* existing, const SyncSource& source)
      : derived_(derived), existing_(existing), source_(source) {}

  SyncedList Run() {
    if (existing_ != nullptr) {
      for (const ListEntry& entry : existing_->entries) {
        known_[source_.primary(entry.op)].push_back({&entry});
      }
    }
    TakeRows(derived_.entries);
    TakeRows(derived_.inherited);
    SayWhatGoes();
    CompareHeads();
    result_.text = Text(true);
    std::sort(lines_.begin(), lines_.end());
    for (auto& [key, line] : lines_) result_.changes.push_back(std::move(line));
    result_.differs = existing_ == nullptr || !SameAsExisting();
    return std::move(result_);
  }

 private:
  struct Known {
    const ListEntry* entry;
    bool kept = false;
  };

  bool Holds(const ListEntry& row) const {
    if (row.condition.IsAlways()) return true;
    return source_.known ? row.condition.MayHoldIn(*source_.known, row.location.path)
                         : row.condition.CanBeTrue();
  }

  void Say(const std::string& op, int order, const Location& place, const std::string& what) {
    lines_.push_back({{op, order}, ShownPlace(place) + ": " + what});
  }

  void TakeRows(const std::vector<ListEntry>& rows) {
    for (const ListEntry& row : rows) {
      if (Holds(row)) TakeRow(row);
    }
  }

  void TakeRow(const ListEntry& row) {
    const auto same = [&](const auto& known) {
      return known.second.op == row.op && known.second.policy == row.policy &&
             SameClauses(known.second, row);
    };
    if (std::any_of(items_.begin(), items_.end(), same)) return;
    const auto found = known_.find(source_.primary(row.op));
    std::string item = EntryJson(row);
    if (found == known_.end()) {
      Say(row.op, 0, row.location, Quoted(row.op) + " is added under " + PolicyName(row.policy));
    } else {
      item = Kept(row, found->second);
    }
    taken_.insert({source_.primary(row.op), &row});
    items_.emplace_back(std::move(item), row);
  }

  // Returns the item of a row whose operator the existing list has.
  std::string Kept(const ListEntry& row, std::vector<Known>& known) {
    const auto same = std::find_if(known.begin(), known.end(), [&](const Known& each) {
      return each.entry->policy == row.policy;
    });
    if (same == known.end()) {
      Say(row.op, 0, row.location,
          Quoted(row.op) + " moves from " + PolicyName(known.front().entry->policy) + " to " +
              PolicyName(row.policy));
      return EntryJson(row);
    }
    same->kept = true;
    const ListEntry& entry = *same->entry;
    if (!SameClauses(entry, row)) {
      Say(row.op, 0, row.location, "the conditions of " + Quoted(row.op) + " change");
    }
    ListEntry merged = row;
    if (!entry.reason.empty()) merged.reason = entry.reason;
    if (!entry.note.empty()) merged.note = entry.note;
    if (entry.accumulate) merged.accumulate = entry.accumulate;
    if (entry.output) merged.output = entry.output;
    if (!entry.keep_fp32_inputs.empty()) merged.keep_fp32_inputs = entry.keep_fp32_inputs;
    if (!entry.evidence.empty()) merged.evidence = entry.evidence;
    const Span span = entry.item;
    const std::string item = existing_->document.text.substr(span.begin, span.end - span.begin);
    const bool as_it_is = entry.op == row.op && SameClauses(entry, row) &&
                          AnnotationsText(entry) == AnnotationsText(merged) &&
                          item.find('\n') == std::string::npos && !NamesPlace(item);
    return as_it_is ? item : EntryJson(merged);
  }

  // Returns the framework's list of that policy, otherwise the place in the existing list.
  const Location& PlaceOfRemoved(const ListEntry& entry) const {
    const auto list =
        std::find_if(derived_.source_lists.begin(), derived_.source_lists.end(),
                     [&](const SourceList& each) { return each.policy == entry.policy; });
    return list != derived_.source_lists.end() ? list->location : entry.location;
  }

  void SayWhatGoes() {
    for (const auto& [name, entries] : known_) {
      const bool stays = taken_.contains(name);
      for (const Known& known : entries) {
        const ListEntry& entry = *known.entry;
        if (known.kept) continue;
        if (!stays) {
          Say(entry.op, 0, PlaceOfRemoved(entry),
              Quoted(entry.op) + " is removed from " + PolicyName(entry.policy));
        }
        if (HasAnnotations(entry)) {
          Say(entry.op, 1, entry.location,
              Quoted(entry.op) + " under " + PolicyName(entry.policy) + " is dropped with its " +
                  AnnotationsText(entry));
        }
      }
    }
  }

  // Returns the fields of a list that precede its entries.
  static std::map<std::string, std::string> HeadOf(const PrecisionList& list) {
    return {{"target_dtype", DtypeName(list.target_dtype)},
            {"device", list.device},
            {"configuration", list.configuration},
            {"unlisted", list.unlisted ? PolicyName(*list.unlisted) : ""}};
  }

  void CompareHeads() {
    if (existing_ == nullptr) return;
    auto before = HeadOf(*existing_);
    auto after = HeadOf(derived_);
    before["extends"] = existing_->extends;
    const JsonValue* const comment = existing_->document.root.Find("$comment");
    if (comment != nullptr && !comment->string.starts_with(kMadeBy)) {
      before["$comment"] = comment->string.empty() ? "..." : comment->string;
    }
    for (const auto& [key, value] : before) {
      if (value == after[key]) continue;
      Say("", 0, {existing_->path, 0, 0, 0, 0},
          "\"" + key + "\" changes from " + Shown(value) + " to " + Shown(after[key]));
    }
  }

  std::string Text(bool with_source) {
    std::string out = "{";
    if (with_source) {
      out += "\n  \"$comment\": " + JsonQuote(std::string(kMadeBy) + source_.what) + ",";
    }
    out += "\n  \"framework\": " + JsonQuote(derived_.framework);
    const auto head = HeadOf(derived_);
    for (const char* key : {"target_dtype", "device", "configuration", "unlisted"}) {
      const std::string& value = head.at(key);
      if (!value.empty()) out += ",\n  \"" + std::string(key) + "\": " + JsonQuote(value);
    }
    for (const auto* list : {existing_, &derived_}) {
      const std::string nodes = list == nullptr ? std::string() : NodesText(*list);
      if (nodes.empty()) continue;
      out += nodes;
      break;
    }
    return out + EntriesText() + "\n}\n";
  }

  static std::string NodesText(const PrecisionList& list) {
    std::string out;
    const auto add = [&](const char* key, const std::vector<std::string>& nodes) {
      if (nodes.empty()) return;
      out += std::string(",\n  \"") + key + "\": [\n    " +
             Join(nodes, ",\n    ", [](const std::string& node) { return JsonQuote(node); }) +
             "\n  ]";
    };
    add("fp32_nodes", list.fp32_nodes);
    for (const NodePolicy& nodes : list.NodePolicies()) add(nodes.field, *nodes.names);
    if (!out.empty() && list.opset) out += ",\n  \"opset\": " + std::to_string(*list.opset);
    return out;
  }

  std::string EntriesText() {
    std::stable_sort(items_.begin(), items_.end(),
                     [](const auto& a, const auto& b) { return a.second.op < b.second.op; });
    std::string out;
    for (const Policy policy : kPolicies) {
      std::string array;
      for (const auto& [item, row] : items_) {
        if (row.policy == policy) array += (array.empty() ? "\n    " : ",\n    ") + item;
      }
      if (array.empty()) continue;
      out += std::string(",\n  \"") + PolicyName(policy) + "\": [" + array + "\n  ]";
    }
    return out;
  }

  // Compares without the line that gives the source, so that a list is not rewritten for every
  // revision.
  bool SameAsExisting() {
    std::string text = existing_->document.text;
    const std::string begin = "\n  \"$comment\": \"" + std::string(kMadeBy);
    const std::size_t at = text.find(begin);
    if (at == std::string::npos) return false;
    text.erase(at, text.find('\n', at + 1) - at);
    return text == Text(false);
  }

  const PrecisionList& derived_;
  const PrecisionList* existing_;
  const SyncSource& source_;
  std::map<std::string, std::vector<Known>> known_;  // of the existing list, by operator
  std::map<std::string, const ListEntry*> taken_;
  std::vector<std::pair<std::string, ListEntry>> items_;  // with their rows
  std::vector<std::pair<std::pair<std::string, int>, std::string>> lines_;
  SyncedList result_;
};

}  // namespace

SyncedList SyncList(const PrecisionList& derived, const PrecisionList* existing,
                    const SyncSource& source) {
  return ListSync(derived, existing, source).Run();
}

}  // namespace opledger
