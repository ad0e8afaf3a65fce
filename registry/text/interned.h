// A text of which many records hold the same: a path, a rule, a reason.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <concepts>
#include <ostream>
#include <string>
#include <string_view>

namespace opledger {

// One pointer; equal texts are one string, which lives until the program ends. Only for texts of
// which there are few: names of files and lists, words of a fixed set. Reads as a std::string.
class InternedString {
 public:
  InternedString() = default;
  InternedString(std::string_view text) : text_(Intern(text)) {}    // NOLINT: is a string
  InternedString(const std::string& text) : text_(Intern(text)) {}  // NOLINT: is a string
  InternedString(const char* text) : text_(Intern(text)) {}         // NOLINT: is a string

  operator const std::string&() const { return *text_; }  // NOLINT: is a string
  operator std::string_view() const { return *text_; }    // NOLINT: is a string
  const std::string& text() const { return *text_; }
  bool empty() const { return text_->empty(); }

  friend bool operator==(InternedString a, InternedString b) { return a.text_ == b.text_; }
  friend bool operator==(InternedString a, const std::string& b) { return *a.text_ == b; }
  friend bool operator==(InternedString a, const char* b) { return *a.text_ == b; }
  template <std::same_as<std::string_view> View>  // else a std::string would match twice
  friend bool operator==(InternedString a, View b) {
    return *a.text_ == b;
  }
  friend std::strong_ordering operator<=>(InternedString a, InternedString b) {
    return a.text_ == b.text_ ? std::strong_ordering::equal : *a.text_ <=> *b.text_;
  }
  friend std::ostream& operator<<(std::ostream& out, InternedString text) {
    return out << *text.text_;
  }
  friend std::string operator+(InternedString a, std::string_view b) {
    return std::string(*a.text_).append(b);
  }
  friend std::string operator+(InternedString a, char b) { return std::string(*a.text_) += b; }
  friend std::string operator+(std::string_view a, InternedString b) {
    return std::string(a).append(*b.text_);
  }

 private:
  static const std::string* Intern(std::string_view text);

  inline static const std::string kEmpty;
  const std::string* text_ = &kEmpty;
};

}  // namespace opledger
