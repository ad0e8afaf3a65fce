// Edits of a zip archive: other contents of members, new members, fewer. Every other member keeps
// its bytes; the directory says where all of them then are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conversion/model/files/edit_list.h"
#include "conversion/model/files/zip_file.h"

namespace opledger {

struct ZipChange {
  std::size_t member = 0;  // of the archive; of an added one, the one it is like
  std::string name;        // of an added one
  bool added = false;
  bool removed = false;
  NewBytes content;
};

class ZipEdits {
 public:
  // Both must outlive what Finish gives.
  ZipEdits(const SourceFile& file, const ZipFile& zip) : file_(file), zip_(zip) {}

  // What a member is to hold: stored, not compressed, since its size has to be known before it is
  // written.
  void Replace(std::size_t member, NewBytes content);
  // A member more, after the others, with the date and rights of the member `like`.
  void Add(std::size_t like, std::string name, NewBytes content);
  void Remove(std::size_t member);

  EditList Finish();

 private:
  std::vector<ZipChange> changes_;
  const SourceFile& file_;
  const ZipFile& zip_;
};

}  // namespace opledger
