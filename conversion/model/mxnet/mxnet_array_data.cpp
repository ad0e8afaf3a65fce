// Values that lie in the file are given as they lie there; others are inflated.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "conversion/model/files/zip_data.h"
#include "conversion/model/mxnet/mxnet_params.h"

namespace opledger {
namespace {

constexpr std::size_t kDataPiece = std::size_t{4} << 20;
constexpr std::size_t kLargestNumber = 8;

using TakePiece = std::function<bool(std::string_view)>;

bool ForEachInFile(const SourceFile& file, Span data, const TakePiece& take) {
  while (data.size() > 0) {
    const Span piece = {data.begin, std::min(data.end, data.begin + kDataPiece)};
    if (!take(file.Text(piece))) return false;
    if (piece.size() == kDataPiece) file.Release(piece);
    data.begin = piece.end;
  }
  return true;
}

}  // namespace

bool ForEachPiece(const MxnetParams& params, std::size_t array, const TakePiece& take) {
  const MxnetArray& each = params.arrays[array];
  const bool inflated =
      params.npz && params.npz->zip.members[each.member].method == ZipMember::Method::kDeflated;
  if (!inflated) return ForEachInFile(params.file, each.data, take);
  std::size_t head = params.npz->headers[array].text.size();
  std::string rest;  // less than a number
  const bool whole = ForEachZipPiece(
      params.file, params.npz->zip.members[each.member], [&](std::string_view piece) {
        const std::size_t skipped = std::min(head, piece.size());
        head -= skipped;
        rest += piece.substr(skipped);
        const std::size_t size = rest.size() / kLargestNumber * kLargestNumber;
        if (!take(std::string_view(rest).substr(0, size))) return false;
        rest.erase(0, size);
        return true;
      });
  return whole && (rest.empty() || take(rest));
}

}  // namespace opledger
