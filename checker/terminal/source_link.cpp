// Encodes names and paths in URLs.
// SPDX-License-Identifier: Apache-2.0
#include "checker/terminal/source_link.h"

#include "registry/project/contained_path.h"

namespace opledger {
namespace {

constexpr std::string_view kPathField = "{path}";
constexpr std::string_view kLineField = "{line}";

bool IsLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Encodes bytes that are not letters, digits or in `plain` as `mark` and two hexadecimal digits.
std::string EncodeBytes(std::string_view text, std::string_view plain, char mark) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (IsLetterOrDigit(c) || plain.find(c) != std::string_view::npos) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += mark;
    encoded += kDigits[byte >> 4U];
    encoded += kDigits[byte & 15U];
  }
  return encoded;
}

void Replace(std::string_view field, const std::string& value, std::string& text) {
  for (std::size_t at = text.find(field); at != std::string::npos;
       at = text.find(field, at + value.size())) {
    text.replace(at, field.size(), value);
  }
}

}  // namespace

std::optional<std::string> SourceUrlProblem(std::string_view text) {
  std::size_t host = std::string_view::npos;
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (text.starts_with(scheme)) host = scheme.size();
  }
  if (host == std::string_view::npos) return "it must start with https:// or http://";
  const std::size_t path = text.find(kPathField);
  if (path == std::string_view::npos) return "it does not contain {path}";
  const std::size_t end_of_host = text.substr(host, path - host).find('/');
  if (end_of_host == std::string_view::npos || end_of_host == 0) {
    return "it has no host name before {path}";
  }
  for (const char c : text) {
    if (c <= ' ' || c > '~')
      return "it contains spaces, control characters or non-ASCII characters";
  }
  return std::nullopt;
}

std::string SourceLink::Url(const Location& location) const {
  if (url_.empty() || !StaysBelow(location.path)) return {};
  std::string url = url_;
  Replace(kLineField, std::to_string(location.line), url);
  Replace(kPathField, EncodeBytes(location.path, "-._~/", '%'), url);
  return url;
}

std::string SourceLink::Text(const Location& location) const {
  if (location.line <= 0 || (!url_.empty() && !has_lines())) return location.path;
  return location.path + ':' + std::to_string(location.line);
}

std::string OperatorAnchor(std::string_view name) { return "op-" + EncodeBytes(name, "_.:-", '~'); }

}  // namespace opledger
