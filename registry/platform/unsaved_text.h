// Texts of files as an editor holds them and did not save them yet: whoever reads such a file in
// this process gets that text, by whatever path. Few: none at all outside of `opledger lsp`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

struct stat;

namespace opledger {

// Absolute path -> text. Those of earlier calls are forgotten; a path that leads to no regular file
// is left out.
void HoldUnsavedTexts(std::map<std::string, std::string> texts);

// What is held, by path; valid until the next call of HoldUnsavedTexts.
const std::map<std::string, std::string>& UnsavedTexts();

// The text of the file that stat() says this of; nullptr: it is as it is saved.
const std::string* UnsavedText(const struct stat& status);

// Whether a text is held for a file of this inode, on whatever device.
bool MayBeUnsaved(std::uint64_t inode);

// For another process of ours. False: the bytes are no such texts.
std::string PackUnsavedTexts();
bool UnpackUnsavedTexts(std::string_view bytes);

}  // namespace opledger
