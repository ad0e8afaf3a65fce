// Reading precision lists, and the lists they extend.
// SPDX-License-Identifier: Apache-2.0
#include "registry/lists/precision_list.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "registry/json/json_fields.h"
#include "registry/lists/list_entry_reader.h"
#include "registry/project/contained_path.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

// Deeper chains help nobody and would cost a hostile repository nothing.
constexpr std::size_t kMaximumChain = 32;

// The five arrays, in file order.
bool ReadEntries(const JsonDocument& document, JsonFields& fields, Diagnostics& diagnostics,
                 std::vector<ListEntry>& entries) {
  bool ok = true;
  bool found = false;
  for (const Policy policy : kPolicies) fields.Take(PolicyName(policy));
  for (const JsonMember& member : document.root.members) {
    const std::optional<Policy> policy = ParsePolicy(member.key);
    if (!policy) continue;
    found = true;
    if (member.value.kind != JsonValue::Kind::kArray) {
      fields.Error(member.value.span,
                   "'" + member.key + "' must be an array, not " + JsonKindName(member.value.kind));
      continue;
    }
    for (const JsonValue& item : member.value.items) {
      std::optional<ListEntry> entry = ReadListEntry(document, item, *policy, diagnostics);
      ok = ok && entry.has_value();
      if (entry) entries.push_back(std::move(*entry));
    }
  }
  if (!found && document.root.kind == JsonValue::Kind::kObject) {
    fields.Error({document.root.span.begin, document.root.span.begin + 1},
                 "this precision list has none of the five policies",
                 "add \"target\", \"fp32\", \"widest\", \"conditional\" or \"either\"");
  }
  return ok;
}

std::optional<PrecisionList> ListOf(std::optional<JsonDocument> document,
                                    Diagnostics& diagnostics) {
  if (!document) return std::nullopt;
  PrecisionList list;
  list.path = document->path;
  JsonFields fields(*document, document->root, "precision list", diagnostics);
  list.framework = fields.RequiredString("framework");
  list.device = fields.String("device");
  list.configuration = fields.String("configuration");
  list.extends = fields.String("extends");
  list.fp32_nodes = fields.Strings("fp32_nodes");
  fields.Require("target_dtype");
  const std::string dtype = fields.Choice("target_dtype", {"float16", "bfloat16"});
  list.target_dtype = ParseDtype(dtype).value_or(Dtype::kFloat16);
  const bool entries_ok = ReadEntries(*document, fields, diagnostics, list.entries);
  if (!fields.Finish() || !entries_ok) return std::nullopt;
  list.document = std::move(*document);
  return list;
}

// Follows `extends`, remembering the lists on the way to find cycles.
class ChainReader {
 public:
  ChainReader(const std::string& path, const std::string& root, Diagnostics& diagnostics)
      : diagnostics_(diagnostics) {
    // A list from elsewhere (a shipped one, say) may extend what lies beside it.
    root_ = IsInside(path, root) ? root : fs::path(path).parent_path().string();
  }

  std::optional<PrecisionList> Read(const std::string& path) {
    std::error_code error;
    const fs::path canonical = fs::weakly_canonical(fs::absolute(path, error), error);
    seen_.insert(canonical.string());
    std::optional<PrecisionList> list = ListOf(ReadJson(path, diagnostics_), diagnostics_);
    if (!list || list->extends.empty()) return list;
    const Span written = list->document.root.Find("extends")->span;
    const auto fail = [&](std::string message, std::string hint) {
      ErrorAt(list->document, written, std::move(message), std::move(hint), diagnostics_);
      return std::nullopt;
    };

    if (list->extends.front() == '/' || list->extends.find('\0') != std::string::npos) {
      return fail("'extends' must be a path relative to this file", {});
    }
    const std::string base =
        (fs::path(path).parent_path() / list->extends).lexically_normal().string();
    if (!IsInside(base, root_)) {
      return fail("'extends' leads outside the root '" + (root_.empty() ? "." : root_) + "'",
                  "copy that list into the project");
    }
    const fs::path next = fs::weakly_canonical(fs::absolute(base, error), error);
    if (seen_.count(next.string()) > 0) return fail("'extends' leads back to '" + base + "'", {});
    if (seen_.size() >= kMaximumChain) {
      return fail("more than " + std::to_string(kMaximumChain) + " lists extend one another", {});
    }
    const std::optional<PrecisionList> read = Read(base);
    if (!read) return fail("the list that this one extends cannot be used", {});
    if (read->framework != list->framework) {
      return fail("'" + base + "' is a list for '" + read->framework + "', this one for '" +
                      list->framework + "'",
                  {});
    }
    Inherit(*read, *list);
    return list;
  }

 private:
  static void Inherit(const PrecisionList& base, PrecisionList& list) {
    std::set<std::string_view> named;
    for (const ListEntry& entry : list.entries) named.insert(entry.op);
    const auto take = [&](const ListEntry& entry) {
      if (named.count(entry.op) == 0) list.inherited.push_back(entry);
    };
    std::for_each(base.entries.begin(), base.entries.end(), take);
    std::for_each(base.inherited.begin(), base.inherited.end(), take);
    list.fp32_nodes.insert(list.fp32_nodes.end(), base.fp32_nodes.begin(), base.fp32_nodes.end());
  }

  std::string root_;
  Diagnostics& diagnostics_;
  std::set<std::string> seen_;
};

}  // namespace

std::string PrecisionList::Label() const {
  const std::string dtype = DtypeName(target_dtype);
  return device.empty() ? dtype : dtype + "-" + device;
}

std::optional<PrecisionList> ReadPrecisionList(const std::string& path, const std::string& root,
                                               Diagnostics& diagnostics) {
  return ChainReader(path, root, diagnostics).Read(path);
}

std::optional<PrecisionList> ParsePrecisionList(std::string path, std::string text,
                                                Diagnostics& diagnostics) {
  return ListOf(ParseJson(std::move(path), std::move(text), diagnostics), diagnostics);
}

}  // namespace opledger
