// Replaces open dimensions by primes, so that the factors of a size show which dimensions it has.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/place/tensor_sizes.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace opledger {
namespace {

using Primes = std::array<std::int64_t, 6>;
// Two sets of each kind: above the usual factors of weight dimensions, and below limits that a
// model may have, such as a length of 64.
constexpr Primes kPrimes[][2] = {
    {{101, 103, 107, 109, 113, 127}, {131, 137, 139, 149, 151, 157}},
    {{11, 13, 17, 19, 23, 29}, {31, 37, 41, 43, 47, 53}},
};

// The open dimensions of the inputs, by the file's name or by the input and the position.
class OpenDimensions {
 public:
  OpenDimensions(const OnnxModel& model, const std::map<std::string, Shape>& given)
      : given_(given) {
    for (const ValueId input : model.graph.scopes.front().inputs) {
      const std::string name(model.graph.values[input].name);
      if (!given.contains(name)) Add(name, DeclaredDimensions(model, input));
    }
  }

  const std::vector<std::string>& names() const { return names_; }

  // Returns the inputs' shapes with primes for open dimensions.
  std::map<std::string, Shape> Shapes(const Primes& primes) const {
    std::map<std::string, Shape> shapes = given_;
    for (const auto& [input, dimensions] : inputs_) {
      Shape& shape = shapes[input];
      for (const std::int64_t each : dimensions)
        shape.push_back(each < 0 ? primes[-1 - each] : each);
    }
    return shapes;
  }

 private:
  // `text` as returned by DeclaredDimensions.
  void Add(const std::string& input, const std::string& text) {
    Shape dimensions;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      const std::string word = text.substr(begin, end - begin);
      std::int64_t number = 0;
      const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
      const bool is_number = read.ec == std::errc() && read.ptr == word.data() + word.size();
      dimensions.push_back(is_number ? number : Open(word, input, dimensions.size()));
      begin = end + 1;
    }
    if (!dimensions.empty()) inputs_[input] = dimensions;
  }

  // Returns -1 for the first name, -2 for the second, and so on.
  std::int64_t Open(const std::string& word, const std::string& input, std::size_t position) {
    const std::string name = word == "D" ? input + " dimension " + std::to_string(position) : word;
    const auto found = std::find(names_.begin(), names_.end(), name);
    const auto at = static_cast<std::int64_t>(found - names_.begin());
    if (found == names_.end()) names_.push_back(name);
    return -1 - at;
  }

  const std::map<std::string, Shape>& given_;
  std::map<std::string, Shape> inputs_;  // negative: an open dimension
  std::vector<std::string> names_;
};

// Divides `numbers` by the primes and returns how often each divides it.
std::vector<int> TakeOut(const Primes& primes, std::size_t count, std::uint64_t& numbers) {
  std::vector<int> powers(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto prime = static_cast<std::uint64_t>(primes[i]);
    while (numbers != 0 && numbers % prime == 0) {
      numbers /= prime;
      ++powers[i];
    }
  }
  return powers;
}

TensorSize SizeOf(const std::vector<std::string>& names, const Primes (&primes)[2],
                  std::uint64_t some, std::uint64_t other) {
  const std::vector<int> powers = TakeOut(primes[0], names.size(), some);
  if (powers != TakeOut(primes[1], names.size(), other) || some != other) return {};
  TensorSize size = {some, {}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (int power = 0; power < powers[i]; ++power) size.per.push_back(names[i]);
  }
  return size;
}

// Fills in dimensions that are not known yet.
void AddDimensions(const OnnxModel& model, const OpenDimensions& open, const Primes (&primes)[2],
                   std::vector<std::optional<KnownDimensions>>& dimensions) {
  Diagnostics unused;
  const auto some = InferShapes(model, open.Shapes(primes[0]), unused);
  const auto other = InferShapes(model, open.Shapes(primes[1]), unused);
  if (!some || !other) return;
  for (std::size_t id = 0; id < dimensions.size(); ++id) {
    const auto& first = some->values[id];
    const auto& second = other->values[id];
    if (dimensions[id] || !first || !second || first->size() != second->size()) continue;
    KnownDimensions& found = dimensions[id].emplace();
    for (std::size_t i = 0; i < first->size(); ++i) {
      const bool same = (*first)[i] == (*second)[i];
      found.push_back(same ? std::optional((*first)[i]) : std::nullopt);
    }
  }
}

void AddDeclared(const OnnxModel& model, std::vector<std::optional<KnownDimensions>>& dimensions) {
  for (std::size_t id = 0; id < dimensions.size(); ++id) {
    for (const MessageId frame : model.places.declarations[id]) {
      const auto declared = dimensions[id] ? std::nullopt : DeclaredShape(model, frame);
      if (!declared) continue;
      KnownDimensions& found = dimensions[id].emplace();
      for (const DeclaredDimension& each : *declared) found.push_back(each.number);
    }
  }
}

// Fills in sizes that are not known yet.
void AddSizes(const OnnxModel& model, const OpenDimensions& open, const Primes (&primes)[2],
              std::vector<TensorSize>& sizes) {
  Diagnostics unused;
  const auto some = InferShapes(model, open.Shapes(primes[0]), unused);
  const auto other = InferShapes(model, open.Shapes(primes[1]), unused);
  if (!some || !other) return;
  for (std::size_t id = 0; id < sizes.size(); ++id) {
    const auto first = some->Elements(static_cast<ValueId>(id));
    const auto second = other->Elements(static_cast<ValueId>(id));
    if (sizes[id].numbers || !first || !second) continue;
    sizes[id] = SizeOf(open.names(), primes, *first, *second);
  }
}

}  // namespace

std::vector<TensorSize> FindTensorSizes(const OnnxModel& model,
                                        const std::map<std::string, Shape>& given) {
  std::vector<TensorSize> sizes(model.graph.values.size());
  const OpenDimensions open(model, given);
  if (open.names().size() > kPrimes[0][0].size()) return sizes;
  for (const auto& primes : kPrimes) {
    AddSizes(model, open, primes, sizes);
    if (open.names().empty()) break;
  }
  return sizes;
}

std::vector<std::optional<KnownDimensions>> FindDimensions(
    const OnnxModel& model, const std::map<std::string, Shape>& given) {
  std::vector<std::optional<KnownDimensions>> dimensions(model.graph.values.size());
  const OpenDimensions open(model, given);
  if (open.names().size() <= kPrimes[0][0].size()) {
    for (const auto& primes : kPrimes) {
      AddDimensions(model, open, primes, dimensions);
      if (open.names().empty()) break;
    }
  }
  AddDeclared(model, dimensions);
  return dimensions;
}

}  // namespace opledger
