// Edits of a symbol.json: new entries among the nodes, other inputs, other attributes. All numbers
// of nodes follow, and what is new is laid out as the file is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conversion/model/files/edit_list.h"
#include "conversion/model/files/json_layout.h"
#include "conversion/model/mxnet/mxnet_symbol.h"

namespace opledger {

// An entry that is to be: an operator with one input, or a variable. All have one output.
struct MxnetNewEntry {
  std::string op;
  std::string name;  // as JSON, with its quotes
  std::string dtype_key;
  std::string dtype;  // the attribute `dtype_key`
  int after = 0;      // the entry it is made from: its input, or the variable beside it
  int output = 0;     // of that entry, for an operator
  bool variable = false;
};

class MxnetSymbolEdits {
 public:
  explicit MxnetSymbolEdits(const MxnetSymbol& symbol);

  // Gives the number that stands for the new entry below.
  int Add(ScopeId scope, MxnetNewEntry entry);
  // An input of an entry, or a head, becomes an output of another one, new or not.
  void Reroute(ScopeId scope, int entry, std::size_t input, int to, int output = 0);
  void RerouteHead(ScopeId scope, std::size_t head, int to, int output = 0);
  // One that nothing reads any more, and no control_deps name.
  void Remove(ScopeId scope, int entry);
  // At most once an entry, of these two.
  void SetAttribute(ScopeId scope, int entry, const std::string& key, const std::string& value);
  void RemoveAttribute(ScopeId scope, int entry, const std::string& key);

  EditList Finish();

 private:
  // A scope as it is to be: the file's entries first, then the new ones.
  struct Changed {
    MxnetScope place;
    std::vector<MxnetNewEntry> added;
    std::vector<bool> removed;  // of the file's entries
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
