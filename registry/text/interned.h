// Strings that many records share, such as paths, rules and reasons.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <concepts>
#include <ostream>
#include <string>
#include <string_view>

namespace opledger {

// A pointer to a shared string that lives until the program ends. Equal texts share one string.
// Only for a small set of texts: names of files and lists, fixed words. Converts to std::string.
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
  template <std::same_as<std::string_view> View>  // otherwise a std::string would be ambiguous
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
