// A file with the same stamp has the same bytes, unless it was written just before the snapshot
// began. In that case it is read.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/snapshot.h"

#include <algorithm>
#include <set>

#include "registry/scan/outline/outline_records.h"

namespace opledger::scan {
namespace {

// Returns whether every number is the index of a file, or `least`.
bool Fit(const std::vector<int>& numbers, const Snapshot& snapshot, int least) {
  const int count = static_cast<int>(snapshot.files.size());
  return std::all_of(numbers.begin(), numbers.end(),
                     [&](int number) { return number >= least && number < count; });
}

bool IsSound(const Snapshot& snapshot) {
  return Fit(snapshot.active_headers, snapshot, 0) && Fit(snapshot.attached_headers, snapshot, 0) &&
         std::all_of(snapshot.files.begin(), snapshot.files.end(),
                     [&](const auto& file) { return Fit(file.include_files, snapshot, -1); }) &&
         std::all_of(snapshot.registered_by.begin(), snapshot.registered_by.end(),
                     [&](const auto& entry) { return Fit(entry.second, snapshot, 0); });
}

}  // namespace

Digest SurfaceOf(const Outline& outline) {
  DigestBuilder builder;
  auto add_place = [&](int branch) {
    builder.Add(branch == kNoBranch ? std::string() : outline.StackCondition(branch).text());
  };
  builder.Add(outline.unreadable).Add(outline.guarded ? "guarded" : "");
  for (const Include& include : outline.includes) {
    builder.Add(include.target).Add(include.angled ? "<" : "\"").Add(include.computed ? "M" : "");
    add_place(include.branch);
  }
  builder.Add("macros");
  for (const MacroDefinition& macro : outline.macros) {
    builder.Add(macro.name).Add(macro.undefines ? "undef" : "");
  }
  builder.Add("suspicious_names");
  std::set<std::pair<std::string, std::string>> suspicious_names;
  for (const SuspiciousName& suspicious : outline.suspicious_names) {
    if (!suspicious.registers) continue;
    suspicious_names.emplace(suspicious.name,
                             suspicious.branch == kNoBranch
                                 ? std::string()
                                 : outline.StackCondition(suspicious.branch).text());
  }
  for (const auto& [name, condition] : suspicious_names) builder.Add(name).Add(condition);
  ByteWriter sets;
  Packer pack(sets);
  pack(outline.attribute_sets, outline.kernel_functions, outline.definitions);
  return builder.Add(sets.Take()).Finish();
}

template <typename Pack>
void PackFields(Pack& pack, Packed<Pack, DirectoryState>& directory) {
  pack(directory.path, directory.stamp, directory.listing);
}

template <typename Pack>
void PackFields(Pack& pack, Packed<Pack, Snapshot::File>& file) {
  pack(file.path, file.stamp, file.content, file.surface, file.uses, file.is_unit, file.included,
       file.include_files);
}

template <typename Pack>
void PackFields(Pack& pack, Packed<Pack, Snapshot>& snapshot) {
  pack(snapshot.taken, snapshot.directories, snapshot.files, snapshot.active_headers,
       snapshot.attached_headers, snapshot.attribute_sets, snapshot.kernel_functions,
       snapshot.definitions, snapshot.registered_by, snapshot.irregular, snapshot.registers_python,
       snapshot.manifest);
}

std::string SerializeSnapshot(const Snapshot& snapshot) {
  ByteWriter out;
  Packer pack(out);
  pack(snapshot);
  return out.Take();
}

std::optional<Snapshot> ParseSnapshot(std::string_view bytes) {
  ByteReader in(bytes);
  Unpacker unpack(in);
  Snapshot snapshot;
  unpack(snapshot);
  if (!in.AtEnd() || snapshot.manifest.empty() || !IsSound(snapshot)) return std::nullopt;
  return snapshot;
}

Changes ChangesSince(Snapshot& snapshot, const SourceTree& tree) {
  Changes changes;
  changes.unknown = true;
  for (DirectoryState& directory : snapshot.directories) {
    switch (Revalidate(tree, snapshot.taken, directory)) {
      case DirectoryStatus::kChanged:
        return changes;
      case DirectoryStatus::kListed:
        ++changes.revalidated;
        break;
      case DirectoryStatus::kUnchanged:
        break;
    }
  }
  for (int i = 0; i < static_cast<int>(snapshot.files.size()); ++i) {
    Snapshot::File& file = snapshot.files[i];
    const FileStamp stamp = tree.source().Examine(file.path).stamp;
    bool racy = stamp.modified > snapshot.taken - kRacyNanoseconds;
    if (stamp == file.stamp && !racy) continue;
    std::optional<std::string> text = ReadSource(tree.source(), file.path);
    if (!text) return changes;
    const Digest content = DigestOf(*text);
    if (content == file.content) {
      ++changes.revalidated;
      file.stamp = stamp;
      continue;
    }
    if (!file.is_unit || file.included) return changes;
    changes.changed.push_back(i);
    changes.stamps.push_back(stamp);
    changes.contents.push_back(content);
  }
  changes.unknown = false;
  return changes;
}

}  // namespace opledger::scan
