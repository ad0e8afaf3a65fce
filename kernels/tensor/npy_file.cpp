// numpy.lib.format describes the header; it is aligned to 64 bytes, as numpy does.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/npy_file.h"

#include <cstring>

#include "conversion/model/files/files.h"
#include "conversion/model/files/npy_header.h"
#include "registry/platform/files.h"

namespace opledger {
namespace {

// What numpy calls each type; bfloat16 is two bytes of something to it.
std::string NpyCode(Dtype dtype) {
  if (dtype == Dtype::kBfloat16) return "<V2";
  if (dtype == Dtype::kBool) return "|b1";
  const std::size_t size = ElementSize(dtype);
  const bool is_unsigned = dtype == Dtype::kUint8 || dtype == Dtype::kUint16 ||
                           dtype == Dtype::kUint32 || dtype == Dtype::kUint64;
  const char kind = !IsInteger(dtype) ? 'f' : is_unsigned ? 'u' : 'i';
  return std::string(size == 1 ? "|" : "<") + kind + std::to_string(size);
}

std::string HeaderOf(const TensorType& type) {
  std::string text = "{'descr': '" + NpyCode(type.dtype) + "', 'fortran_order': False, 'shape': (";
  for (const std::int64_t dimension : type.dimensions) text += std::to_string(dimension) + ", ";
  text += "), }";
  constexpr std::size_t kBefore = 10;  // magic, version and length
  constexpr std::size_t kAlign = 64;
  text.append(kAlign - (kBefore + text.size() + 1) % kAlign, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

}  // namespace

std::optional<ConstantTensor> ReadNpy(const std::string& path, Diagnostics& diagnostics) {
  const auto file = SourceFile::Open(path, diagnostics);
  if (!file) return std::nullopt;
  const auto fail = [&](const std::string& why) {
    diagnostics.Error({.path = path}, why, "write it with numpy.save, in C order");
    return std::nullopt;
  };
  const std::string_view bytes = file->bytes();
  auto header = ReadNpyHeader(bytes.substr(0, kMaxNpyHeader));
  if (!header) return fail("no .npy file");
  const std::string descr = header->text.substr(header->descr.begin, header->descr.size());
  if (descr == "'<V2'" || descr == "'|V2'") header->dtype = Dtype::kBfloat16;
  if (!header->dtype)
    return fail("holds elements of the type " + descr + ", which no kernel takes");
  if (header->big_endian || (header->fortran_order && header->dimensions.size() > 1)) {
    return fail(header->big_endian ? "is big-endian" : "is in Fortran's order");
  }
  const TensorType type{*header->dtype, header->dimensions};
  if (!CheckSize(type) || bytes.size() - header->text.size() != Bytes(type)) {
    return fail("holds fewer or more bytes than " + Text(type) + " has");
  }
  ConstantTensor tensor(type);
  std::memcpy(tensor.data.get(), bytes.data() + header->text.size(), Bytes(type));
  return tensor;
}

bool WriteNpy(const std::string& path, const TensorType& type, const void* data,
              Diagnostics& diagnostics) {
  const auto produce = [&](OutputSink& sink) {
    return sink.Write(HeaderOf(type)) && sink.Write({static_cast<const char*>(data), Bytes(type)});
  };
  return WriteFile(path, produce, diagnostics);
}

}  // namespace opledger
