// Reads and writes .npy files (format: numpy.lib.format). The header is padded to 64 bytes, as in
// numpy.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/npy_file.h"

#include <cstring>

#include "conversion/model/files/files.h"
#include "conversion/model/files/npy_header.h"
#include "registry/files/files.h"

namespace opledger {
namespace {

// numpy's code of each type; numpy stores bfloat16 as two opaque bytes.
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

// Copies from column-major order, in which numpy.save writes transposed arrays.
void CopyFortran(const TensorType& type, const char* from, char* to) {
  const std::size_t size = ElementSize(type.dtype);
  const std::size_t count = Elements(type.dimensions);
  Dimensions at(type.Rank(), 0);
  for (std::size_t i = 0; i < count; ++i, to += size) {
    std::size_t place = 0;
    for (std::size_t d = type.Rank(); d-- > 0;) {
      place =
          place * static_cast<std::size_t>(type.dimensions[d]) + static_cast<std::size_t>(at[d]);
    }
    std::memcpy(to, from + place * size, size);
    for (std::size_t d = type.Rank(); d-- > 0 && ++at[d] == type.dimensions[d];) at[d] = 0;
  }
}

}  // namespace

std::optional<ConstantTensor> ReadNpy(const std::string& path, Diagnostics& diagnostics) {
  const auto file = SourceFile::Open(path, diagnostics);
  if (!file) return std::nullopt;
  const auto fail = [&](const std::string& why) {
    diagnostics.Error({.path = path}, why, "write it with numpy.save");
    return std::nullopt;
  };
  const std::string_view bytes = file->bytes();
  auto header = ReadNpyHeader(bytes.substr(0, kMaxNpyHeader));
  if (!header) return fail("is not an .npy file");
  const std::string descr = header->text.substr(header->descr.begin, header->descr.size());
  if (descr == "'<V2'" || descr == "'|V2'") header->dtype = Dtype::kBfloat16;
  if (!header->dtype)
    return fail("holds elements of the type " + descr + ", which no kernel supports");
  if (header->big_endian) return fail("is big-endian");
  const TensorType type{*header->dtype, header->dimensions};
  if (!CheckSize(type) || bytes.size() - header->text.size() != Bytes(type)) {
    return fail("holds fewer or more bytes than " + Text(type) + " has");
  }
  ConstantTensor tensor(type);
  const char* data = bytes.data() + header->text.size();
  if (header->fortran_order) {
    CopyFortran(type, data, tensor.As<char>());
  } else {
    std::memcpy(tensor.data.get(), data, Bytes(type));
  }
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
