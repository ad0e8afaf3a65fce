// Reads one file after the other, and keeps in memory only what the manifest needs.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/merge/merge_facts.h"

#include <deque>
#include <map>
#include <set>

#include "registry/scan/facts/facts_file.h"
#include "registry/scan/merge/merge.h"

namespace opledger::scan {
namespace {

class FactsMerger {
 public:
  FactsMerger(const Dialect& dialect, const MergeRequest& request, Diagnostics& diagnostics)
      : dialect_(dialect), request_(request), diagnostics_(diagnostics), merge_(dialect, {}) {}

  std::optional<Manifest> Run();

 private:
  struct Seen {
    std::string path;
    std::string checksum;
  };
  struct Awaited {
    Digest content;
    Digest part;
    Digest reach;
    bool found = false;
  };

  void AddFile(const std::string& path, bool tree_is_known);
  bool Fits(const FactsFile& file);
  bool IsNew(const FactsFile& file);
  void AddRecord(const FactsFile& file, FileFacts record);
  bool IsAwaited(const FactsFile& file, const FileFacts& record);
  void AddUnits();
  void ReportMissing();
  void Report(const std::string& path, const std::string& what, const Shard& shard,
              std::string hint = {});
  std::string Again(const Shard& shard, const std::string& output) const;

  const Dialect& dialect_;
  const MergeRequest& request_;
  Diagnostics& diagnostics_;
  Merge merge_;
  std::optional<FactsHeader> first_;  // all other headers must match it
  std::string first_path_;
  int shards_ = 0;
  std::map<int, Seen> seen_;           // by shard
  std::set<int> refused_;              // numbers of shards with an error
  std::optional<Seen> tree_;           // the facts file of the tree
  std::vector<std::string> of_units_;  // unit files that wait for the tree's file
  std::map<std::string, Awaited> awaited_;
  std::deque<std::vector<Definition>> definitions_;  // referenced by merge_
};

std::string FactsMerger::Again(const Shard& shard, const std::string& output) const {
  if (shard.IsNone()) return "recreate it";
  std::string flags = first_ && first_->mode == "exhaustive" ? " --mode exhaustive" : "";
  return "run `opledger scan --shard " + shard.Text() + flags + " -o " +
         (output.empty() ? "FILE" : output) + "` again";
}

void FactsMerger::Report(const std::string& path, const std::string& what, const Shard& shard,
                         std::string hint) {
  const std::string name = shard.IsNone() ? "" : "shard " + shard.Text() + ": ";
  if (shards_ == 0) shards_ = shard.count;
  refused_.insert(shard.number);
  if (hint.empty()) hint = Again(shard, path);
  diagnostics_.Error({.path = path}, name + what, std::move(hint));
}

// Returns whether the file has this tool and dialect, and belongs to the same scan as the others.
bool FactsMerger::Fits(const FactsFile& file) {
  const FactsHeader& header = file.header;
  const auto report = [&](const std::string& what) {
    Report(file.path, what, header.shard);
    return false;
  };
  if (header.tool != ToolName()) {
    return report("the file was written by " + header.tool + ", but this is " + ToolName());
  }
  if (header.dialect != dialect_.name) {
    return report("the file is for dialect '" + header.dialect + "', not '" + dialect_.name + "'");
  }
  if (header.description != DialectDigest(dialect_)) {
    return report("the file was made with another version of dialect '" + dialect_.name +
                  "', or of the project file");
  }
  if (!first_) {
    first_ = header;
    first_path_ = file.path;
  }
  const std::string other = " than " + first_path_;
  if (header.mode != first_->mode) return report("the file was made in another mode" + other);
  if (header.IsOfUnit()) return true;
  if (header.shard.count != first_->shard.count) {
    return report(header.shard.IsNone() ? "the file has the facts of a whole tree, not of a shard"
                                        : "the file belongs to another number of shards" + other);
  }
  if (header.tree != first_->tree)
    return report("the file describes another state of the source tree" + other);
  return true;
}

// Returns false if the shard was read before; reports a file that differs from the first.
bool FactsMerger::IsNew(const FactsFile& file) {
  const Shard& shard = file.header.shard;
  if (file.header.IsOfUnit()) return true;
  Seen now{file.path, file.checksum};
  Seen* before = nullptr;
  if (shard.IsNone()) {
    if (tree_) before = &*tree_;
    if (!tree_) tree_ = now;
  } else {
    const auto [found, fresh] = seen_.try_emplace(shard.number, now);
    if (!fresh) before = &found->second;
  }
  if (before == nullptr) return true;
  if (before->checksum != file.checksum) {
    Report(file.path, "the file differs from " + before->path, shard);
  }
  return false;
}

// Returns whether the facts belong to a unit of the tree, in the state that the tree's file
// records.
bool FactsMerger::IsAwaited(const FactsFile& file, const FileFacts& record) {
  const auto found = awaited_.find(record.path);
  if (found == awaited_.end()) {
    Report(file.path, "the file has facts of '" + record.path + "', which is not in the tree", {});
    return false;
  }
  Awaited& awaited = found->second;
  awaited.found = true;
  const bool same = awaited.content == record.content && awaited.part == record.part;
  if (same && (!record.facts.full_headers || awaited.reach == record.reach)) return true;
  Report(file.path, "the file has facts of another state of '" + record.path + "'", {});
  return false;
}

void FactsMerger::AddRecord(const FactsFile& file, FileFacts record) {
  if (file.header.IsOfUnit() && !IsAwaited(file, record)) return;
  if (record.awaits) awaited_[record.path] = {record.content, record.part, record.reach};
  merge_.Add(record.facts);
  for (const AttributeSet& set : record.attribute_sets) merge_.Add(set);
  merge_.Add(record.path, record.kernel_functions);
  if (record.definitions.empty()) return;
  definitions_.push_back(std::move(record.definitions));
  merge_.Add(record.path, definitions_.back());
}

void FactsMerger::AddFile(const std::string& path, bool tree_is_known) {
  FactsFileProblem problem;
  std::optional<FactsFile> file = ReadFactsFile(path, problem);
  if (!file) return Report(path, problem.what, problem.shard, problem.hint);
  if (file->header.IsOfUnit() && !tree_is_known) return of_units_.push_back(path);
  if (!Fits(*file) || !IsNew(*file)) return;
  if (shards_ == 0) shards_ = file->header.shard.count;
  file->ForEach([&](FileFacts record) { AddRecord(*file, std::move(record)); }, diagnostics_);
}

// Reads the facts of units from the unit folder.
void FactsMerger::AddUnits() {
  std::vector<std::string> units;
  for (const auto& [path, awaited] : awaited_) units.push_back(path);
  for (const std::string& unit : units) {
    if (!awaited_[unit].found) AddFile(request_.unit_folder + "/" + unit + ".facts", true);
  }
}

void FactsMerger::ReportMissing() {
  const int count = shards_ != 0 ? shards_ : tree_ ? 0 : request_.expect;
  if (request_.expect != 0 && count != request_.expect) {
    diagnostics_.Error({}, "these are shards of " + std::to_string(count) + ", but --expect is " +
                               std::to_string(request_.expect));
  }
  for (int number = 1; number <= count; ++number) {
    const Shard shard{number, count};
    if (seen_.contains(number) || refused_.contains(number)) continue;
    diagnostics_.Error({}, "shard " + shard.Text() + " is missing", Again(shard, ""));
  }
  if (diagnostics_.has_errors()) return;
  for (const auto& [path, awaited] : awaited_) {
    if (!awaited.found) diagnostics_.Error({.path = path}, "the facts of this unit are missing");
  }
  if (!first_) {
    diagnostics_.Error({}, of_units_.empty()
                               ? "no facts file was named"
                               : "the facts of units require the facts file of their tree");
  }
}

std::optional<Manifest> FactsMerger::Run() {
  for (const std::string& path : request_.files) AddFile(path, false);
  if (tree_) {
    for (const std::string& path : of_units_) AddFile(path, true);
    if (!request_.unit_folder.empty()) AddUnits();
  }
  ReportMissing();
  if (diagnostics_.has_errors()) return std::nullopt;
  Manifest manifest = merge_.Finish(request_.configuration, request_.defines);
  manifest.files = first_->units;
  return manifest;
}

}  // namespace

std::string DialectOfFacts(const std::vector<std::string>& files) {
  for (const std::string& path : files) {
    if (std::optional<FactsHeader> header = ReadFactsHeader(path)) return header->dialect;
  }
  return {};
}

std::optional<Manifest> MergeFacts(const Dialect& dialect, const MergeRequest& request,
                                   Diagnostics& diagnostics) {
  // Not freed: exiting the process is faster.
  auto* merger = new FactsMerger(dialect, request, diagnostics);
  return merger->Run();
}

}  // namespace opledger::scan
