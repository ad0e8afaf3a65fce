// The protocol: git answers "ID\n" with "ID blob SIZE\n", the bytes and "\n", or with "ID
// missing\n".
// SPDX-License-Identifier: Apache-2.0
#include "registry/source/git_objects.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <unordered_map>
#include <utility>

namespace opledger {
namespace {

constexpr std::size_t kLongestLine = 256;

// Blobs that this process has read, because the index and a revision share most of theirs.
struct KnownBlobs {
  static constexpr std::size_t kMostBytes = std::size_t{24} << 20U;
  std::unordered_map<std::string, std::string> by_id;
  std::size_t bytes = 0;
};

KnownBlobs& TheKnownBlobs() {
  static auto* known = new KnownBlobs;  // never freed, because freeing takes time
  return *known;
}

}  // namespace

GitObjects::GitObjects(std::string folder, std::vector<std::string> others)
    : folder_(std::move(folder)), others_(std::move(others)) {}

void GitObjects::Restart() {
  git_.reset();
  failure_ = 0;
  buffer_.clear();
  at_ = 0;
  git_.emplace(folder_, std::vector<std::string>{"cat-file", "--batch"}, others_);
}

bool GitObjects::Fill() {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  buffer_.resize(kPiece);
  at_ = 0;
  const long count = git_->Read(buffer_.data(), buffer_.size());
  buffer_.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  if (count == 0) errno = EPROTO;  // it has ended
  if (count < 0 && errno != ETIMEDOUT) errno = EIO;
  return count > 0;
}

std::optional<std::string> GitObjects::ReadLine() {
  std::string line;
  for (;;) {
    if (at_ == buffer_.size() && !Fill()) return std::nullopt;
    const std::size_t end = std::min(buffer_.find('\n', at_), buffer_.size());
    line.append(buffer_, at_, end - at_);
    at_ = end;
    errno = EPROTO;
    if (line.size() > kLongestLine) return std::nullopt;
    if (at_ == buffer_.size()) continue;
    ++at_;
    return line;
  }
}

bool GitObjects::ReadBytes(std::uint64_t size, std::string* bytes) {
  while (size > 0) {
    if (at_ == buffer_.size() && !Fill()) return false;
    const std::size_t count = std::min<std::uint64_t>(size, buffer_.size() - at_);
    if (bytes != nullptr) bytes->append(buffer_, at_, count);
    at_ += count;
    size -= count;
  }
  return true;
}

std::optional<std::string> GitObjects::Read(const std::string& id, std::size_t maximum) {
  KnownBlobs& known = TheKnownBlobs();
  if (const auto blob = known.by_id.find(id); blob != known.by_id.end()) {
    errno = EFBIG;
    return blob->second.size() <= maximum ? std::optional(blob->second) : std::nullopt;
  }
  if (!git_) Restart();
  errno = failure_;
  std::optional<std::string> bytes;
  if (failure_ == 0) bytes = Ask(id, maximum);
  const int error = errno;
  if (!bytes && error != ENODATA && error != EFBIG) {
    failure_ = error;  // the boundaries of later answers are unknown
    buffer_.clear();
    at_ = 0;
  }
  errno = error;
  if (bytes && known.bytes + bytes->size() <= KnownBlobs::kMostBytes) {
    known.bytes += bytes->size();
    known.by_id.emplace(id, *bytes);
  }
  return bytes;
}

std::optional<std::string> GitObjects::Ask(const std::string& id, std::size_t maximum) {
  // An error of the pipe does not describe the object.
  if (!git_->ok() || !git_->Write(id + '\n')) {
    errno = git_->ok() ? EPIPE : EAGAIN;
    return std::nullopt;
  }
  const std::optional<std::string> head = ReadLine();
  if (!head) return std::nullopt;
  if (*head == id + " missing") {
    errno = ENODATA;
    return std::nullopt;
  }
  const std::string kind = id + " blob ";
  std::uint64_t size = 0;
  const char* const end = head->data() + head->size();
  errno = EPROTO;
  if (!head->starts_with(kind)) return std::nullopt;
  const auto parsed = std::from_chars(head->data() + kind.size(), end, size);
  errno = EPROTO;
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  std::string bytes;
  const bool fits = size <= maximum;
  if (fits) bytes.reserve(size);
  if (!ReadBytes(size, fits ? &bytes : nullptr) || !ReadBytes(1, nullptr)) return std::nullopt;
  errno = EFBIG;
  return fits ? std::optional(std::move(bytes)) : std::nullopt;
}

}  // namespace opledger
