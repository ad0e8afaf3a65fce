// Finds the lines of operators and parses each as a manifest with one operator.
// SPDX-License-Identifier: Apache-2.0
#include "registry/manifest/manifest_lines.h"

#include <cstdio>
#include <cstdlib>

#include "registry/files/files.h"

namespace opledger {
namespace {

constexpr std::size_t kMaximumManifest = 256 << 20;  // the limit of all JSON files
constexpr std::string_view kOperatorBegin = "{\"name\":\"";

// Returns the operator name on the line at `begin`, or an empty string if it is not the line of one
// operator.
std::string_view OperatorOf(std::string_view text, std::size_t begin) {
  const std::size_t brace = text.find_first_not_of(' ', begin);
  if (brace == std::string_view::npos || !text.substr(brace).starts_with(kOperatorBegin)) return {};
  const std::size_t name = brace + kOperatorBegin.size();
  if (text.find(kOperatorBegin, name) < text.find('\n', name)) return {};
  const std::size_t end = text.find_first_of("\"\\\n", name);
  return end != std::string_view::npos && text[end] == '"' ? text.substr(name, end - name)
                                                           : std::string_view();
}

std::size_t NextLine(std::string_view text, std::size_t begin) {
  const std::size_t end = text.find('\n', begin);
  return end == std::string_view::npos ? text.size() : end + 1;
}

}  // namespace

// If the manifest without these lines has no operators, then the lines are its operators.
bool ManifestLines::Index() {
  const std::string_view text = text_;
  begin_ = 0;
  while (begin_ < text.size() && OperatorOf(text, begin_).empty()) begin_ = NextLine(text, begin_);
  end_ = begin_;
  for (std::string_view name; !(name = OperatorOf(text, end_)).empty();
       end_ = NextLine(text, end_)) {
    if (!lines_.try_emplace(std::string(name), end_).second) return false;
  }
  Diagnostics none;
  const auto rest = ParseManifest(path_, With(""), none);
  return rest && rest->operators.empty();
}

std::string ManifestLines::With(std::string_view line) const {
  std::string text = text_.substr(0, begin_);
  text += line;
  return text.append(text_, end_);
}

std::optional<ManifestLines> ManifestLines::Read(const std::string& path,
                                                 Diagnostics& diagnostics) {
  std::optional<std::string> text = ReadFile(path, kMaximumManifest, diagnostics);
  if (!text) return std::nullopt;
  ManifestLines lines;
  lines.path_ = path;
  lines.text_ = std::move(*text);
  if (lines.Index()) return lines;
  lines.lines_.clear();
  lines.whole_ = ParseManifest(path, std::move(lines.text_), diagnostics);
  if (!lines.whole_) return std::nullopt;
  return lines;
}

const Operator* ManifestLines::Find(const std::string& name) {
  if (whole_) return whole_->Find(name);
  if (const auto found = read_.find(name); found != read_.end()) return &found->second;
  const auto place = lines_.find(name);
  if (place == lines_.end()) return nullptr;
  std::string_view line = std::string_view(text_).substr(place->second);
  line = line.substr(0, line.find('\n'));
  line = line.substr(0, line.find_last_not_of(" ,\r") + 1);
  Diagnostics why;
  std::optional<Manifest> one = ParseManifest(path_, With(line), why);
  if (!one || one->operators.size() != 1) {
    std::fprintf(stderr, "opledger: %s: operator '%s' cannot be read; reinstall opledger\n",
                 path_.c_str(), name.c_str());
    std::abort();
  }
  return &read_.emplace(name, std::move(one->operators.front())).first->second;
}

}  // namespace opledger
