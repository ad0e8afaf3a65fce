// Checks every count and size against the rest of the file before use.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/mxnet/mxnet_params.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_set>

#include "conversion/model/files/zip_data.h"

namespace opledger {
namespace {

constexpr std::uint64_t kListMagic = 0x112;
constexpr std::uint32_t kV1 = 0xf993fac8;
constexpr std::uint32_t kV2 = 0xf993fac9;
constexpr std::uint32_t kV3 = 0xf993faca;
constexpr std::int32_t kMaxDimensions = 64;

// Indexed by type flag.
constexpr Dtype kTypes[] = {Dtype::kFloat32, Dtype::kFloat64, Dtype::kFloat16, Dtype::kUint8,
                            Dtype::kInt32,   Dtype::kInt8,    Dtype::kInt64,   Dtype::kBool,
                            Dtype::kInt16,   Dtype::kUint16,  Dtype::kUint32,  Dtype::kUint64,
                            Dtype::kBfloat16};

class ParamsReader {
 public:
  ParamsReader(MxnetParams& params, Diagnostics& diagnostics)
      : params_(params), bytes_(params.file.bytes()), diagnostics_(diagnostics) {}

  bool Read() {
    if (Number<std::uint64_t>() != kListMagic) return Malformed("no list of arrays");
    Number<std::uint64_t>();
    const auto count = Number<std::uint64_t>();
    if (count > bytes_.size() / 4) return Malformed("more arrays than the file can hold");
    for (std::uint64_t i = 0; i < count && ok_; ++i) {
      const std::size_t begin = at_;
      if (!ReadArray()) return Malformed("a broken array");
      params_.arrays.back().whole = {begin, at_};
    }
    params_.arrays_end = at_;
    const auto names = Number<std::uint64_t>();
    if (!ok_ || (names != 0 && names != count)) return Malformed("a broken list of names");
    for (std::uint64_t i = 0; i < names; ++i) {
      const auto size = Number<std::uint64_t>();
      const Span name = Take(size);
      if (!ok_) return Malformed("a broken name");
      params_.arrays[i].name = params_.file.Text(name);
    }
    return at_ == bytes_.size() || Malformed("extra data after the names");
  }

 private:
  bool Malformed(const char* what) {
    if (!diagnostics_.has_errors()) {
      diagnostics_.Error(
          {.path = params_.file.path()},
          std::string("not MXNet parameters: ") + what + " at byte " + std::to_string(at_),
          "check that the file is complete and the .params file of the model");
    }
    return false;
  }

