// Edits apply to the texts that the editor holds at the moment.
// SPDX-License-Identifier: Apache-2.0
#include "checker/lsp/actions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "checker/candidates/candidates.h"
#include "checker/edit/classify.h"
#include "checker/edit/classify_row.h"
#include "checker/edit/edit.h"
#include "checker/index/operator_facts.h"
#include "checker/lsp/json_place.h"
#include "checker/lsp/message.h"
#include "checker/project/fixes.h"

namespace opledger {
namespace {

constexpr std::size_t kMaxActions = 60;
constexpr std::string_view kMark = "\xEF\xBB\xBF";
constexpr const char* kQuickFix = "quickfix";
constexpr const char* kRewrite = "refactor.rewrite";
constexpr const char* kFixAll = "source.fixAll.opledger";
constexpr const char* kUnclassified = "unclassified-operator";

class ActionMaker {
 public:
  explicit ActionMaker(const ActionRequest& request) : request_(request) {}

  std::string Run() {
    for (const PlacedFinding& placed : request_.findings) {
      const bool here = placed.finding != nullptr && placed.path == request_.path &&
                        placed.range.start.line <= request_.range.end.line &&
                        placed.range.end.line >= request_.range.start.line;
      if (!here) continue;
      if (placed.finding->rule == kUnclassified) {
        ClassifyFound(placed);
      } else {
        Fix(placed);
      }
    }
    if (const PrecisionList* const list = ListHere()) InList(*list);
    FixAll();
    std::string text = "[";
    for (const std::string& action : actions_) text += (text.size() > 1 ? "," : "") + action;
    return text + "]";
  }

 private:
  struct Action {
    std::string title;
    const char* kind = kQuickFix;
    const PlacedFinding* finding = nullptr;  // the finding that it fixes, or nullptr
    bool preferred = false;
  };

  bool Wanted(std::string_view kind) const {
    const std::vector<std::string>& only = request_.only;
    const auto covers = [&](const std::string& each) {
      return each.empty() || kind == each || (kind.starts_with(each) && kind[each.size()] == '.');
    };
    return actions_.size() < kMaxActions &&
           (only.empty() || std::any_of(only.begin(), only.end(), covers));
  }

  std::string TextOf(const std::string& path) const {
    const Document* const document = request_.documents.FindFile(path);
    return document != nullptr ? document->text : TextOfFile(path).value_or("");
  }

  // Adds an action with edits by absolute path.
  void Add(const Action& action, const std::map<std::string, std::vector<Edit>>& edits) {
    actions_.push_back(JsonText([&](JsonWriter& json) {
      json.BeginObject();
      json.Field("title", action.title);
      json.Field("kind", action.kind);
      if (action.preferred) json.Field("isPreferred", true);
      json.BeginObject("edit");
      if (request_.versions) {
        json.BeginArray("documentChanges");
      } else {
        json.BeginObject("changes");
      }
      for (const auto& [path, of_file] : edits) WriteEdits(json, path, of_file);
      request_.versions ? json.EndArray() : json.EndObject();
      json.EndObject();
      json.EndObject();
    }));
    if (action.finding == nullptr) return;
    std::string& text = actions_.back();
    text.pop_back();
    text += ",\"diagnostics\":[" + action.finding->json + "]}";
  }

  void WriteEdits(JsonWriter& json, const std::string& path, const std::vector<Edit>& edits) {
    const Document* const document = request_.documents.FindFile(path);
    const std::string uri = document != nullptr ? document->uri : UriOfPath(path);
    const std::string text = TextOf(path);
    const DocumentLines lines(text, request_.documents.encoding());
    // When an editor opens the file, a byte-order mark does not count as a character.
    const bool marked = document == nullptr && text.starts_with(kMark);
    const std::size_t mark = marked ? lines.PositionOf(kMark.size()).character : 0;
    const auto range_of = [&](const Edit& edit) {
      Range range = lines.RangeOf({edit.offset, edit.offset + edit.length});
      for (Position* const each : {&range.start, &range.end}) {
        if (each->line == 0) each->character -= std::min(each->character, mark);
      }
      return range;
    };
    if (request_.versions) {
      json.BeginObject();
      json.BeginObject("textDocument");
      json.Field("uri", uri);
      json.Key("version");
      document != nullptr ? json.Integer(document->version) : json.Null();
      json.EndObject();
    }
    json.Records(request_.versions ? std::string("edits") : uri, edits, [&](const Edit& edit) {
      WriteRange(json, "range", range_of(edit));
      json.Field("newText", edit.text);
    });
    if (request_.versions) json.EndObject();
  }

