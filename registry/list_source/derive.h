// Derives the entries of a precision list from rows that its framework maintains elsewhere.
//   {"derived_from": [{"file": "lists.py", "format": "python", "map": {"FP32": "fp32"}}]}
//   with FP32 = ["exp"] in lists.py  ->  the entry exp under fp32, located in lists.py
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "registry/list_source/list_module.h"
#include "registry/manifest/manifest.h"
#include "registry/precision_list/precision_list.h"
#include "registry/source/source.h"

namespace opledger {

// Derives the lists of one state of a project. A file with several lists is read once.
class ListDeriver {
 public:
  // `source` is the project's files. Problems are added to the incomplete records of `manifest`
  // with their locations.
  ListDeriver(const Source& source, Manifest& manifest) : source_(source), manifest_(manifest) {}

  // Fills `entries` and related fields, first for the lists that this one extends. Clears `whole`
  // if only part of the list could be read.
  void Derive(PrecisionList& list);

 private:
  struct File;  // a file that contains lists

  void DeriveFrom(const ListOrigin& origin, PrecisionList& list, std::vector<ListEntry>& all);
  void AddRegistration(const std::string& op, const FieldValue& value, const Location& place,
                       PrecisionList& list, std::vector<ListEntry>& rows);
  void ReadRegistrations(const ListOrigin& origin, PrecisionList& list,
                         std::vector<ListEntry>& rows);
  void ReadLists(const ListOrigin& origin, PrecisionList& list, std::vector<ListEntry>& rows);
  const NamedList* FindList(const File& file, const ListOrigin& origin, const MappedList& mapped,
                            PrecisionList& list);
  const File& ReadModule(const ListOrigin& origin);
  std::shared_ptr<const std::string> TextOf(const std::string& path);
  void Settle(std::vector<ListEntry> rows, PrecisionList& list) const;
  void Annotate(std::vector<ListEntry>& rows, PrecisionList& list) const;
  void Miss(const Location& place, std::string what, PrecisionList& list);
  std::string NameOf(const std::string& op) const;

  const Source& source_;
  Manifest& manifest_;
  std::map<std::pair<std::string, ListFormat>, std::shared_ptr<const File>> files_;
  std::map<std::string, std::shared_ptr<const std::string>> texts_;
};

}  // namespace opledger