  template <typename T>
  T Number() {
    T value = 0;
    if (!ok_ || sizeof value > bytes_.size() - at_) {
      ok_ = false;
      return 0;
    }
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  Span Take(std::uint64_t size) {
    if (!ok_ || size > bytes_.size() - at_) {
      ok_ = false;
      return {};
    }
    at_ += size;
    return {at_ - size, at_};
  }

  // Reads an i32 rank and as many 64-bit dimensions. `rank` stays -1 if there is no shape.
  std::vector<std::int64_t> Shape(std::int32_t& rank) {
    std::vector<std::int64_t> dimensions;
    rank = Number<std::int32_t>();
    ok_ = ok_ && rank <= kMaxDimensions && rank >= -1;
    for (std::int32_t i = 0; ok_ && i < rank; ++i) dimensions.push_back(Number<std::int64_t>());
    return dimensions;
  }

  bool ReadArray() {
    MxnetArray& array = params_.arrays.emplace_back();
    const auto magic = Number<std::uint32_t>();
    if (magic == kV2 || magic == kV3) return ReadNew(array, magic == kV3);
    std::int32_t rank = 0;
    if (magic == kV1) {
      array.form = MxnetArray::Form::kV1;
      array.dimensions = Shape(rank);
    } else {
      array.form = MxnetArray::Form::kV0;
      if (magic > static_cast<std::uint32_t>(kMaxDimensions)) return false;
      rank = static_cast<std::int32_t>(magic);
      for (std::int32_t i = 0; i < rank; ++i) array.dimensions.push_back(Number<std::uint32_t>());
    }
    array.none = rank <= 0;
    if (!ok_ || array.none) return ok_;
    Take(8);  // context
    TypeFlag(array);
    return Data(array, array.dimensions);
  }

  void TypeFlag(MxnetArray& array) {
    array.type_flag = {at_, at_ + 4};
    array.dtype = MxnetDtype(Number<std::int32_t>());
  }

  bool ReadNew(MxnetArray& array, bool numpy) {
    array.form = numpy ? MxnetArray::Form::kV3 : MxnetArray::Form::kV2;
    const auto storage = Number<std::int32_t>();
    int auxiliary = 0;
    if (storage == 1) array.storage = MxnetArray::Storage::kRowSparse, auxiliary = 1;
    if (storage == 2) array.storage = MxnetArray::Storage::kCsr, auxiliary = 2;
    if (storage == -1) array.storage = MxnetArray::Storage::kUndefined;
    if (storage < -1 || storage > 2) return false;
    std::int32_t rank = 0;
    std::vector<std::int64_t> stored;
    if (auxiliary > 0) stored = Shape(rank);
    array.dimensions = Shape(rank);
    array.none = numpy ? rank < 0 : rank <= 0;
    for (const std::int64_t dimension : array.dimensions) {
      array.none = array.none || (numpy && dimension < 0);
    }
    if (!ok_ || array.none) return ok_;
    Take(8);  // context
    TypeFlag(array);
    std::vector<std::uint64_t> sizes;  // of the auxiliary data
    for (int i = 0; i < auxiliary; ++i) {
      const std::optional<Dtype> type = MxnetDtype(Number<std::int32_t>());
      const std::vector<std::int64_t> shape = Shape(rank);
      std::uint64_t count = 0;
      if (!ok_ || !type || !Count(shape, count)) return false;
      if (storage == 2)
        stored = shape;  // of the indices: MXNet may have written a stored shape of 0
      sizes.push_back(count);
      if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(DtypeBits(*type) / 8),
                                 &sizes.back())) {
        return false;
      }
    }
    if (!Data(array, auxiliary > 0 ? stored : array.dimensions)) return false;
    for (const std::uint64_t size : sizes) Take(size);
    return ok_;
  }

  static bool Count(const std::vector<std::int64_t>& shape, std::uint64_t& count) {
    count = 1;
    for (const std::int64_t dimension : shape) {
      if (dimension < 0 ||
          __builtin_mul_overflow(count, static_cast<std::uint64_t>(dimension), &count)) {
        return false;
      }
    }
    return true;
  }

  bool Data(MxnetArray& array, const std::vector<std::int64_t>& shape) {
    std::uint64_t size = 0;
    if (!ok_ || !array.dtype || !Count(shape, array.elements)) return false;
    if (__builtin_mul_overflow(array.elements,
                               static_cast<std::uint64_t>(DtypeBits(*array.dtype) / 8), &size)) {
      return false;
    }
    array.data = Take(size);
    return ok_;
  }

  MxnetParams& params_;
  std::string_view bytes_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace

std::optional<MxnetParams> ReadMxnetParams(SourceFile file, Diagnostics& diagnostics) {
  MxnetParams params{std::move(file), {}, 0, {}};
  Diagnostics own;
  const bool archive = IsZip(params.file.bytes());
  const bool read = archive ? ReadMxnetNpz(params, own) : ParamsReader(params, own).Read();
  for (const Diagnostic& each : own.all()) diagnostics.Add(each);
  if (!read) return std::nullopt;
  return params;
}

std::optional<Dtype> MxnetDtype(std::int64_t flag) {
  const auto count = static_cast<std::int64_t>(std::size(kTypes));
  if (flag < 0 || flag >= count) return std::nullopt;
  return kTypes[flag];
}

std::int32_t MxnetTypeFlag(Dtype dtype) {
  for (std::size_t flag = 0; flag < std::size(kTypes); ++flag) {
    if (kTypes[flag] == dtype) return static_cast<std::int32_t>(flag);
  }
  return -1;
}

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
  std::string rest;  // less than an element
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

namespace {

constexpr std::string_view kNpy = ".npy";
constexpr std::string_view kFormat = "/format.npy";

class NpzReader {
 public:
  NpzReader(MxnetParams& params, Diagnostics& diagnostics)
      : params_(params), zip_(params.npz->zip), diagnostics_(diagnostics) {}