  // Completes a conditional policy with a clause to edit. Returns false if no attribute with known
  // values exists. Other policies are as in `opledger classify OP --as POLICY --list FILE`.
  bool Complete(const std::string& op, Classification& wanted) const {
    if (wanted.policy != Policy::kConditional) return true;
    const Operator* const known = request_.check.checked.index->Primary(op);
    if (known == nullptr) return false;
    for (const auto& [attribute, values] : ReadOperatorAttributes(*known)) {
      if (values.size() < 2) continue;  // the clause needs a known value
      wanted.attribute = attribute;
      wanted.values = {*values.begin()};
      wanted.then = Policy::kFp32;
      return true;
    }
    return false;
  }

  // Edits the framework's files, for all lists that have the row.
  void AddClassifyRow(const PrecisionList& list, const Classification& wanted,
                      const Action& action) {
    std::vector<PrecisionList> lists = request_.check.checked.lists;
    std::set<std::string> all;
    for (const PrecisionList& each : lists) all.insert(each.path);
    Diagnostics ignored;
    const auto row = ClassifyRow(lists, list.path, wanted, all, ignored);
    if (!row || row->change == EntryChange::kNone) return;
    std::map<std::string, std::vector<Edit>> edits;
    const auto edited = std::find_if(lists.begin(), lists.end(), [&](const PrecisionList& each) {
      return each.path == list.path;
    });
    for (const auto& [path, text] : edited->source_texts) {
      const std::string absolute = AbsolutePath(request_.check, path);
      const std::string before = TextOf(absolute);
      if (*text == *list.source_texts.at(path)) continue;
      if (before != *list.source_texts.at(path)) return;
      edits[absolute].push_back(EditBetween(path, before, *text));
    }
    if (!edits.empty()) Add(action, edits);
  }

  void AddClassify(const PrecisionList& list, const std::string& op, Policy policy, Action action) {
    Classification wanted;
    wanted.op = op;
    wanted.policy = policy;
    if (!Wanted(action.kind) || !Complete(op, wanted)) return;
    if (policy == Policy::kConditional) {
      action.title +=
          ": fp32 if " + Printable(wanted.attribute) + " is " + Printable(wanted.values.front());
    }
    if (IsKeptInRows(list, op)) return AddClassifyRow(list, wanted, action);
    const std::string path = AbsolutePath(request_.check, list.path);
    const std::string text = TextOf(path);
    Diagnostics ignored;
    const auto read = ParsePrecisionList(list.path, text, ignored);
    if (!read) return;
    const std::optional<Classified> classified = Classify(*read, wanted, ignored);
    if (!classified || classified->change == EntryChange::kNone) return;
    Add(action, {{path, {EditBetween(path, text, classified->text)}}});
  }

  const ListIndex* Labelled(const std::string& label) const {
    for (const ListIndex& list : request_.check.checked.index->lists()) {
      if (list.label == label && !IsShipped(AbsolutePath(request_.check, list.list->path))) {
        return &list;
      }
    }
    return nullptr;
  }

  // Offers an action for each policy, the likeliest first.
  void ClassifyFound(const PlacedFinding& placed) {
    const Finding& finding = *placed.finding;
    const ListIndex* const list = Labelled(finding.list);
    if (list == nullptr) return;
    const std::vector<Candidate>& candidates = finding.candidates;
    std::vector<Policy> policies;
    for (const Candidate& each : candidates) policies.push_back(each.policy);
    for (const Policy policy : kPolicies) {
      if (std::find(policies.begin(), policies.end(), policy) == policies.end()) {
        policies.push_back(policy);
      }
    }
    for (const Policy policy : policies) {
      Action action = {"Classify '" + Printable(finding.op) + "' as " + PolicyName(policy) +
                           " in " + Printable(list->label),
                       kQuickFix, &placed};
      for (const Candidate& each : candidates) {
        const long percent = std::lround(each.probability * 100);
        if (each.policy != policy || percent < 1) continue;
        action.title += " (" + std::to_string(std::min(percent, 99L)) + " %)";
        action.preferred = &each == &candidates.front() && IsSuggestion(candidates);
      }
      AddClassify(*list->list, finding.op, policy, action);
    }
  }

