// Format: a head (program and dialect), then a record for each file. The outlines in an index stay
// packed until a unit reaches their file.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/commands/outlines_file.h"

#include <algorithm>

#include "registry/scan/cache/cache_pack.h"
#include "registry/scan/facts/facts_file.h"
#include "registry/scan/tree/include_graph.h"
#include "registry/scan/tree/include_rounds.h"
#include "registry/source/file_stamp.h"
#include "registry/text/packing.h"

namespace opledger::scan {
namespace {

constexpr std::string_view kOutlines = "opledger-outlines/1";
constexpr std::string_view kIndex = "opledger-index/1";

void WriteHead(ByteWriter& out, std::string_view kind, const Dialect& dialect) {
  out.Text(kind);
  out.Text(ToolName());
  out.Text(DialectDigest(dialect).View());
}

bool ReadHead(ByteReader& in, std::string_view kind, const Dialect& dialect) {
  return in.Text() == kind && in.Text() == ToolName() && in.Text() == DialectDigest(dialect).View();
}

// The outline is packed separately.
template <typename Pack>
void PackHead(Pack pack, Packed<Pack, SourceFile>& file) {
  pack(file.path, file.regular, file.is_unit, file.content);
}

bool RestoreOutline(SourceFile& file, std::string_view bytes) {
  std::optional<Outline> outline = ParseOutline(bytes);
  if (outline) file.outline = std::move(*outline);
  return outline.has_value();
}

template <typename Pack>
void PackFound(Pack pack, Packed<Pack, MacroIndex::Found>& found) {
  pack(found.leading, found.inner, found.active_headers, found.attached_headers);
}

// The file with its includes, as an index has it.
template <typename Pack>
void PackIncludes(Pack pack, Packed<Pack, SourceFile>& file) {
  PackHead(pack, file);
  pack(file.included, file.includes, file.include_files);
}

// Returns whether all are indices from `least` up to `count`.
bool AreFiles(const std::vector<int>& files, std::size_t count, int least = 0) {
  return std::all_of(files.begin(), files.end(),
                     [&](int file) { return file >= least && file < static_cast<int>(count); });
}

// Returns whether every marked file knows the target of each of its includes.
bool IncludesMatch(const std::vector<SourceFile>& files, const std::vector<bool>& marked) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (marked[i] && files[i].include_files.size() != files[i].outline.includes.size())
      return false;
  }
  return true;
}

bool IncludesAreFiles(const std::vector<SourceFile>& files) {
  return std::all_of(files.begin(), files.end(), [&](const SourceFile& file) {
    return AreFiles(file.includes, files.size()) && AreFiles(file.include_files, files.size(), -1);
  });
}

// Marks the files in `waiting` and everything that they include, directly or indirectly.
std::vector<bool> Reached(const std::vector<SourceFile>& files, std::vector<int> waiting) {
  std::vector<bool> reached(files.size());
  for (int file : waiting) reached[file] = true;
  while (!waiting.empty()) {
    int file = waiting.back();
    waiting.pop_back();
    for (int other : files[file].includes) {
      if (reached[other]) continue;
      reached[other] = true;
      waiting.push_back(other);
    }
  }
  return reached;
}

// Restores the outlines of the marked files. If one of them includes a file that a macro names,
// which may be any file, restores all.
bool RestoreOutlines(std::vector<SourceFile>& files, const std::vector<std::string_view>& outlines,
                     std::vector<bool>& marked) {
  bool computed = false;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!marked[i]) continue;
    if (!RestoreOutline(files[i], outlines[i])) return false;
    for (const Include& include : files[i].outline.includes) computed |= include.computed;
  }
  if (!computed) return true;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!marked[i] && !RestoreOutline(files[i], outlines[i])) return false;
  }
  marked.assign(files.size(), true);
  return true;
}

std::vector<int> FilesOf(const std::vector<SourceFile>& files,
                         const std::vector<std::string>& paths) {
  std::vector<int> found;
  for (const std::string& path : paths) {
    auto at = std::find_if(files.begin(), files.end(),
                           [&](const SourceFile& file) { return file.path == path; });
    if (at == files.end()) return {};
    found.push_back(static_cast<int>(at - files.begin()));
  }
  return found;
}

}  // namespace

