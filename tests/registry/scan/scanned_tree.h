// A small source tree with outlines and macro index, as the scan of a unit needs them.
//   ScannedTree tree(Files{{"include/a.h", "#define W(x) REG(x)"}, {"src/a.cc", "..."}});
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "registry/scan/macros/macros.h"
#include "registry/scan/tree/tree.h"
#include "tests/registry/scratch_folder.h"

namespace opledger::scan {

using Files = std::vector<std::pair<std::string, std::string>>;  // path, text

class ScannedTree {
 public:
  // Files in src/ are units; all include from ".." and include/. `dialect`: fields in addition to
  // its sink, the macro REG.
  explicit ScannedTree(const Files& files, const std::string& dialect = "") {
    scratch_.Write(
        "own.json",
        R"({"name": "own", "sources": ["src/**"], "sinks": [{"macro": "REG"}])" + dialect + "}");
    for (const auto& [path, text] : files) scratch_.Write(path, text);
    const Source source = DiskSource(scratch_.Path());
    Diagnostics diagnostics;
    dialect_ = *ReadDialect(source, "own.json", Reach::kBelow, diagnostics);
    tree_ = std::make_unique<SourceTree>(source, std::vector<std::string>{"include"});
    for (const auto& [path, text] : files) tree_->Find(path);
    for (SourceFile& file : tree_->files()) {
      const std::string text = *ReadSource(source, file.path);
      file.content = DigestOf(text);
      file.outline = MakeOutline(text, dialect_);
      file.is_unit = file.path.starts_with("src/");
    }
    for (int file = 0; file < static_cast<int>(files.size()); ++file) Resolve(file);
    index_ = std::make_unique<MacroIndex>(*tree_, dialect_);
  }

  const SourceTree& tree() const { return *tree_; }
  const MacroIndex& index() const { return *index_; }
  const Dialect& dialect() const { return dialect_; }
  int Number(const std::string& path) const { return tree_->Known(path); }
  std::string Text(const std::string& path) const { return scratch_.Read(path); }

 private:
  void Resolve(int file) {
    for (const Include& include : tree_->files()[file].outline.includes) {
      const int other = tree_->Resolve(file, include);
      SourceFile& source = tree_->files()[file];
      source.include_files.push_back(other);
      if (other < 0) continue;
      tree_->files()[other].included = true;
      std::vector<int>& all = source.includes;
      if (std::find(all.begin(), all.end(), other) == all.end()) all.push_back(other);
    }
  }

  ScratchFolder scratch_;
  Dialect dialect_;
  std::unique_ptr<SourceTree> tree_;
  std::unique_ptr<MacroIndex> index_;
};

}  // namespace opledger::scan
