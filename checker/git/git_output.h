// What git's plumbing prints, as bytes: the names in it are those of files that anybody committed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "checker/git/git.h"

namespace opledger {

// Of `ls-tree -r -z` "100644 blob ID\tPATH", of `ls-files --stage -z` "100644 ID 0\tPATH", where
// another number than 0 is one side of a conflict; sorted by path. What is no file, and what leads
// elsewhere, is left out.
std::vector<TreeFile> ParseListing(std::string_view listing, bool is_index);
// Of the same, "160000 commit ID\tPATH" and "160000 ID 0\tPATH": the submodules.
std::vector<Submodule> ParseSubmodules(std::string_view listing, bool is_index);

// Of `cat-file --batch`: "ID blob SIZE\n", the bytes, "\n", for each file in turn; "ID missing\n"
// for what a partial clone does not have.
class BatchReader {
 public:
  // `absent`: gets the files whose blobs are missing.
  BatchReader(const std::vector<TreeFile>& files, const BlobTaker& taker,
              std::vector<std::string>& absent)
      : files_(files), taker_(taker), absent_(absent) {}

  // The next piece of the output, wherever it is cut. False: it is not what git says, or the taker
  // would have no more.
  bool Take(std::string_view piece);
  // Whether that was all.
  bool AtEnd() const { return next_ == files_.size() && left_ == 0 && !ends_ && head_.empty(); }

 private:
  bool TakeHead(std::string_view& piece);

  const std::vector<TreeFile>& files_;
  const BlobTaker& taker_;
  std::vector<std::string>& absent_;
  std::size_t next_ = 0;
  std::string head_;        // as far as it came
  std::uint64_t left_ = 0;  // of the blob
  bool ends_ = false;       // a newline follows
};

}  // namespace opledger
