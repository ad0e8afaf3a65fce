// "ID\n" is answered by "ID blob SIZE\n", the bytes, "\n"; or by "ID missing\n".
// SPDX-License-Identifier: Apache-2.0
#include "registry/source/git_objects.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <unordered_map>

#include "registry/platform/files.h"

namespace opledger {
namespace {

constexpr std::size_t kLongestLine = 256;

// Blobs that this process has read, since what is staged and a revision share most of theirs.
struct KnownBlobs {
  static constexpr std::size_t kMostBytes = std::size_t{24} << 20U;
  std::unordered_map<std::string, std::string> by_id;
  std::size_t bytes = 0;
};

KnownBlobs& TheKnownBlobs() {
  static auto* known = new KnownBlobs;  // never freed: that would cost more than it gives
  return *known;
}

}  // namespace

GitObjects::GitObjects(std::string folder, std::vector<std::string> others)
    : folder_(std::move(folder)), others_(std::move(others)) {}

void GitObjects::Restart() {
  git_.reset();
  buffer_.clear();
  at_ = 0;
  git_.emplace(folder_, std::vector<std::string>{"cat-file", "--batch"}, others_);
}

bool GitObjects::Fill() {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  buffer_.resize(kPiece);
  at_ = 0;
  ssize_t count = 0;
  do {
    count = read(git_->from(), buffer_.data(), buffer_.size());
  } while (count < 0 && errno == EINTR);
  buffer_.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  if (count == 0) errno = EIO;  // it has ended
  return count > 0;
}

std::optional<std::string> GitObjects::ReadLine() {
  std::string line;
  for (;;) {
    if (at_ == buffer_.size() && !Fill()) return std::nullopt;
    const std::size_t end = std::min(buffer_.find('\n', at_), buffer_.size());
    line.append(buffer_, at_, end - at_);
    at_ = end;
    errno = EIO;
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
  errno = EIO;
  if (!git_->ok() || !WriteAll(git_->to(), id + '\n')) return std::nullopt;
  const std::optional<std::string> head = ReadLine();
  if (!head) return std::nullopt;
  if (*head == id + " missing") {
    errno = ENODATA;
    return std::nullopt;
  }
  const std::string kind = id + " blob ";
  std::uint64_t size = 0;
  const char* const end = head->data() + head->size();
  if (!head->starts_with(kind)) return std::nullopt;
  const auto parsed = std::from_chars(head->data() + kind.size(), end, size);
  errno = EIO;
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  std::string bytes;
  const bool fits = size <= maximum;
  if (fits) bytes.reserve(size);
  if (!ReadBytes(size, fits ? &bytes : nullptr) || !ReadBytes(1, nullptr)) return std::nullopt;
  errno = EFBIG;
  if (!fits) return std::nullopt;
  if (known.bytes + size <= KnownBlobs::kMostBytes) {
    known.bytes += size;
    known.by_id.emplace(id, bytes);
  }
  return bytes;
}

}  // namespace opledger