std::string WriteOutlines(const SourceTree& tree, const Dialect& dialect) {
  std::vector<const SourceFile*> files;
  for (const SourceFile& file : tree.files()) files.push_back(&file);
  std::sort(files.begin(), files.end(),
            [](const SourceFile* a, const SourceFile* b) { return a->path < b->path; });
  ByteWriter out;
  WriteHead(out, kOutlines, dialect);
  out.Number(files.size());
  for (const SourceFile* file : files) {
    PackHead(Packer(out), *file);
    out.Text(SerializeOutline(file->outline));
  }
  return Seal(Digest(), out.Take());
}

bool ReadOutlines(std::string_view bytes, const Dialect& dialect, std::vector<SourceFile>& files) {
  std::optional<std::string_view> payload = Unseal(Digest(), bytes);
  if (!payload) return false;
  ByteReader in(*payload);
  if (!ReadHead(in, kOutlines, dialect)) return false;
  for (std::uint64_t left = in.Count(); left > 0; --left) {
    SourceFile file;
    PackHead(Unpacker(in), file);
    if (!RestoreOutline(file, in.Text())) return false;
    files.push_back(std::move(file));
  }
  return in.AtEnd();
}

void MakeTree(SourceTree& tree, std::vector<SourceFile> files,
              std::vector<Incomplete>& incomplete) {
  std::map<std::string, CommandLine> units;
  for (SourceFile& file : files) {
    if (file.is_unit) units[file.path];
  }
  tree.CloseTo(std::move(files));
  IncludeRounds rounds(tree);
  std::vector<int> round = rounds.First(units, incomplete);
  while (!round.empty()) {
    for (int file : round) {
      const SourceFile& source = tree.files()[file];
      if (source.outline.unreadable.empty()) continue;
      incomplete.push_back({{source.path}, "file", source.outline.unreadable});
    }
    round = rounds.Next(round);
  }
  for (int file : EndlessIncludes(tree)) {
    incomplete.push_back({{tree.files()[file].path},
                          "file",
                          "the file includes itself without end, by itself or by way of others"});
  }
}

std::string WriteIndex(const SourceTree& tree, const MacroIndex& index, const Dialect& dialect) {
  ByteWriter out;
  WriteHead(out, kIndex, dialect);
  PackFound(Packer(out), index.TakeFound());
  out.Number(tree.files().size());
  for (const SourceFile& file : tree.files()) {
    PackIncludes(Packer(out), file);
    out.Text(SerializeOutline(file.outline));
  }
  return Seal(Digest(), out.Take());
}

std::optional<UnitIndex> ReadIndex(std::string_view bytes, const Dialect& dialect,
                                   const std::vector<std::string>& paths, SourceTree& tree) {
  std::optional<std::string_view> payload = Unseal(Digest(), bytes);
  if (!payload) return std::nullopt;
  ByteReader in(*payload);
  if (!ReadHead(in, kIndex, dialect)) return std::nullopt;
  MacroIndex::Found found;
  PackFound(Unpacker(in), found);
  std::vector<std::string_view> outlines;
  std::vector<SourceFile> files;
  for (std::uint64_t left = in.Count(); left > 0; --left) {
    PackIncludes(Unpacker(in), files.emplace_back());
    outlines.push_back(in.Text());
  }
  UnitIndex part;
  part.units = paths.empty() ? found.active_headers : FilesOf(files, paths);
  if (!in.AtEnd() || (part.units.empty() && !paths.empty())) return std::nullopt;
  if (!AreFiles(found.active_headers, files.size()) ||
      !AreFiles(found.attached_headers, files.size()) || !IncludesAreFiles(files)) {
    return std::nullopt;
  }
  part.reached = Reached(files, part.units);
  if (!RestoreOutlines(files, outlines, part.reached) || !IncludesMatch(files, part.reached)) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (part.reached[i]) files[i].stamp = tree.source().Examine(files[i].path).stamp;
  }
  tree.Restore(std::move(files));
  part.index = std::make_unique<MacroIndex>(tree, dialect, std::move(found));
  return part;
}

}  // namespace opledger::scan