  bool Read() {
    std::unordered_set<std::string_view> sparse;
    std::unordered_set<std::string_view> names;
    for (const ZipMember& member : zip_.members) {
      names.insert(member.name);
      if (!member.name.ends_with(kFormat)) continue;
      sparse.insert(member.name.substr(0, member.name.size() - kFormat.size()));
    }
    for (std::size_t i = 0; i < zip_.members.size(); ++i) {
      const std::string_view file = zip_.members[i].name;
      if (!file.ends_with(kNpy)) continue;
      std::string_view name = file.substr(0, file.size() - kNpy.size());
      const std::size_t slash = name.rfind('/');
      const bool part = slash != std::string_view::npos && sparse.count(name.substr(0, slash)) > 0;
      if (part && name.substr(slash) != "/data") continue;
      auto storage = MxnetArray::Storage::kDense;
      if (part) {
        name = name.substr(0, slash);
        const bool csr = names.count(std::string(name) + "/indptr.npy") > 0;
        storage = csr ? MxnetArray::Storage::kCsr : MxnetArray::Storage::kRowSparse;
      }
      if (!ReadArray(i, name, storage)) return false;
    }
    return true;
  }

 private:
  bool Broken(const ZipMember& member, const std::string& what) {
    return diagnostics_.Error(
        {.path = params_.file.path()},
        "not MXNet parameters: '" + Printable(member.name) + "' " + what,
        "give the .params file of the model, or a file written by numpy.savez");
  }

  bool ReadArray(std::size_t index, std::string_view name, MxnetArray::Storage storage) {
    const ZipMember& member = zip_.members[index];
    std::string begin;
    ForEachZipPiece(params_.file, member, [&](std::string_view piece) {
      begin += piece.substr(0, kMaxNpyHeader - begin.size());
      return begin.size() < kMaxNpyHeader;
    });
    auto header = ReadNpyHeader(begin);
    if (!header) return Broken(member, "is not an array");
    if (header->big_endian) return Broken(member, "is big-endian, which MXNet does not read");
    const std::uint64_t size = member.size - header->text.size();
    if (header->dtype) {
      std::uint64_t wanted = 0;
      const auto bytes = static_cast<std::uint64_t>(DtypeBits(*header->dtype) / 8);
      if (__builtin_mul_overflow(header->elements, bytes, &wanted) || wanted != size) {
        return Broken(member, "does not have the size of its shape");
      }
    }
    MxnetArray& array = params_.arrays.emplace_back();
    array.name = name;
    array.form = MxnetArray::Form::kNpz;
    array.storage = storage;
    array.dimensions = header->dimensions;
    array.elements = header->elements;
    array.dtype = header->dtype;
    array.whole = member.whole;
    array.member = index;
    if (member.method == ZipMember::Method::kStored) {
      array.data = {member.data.begin + header->text.size(), member.data.end};
    }
    params_.npz->headers.push_back(std::move(*header));
    return true;
  }

  MxnetParams& params_;
  const ZipFile& zip_;
  Diagnostics& diagnostics_;
};

}  // namespace

bool ReadMxnetNpz(MxnetParams& params, Diagnostics& diagnostics) {
  auto zip = ReadZip(params.file, diagnostics);
  if (!zip) return false;
  params.npz = MxnetNpz{std::move(*zip), {}};
  return CheckZipData(params.file, params.npz->zip, diagnostics) &&
         NpzReader(params, diagnostics).Read();
}

}  // namespace opledger