  // Offers the edits of a finding.
  void Fix(const PlacedFinding& placed) {
    for (const Suggestion& suggestion : placed.finding->suggestions) {
      if (suggestion.edits.empty() || !Wanted(kQuickFix)) continue;
      std::map<std::string, std::vector<Edit>> edits;
      bool possible = true;
      for (const Edit& edit : suggestion.edits) {
        const std::string path = AbsolutePath(request_.check, edit.path);
        possible = possible && !IsShipped(path) && edit.offset + edit.length <= TextOf(path).size();
        edits[path].push_back(edit);
      }
      const Edit& first = suggestion.edits.front();
      const std::string& op = placed.finding->op;
      const std::string what = op.empty() ? "" : " '" + Printable(op) + "'";
      const std::string title =
          first.text.empty()
              ? (placed.finding->list.empty() ? "Remove this comment" : "Remove the entry" + what)
              : "Write " + Printable(first.text) + (op.empty() ? "" : " in the place of" + what);
      const Action action = {title, kQuickFix, &placed, suggestion.safe};
      if (possible) Add(action, edits);
    }
  }

  // Offers what `opledger check --fix` does to the document. Of adjacent entries in an array, fixes
  // every other one.
  void FixAll() {
    std::set<std::string> names;  // spellings of the document's path in findings
    for (const PlacedFinding& placed : request_.findings) {
      if (placed.finding == nullptr) continue;
      for (const Suggestion& suggestion : placed.finding->suggestions) {
        for (const Edit& edit : suggestion.edits) {
          const bool here = AbsolutePath(request_.check, edit.path) == request_.path;
          if (suggestion.safe && here && !IsShipped(request_.path)) names.insert(edit.path);
        }
      }
    }
    if (names.empty() || !Wanted(kFixAll)) return;
    const std::vector<Edit> edits =
        EditsAtOnce(request_.check.filtered.counted, *names.begin(), TextOf(request_.path));
    Add({"Apply all safe fixes", kFixAll}, {{request_.path, edits}});
  }

  const PrecisionList* ListHere() const {
    for (const PrecisionList& list : request_.check.checked.lists) {
      const std::string path = AbsolutePath(request_.check, list.path);
      if (path == request_.path && !IsShipped(path)) return &list;
    }
    return nullptr;
  }

  // On a name, offers other policies for it. Elsewhere among the entries of a policy, offers that
  // policy for unclassified operators.
  void InList(const PrecisionList& list) {
    const std::string text = TextOf(request_.path);
    const DocumentLines lines(text, request_.documents.encoding());
    const JsonPlace place = JsonPlaceAt(text, lines.OffsetOf(request_.range.start));
    if (place.keys.empty()) return;
    const std::optional<Policy> here = ParsePolicy(place.keys.front());
    if (!here) return;
    if (NamesOperator(place) && place.closed) {
      for (const Policy policy : kPolicies) {
        if (policy == *here) continue;
        AddClassify(list, place.value, policy,
                    {"Move '" + Printable(place.value) + "' to " + PolicyName(policy), kRewrite});
      }
    }
    for (const PlacedFinding& placed : request_.findings) {
      const bool missing = placed.finding != nullptr && placed.finding->rule == kUnclassified;
      const ListIndex* const of = missing ? Labelled(placed.finding->list) : nullptr;
      if (of == nullptr || of->list != &list || *here == Policy::kConditional) continue;
      const std::string& op = placed.finding->op;
      AddClassify(list, op, *here,
                  {"Classify '" + Printable(op) + "' as " + PolicyName(*here), kQuickFix, &placed});
    }
  }

  const ActionRequest& request_;
  std::vector<std::string> actions_;
};

}  // namespace

std::string CodeActions(const ActionRequest& request) { return ActionMaker(request).Run(); }

}  // namespace opledger
