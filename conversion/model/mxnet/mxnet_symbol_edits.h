// Edits a symbol.json: adds entries, and changes inputs and attributes. Renumbers nodes and formats
// additions like the rest of the file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conversion/model/files/edit_list.h"
#include "conversion/model/files/json_layout.h"
#include "conversion/model/mxnet/mxnet_symbol.h"

namespace opledger {

// An entry to add: an operator with one input, or a variable. Both have one output.
struct MxnetNewEntry {
  std::string op;
  std::string name;  // as JSON, with quotes
  std::string dtype_key;
  std::string dtype;  // value of the attribute `dtype_key`
  int after = 0;      // the entry it is made from: its input, or the original variable
  int output = 0;     // for an operator: the output of that entry
  bool variable = false;
};

class MxnetSymbolEdits {
 public:
  explicit MxnetSymbolEdits(const MxnetSymbol& symbol);

  // Returns an index for the functions below, which refers to the new entry.
  int Add(ScopeId scope, MxnetNewEntry entry);
  // Make an input of an entry, or a head, refer to an output of another entry, new or not.
  void Reroute(ScopeId scope, int entry, std::size_t input, int to, int output = 0);
  void RerouteHead(ScopeId scope, std::size_t head, int to, int output = 0);
  // Removes an entry that nothing reads and control_deps does not name.
  void Remove(ScopeId scope, int entry);
  // Call at most one of these two per entry, and only once.
  void SetAttribute(ScopeId scope, int entry, const std::string& key, const std::string& value);
  void RemoveAttribute(ScopeId scope, int entry, const std::string& key);

  // Returns all edits, including those that renumber the entries.
  EditList Finish();

 private:
  // The scope after the edits: the file's entries, then the new ones.
  struct Changed {
    MxnetScope place;
    std::vector<MxnetNewEntry> added;
    std::vector<bool> removed;  // per entry of the file
    bool changed = false;
  };
  std::vector<int> Sequence(const MxnetScope& old, const Changed& scope) const;
  void FinishScope(ScopeId id);
  void Renumber(const MxnetReference& was, const MxnetReference& is, const std::vector<int>& at);
  void ReplaceNumber(Span span, std::int64_t number);
  void EditNumbers(const MxnetScope& old, const Changed& scope, const std::vector<int>& sequence,
                   const std::vector<int>& at);
  void RemoveEntries(const MxnetScope& old, const Changed& scope);
  void InsertEntries(const MxnetScope& old, const Changed& scope, const std::vector<int>& sequence,
                     const std::vector<int>& at);
  std::string Text(const MxnetScope& old, const MxnetNewEntry& entry, const std::vector<int>& at,
                   const std::string& indent) const;
  const char* AttributesKey(const MxnetScope& scope) const;

  const MxnetSymbol& symbol_;
  JsonLayout layout_;
  std::vector<Changed> scopes_;
  EditList edits_;
};

}  // namespace opledger
