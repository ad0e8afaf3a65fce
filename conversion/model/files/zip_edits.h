// Edits a zip archive: replaces, adds and removes members. Other members keep their bytes; the
// directory is updated with the new positions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conversion/model/files/edit_list.h"
#include "conversion/model/files/zip_file.h"

namespace opledger {

struct ZipChange {
  std::size_t member = 0;  // index in the archive; if added, of the member to copy attributes from
  std::string name;        // for an added member
  bool added = false;
  bool removed = false;
  NewBytes content;
};

class ZipEdits {
 public:
  // `file` and `zip` must outlive the result of Finish().
  ZipEdits(const SourceFile& file, const ZipFile& zip) : file_(file), zip_(zip) {}

  // Replaces a member's content. It is stored uncompressed, since its size must be known before it
  // is written.
  void Replace(std::size_t member, NewBytes content);
  // Appends a member with the date and permissions of the member `like`.
  void Add(std::size_t like, std::string name, NewBytes content);
  void Remove(std::size_t member);

  // Returns the edits of the archive's bytes; empty if nothing changes.
  EditList Finish();

 private:
  std::vector<ZipChange> changes_;
  const SourceFile& file_;
  const ZipFile& zip_;
};

}  // namespace opledger
