// Members are "arg:NAME.npy"; a sparse array has its parts in "NAME/data.npy", "NAME/indices.npy"
// and so on, and its kind in "NAME/format.npy". What is no .npy is left alone.
// src/serialization/cnpy.cc of MXNet 2 is the source.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "conversion/model/files/zip_data.h"
#include "conversion/model/mxnet/mxnet_params.h"

namespace opledger {
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
    diagnostics_.Error({.path = params_.file.path()},
                       "not MXNet parameters: '" + Printable(member.name) + "' " + what,
                       "is it the .params file of the model, or one that numpy.savez wrote?");
    return false;
  }

  bool ReadArray(std::size_t index, std::string_view name, MxnetArray::Storage storage) {
    const ZipMember& member = zip_.members[index];
    std::string begin;
    ForEachZipPiece(params_.file, member, [&](std::string_view piece) {
      begin += piece.substr(0, kLongestNpyHeader - begin.size());
      return begin.size() < kLongestNpyHeader;
    });
    auto header = ReadNpyHeader(begin);
    if (!header) return Broken(member, "is no array");
    if (header->big_endian) return Broken(member, "is big-endian, as MXNet reads none");
    const std::uint64_t size = member.size - header->text.size();
    if (header->dtype) {
      std::uint64_t wanted = 0;
      const auto bytes = static_cast<std::uint64_t>(DtypeBits(*header->dtype) / 8);
      if (__builtin_mul_overflow(header->elements, bytes, &wanted) || wanted != size) {
        return Broken(member, "does not hold the numbers of its shape");
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
