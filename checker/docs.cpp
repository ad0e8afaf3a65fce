// The table of documentation formats.
// SPDX-License-Identifier: Apache-2.0
#include "checker/docs.h"

namespace opledger {

// One per file of docs/, of the same name.
extern const DocsFormat kMdDocs;
extern const DocsFormat kHtmlDocs;
extern const DocsFormat kJsonDocs;
extern const DocsFormat kSvgDocs;

const std::vector<DocsFormat>& DocsFormats() {
  static const std::vector<DocsFormat> formats = {kMdDocs, kHtmlDocs, kJsonDocs, kSvgDocs};
  return formats;
}

const DocsFormat* FindDocsFormat(std::string_view name) {
  for (const DocsFormat& format : DocsFormats()) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

const DocsFormat* FindDocsFormatOfFile(std::string_view path) {
  for (const DocsFormat& format : DocsFormats()) {
    if (path.ends_with(format.extension)) return &format;
  }
  return nullptr;
}

}  // namespace opledger
