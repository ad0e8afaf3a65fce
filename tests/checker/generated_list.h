// Generates list files in many layouts: indented by two, four or a tab, or on one line; LF or CRLF;
// with a byte-order mark; sorted or not; with short, long, empty or missing arrays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace opledger {

class ListGenerator {
 public:
  explicit ListGenerator(unsigned seed) : random_(seed) {}

  // Operators are named op_0 ... op_39, each at most once.
  std::string Generate() {
    line_end_ = Chance(3) ? "\r\n" : "\n";
    constexpr const char* kUnits[] = {"  ", "    ", "\t", " "};
    unit_ = kUnits[random_() % 4];
    one_line_ = Chance(6);
    free_.clear();
    for (int i = 0; i < 40; ++i) free_.push_back("op_" + std::to_string(i));
    std::shuffle(free_.begin(), free_.end(), random_);

    std::vector<std::string> members = {R"("framework": "demo")", R"("target_dtype": "float16")"};
    if (Chance(4)) members.insert(members.begin(), R"("$comment": "[\"fp32\": {\\")");
    bool any = false;
    for (const char* policy : {"target", "fp32", "widest", "conditional", "either"}) {
      if (Chance(3) && (any || std::string(policy) != "either")) continue;
      any = true;
      members.push_back(std::string("\"") + policy + "\": " + Array(policy));
    }
    if (Chance(5)) members.push_back(R"("configuration": "gpu")");
    std::string text = Chance(6) ? "\xEF\xBB\xBF" : "";
    text += one_line_ ? "{" : "{" + line_end_ + unit_;
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i > 0) text += one_line_ ? ", " : "," + line_end_ + unit_;
      text += members[i];
    }
    text += one_line_ ? "}" : line_end_ + "}";
    return Chance(4) ? text : text + line_end_;
  }

  std::mt19937& random() { return random_; }
  bool Chance(unsigned one_in) { return random_() % one_in == 0; }

 private:
  std::string Item(const std::string& name, bool conditional) {
    if (conditional) {
      return R"({"op": ")" + name + R"(", "attribute": "a", "values": ["x"], "then": "fp32"})";
    }
    if (!Chance(4)) return '"' + name + '"';
    const std::string open =
        !one_line_ && Chance(3) ? "{" + line_end_ + unit_ + unit_ + unit_ : "{";
    return open + R"("op": ")" + name + R"(", "reason": "numeric", "note": "n, [m] {o}"})";
  }

  std::string Array(const std::string& policy) {
    if (Chance(5)) return Chance(3) ? "[ ]" : "[]";
    std::vector<std::string> names;
    for (unsigned i = 1 + random_() % 6; i > 0 && !free_.empty(); --i) {
      names.push_back(free_.back());
      free_.pop_back();
    }
    if (!Chance(3)) std::sort(names.begin(), names.end());
    const bool many_lines = !one_line_ && !Chance(3);
    const std::string gap = many_lines ? line_end_ + unit_ + unit_ : "";
    std::string text = "[" + gap;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i > 0) text += many_lines ? "," + gap : ", ";
      text += Item(names[i], policy == "conditional");
    }
    return text + (many_lines ? line_end_ + unit_ : "") + "]";
  }

  std::mt19937 random_;
  std::string line_end_, unit_;
  bool one_line_ = false;
  std::vector<std::string> free_;
};

}  // namespace opledger
