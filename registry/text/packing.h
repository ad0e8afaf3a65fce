// Packs records into bytes and unpacks them, using one list of their fields:
//   template <typename Pack>
//   void PackFields(Pack& pack, Packed<Pack, Range>& range) {
//     pack(range.begin, range.end);
//   }
//   Packer(out)(range);  Unpacker(in)(range);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "registry/text/bytes.h"

namespace opledger {

template <typename Pack, typename Record>
using Packed = std::conditional_t<Pack::kReads, Record, const Record>;

template <typename T>
concept PackedAsNumber = std::is_enum_v<T> || std::is_integral_v<T>;
// An int is at least -1, like an index that may be missing.
template <typename T>
concept PackedAsIndex = std::is_same_v<T, int>;
template <typename T>
concept PackedAsTuple = requires {
  std::tuple_size<T>::value;
};
template <typename T>
concept PackedAsList = requires(T list) {
  list.begin();
  list.end();
};

class Packer {
 public:
  static constexpr bool kReads = false;

  explicit Packer(ByteWriter& out) : out_(out) {}

  template <typename... Fields>
  void operator()(const Fields&... fields) {
    (Put(fields), ...);
  }
  // Writes numbers in their memory representation.
  template <typename List>
  void Raw(const List& numbers) {
    out_.Text({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof numbers[0]});
  }

 private:
  template <typename T>
  void Put(const T& value) {
    if constexpr (PackedAsIndex<T>) {
      out_.Number(static_cast<std::uint64_t>(value) + 1);
    } else if constexpr (PackedAsNumber<T>) {
      out_.Number(static_cast<std::uint64_t>(value));
    } else if constexpr (std::is_same_v<T, std::string>) {
      out_.Text(value);
    } else if constexpr (PackedAsTuple<T>) {
      std::apply([&](const auto&... each) { (Put(each), ...); }, value);
    } else if constexpr (PackedAsList<T>) {
      out_.Number(value.size());
      for (const auto& each : value) Put(each);
    } else {
      PackFields(*this, value);
    }
  }

  ByteWriter& out_;
};

// After a failed read, all further fields are zero or empty, and the ByteReader is not ok().
// Enumerators are not validated.
class Unpacker {
 public:
  static constexpr bool kReads = true;

  explicit Unpacker(ByteReader& in) : in_(in) {}

  template <typename... Fields>
  void operator()(Fields&... fields) {
    (Get(fields), ...);
  }
  template <typename List>
  void Raw(List& numbers) {
    const std::string_view bytes = in_.Text();
    if constexpr (requires { numbers.resize(1); }) numbers.resize(bytes.size() / sizeof numbers[0]);
    if (!bytes.empty() && bytes.size() == numbers.size() * sizeof numbers[0]) {
      std::memcpy(numbers.data(), bytes.data(), bytes.size());
    }
  }

 private:
  template <typename T>
  void Get(T& value) {
    if constexpr (PackedAsIndex<T>) {
      value = in_.Signed();
    } else if constexpr (std::is_same_v<T, bool>) {
      value = in_.Number() != 0;
    } else if constexpr (PackedAsNumber<T>) {
      value = static_cast<T>(in_.Number());
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = in_.Text();
    } else if constexpr (PackedAsTuple<T>) {
      std::apply([&](auto&... each) { (Get(each), ...); }, value);
    } else if constexpr (requires { typename T::mapped_type; }) {
      for (std::uint64_t left = in_.Count(); left > 0; --left) {
        typename T::key_type key;
        Get(key);
        Get(value[std::move(key)]);
      }
    } else if constexpr (requires { typename T::key_type; }) {
      for (std::uint64_t left = in_.Count(); left > 0; --left) {
        typename T::key_type key;
        Get(key);
        value.insert(value.end(), std::move(key));
      }
    } else if constexpr (PackedAsList<T>) {
      value.resize(in_.Count());
      for (auto& each : value) Get(each);
    } else {
      PackFields(*this, value);
    }
  }

  ByteReader& in_;
};

}  // namespace opledger
