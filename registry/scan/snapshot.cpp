// A file whose stamp is as it was has the bytes it had, unless it was written just before the
// snapshot began; it is then read.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/snapshot.h"

#include <algorithm>
#include <set>

namespace opledger::scan {
namespace {

void Write(ByteWriter& out, const std::vector<int>& numbers) {
  out.Number(numbers.size());
  for (int number : numbers) out.Number(static_cast<std::uint64_t>(number) + 1);
}

std::vector<int> ReadNumbers(ByteReader& in) {
  std::vector<int> numbers(in.Count());
  for (int& number : numbers) number = in.Signed();
  return numbers;
}

void Write(ByteWriter& out, const Snapshot::File& file) {
  out.Text(file.path);
  Write(out, file.stamp);
  out.Text(file.content.View());
  out.Text(file.surface.View());
  out.Text(file.uses.View());
  out.Number(static_cast<std::uint64_t>(file.is_unit) +
             2 * static_cast<std::uint64_t>(file.included));
  Write(out, file.include_files);
}

Snapshot::File ReadFile(ByteReader& in) {
  Snapshot::File file;
  file.path = in.Text();
  file.stamp = ReadStamp(in);
  file.content = ReadDigest(in);
  file.surface = ReadDigest(in);
  file.uses = ReadDigest(in);
  const std::uint64_t flags = in.Number();
  file.is_unit = (flags & 1) != 0;
  file.included = (flags & 2) != 0;
  file.include_files = ReadNumbers(in);
  return file;
}

// Whether every number is an index of a file.
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
  WriteAttributeSets(sets, outline.attribute_sets);
  WriteKernelFunctions(sets, outline.kernel_functions);
  WriteDefinitions(sets, outline.definitions);
  return builder.Add(sets.Take()).Finish();
}

std::string SerializeSnapshot(const Snapshot& snapshot) {
  ByteWriter out;
  out.Number(static_cast<std::uint64_t>(snapshot.taken));
  out.Number(snapshot.directories.size());
  for (const DirectoryState& directory : snapshot.directories) {
    out.Text(directory.path);
    Write(out, directory.stamp);
    out.Text(directory.listing.View());
  }
  out.Number(snapshot.files.size());
  for (const Snapshot::File& file : snapshot.files) Write(out, file);
  Write(out, snapshot.active_headers);
  Write(out, snapshot.attached_headers);
  WriteAttributeSets(out, snapshot.attribute_sets);
  for (const AttributeSet& set : snapshot.attribute_sets) {
    out.Number(set.readers.size());
    for (const std::string& path : set.readers) out.Text(path);
  }
  out.Number(snapshot.kernel_functions.size());
  for (const auto& [path, functions] : snapshot.kernel_functions) {
    out.Text(path);
    WriteKernelFunctions(out, functions);
  }
  out.Number(snapshot.definitions.size());
  for (const auto& [path, definitions] : snapshot.definitions) {
    out.Text(path);
    WriteDefinitions(out, definitions);
  }
  out.Number(snapshot.registered_by.size());
  for (const auto& [name, files] : snapshot.registered_by) {
    out.Text(name);
    Write(out, files);
  }
  Write(out, snapshot.irregular);
  out.Number(snapshot.registers_python ? 1 : 0);
  out.Text(snapshot.manifest);
  return out.Take();
}

std::optional<Snapshot> ParseSnapshot(std::string_view bytes) {
  ByteReader in(bytes);
  Snapshot snapshot;
  snapshot.taken = static_cast<std::int64_t>(in.Number());
  snapshot.directories.resize(in.Count());
  for (DirectoryState& directory : snapshot.directories) {
    directory.path = in.Text();
    directory.stamp = ReadStamp(in);
    directory.listing = ReadDigest(in);
  }
  snapshot.files.resize(in.Count());
  for (Snapshot::File& file : snapshot.files) file = ReadFile(in);
  snapshot.active_headers = ReadNumbers(in);
  snapshot.attached_headers = ReadNumbers(in);
  snapshot.attribute_sets = ReadAttributeSets(in);
  for (AttributeSet& set : snapshot.attribute_sets) {
    set.readers.resize(in.Count());
    for (std::string& path : set.readers) path = in.Text();
  }
  snapshot.kernel_functions.resize(in.Count());
  for (auto& [path, functions] : snapshot.kernel_functions) {
    path = in.Text();
    functions = ReadKernelFunctions(in);
  }
  snapshot.definitions.resize(in.Count());
  for (auto& [path, definitions] : snapshot.definitions) {
    path = in.Text();
    definitions = ReadDefinitions(in);
  }
  for (std::uint64_t left = in.Count(); left > 0; --left) {
    std::string_view name = in.Text();
    snapshot.registered_by.emplace_hint(snapshot.registered_by.end(), name, ReadNumbers(in));
  }
  snapshot.irregular = ReadNumbers(in);
  snapshot.registers_python = in.Number() != 0;
  snapshot.manifest = in.Text();
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
