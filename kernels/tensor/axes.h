// Splits a tensor into the dimensions that an operator keeps and the axes that it works along.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/tensor.h"

namespace opledger {

// The offsets of all indices of some dimensions, row-major. They are computed on access instead of
// stored, since a plan has thousands of steps and tensors have millions of elements.
class Offsets {
 public:
  Offsets() : Offsets({}, {}) {}
  Offsets(const Dimensions& sizes, const Dimensions& strides);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t operator[](std::size_t at) const {
    std::size_t offset = 0;
    for (std::size_t d = dimensions_.size(); d-- > 1; at /= dimensions_[d].size) {
      offset += at % dimensions_[d].size * dimensions_[d].stride;
    }
    return offset + at * dimensions_[0].stride;
  }

  struct Iterator {
    const Offsets* of;
    std::size_t at;

    std::size_t operator*() const { return (*of)[at]; }
    Iterator& operator++() {
      ++at;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at != other.at; }
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size_}; }

 private:
  struct Dimension {
    std::size_t size;
    std::size_t stride;
  };
  std::vector<Dimension> dimensions_;  // never empty; dimensions with a common stride are merged
  std::size_t size_ = 1;
};

// Offsets of the elements of a tensor: element j of group i is at groups[i] + members[j]. Groups
// are in the order of the output, members row-major.
struct Axes {
  Offsets groups;
  Offsets members;
  Dimensions kept;       // the shape without the axes
  Dimensions kept_ones;  // with 1 for each axis
};

// `axes` are dimensions of the shape, not negative and without duplicates.
Axes SplitAxes(const Dimensions& shape, const Dimensions& axes);
// Like SplitAxes above, for a tensor with the given `strides`.
Axes SplitAxes(const Dimensions& shape, const Dimensions& axes, const Dimensions& strides);

}  // namespace opledger
